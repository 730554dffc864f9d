"""A table appears in a DuckDB file whole or not at all, and the file keeps what it had."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import quote

import duckdb
import ibis
import pyarrow as pa
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import OutputError
from roadstead.tables.reading import read
from roadstead.tables.stores.access import sink, workbench

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from roadstead.tables.source import Source

ROWS = [("f", 30), ("m", 40), (None, 50)]


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """A file with a table, a table that another refers to, and a view of the first."""
    path = tmp_path / "it's a clinic.duckdb"
    with duckdb.connect(path) as connection:
        for statement in (
            "CREATE TABLE visits AS FROM (VALUES ('f', 30), ('m', 40), (NULL, 50)) AS t (sex, age)",
            "CREATE SCHEMA care",
            "CREATE VIEW adults AS SELECT sex, age FROM visits",
            "CREATE TABLE former AS SELECT 1 AS a",
            "CREATE TABLE parent (a INTEGER PRIMARY KEY)",
            "CREATE TABLE child (a INTEGER REFERENCES parent (a))",
        ):
            connection.execute(statement)
    return path


@pytest.fixture
def source() -> Iterator[Source]:
    """A table of another place."""
    with read(pa.table({"sex": ["f", "m", None], "age": [30, 40, 50]})) as opened:
        yield opened


def address(path: Path, table: str) -> str:
    return f"duckdb://{quote(str(path))}?table={quote(table)}"


def rows(path: Path, table: str) -> list[tuple[object, ...]]:
    with duckdb.connect(path, read_only=True) as connection:
        return connection.execute(f"FROM {table}").fetchall()


def tables(path: Path) -> list[str]:
    with duckdb.connect(path, read_only=True) as connection:
        found = connection.execute(
            "SELECT table_name FROM information_schema.tables ORDER BY 1"
        ).fetchall()
    return [name for (name,) in found]


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


CLINIC = ["adults", "child", "former", "parent", "visits"]


def test_a_table_is_seen_when_it_is_published_and_not_before(clinic: Path, source: Source) -> None:
    """Another connection to the same engine sees no more than another process would."""
    with sink(address(clinic, "care.out"), source, force=False) as made:
        assert (made.name, made.backend) == ("care.out", "duckdb")
        staged = made.stage(source.table.order_by(ibis.desc("age")))
        assert staged.to_pyarrow()["age"].to_pylist() == [50, 40, 30]
        other = staged.get_backend().con.cursor()
        with pytest.raises(duckdb.CatalogException):
            other.execute(staged.compile())
        made.publish()
        assert len(other.execute(staged.compile()).fetchall()) == 3
    assert rows(clinic, "care.out") == ROWS[::-1]
    assert tables(clinic) == sorted([*CLINIC, "out"])
    assert names(clinic.parent) == [clinic.name]
    with duckdb.connect(clinic) as connection:
        comment = connection.execute(
            "SELECT comment FROM duckdb_tables() WHERE table_name = 'out'"
        ).fetchone()
    assert comment == ("Released by Roadstead.",)


def test_a_new_file_appears_with_its_table(tmp_path: Path, source: Source) -> None:
    path = tmp_path / "new.duckdb"
    with sink(address(path, "out"), source, force=False) as made:
        assert not list(tmp_path.iterdir())
        made.stage(source.table.order_by("age"))
        assert not path.exists()
        made.publish()
        assert path.exists()
    assert rows(path, "out") == ROWS
    assert names(tmp_path) == ["new.duckdb"]


@pytest.mark.parametrize("table", ["fresh", "former"])
@pytest.mark.parametrize("new", [True, False])
def test_what_is_not_published_was_never_there(
    clinic: Path, source: Source, table: str, *, new: bool
) -> None:
    path = clinic.with_name("new.duckdb") if new else clinic
    before = names(clinic.parent)
    with sink(address(path, table), source, force=True) as made:
        made.stage(source.table)
    assert names(clinic.parent) == before
    assert tables(clinic) == CLINIC
    assert rows(clinic, "former") == [(1,)]


@pytest.mark.parametrize("new", [True, False])
def test_what_is_published_can_be_withdrawn(clinic: Path, source: Source, *, new: bool) -> None:
    path = clinic.with_name("new.duckdb") if new else clinic
    with sink(address(path, "out"), source, force=False) as made:
        made.stage(source.table)
        made.publish()
        made.withdraw()
    assert names(clinic.parent) == [clinic.name]
    assert tables(clinic) == CLINIC


def test_a_former_table_is_replaced_only_by_force(clinic: Path, source: Source) -> None:
    """DuckDB takes FORMER and former for one name."""
    for name in ("former", "FORMER"):
        with pytest.raises(OutputError, match=r"already exists; .*force=True"):
            sink(address(clinic, name), source, force=False)
    with sink(address(clinic, "former"), source, force=True) as made:
        made.stage(source.table.order_by("age"))
        made.publish()
    assert rows(clinic, "former") == ROWS
    assert tables(clinic) == CLINIC


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("adults", "adults: it is a view"),
        ("parent", "parent: other objects depend on it"),
        ("nowhere.out", "nowhere.out: there is no such schema"),
    ],
)
def test_what_cannot_be_made_is_refused_before_any_work(
    clinic: Path, source: Source, table: str, says: str
) -> None:
    with pytest.raises(OutputError) as caught:
        sink(address(clinic, table), source, force=True)
    assert str(caught.value).startswith(says)
    assert tables(clinic) == CLINIC


def test_a_place_that_cannot_be_is_refused(tmp_path: Path, source: Source) -> None:
    (tmp_path / "x.duckdb").write_text("a,b\n1,2\n")
    for path, says in (
        (tmp_path / "x.duckdb", "x.duckdb: this is not a DuckDB file"),
        (tmp_path / "nowhere" / "x.duckdb", "its folder does not exist"),
        (tmp_path, "this is not a file"),
    ):
        with pytest.raises(OutputError, match=says):
            sink(address(path, "out"), source, force=False)
    with pytest.raises(OutputError, match="there is no such schema"):
        sink(address(tmp_path / "new.duckdb", "care.out"), source, force=False)
    with pytest.raises(OutputError, match=r"out\.csv: this is a file, not a table.*leave into out"):
        sink(str(tmp_path / "out.csv"), source, force=False)


@pytest.mark.quick(2)
@pytest.mark.parametrize("table", ["out", "main.out", '"a.b"'])
def test_a_path_with_a_table_names_the_same_as_an_address(
    tmp_path: Path, source: Source, table: str
) -> None:
    """Fault class: such a path was only for reading. The second table goes into the same file."""
    for name in (table, "other"):
        place = f"{tmp_path / 'a new.duckdb'}?table={name}"
        with sink(place, source, force=False) as made:
            made.stage(source.table)
            made.publish()
        with read(place) as written:
            assert written.columns == source.columns
    with pytest.raises(
        OutputError, match=r"the address does not name a table of the database; write .*=NAME"
    ):
        sink(str(tmp_path / "a new.duckdb"), source, force=False)


@pytest.mark.quick(4)
@pytest.mark.parametrize("table", ["visits", "adults", "main.visits", "VISITS"])
@pytest.mark.parametrize("read_from", ["visits", "adults"])
def test_the_table_that_is_read_is_never_replaced(clinic: Path, table: str, read_from: str) -> None:
    """Nor is the table of the view that is read."""
    with read(address(clinic, read_from)) as opened:
        with pytest.raises(OutputError, match=r"reads its rows from this table|is a view"):
            sink(address(clinic, table), opened, force=True)
        assert opened.table.count().to_pyarrow().as_py() == 3
    assert rows(clinic, "visits") == ROWS


@pytest.mark.parametrize("force", [True, False])
def test_a_release_goes_beside_the_table_it_is_made_of(clinic: Path, *, force: bool) -> None:
    """The file is opened for writing for a while; what was kept meanwhile and before is there."""
    with read(address(clinic, "adults")) as opened, workbench(opened) as bench:
        kept = bench.keep(bench.table.filter(bench.table["age"] > 30))
        with sink(address(clinic, "former" if force else "out"), opened, force=force) as made:
            staged = made.stage(kept.order_by("age"))
            again = bench.keep(staged.inner_join(bench.table, "age").select("age"))
            assert again.to_pyarrow()["age"].to_pylist() == [40, 50]
            made.publish()
            assert opened.table.count().to_pyarrow().as_py() == 3
        assert kept.count().to_pyarrow().as_py() == 2
        assert opened.table.count().to_pyarrow().as_py() == 3
        con = opened.table.get_backend().con
        with pytest.raises(duckdb.Error, match="read-only"):
            con.execute("DROP TABLE attached.main.visits")
    assert rows(clinic, "former" if force else "out") == ROWS[1:]


@pytest.mark.filterwarnings("ignore:fetch_arrow_table")  # Ibis calls what DuckDB has renamed
def test_the_own_connection_of_a_user_is_left_as_it_was(clinic: Path, tmp_path: Path) -> None:
    """It is used for the file that it has open, and for others too."""
    mine = ibis.duckdb.connect(clinic)
    before = mine.con.execute("SELECT database_name FROM duckdb_databases()").fetchall()
    with read(mine.table("visits")) as opened:
        with pytest.raises(OutputError, match="reads its rows from this table"):
            sink(address(clinic, "visits"), opened, force=True)
        for path in (clinic, tmp_path / "new.duckdb"):
            with sink(address(path, "out"), opened, force=False) as made:
                made.stage(opened.table.order_by("age"))
                made.publish()
        assert mine.con.execute("SELECT database_name FROM duckdb_databases()").fetchall() == before
        mine.con.execute("BEGIN")
        with pytest.raises(OutputError, match="its connection is in a transaction"):
            sink(address(clinic, "again"), opened, force=False)
        mine.con.execute("ROLLBACK")
    mine.disconnect()
    assert rows(clinic, "out") == rows(tmp_path / "new.duckdb", "out") == ROWS


def test_a_file_that_others_have_open_is_refused(clinic: Path, source: Source) -> None:
    held = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", held, clinic],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        try:
            with pytest.raises(OutputError, match="out: another program has its file open"):
                sink(address(clinic, "out"), source, force=False)
        finally:
            process.communicate("\n")


def test_a_file_that_this_process_reads_elsewhere_is_refused(clinic: Path, source: Source) -> None:
    with read(address(clinic, "visits")) as other:
        with pytest.raises(OutputError, match="out: another program has its file open"):
            sink(address(clinic, "out"), source, force=False)
        assert other.table.count().to_pyarrow().as_py() == 3


def test_a_new_file_is_never_written_over_another(tmp_path: Path, source: Source) -> None:
    """Another user made the file in the meantime."""
    path = tmp_path / "new.duckdb"
    with sink(address(path, "out"), source, force=True) as made:
        made.stage(source.table)
        path.write_text("mine")
        with pytest.raises(OutputError, match=r"new\.duckdb: a file with this name was created"):
            made.publish()
    assert path.read_text() == "mine"
    assert names(tmp_path) == ["new.duckdb"]


KILLED = """
import sys, pyarrow as pa
from roadstead.tables.reading import read
from roadstead.tables.stores.access import sink
with read(pa.table({"a": list(range(300_000))})) as source:
    with sink(sys.argv[1], source, force=True) as made:
        made.stage(source.table)
        print("staged", flush=True)
        input()
"""


def test_a_process_that_is_killed_leaves_the_tables_as_they_were(clinic: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, address(clinic, "former")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "staged\n"
        process.send_signal(signal.SIGKILL)
    assert tables(clinic) == CLINIC
    assert rows(clinic, "former") == [(1,)]


def test_what_a_killed_run_left_is_removed_by_the_next_but_not_what_is_being_written(
    tmp_path: Path, source: Source
) -> None:
    """A new file is written under a hidden name, which a run that is at work has locked."""
    path = tmp_path / "new.duckdb"
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, address(path, "out")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "staged\n"
        at_work = names(tmp_path)
        assert any(name.endswith(".part") for name in at_work)
        with sink(address(path, "out"), source, force=False) as made:
            made.stage(source.table)
        assert names(tmp_path) == at_work
        process.send_signal(signal.SIGKILL)
    assert names(tmp_path) == at_work
    with sink(address(path, "out"), source, force=False) as made:
        made.stage(source.table)
        made.publish()
    assert names(tmp_path) == ["new.duckdb"]


PIECES = st.sampled_from(
    ["'", '"', ";", "select", " ", "%s", ".", "\\", "\u00e9", "\U0001f600", "A"]
)
HOSTILE = st.lists(PIECES, min_size=1, max_size=4).map("".join)


@examples(8)
@given(schema=HOSTILE, table=HOSTILE, column=HOSTILE, cell=HOSTILE)
def test_any_name_will_do(
    tmp_path_factory: pytest.TempPathFactory, schema: str, table: str, column: str, cell: str
) -> None:
    path = tmp_path_factory.mktemp("names") / "x.duckdb"
    parts = ['"' + part.replace('"', '""') + '"' for part in (schema, table)]
    written = ".".join(parts)
    with duckdb.connect(path) as connection:
        connection.execute(f"CREATE SCHEMA {parts[0]}")
    with read(pa.table({"c" + column: [cell, "-"]})) as source:
        with sink(address(path, written), source, force=True) as made:
            made.stage(source.table)
            made.publish()
        with pytest.raises(OutputError, match="already exists"):
            sink(address(path, written), source, force=False)
    assert rows(path, written) == [(cell,), ("-",)]
    with read(address(path, written)) as source:
        assert source.columns == ("c" + column,)
        assert source.table.to_pyarrow()["c" + column].to_pylist() == [cell, "-"]
