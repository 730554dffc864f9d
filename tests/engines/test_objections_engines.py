"""Objections to releasing a column are the same from a file and in every engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hidden_identifiers import plant
from revealing_tables import QUASI, clinic
from stores import Duckdb, Files, Postgres

from roadstead.tables.dependencies.examined import with_dependencies
from roadstead.tables.identifiers.judgment import examine
from roadstead.tables.persons.kinds_of_rows import kinds_of_rows
from roadstead.tables.profile import rare_values
from roadstead.tables.reading import read

HONEST = ("outcome", "potassium", "ward", "visit_no")
PLANTED = ("names", "Danish numbers", "ZIP codes", "rare: mail", "undoing: months")


def cells() -> tuple[list[str], list[tuple[str | None, ...]]]:
    """Give columns that hide identifiers next to honest ones, all as texts."""
    rows = [{name: row[name] for name in (*QUASI, *HONEST[:3])} for row in clinic(600, 9)]
    for at, row in enumerate(rows):
        own = at // 3 + 1
        row |= {"patient": own, "visit_no": at % 3 + 1, "contact_no": own % 50 + 1}
    for at, kind in enumerate(PLANTED):
        plant(kind, rows, f"x{at}", 9)
    return list(rows[0]), [tuple(str(cell) for cell in row.values()) for row in rows]


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "name", ["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.nightly)]
)
def test_objections_are_the_same(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """By form, by behavior, by one rare value, and by comparison with another column."""
    columns, rows = cells()
    expected = _found(Files(tmp_path).load("visits", columns, rows))
    assert {"x0", "x1", "x2", "x3", "k"} <= set(expected[0])
    assert "link" in {kind for kind, _ in expected[0]["contact_no"]}
    assert not set(HONEST) & set(expected[0])
    engine: Any = None if name == "duckdb" else request.getfixturevalue(name)
    if name == "duckdb":
        address = Duckdb(tmp_path / "own.duckdb").load("visits", columns, rows)
    elif name == "postgres":
        Postgres(engine).load("visits", columns, rows)
        address = engine.address("visits", user="owner")
    else:
        engine.load("visits", columns, rows)
        address = engine.address("visits")
    assert _found(address) == expected


def _found(address: str) -> tuple[dict[str, Any], list[str], dict[str, Any]]:
    """Give objections, likely person IDs, and findings by column."""
    with read(address) as source:
        seen = with_dependencies(source, examine(source, source.columns), QUASI, (), "patient")
    objections = {
        name: sorted((one.kind, one.why) for one in ones)
        for name, ones in sorted(seen.objections.items())
    }
    findings = {
        name: [(one.number, one.why) for one in judged.findings]
        for name, judged in sorted(seen.judgments.items())
    }
    return objections, sorted(key.column for key in seen.persons), findings


@pytest.mark.parametrize("name", ["file", "duckdb", "postgres"])
def test_kinds_of_rows_and_rare_values_are_the_same(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Facts about a person and visits in different rows; and the visit numbers of few people."""
    columns = ["record", "sex", "seen", "visit"]
    rows: list[tuple[str | None, ...]] = [(str(at), "F", None, None) for at in range(9)]
    rows += [(str(at), None, "2024-01-02", str(n)) for at in range(9) for n in (1, 2)]
    rows += [("3", "", "2024-01-02", "3")] * 6
    if name == "postgres":
        engine: Any = request.getfixturevalue(name)
        Postgres(engine).load("instruments", columns, rows)
        address = engine.address("instruments", user="owner")
    else:
        store = Files(tmp_path) if name == "file" else Duckdb(tmp_path / "own.duckdb")
        address = store.load("instruments", columns, rows)
    with read(address) as source:
        assert kinds_of_rows(source, "record", ["sex", "seen"]) == (("sex",), ("seen",))
        assert kinds_of_rows(source, "record", ["seen", "visit"]) == ()
        assert rare_values(source, "visit", "record", fewer_than=5) == 1
        assert rare_values(source, "visit", None, fewer_than=5) == 0
