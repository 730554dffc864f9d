"""Databases and folders are read as one table, and nothing is left in them."""

from __future__ import annotations

import contextlib
import gzip
import sqlite3
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet

from roadstead.errors import MissingExtraError, SourceError
from roadstead.tables.frequency import summarize
from roadstead.tables.identifiers.judgment import examine
from roadstead.tables.reading import read
from roadstead.tables.source import Csv, Engine, Parquet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from roadstead.tables.source import Source


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """A DuckDB file with tables in two schemas, and a view."""
    path = tmp_path / "it's [a] clinic.duckdb"
    with duckdb.connect(path) as connection:
        for statement in (
            "CREATE TABLE visits AS SELECT * FROM (VALUES ('f', 30), ('m', 40)) AS t (sex, age)",
            "CREATE SCHEMA care",
            'CREATE TABLE care."odd.name" AS SELECT \'x\' AS "select"',
            "CREATE VIEW adults AS SELECT sex FROM visits WHERE age > 35",
            "CREATE TABLE void (a text)",
        ):
            connection.execute(statement)
    return path


def address(path: Path, table: str) -> str:
    return f"duckdb://{quote(str(path))}?table={quote(table)}"


def rows(source: Source) -> Counter[tuple[Any, ...]]:
    result = source.table.to_pyarrow()
    return Counter(zip(*(column.to_pylist() for column in result.columns), strict=True))


@pytest.mark.parametrize(
    ("table", "columns", "expected"),
    [
        ("visits", ("sex", "age"), [("f", 30), ("m", 40)]),
        ("main.visits", ("sex", "age"), [("f", 30), ("m", 40)]),
        ('care."odd.name"', ("select",), [("x",)]),
        ("adults", ("sex",), [("m",)]),
    ],
)
def test_a_table_of_a_duckdb_file_is_read(
    clinic: Path, table: str, columns: tuple[str, ...], expected: list[tuple[Any, ...]]
) -> None:
    with read(address(clinic, table)) as source:
        assert source.columns == columns
        assert (source.name, source.format, source.path) == (table, Engine("duckdb"), None)
        assert source.format.describe() == "table in DuckDB"
        assert rows(source) == Counter(expected)


def test_a_duckdb_file_is_only_read(clinic: Path) -> None:
    """Not a byte of it changes, and no file appears next to it."""
    before = {path: path.read_bytes() for path in clinic.parent.iterdir()}
    with read(address(clinic, "visits")) as source:
        assert source.table.order_by("age").count().to_pyarrow().as_py() == 2
        with pytest.raises(duckdb.Error, match="read-only"):
            source.table.get_backend().con.execute("DROP TABLE attached.main.visits")
    assert {path: path.read_bytes() for path in clinic.parent.iterdir()} == before


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda a: a.replace("=visits", "=visit"), "visit: there is no such table; did you mean"),
        (lambda a: a.replace("=visits", "=Visits"), "did you mean visits?"),
        (lambda a: a.replace("=visits", "=care.visits"), "did you mean main.visits?"),
        (lambda a: a.replace("=visits", "=void"), "void: there are no records"),
        (lambda a: a.replace(".duckdb", ".duckbd"), "no such file; did you mean it's [a] clinic"),
        (
            lambda _: "https://example.org/visits.csv?table=t",
            "does not know this kind of database",
        ),
        (lambda _: "sqlite:///nowhere/x.db?table=t", "there is no such file"),
    ],
)
def test_a_table_that_is_not_there_is_told(
    clinic: Path, change: Callable[[str], str], says: str
) -> None:
    with pytest.raises(SourceError) as caught:
        read(change(address(clinic, "visits")))
    assert says in str(caught.value)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.duckdb").write_text("a,b\n1,2\n")
    with pytest.raises(SourceError, match=r"x\.duckdb: this is not a DuckDB file"):
        read(address(tmp_path / "x.duckdb", "t"))


def test_a_duckdb_file_that_another_process_writes_is_refused(clinic: Path) -> None:
    held = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", held, clinic],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "open\n"
        try:
            with pytest.raises(
                SourceError, match="another program has opened this file for writing"
            ):
                read(address(clinic, "visits"))
        finally:
            process.communicate("\n")


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'roadstead\[postgres\]'"):
        read("postgresql://localhost/clinic?table=t")
    monkeypatch.setitem(sys.modules, "MySQLdb", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ibis-framework\[mysql\]'"):
        read("mysql://localhost/clinic?table=t")


@pytest.mark.filterwarnings("ignore:.*infer_string")  # of the pandas that Ibis brings its rows by
def test_another_database_is_opened_through_ibis(tmp_path: Path) -> None:
    """SQLite comes with Python; a table is copied, so that DuckDB writes its numbers as text."""
    path = tmp_path / "x.db"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE v (sex TEXT, age INT, mass REAL)")
        people = [("f", 30, 0.1 + 0.2), ("f", 30, 0.1 + 0.2), (None, 40, 1e-5)]
        connection.executemany("INSERT INTO v VALUES (?, ?, ?)", people)
    with read(f"sqlite://{path}?table=v") as source:
        assert source.format == Engine("sqlite")
        table = summarize(source, ("sex", "age"))
        assert (table.domains, table.counts.tolist()) == ((("", "f"), ("30", "40")), [1, 2])
        assert summarize(source, ("mass",)).domains == (("0.30000000000000004", "1e-05"),)
        assert rows(source) == Counter({("f", 30, 0.1 + 0.2): 2, (None, 40, 1e-5): 1})
        assert examine(source, ("sex",)).judgments["sex"].role == "quasi"


def test_a_folder_of_text_is_one_table_in_the_order_of_names(tmp_path: Path) -> None:
    """Each file in its own way of writing; the release is written like the first."""
    folder = tmp_path / "visits"
    folder.mkdir()
    (folder / "2.csv").write_text("zip;name\n00003;c\n", encoding="utf-8")
    (folder / "1.csv").write_text("zip,name\n00001,a\n00002,\u00e9\n", encoding="utf-8")
    (folder / "10.tsv.gz").write_bytes(gzip.compress("zip\tname\n00004\td\n".encode("utf-16")))
    (folder / "3.csv").write_text("zip,name\n")
    (folder / "_SUCCESS").write_text("")
    (folder / ".1.csv.crc").write_bytes(b"\0")
    with read(folder) as source:
        assert (source.name, source.path) == ("visits", folder)
        assert isinstance(source.format, Csv)
        assert source.format.dialect.delimiter == ","
        found = source.table.to_pyarrow().to_pydict()
    assert found == {
        "zip": ["00001", "00002", "00004", "00003"],
        "name": ["a", "\u00e9", "d", "c"],
    }


def test_a_folder_of_parquet_is_one_table(tmp_path: Path) -> None:
    folder = tmp_path / "year=2024 [1].parquet"
    folder.mkdir()
    for at in (2, 1):
        table = pa.table({"age": [at, 10 * at], "sex": ["f", None]})
        parquet.write_table(table, folder / f"part-{at}.parquet")
    with read(str(folder)) as source:
        assert source.format == Parquet()
        assert source.columns == ("age", "sex")
        assert source.table.to_pyarrow()["age"].to_pylist() == [1, 10, 2, 20]


@pytest.mark.parametrize(
    ("files", "says"),
    [
        (
            {"a.csv": b"x,y\n1,2\n", "b.csv": b"x,z\n1,2\n"},
            "b.csv: column 2 is 'z', and 'y' in a.csv",
        ),
        (
            {"a.csv": b"x,y\n1,2\n", "b.csv": b"x,y,z\n1,2,3\n"},
            "b.csv: has 3 columns, but a.csv has 2",
        ),
        ({"a.csv": b"x,y\n1,2\n", "b.csv": b"y,x\n1,2\n"}, "b.csv: column 1 is 'y'"),
        ({"a.csv": b"x,y\n", "b.csv": b"x,y\n"}, "there are no records"),
        ({"a.csv": b"x\n1\n", "certificate.json": b"{}"}, "this is the folder of a release"),
        (
            {"a.csv": b"x\n1\n", "b.parquet": b"PAR1"},
            "b.parquet: this is a Parquet file, unlike",
        ),
        ({"_SUCCESS": b""}, "without Parquet or CSV files"),
    ],
)
def test_a_folder_that_is_no_table_is_refused(
    tmp_path: Path, files: dict[str, bytes], says: str
) -> None:
    """The file that is unlike the first is named."""
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError) as caught:
        read(tmp_path, header=True)
    assert says in str(caught.value)


def test_parquet_files_of_other_types_or_columns_are_refused(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"age": [1]}), tmp_path / "a.parquet")
    parquet.write_table(pa.table({"age": ["1"]}), tmp_path / "b.parquet")
    with pytest.raises(SourceError, match=r"b\.parquet: column 1 is 'string', and 'int64' in a"):
        read(tmp_path)
    parquet.write_table(pa.table({"Age": [1]}), tmp_path / "b.parquet")
    with pytest.raises(SourceError, match=r"b\.parquet: column 1 is 'Age', and 'age' in a"):
        read(tmp_path)
    (tmp_path / "b.parquet").unlink()
    (tmp_path / "b.parquet").mkdir()
    with pytest.raises(SourceError, match=r"the folder 'b\.parquet' in it is not part"):
        read(tmp_path)
