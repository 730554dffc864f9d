"""A whole CDM out of a database is that out of files, row by row, with the same key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest
from spark_tables import Spark
from stores import Duckdb, Postgres
from whole_cdm import tables_of, write_cdm

import roadstead as rs
from roadstead.release.persons.pseudonyms import write_key

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from whole_cdm import Rows

pytestmark = pytest.mark.nightly


_NUMBERS = ("person_id", "concept_id", "occurrence_id", "year_of_birth")


def released(place: str, key: Path, out: Path) -> dict[str, list[tuple[object, ...]]]:
    """Release a CDM, and read all tables of it back, as texts in an order of their own."""
    rs.anonymize(place, tables=["all"], k=5, shift_days=60, key=key, out=out)
    found = {}
    for file in sorted(out.iterdir()):
        if file.suffix in (".csv", ".parquet"):
            how = ", all_varchar = true" if file.suffix == ".csv" else ""
            reads = f"read_{file.suffix[1:]}('{file}'{how})"
            rows = duckdb.execute(f"FROM {reads} SELECT COLUMNS(*)::VARCHAR").fetchall()
            found[file.stem.lower()] = sorted(rows, key=repr)
    return found


def loaded(
    engine: str, tables: Mapping[str, Rows], folder: Path, request: pytest.FixtureRequest
) -> str:
    """Put a CDM in a database, and write its address."""
    store: Duckdb | Postgres | Spark
    match engine:
        case "DuckDB":
            store = Duckdb(folder / "clinic.duckdb", "cdm")
        case "PostgreSQL":
            store = Postgres(request.getfixturevalue("postgres"), "cdm")
        case _:
            store = request.getfixturevalue("spark")
    address = ""
    for name, rows in tables.items():
        columns = [f"{c}::{'bigint' if c.endswith(_NUMBERS) else 'text'}" for c in rows[0]]
        cells = [tuple(cell or None for cell in row.values()) for row in rows]
        if isinstance(store, Spark):
            store.load(name, columns, cells)
            address = store.address(name)
        else:
            address = store.load(name, columns, cells)
    place, _, table = address.partition("?table=")
    return f"omop:{place}?schema={table.rpartition('.')[0]}"


@pytest.mark.parametrize("engine", ["DuckDB", "PostgreSQL", "Spark"])
def test_the_release_is_that_of_the_files(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """People, keys, days, codes, and omissions follow from the data and the key alone."""
    write_cdm(tmp_path / "cdm", persons=120)
    write_key(tmp_path / "key")
    database = loaded(engine, tables_of(tmp_path / "cdm"), tmp_path, request)
    expected = released(f"omop:{tmp_path / 'cdm'}", tmp_path / "key", tmp_path / "files")
    assert expected["condition_occurrence"]
    assert released(database, tmp_path / "key", tmp_path / "out") == expected
