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
    """A workbench, and a table of which three columns have no role."""
    folder = tmp_path_factory.mktemp("withheld")
    (folder / "allowed").mkdir()
    lines = [
        f"{20 + i * 7 % 60},{'fm'[i % 2]},{i % 9},{70000 + 31 * i},{40 + i / 7:.3f}"
        for i in range(400)
    ]
    table = folder / "allowed" / "stays.csv"
    table.write_text("\n".join(["age,sex,stay,mrn,lab", *lines, ""]))
    with served(folder / "state", [folder / "allowed"]) as bench:
        yield bench


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "more",
    ['undecided = "withhold"', 'undecided = "withhold"\nidentifiers = ["mrn"]'],
    ids=["three", "two"],
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
    number = "2 columns" if "mrn" in more else "3 columns"
    assert f"Withheld: {number} without a role" in page
    assert "stay: it has no role" in page
    assert ("To release it, set the role “Not sensitive”." in page) == ("mrn" not in more)
    assert "Nearly every value of lab is rare" in page
    fates = bench.get(f"{piece}/release/columns").text
    assert "withheld: it has no role" in fates
    assert bench.post(f"{piece}/release/write", out=str(out)).status == 303
    record = bench.wait(piece, "write")
    assert record["state"] == "done", record
    assert _header(out) == "age,sex"
    assert "a decision is recorded for every released column" in bench.get(f"{piece}/release").text


def _header(out: Path) -> str:
    return (out / "stays.csv").read_text("utf-8").splitlines()[0]


def test_release_anyway_is_where_the_messages_send_the_user(bench: Bench) -> None:
    """On the refused card before the roles, and in the row of each undecided column.

    Fault class: a message about a control that appears only after another choice.
    """
    allowed = bench.state.parent / "allowed"
    places = [f"{38 + i % 60 / 7:.6f},{-8 - i % 60 / 9:.6f},{i % 60}" for i in range(400)]
    (allowed / "places.csv").write_text("\n".join(["lat,lon,cluster", *places, ""]))
    piece = bench.begin()
    bench.open(piece, str(allowed / "places.csv"))
    page = bench.get(f"{piece}/columns").text
    assert "What is cluster?" in page
    row = page.partition('id="cell-3"')[2]
    assert "<summary>Release anyway</summary>" in row
    answer = bench.post(f"{piece}/columns/3/role", role="unchanged", asked="yes")
    assert (answer.status, "or release it anyway with “Release anyway”" in answer.text) == (
        422,
        True,
    )
    card, _, rest = answer.text.partition('class="refusal"')[2].partition('id="cell-3"')
    assert card.index('name="reason"') < card.index("<strong>Quasi-identifier</strong>")
    assert "<summary>Release anyway</summary>" in rest
    other = bench.post(f"{piece}/columns/1/role", role="unchanged", asked="yes")
    assert other.status == 422
    assert 'id="asked-reason"' not in other.text  # the card is about another column
