"""Kinds of tables that users have, made for the tests, each with its correct treatment.

`LEAKS` has columns that must not be released, whether the user names only the quasi-identifiers or
also these columns. The other tables make it hard to see which unit is counted.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hidden_identifiers import danish, person
from revealing_tables import Row, looked_at
from small_tables import write_csv

import roadstead as rs

RECORDS = 900
QUASI = ("sex", "age", "area")


def base(records: int = RECORDS) -> list[Row]:
    """Make records of three quasi-identifiers."""
    chance = random.Random(8)  # noqa: S311 - no secret
    return [
        {"sex": chance.choice("FM"), "age": chance.randint(20, 69), "area": chance.choice("NSEW")}
        for _ in range(records)
    ]


def each(**columns: Callable[[int], Any]) -> list[Row]:
    """Add columns by the number of the record."""
    return [
        row | {name: make(at) for name, make in columns.items()} for at, row in enumerate(base())
    ]


def _once(at: int, usual: str, rare: str) -> str:
    return rare if at == RECORDS - 7 else usual


LEAKS: dict[str, list[Row]] = {
    "names under a header of outcomes": each(outcome=lambda at: f"to son {person(at % 56)}"),
    "a date in a procedure": each(procedure=lambda at: f"knee {at % 28 + 1:02}.03.1957 left"),
    "file numbers in a result": each(lab_result=lambda at: f"file {61_000 + at % 300 * 17}"),
    "an address in a medication": each(
        medication=lambda at: _once(at, ("asp", "ibu")[at % 2], "jöel@canary.org")
    ),
    "a person in a diagnosis": each(diagnosis=lambda at: f"Mrs {person(at % 56)}: flu"),
    "an old age in a stage": each(stage=lambda at: _once(at, "40-year-old", "93-year-old donor")),
    "record numbers as incomes": each(income=lambda at: 200_003 + at % 300 * 7_717 % 700_000),
    "degrees in two columns": each(
        gx=lambda at: f"{52.3 + at % 90 * 0.00173:.5f}",
        gy=lambda at: f"{13.1 + at % 90 * 0.00291:.5f}",
    ),
}


def _table(rows: list[Row]) -> pa.Table:
    return pa.table({name: [row[name] for row in rows] for name in rows[0]})


@pytest.mark.quick(4)
@pytest.mark.parametrize("what", LEAKS)
def test_what_a_header_hides_does_not_leave(what: str) -> None:
    """Neither without a role, nor as sensitive, nor by the proposal of a scan."""
    rows = LEAKS[what]
    table, columns = _table(rows), [name for name in rows[0] if name not in QUASI]
    result = rs.anonymize(table, quasi=QUASI, suppression=0.05)
    assert set(result.to_arrow().column_names) == set(QUASI)
    with pytest.raises(rs.RoadsteadError):
        rs.anonymize(table, quasi=QUASI, sensitive=columns, suppression=0.05)
    proposal = rs.scan(table)
    assert not set(columns) & {*proposal.names("sensitive"), *proposal.names("unchanged")}


def test_national_numbers_are_the_likely_person_id(tmp_path: Path) -> None:
    """Each with several records, among which sex and place do not change."""
    chance = random.Random(3)  # noqa: S311 - no secret
    people = [
        (danish(at), chance.choice("KM"), chance.choice(["Ribe", "Vejle"])) for at in range(50)
    ]
    rows = [(*one, chance.choice("abc")) for one in people for _ in range(chance.randint(6, 10))]
    path = tmp_path / "visits.csv"
    write_csv(path, ("nr", "kon", "sted", "diag"), rows)
    assert "nr" in rs.anonymize(path, quasi=["kon", "sted"], k=5).withheld
    shown = [dict(zip(("nr", "kon", "sted", "diag"), row, strict=True)) for row in rows]
    assert [key.column for key in looked_at(shown, ("kon", "sted")).persons] == ["nr"]


def test_a_number_within_which_nothing_changes_is_a_person() -> None:
    """The quasi-identifiers are the same in all records of a number."""
    rows = [
        {"n": at, "years": 20 + at, "female": at % 2, "visits": (at * 7 + one) % 5}
        for at in range(60)
        for one in range(5)
    ]
    found = looked_at(rows, ("years", "female"))
    assert [key.column for key in found.persons] == ["n"]


def test_who_infected_a_patient_is_not_released_next_to_pseudonyms() -> None:
    """The values are IDs of other patients."""
    chance = random.Random(6)  # noqa: S311 - no secret
    ids = [310_000 + 11 * at for at in range(240)]
    rows = [
        {
            "patient": one,
            "caught_from": None if at < 8 else chance.choice(ids[:8]),
            "sex": chance.choice("mf"),
            "end": chance.choice(["died", "well"]),
        }
        for at, one in enumerate(ids)
    ]
    result = rs.anonymize(
        _table(rows), person="patient", link="pseudonym", quasi=["sex"], sensitive=["end"], k=5
    )
    assert "caught_from" not in result.to_arrow().column_names


def test_blanks_are_not_a_second_value() -> None:
    """Six positive and two blank are one value of diversity."""
    rows = [("F", "North", "positive")] * 6 + [("F", "North", None)] * 2
    rows += [("M", "South", ("positive", "negative")[at % 2]) for at in range(60)]
    columns = ("sex", "area", "test")
    table = pa.table(dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)))
    result = rs.anonymize(
        table,
        quasi=["sex", "area"],
        sensitive=["test"],
        privacy=[{"kind": "distinct-l-diversity", "column": "test", "l": 2}],
        k=5,
        suppression=0.5,
    )
    shown = result.to_pandas()
    assert not (shown["sex"].eq("F") & shown["area"].eq("North")).any()
