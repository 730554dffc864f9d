"""The tutorials do what they show: each is executed from its first cell to its last.

After a change on purpose, ``python docs/make_tutorials.py`` puts what they show now into the
notebooks, to be read before it is kept.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from notebooks import BY_CHANCE, TUTORIALS, execute, made_of, read, shown_by
from shown_text import matches

FILES = sorted(TUTORIALS.glob("*.ipynb"))
_PLACE = re.compile(r"(?<![\w.~])/(?:work|tmp|home|root|Users|mnt|var|opt)/|[A-Z]:\\\\")
_LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")


def codes_of(notebook: Any) -> list[Any]:  # noqa: ANN401 - a node of nbformat
    """The cells of code."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def differences(committed: Any, executed: Any) -> list[str]:  # noqa: ANN401 - nodes of nbformat
    """Cells that show something else than is committed; those drawn by chance only show."""
    return [
        f"{old.source}\n\nis committed with\n\n{shown_by(old)}\n\nand shows\n\n{shown_by(new)}"
        for old, new in zip(codes_of(committed), codes_of(executed), strict=True)
        if (
            bool(shown_by(old)) != bool(shown_by(new))
            if BY_CHANCE in old.metadata.get("tags", ())
            else not matches(shown_by(old), shown_by(new))
        )
    ]


@pytest.mark.nightly
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_tutorial_does_what_it_shows(file: Path, tmp_path: Path) -> None:
    """In a kernel and an empty folder of its own; a cell that fails ends it."""
    notebook = read(file)
    execute(notebook, tmp_path)
    assert differences(read(file), notebook) == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_tutorial_tells_nothing_of_the_machine_it_ran_on(file: Path) -> None:
    """No path, no time, no messages of libraries; and it was run once, from the top."""
    notebook = read(file)
    assert not _PLACE.search(file.read_text("utf-8"))
    for number, cell in enumerate(codes_of(notebook), start=1):
        assert cell.execution_count == number
        assert set(cell.metadata) <= {"tags"}
        assert all(one.get("name") != "stderr" for one in cell.outputs)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_tutorial_is_found_and_leads_somewhere(file: Path) -> None:
    """From the first page of the documentation; its own links lead to files."""
    assert f"(tutorials/{file.name})" in (TUTORIALS.parent / "index.md").read_text("utf-8")
    prose = "\n".join(one.source for one in read(file).cells if one.cell_type == "markdown")
    assert prose.startswith("# ")
    for link in _LINK.finditer(prose):
        assert (TUTORIALS / link["target"].partition("#")[0]).exists(), link["target"]


def test_a_difference_is_seen(tmp_path: Path) -> None:
    """The witness itself: another figure, in print or on a page; times may differ."""
    cells = ("print(5)", "from IPython.display import HTML; HTML('<b>6</b>')", "print('in 0.1 s')")
    committed, executed = made_of(*cells), made_of(*cells)
    execute(committed, tmp_path)
    execute(executed, tmp_path)
    executed.cells[2].outputs[0].text = "in 12 s\n"
    assert differences(committed, executed) == []
    executed.cells[0].outputs[0].text = "4\n"
    executed.cells[1].outputs[0].data["text/html"] = "<b>7</b>"
    assert len(differences(committed, executed)) == 2
