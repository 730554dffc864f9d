"""A project of ARX that is dropped on the page: its roles, models, and hierarchies."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

from arx_projects import QUASI, SENSITIVE, Attribute, Project
from workbench import Bench, served

ROWS = [("FM"[at % 2], f"{at * at % 20 + 20}", ("a", "b", "c")[at % 3]) for at in range(240)]
PROJECT = Project(
    ("sex", "age", "finding"),
    ROWS,
    {
        "sex": Attribute(QUASI, [("F", "*"), ("M", "*")]),
        "age": Attribute(QUASI, [(str(at), f"{at // 10 * 10}s", "*") for at in range(20, 40)]),
        "finding": Attribute(SENSITIVE),
    },
    ("6-anonymity", "distinct-2-diversity for attribute 'finding'"),
)


def drop(bench: Bench, project: Project, folder: Path) -> tuple[str, str]:
    """Drop a project, and return its piece of work and how its scan ended."""
    piece = bench.begin()
    content = project.write(folder / "study.deid").read_bytes()
    headers = {"X-File-Name": "study.deid", "HX-Request": "true"}
    bench.request("PUT", f"{piece}/data/drop", content, headers)
    return piece, str(bench.wait(piece, "scan")["state"])


def test_a_dropped_project_is_used_or_refused_in_one_line(tmp_path: Path) -> None:
    """Settings and private hierarchies arrive; a selection of rows is refused."""
    with served(tmp_path / "state", [tmp_path]) as bench:
        bench.enter()
        piece, state = drop(bench, PROJECT, tmp_path)
        assert state == "done"
        assert "This is a project of ARX 3.9.2" in bench.get(f"{piece}/data").text
        folder = bench.folder(piece)
        project = tomllib.loads((folder / "project.toml").read_text())
        assert project["roles"]["quasi"] == ["sex", "age"]
        assert project["privacy"]["k"] == 6
        (model,) = project["privacy"]["models"]
        assert model == {"kind": "distinct-l-diversity", "l": 2, "column": "finding"}
        assert (folder / project["hierarchies"]["age"]["path"]).is_file()
        assert (folder / "hierarchies").stat().st_mode & 0o077 == 0
        assert "20s" in bench.get(f"{piece}/columns/2/export").text
        selected = replace(PROJECT, selected=[at % 3 == 0 for at in range(240)])
        piece, state = drop(bench, selected, tmp_path)
        assert state == "failed"
        assert "releases selected rows only" in bench.get(f"{piece}/data").text
