"""A DuckDB file from outside can read only itself.

Fault class: a stranger's program. A view or macro in a database runs when its rows are read, with
the rights of the reader; the data that it reads would go into a release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from roadstead.errors import SourceError
from roadstead.tables import engine
from roadstead.tables.reading import read
from roadstead.tables.sinks import write
from roadstead.tables.source import Csv, Parquet
from roadstead.tables.stores.access import sink
from roadstead.tables.transfer import stream

if TYPE_CHECKING:
    from pathlib import Path

MARK = "known-to-this-machine-alone"

VIEWS = {
    "csv": "SELECT * FROM read_csv('{secret}', header = false)",
    "bare": "SELECT * FROM '{secret}'",
    "text": "SELECT content AS a FROM read_text('{secret}')",
    "blob": "SELECT content AS a FROM read_blob('{secret}')",
    "glob": "SELECT file AS a FROM glob('{folder}/*')",
    "several": "SELECT * FROM read_csv('{folder}/*.csv', header = false)",
    "parquet": "SELECT * FROM parquet_metadata('{folder}/secret.parquet')",
    "table_macro": "SELECT * FROM whole_file()",
    "macro": "SELECT one_file() AS a, b FROM honest",
    "nested": "SELECT * FROM v_text",
    "query": "SELECT * FROM query('FROM read_text(''{secret}'')')",
    "hidden": "SELECT CASE WHEN b > 0 THEN (SELECT max(content) FROM read_text('{secret}')) "
    "ELSE 'x' END AS a FROM honest",
    "attached": "SELECT * FROM other.main.t",
}
"""Each reads what is not in the database; names of folders are filled in."""


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """Make a DuckDB file with views that read other files, and one honest table and view."""
    secret = tmp_path / "secret.csv"
    secret.write_text(f"{MARK}\n{MARK}\n")
    other = tmp_path / "other.duckdb"
    with duckdb.connect(other) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT '{MARK}' AS a")
    path = tmp_path / "stranger.duckdb"
    with duckdb.connect(path) as connection:
        places = {"secret": secret, "folder": tmp_path}
        connection.execute(
            f"COPY (SELECT '{MARK}' AS a) TO '{tmp_path}/secret.parquet' (FORMAT parquet)"
        )
        connection.execute(f"ATTACH '{other}' AS other")
        connection.execute("CREATE TABLE honest AS SELECT 'y' AS a, range AS b FROM range(6)")
        connection.execute("CREATE VIEW above AS SELECT a, b FROM honest WHERE b > 2")
        connection.execute("CREATE MACRO doubled(x) AS x * 2")
        connection.execute("CREATE VIEW doubles AS SELECT a, doubled(b) AS b FROM honest")
        connection.execute(f"CREATE MACRO whole_file() AS TABLE FROM read_text('{secret}')")
        first = f"SELECT content FROM read_text('{secret}')"  # noqa: S608 - a stranger's own
        connection.execute(f"CREATE MACRO one_file() AS ({first})")
        for name, query in VIEWS.items():
            connection.execute(f"CREATE VIEW v_{name} AS {query.format(**places)}")
    return path


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_that_reads_another_file_is_refused(stranger: Path, view: str) -> None:
    """Reading the rows raises an error that shows nothing of that file."""
    with (
        pytest.raises(SourceError) as caught,
        read(f"duckdb://{stranger}?table=v_{view}") as source,
    ):
        stream(source.table).read_all()
    assert MARK not in str(caught.value)


def test_the_refusal_says_that_a_view_reads_a_file(stranger: Path) -> None:
    """The message gives the cause and a fix."""
    with pytest.raises(SourceError, match="reads another file or the network") as caught:
        read(f"duckdb://{stranger}?table=v_text")
    assert caught.value.fix is not None
    assert "CSV or Parquet" in caught.value.fix


def test_a_view_of_the_network_cannot_load_what_it_needs(tmp_path: Path) -> None:
    """No extension is loaded and no address is asked, whatever the engine had loaded before."""
    started = engine.start("500MB")
    try:
        started.confine(tmp_path / "none.duckdb")
        for query in ("FROM read_text('http://127.0.0.1:9/x')", "LOAD httpfs", "INSTALL httpfs"):
            with pytest.raises(duckdb.Error):
                started.backend.con.execute(query).fetchall()
    finally:
        started.close()


def test_a_variable_of_this_process_is_no_table(tmp_path: Path) -> None:
    """A view cannot name a data frame that happens to be in memory."""
    import pyarrow as pa  # noqa: PLC0415 - as a user has it at hand

    started = engine.start("500MB")
    try:
        started.confine(tmp_path / "none.duckdb")
        patients = pa.table({"a": [MARK]})
        with pytest.raises(duckdb.Error):
            started.backend.con.execute("FROM patients").fetchall()
        assert patients.num_rows == 1
    finally:
        started.close()


def test_a_confined_engine_cannot_be_let_out(tmp_path: Path) -> None:
    """Disabled features stay disabled."""
    started = engine.start("500MB")
    try:
        assert not engine.is_confined(started.backend)
        started.confine(tmp_path / "none.duckdb")
        assert engine.is_confined(started.backend)
        for setting in ("enable_external_access = true", "allowed_directories = ['/']"):
            with pytest.raises(duckdb.Error):
                started.backend.con.execute(f"SET {setting}")
    finally:
        started.close()


@pytest.mark.quick(1)
@pytest.mark.parametrize(("table", "rows"), [("honest", 6), ("above", 3), ("doubles", 6)])
def test_what_is_in_the_database_is_read_and_written(
    stranger: Path, tmp_path: Path, table: str, rows: int
) -> None:
    """Tables, views and macros of the file itself work, and go to files and to databases."""
    with read(f"duckdb://{stranger}?table={table}") as source:
        write(source.table, tmp_path / "out.csv", Csv())
        write(source.table, tmp_path / "out.parquet", Parquet())
        with sink(f"duckdb://{tmp_path}/new.duckdb?table=t", source, force=False) as other:
            other.stage(source.table)
            other.publish()
        with sink(f"duckdb://{stranger}?table=copy", source, force=False) as same:
            same.stage(source.table)
            same.publish()
    for place in (
        tmp_path / "out.csv",
        tmp_path / "out.parquet",
        f"duckdb://{tmp_path}/new.duckdb?table=t",
        f"duckdb://{stranger}?table=copy",
    ):
        with read(place) as written:
            assert written.table.count().to_pyarrow().as_py() == rows


@pytest.mark.nightly
def test_a_database_that_does_not_fit_in_memory_spills(stranger: Path) -> None:
    """The folder for spill files stays open to the engine."""
    with duckdb.connect(stranger) as connection:
        connection.execute(
            "CREATE TABLE long AS SELECT md5(range::VARCHAR) AS a FROM range(1500000)"
        )
    with read(f"duckdb://{stranger}?table=long", memory_limit="60MB") as source:
        ordered = stream(source.table.order_by("a"))
        assert sum(batch.num_rows for batch in ordered) == 1_500_000


@pytest.mark.parametrize("name", ["a[1].csv", "a*.csv", "a?.csv", "{a,b}.csv", "a.csv"])
def test_a_file_name_with_pattern_characters_is_that_file_alone(tmp_path: Path, name: str) -> None:
    """A name is not a pattern; other files that would match are not read."""
    (tmp_path / "a1.csv").write_text("x,y\nother,1\n")
    (tmp_path / "ab.csv").write_text("x,y\nother,1\n")
    (tmp_path / name).write_text("x,y\nmine,1\n")
    with read(tmp_path / name) as source:
        assert source.table["x"].to_pyarrow().to_pylist() == ["mine"]
        write(source.table, tmp_path / "plain.parquet", Parquet())
    hard = tmp_path / name.replace(".csv", ".parquet")
    (tmp_path / "plain.parquet").rename(hard)
    (tmp_path / "a1.parquet").write_bytes(b"not Parquet")
    with read(hard) as source:
        assert source.table["x"].to_pyarrow().to_pylist() == ["mine"]
