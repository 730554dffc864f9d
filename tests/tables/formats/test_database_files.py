"""A database that is one file is read like any other file, and never written."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

import roadstead as rs
from roadstead.errors import RoadsteadError, SourceError

ROWS = [("f", 30, 0.1, None, "07"), ("m", "unknown", 2, "x", "1e5"), (None, 2**60, 0.2, 1, "")]


def sqlite_file(path: Path, *others: str) -> Path:
    """Write a table whose values are of other kinds than its columns declare."""
    with contextlib.closing(sqlite3.connect(path)) as con, con:
        con.execute('CREATE TABLE "the people" (sex int, age integer, dose real, odd, code text)')
        con.executemany('INSERT INTO "the people" VALUES (?, ?, ?, ?, ?)', ROWS)
        con.execute('CREATE VIEW adults AS SELECT sex FROM "the people"')
        for name in others:
            con.execute(f"CREATE TABLE {name} (a)")
    return path


def duckdb_file(path: Path, *others: str) -> Path:
    """Write the same table in another database."""
    with duckdb.connect(str(path)) as con:
        con.execute("CREATE TABLE \"the people\" AS SELECT 'f' AS sex")
        con.execute('CREATE VIEW adults AS SELECT sex FROM "the people"')
        for name in others:
            con.execute(f"CREATE TABLE {name} (a INTEGER)")
    return path


def test_the_values_of_sqlite_decide_the_types(tmp_path: Path) -> None:
    """Fault class: a text in a column that is declared as a number ended the run."""
    path = sqlite_file(tmp_path / "registry.db")
    with rs.read(path) as source:
        found = source.table.to_pyarrow().to_pydict()
    assert found == {
        "sex": ["f", "m", None],
        "age": ["30", "unknown", str(2**60)],
        "dose": [0.1, 2.0, 0.2],
        "odd": [None, "x", "1"],
        "code": ["07", "1e5", ""],
    }


def test_large_whole_numbers_next_to_fractions_keep_all_digits(tmp_path: Path) -> None:
    """As texts. Fault class: an ID of 19 digits that a floating-point number rounds."""
    with contextlib.closing(sqlite3.connect(tmp_path / "a.db")) as con, con:
        con.execute("CREATE TABLE t (mixed, large, small)")
        con.executemany(
            "INSERT INTO t VALUES (?, ?, ?)", [(-(2**60) - 1, 2**60 + 1, 3), (0.5, -7, 0.5)]
        )
    with rs.read(tmp_path / "a.db") as source:
        found = source.table.to_pyarrow().to_pydict()
    assert found == {
        "mixed": [str(-(2**60) - 1), "0.5"],
        "large": [2**60 + 1, -7],
        "small": [3.0, 0.5],
    }


@pytest.mark.parametrize("make", [sqlite_file, duckdb_file])
def test_one_table_is_taken_and_several_are_named(
    make: Callable[..., Path], tmp_path: Path
) -> None:
    """Whatever the name of the file is; a view is read only if it is named."""
    path = make(tmp_path / "visits.csv")
    with rs.read(path) as source:
        assert source.columns[0] == "sex"
    with rs.read(f"{path}?table=adults") as source:
        assert source.columns == ("sex",)
    for text, said in (
        (f"{path}?table=adult", r"there is no table 'adult'; did you mean 'adults'\?"),
        (f"{path}?tabel=adults", "have no option 'tabel'"),
        (make(tmp_path / "b.db", "visits"), r"it has 2 tables: .*'visits'; .*b.db\?table="),
    ):
        with pytest.raises(RoadsteadError, match=said):
            rs.read(text)


def test_the_file_and_its_folder_stay_as_they_are(tmp_path: Path) -> None:
    """Also with a log of changes; changes that are only in the log are not overlooked."""
    path = sqlite_file(tmp_path / "registry.db")
    con = sqlite3.connect(path)
    con.execute("PRAGMA journal_mode = wal")
    con.close()
    content = path.read_bytes()
    with rs.read(path) as source:
        assert source.table.to_pyarrow().num_rows == 3
    assert path.read_bytes() == content
    assert [*tmp_path.iterdir()] == [path]
    with contextlib.closing(sqlite3.connect(path)) as con:
        con.execute("CREATE TABLE late (a)")
        con.commit()
        with pytest.raises(
            RoadsteadError, match="another program has opened this file for writing"
        ):
            rs.read(path)


def test_geographic_shapes_are_refused_by_column(tmp_path: Path) -> None:
    """In a database and in GeoParquet. Fault class: an error about an extension, or a crash."""
    database, parquet = tmp_path / "homes.duckdb", tmp_path / "homes.parquet"
    with duckdb.connect(database) as con:
        con.execute("CREATE TABLE homes AS SELECT 47 AS age, 'POINT(1 2)'::GEOMETRY AS home")
        con.execute("CREATE VIEW texts AS SELECT age, home::VARCHAR AS home FROM homes")
        con.execute(f"COPY homes TO '{parquet}'")
    for path in (f"{database}?table=homes", parquet):
        with pytest.raises(SourceError, match="column 'home': contains geographic shapes"):
            rs.read(path)
    with rs.read(f"{database}?table=texts") as source:
        assert source.table.to_pyarrow().to_pydict() == {"age": [47], "home": ["POINT (1 2)"]}
