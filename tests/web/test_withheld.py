"""Columns without a role stay on this side: withheld, named with the reason, and verified."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from workbench import Bench, served

_PROJECT = """data = {data}

[roles]
quasi = ["age", "sex"]
{more}
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A workbench, and a table of which two columns have no role."""
    folder = tmp_path_factory.mktemp("withheld")
    (folder / "allowed").mkdir()
    lines = [f"{20 + i * 7 % 60},{'fm'[i % 2]},{i % 9},{70000 + 31 * i}" for i in range(400)]
    table = folder / "allowed" / "stays.csv"
    table.write_text("\n".join(["age,sex,stay,mrn", *lines, ""]))
    with served(folder / "state", [folder / "allowed"]) as bench:
        yield bench


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "more",
    ['undecided = "withhold"', 'undecided = "withhold"\nidentifiers = ["mrn"]'],
    ids=["two", "one"],
)
def test_what_has_no_role_is_named_and_not_written(bench: Bench, more: str) -> None:
    """Before it is written, with the reason. Fault class: a forgotten column."""
    allowed = bench.state.parent / "allowed"
    piece, table, out = bench.begin(), allowed / "stays.csv", allowed / f"out-{len(more)}"
    bench.open(piece, str(table))
    bench.choose(piece, _PROJECT.format(data=json.dumps(str(table)), more=more))
    assert bench.post(f"{piece}/release/prepare").status == 303
    record = bench.wait(piece, "prepare")
    assert record["state"] == "done", record
    page = bench.get(f"{piece}/release").text
    number = "1 column" if "mrn" in more else "2 columns"
    assert f"Withheld: {number} without a role" in page
    assert "stay: it has no role" in page
    assert ("choose “Release anyway”" in page) == ("mrn" not in more)
    fates = bench.get(f"{piece}/release/columns").text
    assert "withheld: it has no role" in fates
    assert bench.post(f"{piece}/release/write", out=str(out)).status == 303
    record = bench.wait(piece, "write")
    assert record["state"] == "done", record
    assert _header(out) == "age,sex"
    assert "a decision is recorded for every released column" in bench.get(f"{piece}/release").text


def _header(out: Path) -> str:
    return (out / "stays.csv").read_text("utf-8").splitlines()[0]
