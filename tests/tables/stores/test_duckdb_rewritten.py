"""A DuckDB file in which a table was replaced holds no row of that table, and all that it had."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import duckdb
import ibis
import pyarrow as pa
import pytest

from roadstead.errors import OutputError
from roadstead.tables.reading import read
from roadstead.tables.source import Source
from roadstead.tables.stores.access import sink

CANARIES = [hashlib.sha256(str(at).encode()).hexdigest() for at in range(4_000)]
OBJECTS = (
    "CREATE SEQUENCE numbers START 17",
    "SELECT nextval('numbers')",
    "CREATE TYPE sizes AS ENUM ('small', 'large')",
    "CREATE TABLE wards (ward INTEGER PRIMARY KEY, size sizes DEFAULT 'small', "
    "beds INTEGER CHECK (beds > 0), number INTEGER DEFAULT nextval('numbers'), "
    "twice INTEGER GENERATED ALWAYS AS (beds * 2))",
    "INSERT INTO wards (ward, size, beds) VALUES (1, 'large', 30), (2, 'small', 4)",
    "CREATE TABLE beds (ward INTEGER REFERENCES wards (ward), name VARCHAR COLLATE NOCASE)",
    "INSERT INTO beds VALUES (1, 'A'), (1, 'b')",
    "CREATE INDEX by_beds ON wards (beds)",
    "COMMENT ON COLUMN wards.beds IS 'how many'",
    "CREATE VIEW large AS FROM wards WHERE beds > 9",
    "CREATE MACRO half(x) AS x / 2",
    "CREATE SCHEMA care",
    "CREATE TABLE care.units AS SELECT 'icu' AS unit",
)


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """A file with a table of canaries to be replaced, and one of each other kind of thing."""
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("SET force_compression = 'uncompressed'")
        for statement in OBJECTS:
            connection.execute(statement)
        connection.register("secrets", pa.table({"secret": CANARIES}))
        connection.execute("CREATE TABLE former AS FROM secrets")
    assert left(path) == len(CANARIES)
    return path


@pytest.fixture
def source() -> Iterator[Source]:
    """A table of another place."""
    with read(pa.table({"sex": ["f", "m"], "age": [30, 40]})) as opened:
        yield opened


def left(path: Path) -> int:
    """Count the canaries of which the first half can be read in a file, as it is on the disk."""
    found = {one[1] for one in re.finditer(rb"(?=([0-9a-f]{32}))", path.read_bytes())}
    return sum(canary[:32].encode() in found for canary in CANARIES)


def address(path: Path, table: str = "former") -> str:
    return f"duckdb://{quote(str(path))}?table={quote(table)}"


def replace(path: Path, source: Source) -> None:
    with sink(address(path), source, force=True) as made:
        made.stage(source.table.order_by("age"))
        made.publish()


def objects(path: Path) -> list[tuple[object, ...]]:
    """List what a file has, and how it is made."""
    with duckdb.connect(path, read_only=True) as connection:
        return [
            row
            for of in (
                "table_name, sql, comment FROM duckdb_tables()",
                "view_name, sql FROM duckdb_views() WHERE NOT internal",
                "sequence_name, start_value, last_value FROM duckdb_sequences()",
                "index_name, sql FROM duckdb_indexes()",
                "function_name, macro_definition FROM duckdb_functions() WHERE NOT internal",
                "type_name, labels FROM duckdb_types() WHERE NOT internal",
                "column_name, comment FROM duckdb_columns() WHERE comment IS NOT NULL",
                "tags['storage_version'] FROM duckdb_databases() WHERE database_name = 'clinic'",
            )
            for row in connection.execute(f"SELECT {of} ORDER BY ALL").fetchall()
            if row[0] != "former"
        ]


def rows(path: Path, table: str) -> list[tuple[object, ...]]:
    with duckdb.connect(path, read_only=True) as connection:
        return connection.execute(f"FROM {table} ORDER BY ALL").fetchall()


def test_no_row_of_a_replaced_table_is_left_in_its_file(clinic: Path, source: Source) -> None:
    """Neither in blocks that are free, nor in a log, nor in a file next to it."""
    clinic.chmod(0o640)
    others = ("wards", "beds", "care.units", "large")
    before, there = objects(clinic), {name: rows(clinic, name) for name in others}
    replace(clinic, source)
    assert rows(clinic, "former") == [("f", 30), ("m", 40)]
    assert [(path.name, left(path)) for path in clinic.parent.iterdir()] == [(clinic.name, 0)]
    assert objects(clinic) == before
    assert {name: rows(clinic, name) for name in others} == there
    assert clinic.stat().st_mode & 0o777 == 0o640


def test_a_log_that_was_left_does_not_bring_rows_back(clinic: Path, source: Source) -> None:
    """Its rows are in no checkpoint yet when the table is replaced."""
    log = clinic.with_name(f"{clinic.name}.wal")
    connection = duckdb.connect(clinic)
    connection.execute("SET checkpoint_threshold = '1TB'; PRAGMA disable_checkpoint_on_shutdown")
    connection.execute("INSERT INTO former SELECT secret || '-later' FROM former")
    connection.close()
    assert log.exists()
    replace(clinic, source)
    assert not log.exists()
    assert rows(clinic, "former") == [("f", 30), ("m", 40)]
    assert left(clinic) == 0


def test_the_table_that_is_read_may_be_in_the_file(clinic: Path) -> None:
    """The connection that read it still reads it afterwards."""
    with read(address(clinic, "wards")) as opened:
        with sink(address(clinic), opened, force=True) as made:
            made.stage(opened.table.select("beds").order_by("beds"))
            made.publish()
        assert opened.table.count().to_pyarrow().as_py() == 2
    assert rows(clinic, "former") == [(4,), (30,)]
    assert left(clinic) == 0


@pytest.mark.filterwarnings("ignore:fetch_arrow_table")  # Ibis calls what DuckDB has renamed
def test_a_file_that_the_user_has_open_is_not_rewritten_and_so_refused(clinic: Path) -> None:
    """Later writes of the user would go to a file without a name."""
    mine = ibis.duckdb.connect(clinic)
    with (
        read(mine.table("wards")) as opened,
        pytest.raises(OutputError, match="the database file is open in this process"),
    ):
        sink(address(clinic), opened, force=True)
    mine.disconnect()
    assert len(rows(clinic, "former")) == len(CANARIES)


def test_a_file_that_cannot_be_copied_is_refused_before_any_work(
    clinic: Path, source: Source
) -> None:
    """A default that names the file itself is not known in another."""
    with duckdb.connect(clinic) as connection:
        connection.execute("CREATE TABLE own (a INTEGER DEFAULT nextval('clinic.main.numbers'))")
    with pytest.raises(OutputError, match="the database file cannot be rewritten"):
        sink(address(clinic), source, force=True)
    assert len(rows(clinic, "former")) == len(CANARIES)


def test_a_table_whose_file_could_not_be_rewritten_is_taken_back(
    clinic: Path, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No table is there without the documents that come after it."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with sink(address(clinic), source, force=True) as made:
        made.stage(source.table)
        monkeypatch.setattr("roadstead.tables.stores.duckdb.rewritten._take_over", full)
        with pytest.raises(OutputError, match="could not be rewritten, so it may keep rows"):
            made.publish()
    assert [path.name for path in clinic.parent.iterdir()] == [clinic.name]
    assert "former" not in {name for name, *_ in objects(clinic)}
    with duckdb.connect(clinic, read_only=True) as connection:
        assert not connection.execute("FROM duckdb_tables() WHERE table_name = 'former'").fetchall()
