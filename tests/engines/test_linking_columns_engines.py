"""Columns that link the rows of a person are found in every engine."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from stores import Duckdb, Postgres

from roadstead.tables.persons.linking_columns import linked_rows, linked_together
from roadstead.tables.reading import read

NAMES = ("who", "stay", "counter::bigint", "place", "seen::timestamp", "drug")
COLUMNS = ("stay", "counter", "place", "seen", "drug")


def rows() -> list[tuple[str | None, ...]]:
    """Three prescriptions of each of 80 people, in their order; some have no place."""
    chance = random.Random(4)  # noqa: S311 - a table of a test
    made: list[tuple[str | None, ...]] = []
    for person in range(80):
        for at in range(3):
            seen = f"2020-01-01 {chance.randrange(24):02}:{chance.randrange(60):02}:0{at}"
            place = None if person % 7 == 0 else f"p|{person % 50}"
            drug = chance.choice("ABC")
            made.append(
                (f"n{person}", f"s{person}-{at // 2}", str(3 * person + at), place, seen, drug)
            )
    return made


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "name", ["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.nightly)]
)
def test_links_are_counted_alike(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """The same numbers, of columns alone and together."""
    content = rows()
    expected = _counted(Duckdb(tmp_path / "own.duckdb").load("stays", NAMES, content))
    assert expected[0]["stay"].by_value == 80
    assert expected[0]["counter"].by_order == 80
    assert 0 < expected[0]["place"].by_value < 80
    assert not expected[0]["drug"].by_value
    engine: Any = None if name == "duckdb" else request.getfixturevalue(name)
    if name == "duckdb":
        address = Duckdb(tmp_path / "again.duckdb").load("stays", NAMES, content[::-1])
    elif name == "postgres":
        Postgres(engine).load("stays", NAMES, content)
        address = engine.address("stays", user="owner")
    else:
        engine.load("stays", NAMES, content)
        address = engine.address("stays")
    assert _counted(address) == expected


def _counted(address: str) -> tuple[Any, Any]:
    with read(address) as source:
        alone = linked_rows(source, "who", COLUMNS, k=3, small=0)
        return alone, linked_together(source, "who", COLUMNS, k=3, small=0)
