"""A table appears in a database that Ibis connects to; SQLite, which comes with Python, is one."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from roadstead.errors import OutputError
from roadstead.tables.reading import read
from roadstead.tables.stores.access import sink

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from roadstead.tables.source import Source

# Ibis drops its table in memory by a method that some sqlglots write no name for.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Exception ignored"),
    pytest.mark.filterwarnings("ignore:.*infer_string"),  # of the pandas that brings Ibis its rows
]
ROWS = [("f", 30), ("m", 40), (None, 50)]


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    path = tmp_path / "x.db"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE former (a TEXT)")
        connection.execute("INSERT INTO former VALUES ('x')")
    return path


@pytest.fixture
def source() -> Iterator[Source]:
    with read(pa.table({"sex": ["f", "m", None], "age": [30, 40, 50]})) as opened:
        yield opened


def address(path: Path, table: str) -> str:
    return f"sqlite://{path}?table={table}"


def run(path: Path, statement: str) -> list[tuple[Any, ...]]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute(statement).fetchall()


def tables(path: Path) -> list[str]:
    return [name for (name,) in run(path, "SELECT name FROM sqlite_master ORDER BY 1")]


def test_a_table_is_renamed_when_it_is_published(clinic: Path, source: Source) -> None:
    with sink(address(clinic, "out"), source, force=False) as made:
        assert (made.name, made.backend) == ("out", "sqlite")
        staged = made.stage(source.table.order_by("age"))
        assert staged.count().execute() == 3
        assert "out" not in tables(clinic)
        made.publish()
    assert run(clinic, "SELECT * FROM out") == ROWS
    assert tables(clinic) == ["former", "out"]


def test_what_is_not_published_or_withdrawn_is_gone(clinic: Path, source: Source) -> None:
    for publish in (True, False):
        with sink(address(clinic, "former"), source, force=True) as made:
            made.stage(source.table)
            if not publish:
                continue
        assert tables(clinic) == ["former"]
    with sink(address(clinic, "out"), source, force=False) as made:
        made.stage(source.table)
        made.publish()
        made.withdraw()
    assert tables(clinic) == ["former"]


def test_a_former_table_is_replaced_only_by_force(clinic: Path, source: Source) -> None:
    with pytest.raises(OutputError, match="former: it already exists"):
        sink(address(clinic, "former"), source, force=False)
    with sink(address(clinic, "former"), source, force=True) as made:
        made.stage(source.table.order_by("age"))
        made.publish()
    assert run(clinic, "SELECT * FROM former") == ROWS


def test_no_row_of_a_replaced_table_is_left_in_a_file_of_sqlite(
    clinic: Path, source: Source
) -> None:
    """Its pages are free then, and SQLite would keep what is in them."""
    canary = "canary-of-a-former-release"
    with contextlib.closing(sqlite3.connect(clinic)) as connection, connection:
        connection.executemany("INSERT INTO former VALUES (?)", [(canary,)] * 2_000)
    assert canary.encode() in clinic.read_bytes()
    with sink(address(clinic, "former"), source, force=True) as made:
        made.stage(source.table)
        made.publish()
    assert not [p.name for p in clinic.parent.iterdir() if canary.encode() in p.read_bytes()]


def test_the_table_that_is_read_is_never_replaced(clinic: Path) -> None:
    with (
        read(address(clinic, "former")) as opened,
        pytest.raises(OutputError, match="reads its rows from this table"),
    ):
        sink(address(clinic, "FORMER"), opened, force=True)


def test_what_is_no_place_for_a_table_is_told(clinic: Path, source: Source) -> None:
    with pytest.raises(OutputError, match=r"cannot create the table in one step.*leave the schema"):
        sink(address(clinic, "main.out"), source, force=False)
    with pytest.raises(OutputError, match="there is no such file"):
        sink(address(clinic.with_name("y.db"), "out"), source, force=False)
    with pytest.raises(OutputError, match="does not know this kind of database"):
        sink("nosuch://x/y?table=t", source, force=False)
    with pytest.raises(OutputError, match="a whole data model"):
        sink("omop:postgresql://h/db?schema=cdm", source, force=False)
