"""Values of a type without a record are in no file, table, or schema of a release."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import duckdb
import ibis
import pandas as pd
import pyarrow as pa
import pytest
from commands import run, without_charts
from pyarrow import parquet

import roadstead as rs

UNUSED = "patient-zero-of-ward-7"
ROWS = [("f", "flu", 30 + at % 3) for at in range(12)] + [("m", "cold", 40) for _ in range(12)]
ASKED = ("--quasi", "sex,age", "--sensitive", "diagnosis", "--k", "3", "--suppression", "1")


def kept_by(folder: Path) -> list[str]:
    """Name the files in which the value can be read."""
    return [p.name for p in folder.rglob("*") if p.is_file() and UNUSED.encode() in p.read_bytes()]


@pytest.fixture
def clinic(tmp_path: Path) -> str:
    """A table of DuckDB with enumerations, also in a list and in a struct."""
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(f"CREATE TYPE sexes AS ENUM ('f', 'm', '{UNUSED}')")
        connection.execute(f"CREATE TYPE seen AS ENUM ('it''s, BIT', 'cold', 'flu', '{UNUSED}')")
        connection.execute("CREATE TABLE people (sex sexes, diagnosis seen, age INTEGER)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", ROWS)
        connection.execute("CREATE VIEW nested AS SELECT *, [diagnosis] AS list FROM people")
    return f"duckdb://{quote(str(path))}?table=people"


@pytest.mark.nightly
def test_an_enumeration_of_duckdb_is_released_as_texts(
    clinic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To a file, and to a table of another file."""
    without_charts(monkeypatch)
    ran = run("anonymize", clinic, *ASKED, "--out", tmp_path / "file")
    assert ran.code == 0, ran.err
    assert kept_by(tmp_path / "file") == []
    (table,) = (tmp_path / "file").glob("*.parquet")
    assert set(parquet.read_table(table)["diagnosis"].to_pylist()) == {"flu", "cold"}

    into = tmp_path / "released.duckdb"
    ran = run(
        "anonymize",
        clinic,
        *ASKED,
        "--out",
        tmp_path / "table",
        "--into",
        f"duckdb://{into}?table=t",
    )
    assert ran.code == 0, ran.err
    assert UNUSED.encode() not in into.read_bytes()
    with duckdb.connect(into, read_only=True) as connection:
        assert "ENUM" not in str(connection.execute("SELECT sql FROM duckdb_tables()").fetchall())


def test_a_table_next_to_its_source_has_no_enumeration(clinic: str, tmp_path: Path) -> None:
    """The type stays in the file with the source; the released table does not refer to it."""
    beside = clinic.replace("=people", "=released")
    result = rs.anonymize(clinic, quasi=["sex", "age"], sensitive=["diagnosis"], k=3, suppression=1)
    result.write(tmp_path / "release", into=beside)
    with duckdb.connect(tmp_path / "clinic.duckdb", read_only=True) as connection:
        found = connection.execute(
            "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 'released'"
        ).fetchall()
    assert {kind for name, kind in found if name in ("sex", "diagnosis")} == {"VARCHAR"}


@pytest.mark.filterwarnings("ignore:fetch_arrow_table")  # Ibis calls what DuckDB has renamed
def test_lists_of_an_enumeration_are_lists_of_texts(clinic: str, tmp_path: Path) -> None:
    """In a table of the user's own connection too."""
    with rs.read(clinic.replace("=people", "=nested")) as source:
        assert source.table.schema()["list"].is_array()
        assert source.table.to_pyarrow()["list"].type == pa.list_(pa.string())
    mine = ibis.duckdb.connect(tmp_path / "clinic.duckdb", read_only=True)
    with rs.read(mine.table("people")) as source:
        assert source.table.to_pyarrow()["diagnosis"].type == pa.string()
    mine.disconnect()


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["pandas", "arrow", "parquet"])
def test_a_category_leaves_with_the_values_that_records_have(tmp_path: Path, kind: str) -> None:
    """For a data frame, a table in memory, or the dictionary of a file; in every way out."""
    frame = pd.DataFrame(ROWS, columns=["sex", "diagnosis", "age"])
    for name in ("sex", "diagnosis"):
        known = [*sorted(set(frame[name])), UNUSED]
        frame[name] = pd.Categorical(frame[name], categories=known)
    data: object = frame
    if kind != "pandas":
        data = table = pa.Table.from_pandas(frame)
        assert UNUSED in table["diagnosis"].chunk(0).dictionary.to_pylist()
    if kind == "parquet":
        parquet.write_table(data, tmp_path / "people.parquet")
        data = tmp_path / "people.parquet"
    result = rs.anonymize(data, quasi=["sex", "age"], sensitive=["diagnosis"], k=3, suppression=1)
    result.write(tmp_path / "release")
    assert kept_by(tmp_path / "release") == []
    assert not any(pa.types.is_dictionary(field.type) for field in result.to_arrow().schema)
    assert "category" not in set(map(str, result.to_pandas().dtypes))
    assert not any(pa.types.is_dictionary(f.type) for f in result.table().to_pyarrow().schema)
