"""A candidate that removes a column says so, and is run again with a limit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from workbench import Bench, served

from roadstead.web.sessions.candidate_requests import facts_of, tried_of
from roadstead.web.sessions.session import WorkSession

_PROJECT = """data = {data}

[roles]
quasi = ["age", "town"]
sensitive = ["illness"]

[privacy]
k = 5

[hierarchies]
age = {{kind = "flat"}}
town = {{kind = "mapping", groups = {{North = {north}, South = {south}}}}}
"""


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A workbench with a table whose towns are all different."""
    rows = [f"{30 + i % 2},t{i},flu" for i in range(40)]
    (tmp_path / "patients.csv").write_text("\n".join(["age,town,illness", *rows, ""]))
    with served(tmp_path / "state", [tmp_path], folder=tmp_path) as started:
        yield started


def test_a_removed_column_is_named_and_kept_in_part_on_request(bench: Bench) -> None:
    """The limit is in the project file, and the same candidate is tried again."""
    piece = bench.begin()
    bench.open(piece, "patients.csv")
    table = Path(json.loads(json.dumps(str(bench.state.parent / "patients.csv"))))
    north, south = (json.dumps([f"t{i}" for i in range(at, 40, 2)]) for at in (0, 1))
    bench.choose(piece, _PROJECT.format(data=json.dumps(str(table)), north=north, south=south))
    session = WorkSession(piece.rpartition("/")[2], bench.folder(piece))
    project = session.project.read_text()
    session.project.write_text(project + "\n[levels.min]\ntown = 2\n")
    bench.post(f"{piece}/explore/try", kind="global", k="5")
    record = bench.wait(piece, "trial")
    assert record["state"] == "done", record["error"]
    (first,) = tried_of(session)
    page = bench.get(f"{piece}/explore").text
    assert "Removes town completely." in page
    assert "Removes age completely." not in page
    bench.post(f"{piece}/release/prepare")
    assert bench.wait(piece, "prepare")["state"] == "done"
    treated = bench.get(f"{piece}/release/columns").text
    assert '<p class="why">Removes town completely.</p>' in treated
    assert treated.count('<td class="why">') == 1
    session.project.write_text(project)
    between = bench.get(f"{piece}/explore/keep/{first.name}?column=age").text
    assert "there is no level in between to keep" in between
    offered = bench.get(f"{piece}/explore/keep/{first.name}?column=town").text
    assert "Keep at least this detail of town" in offered
    assert offered.count("<option") == 1
    refused = bench.post(f"{piece}/explore/keep/{first.name}", column="town", level="2")
    assert (refused.status, "this level leaves no detail" in refused.text) == (422, True)
    assert bench.post(f"{piece}/explore/keep/{first.name}", column="town", level="1").status == 303
    assert bench.wait(piece, "trial")["state"] == "done"
    assert session.choices().unwrap()["levels"] == {"max": {"town": 1}}
    second = tried_of(session)[1]
    assert (second.title, second.given) == (f"{first.title} (2)", first.given)
    own = {one["column"]: one["left"] for one in session.facts(facts_of(second))["attributes"]}
    assert own == {"age": True, "town": True}
