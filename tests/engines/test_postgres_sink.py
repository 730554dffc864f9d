"""A table appears in PostgreSQL when it is published: whole, or not at all."""

from __future__ import annotations

import datetime as dt
import threading
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import ibis
import pyarrow as pa
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from patience import wait_until
from psycopg import sql

from roadstead.errors import OutputError
from roadstead.tables.reading import read
from roadstead.tables.stores.access import sink, workbench

if TYPE_CHECKING:
    from collections.abc import Iterator

    from postgres_server import Server

    from roadstead.tables.source import Source

pytestmark = pytest.mark.nightly
"""`test_store_contract.py` tests the properties of every engine in each run."""

LEFT = "SELECT relname FROM pg_class WHERE relname LIKE 'roadstead%' OR relname = 'out'"
VISITS = [("f", 30), ("m", 40), (None, 50)]


@pytest.fixture
def clinic(postgres: Server) -> Iterator[Server]:
    """A table of visits, a former release, and nothing that another test has left."""
    postgres.run("DROP TABLE IF EXISTS out, former, visits CASCADE")
    postgres.load("visits", ["sex", "age::int"], VISITS)
    postgres.load("former", ["a"], [("x",)])
    yield postgres
    assert postgres.run(LEFT.replace("OR relname = 'out'", "")) == []
    postgres.run("DROP TABLE IF EXISTS out, former, visits CASCADE")


@pytest.fixture
def elsewhere() -> Iterator[Source]:
    """A table of another engine."""
    with read(pa.table({"sex": ["f", "m", None], "age": [30, 40, 50]})) as opened:
        yield opened


def target(server: Server, table: str = "out", user: str = "owner") -> str:
    return server.address(quote(table), user=user)


def rows(server: Server, table: str = "out") -> list[tuple[Any, ...]]:
    return server.run(f"TABLE {table}")


def ended(server: Server, start: str = "", how: str = "pg_terminate_backend") -> bool:
    """End the connections whose last statement starts so, or cancel the statements."""
    found = [
        pid
        for pid, query in server.run(
            "SELECT pid, query FROM pg_stat_activity WHERE application_name = 'roadstead'"
        )
        if query.startswith(start)
    ]
    for pid in found:
        server.run(f"SELECT {how}({pid})")
    return bool(found)


def test_a_table_is_made_where_the_source_is(clinic: Server) -> None:
    """The workbench's connection makes it, so no rows are transferred; no one sees it too early."""
    with read(clinic.address("visits", user="owner")) as source, workbench(source) as bench:
        kept = bench.keep(bench.table.filter(bench.table["age"] > 30))
        with sink(target(clinic), source, force=False) as made:
            assert (made.name, made.backend) == ("out", "postgres")
            staged = made.stage(kept.order_by(ibis.desc("age")))
            assert staged.get_backend() is bench.table.get_backend()
            assert staged.to_pyarrow()["age"].to_pylist() == [50, 40]
            assert clinic.run(LEFT) == []
            made.publish()
            assert rows(clinic) == VISITS[:0:-1]
        assert len(kept.to_pyarrow()) == 2
        assert clinic.run("SELECT obj_description('out'::regclass)") == [
            ("Released by Roadstead.",)
        ]
    assert rows(clinic) == VISITS[:0:-1]


def test_a_table_is_made_of_what_was_counted(clinic: Server) -> None:
    with read(clinic.address("visits", user="owner")) as source, workbench(source) as bench:
        clinic.run("INSERT INTO visits VALUES ('x', 60)")
        with sink(target(clinic), source, force=False) as made:
            clinic.run("DELETE FROM visits WHERE age = 30")
            made.stage(bench.table.order_by("age"))
            made.publish()
    assert rows(clinic) == VISITS


@pytest.mark.parametrize("there", [True, False])
def test_what_is_staged_is_checked_on_a_workbench_of_its_own(
    clinic: Server, elsewhere: Source, *, there: bool
) -> None:
    """By the connection that made it, because no other sees it yet; nothing of that stays."""
    with read(clinic.address("visits", user="owner")) as source, workbench(source) as bench:
        kept = bench.keep(bench.table)
        with sink(target(clinic), source, force=False) as made:
            found = made.stage(kept if there else elsewhere.table)
            with read(found) as staged, workbench(staged) as checking:
                small = checking.small(pa.table({"sex": ["f"]}))
                again = checking.keep(checking.table.inner_join(small, "sex"))
                assert again.to_pyarrow()["age"].to_pylist() == [30]
            with pytest.raises(Exception, match="does not exist"):
                again.to_pyarrow()
        assert len(kept.to_pyarrow()) == 3


def test_a_table_of_another_engine_is_brought(clinic: Server, elsewhere: Source) -> None:
    with sink(target(clinic, "public.out"), elsewhere, force=False) as made:
        staged = made.stage(elsewhere.table.order_by("age"))
        assert staged.to_pyarrow()["sex"].to_pylist() == ["f", "m", None]
        assert clinic.run(LEFT) == []
        made.publish()
    assert rows(clinic) == VISITS


def test_a_reader_releases_as_another_user(clinic: Server) -> None:
    """Who may only SELECT needs another user, or another database, to write to."""
    with read(clinic.address("visits")) as source, workbench(source) as bench:
        with pytest.raises(OutputError) as caught:
            sink(target(clinic, user="reader"), source, force=False)
        assert str(caught.value) == (
            "out: you do not have permission to create a table there; request the right to "
            "CREATE in its schema, "
            "or name another schema"
        )
        with sink(target(clinic), source, force=False) as made:
            made.stage(bench.table.order_by("age"))
            made.publish()
    assert rows(clinic) == VISITS


def test_every_type_keeps_its_values(clinic: Server) -> None:
    moment = dt.datetime(2024, 2, 29, 12, 30, 0, 5000)  # noqa: DTZ001 - a column without a zone
    table = pa.table(
        {
            "t": ["", "\\.", 'a"b,\r\n\tN', "\\N", None, "é\U0001f600"],
            "b": [True, False, None, True, False, True],
            "i8": pa.array([1, -128, None, 4, 5, 6], pa.int8()),
            "u32": pa.array([1, 2**32 - 1, None, 4, 5, 6], pa.uint32()),
            "u64": pa.array([1, 2**64 - 1, None, 4, 5, 6], pa.uint64()),
            "f": [0.1, 1e300, None, float("inf"), -0.0, 5e-324],
            "d": pa.array([Decimal("1.50"), None] * 3, pa.decimal128(20, 2)),
            "day": [moment.date(), None] * 3,
            "at": pa.array([moment, None] * 3, pa.timestamp("us")),
            "time": pa.array([moment.time(), None] * 3, pa.time64("us")),
            "set": [["a", 'b",\\{}', None, "NULL", "", " é"], None, []] * 2,
        }
    )
    with read(table) as source, sink(target(clinic), source, force=False) as made:
        made.stage(source.table)
        made.publish()
    expected = table.drop(["u64"]).to_pylist()
    found = clinic.run('SELECT t, b, i8, u32, f, d, day, at, time, "set" FROM out')
    assert found == [tuple(row.values()) for row in expected]
    kinds = clinic.run(
        "SELECT max(u64), pg_typeof(max(u64))::text, min(pg_typeof(set)::text) FROM out"
    )
    assert kinds == [(Decimal(2**64 - 1), "numeric", "text[]")]


def test_a_column_of_nulls_alone_is_brought(clinic: Server) -> None:
    with (
        read(pa.table({"a": pa.array([None, "", None], pa.string())})) as source,
        sink(target(clinic), source, force=False) as made,
    ):
        made.stage(source.table)
        made.publish()
    assert rows(clinic) == [(None,), ("",), (None,)]


@pytest.mark.parametrize("there", [True, False])
def test_what_is_not_published_was_never_there(clinic: Server, *, there: bool) -> None:
    address = clinic.address("visits", user="owner")
    with read(address) as source, workbench(source) as bench:
        table = bench.table if there else source.table
        kept = bench.keep(bench.table)
        with sink(target(clinic, "former"), source, force=True) as made:
            made.stage(table)
        assert rows(clinic, "former") == [("x",)]
        assert len(kept.to_pyarrow()) == 3


@pytest.mark.parametrize("there", [True, False])
def test_a_former_table_is_replaced_only_by_force(clinic: Server, *, there: bool) -> None:
    """And can be read until the new one has its name."""
    with (
        read(clinic.address("visits", user="owner")) as source,
        workbench(source) as bench,
    ):
        with pytest.raises(OutputError, match=r"former: it already exists; .*force=True"):
            sink(target(clinic, "former"), source, force=False)
        with sink(target(clinic, "former"), source, force=True) as made:
            made.stage((bench.table if there else source.table).order_by("age"))
            assert rows(clinic, "former") == [("x",)]
            made.publish()
    assert rows(clinic, "former") == VISITS


def test_what_is_published_can_be_withdrawn(clinic: Server, elsewhere: Source) -> None:
    with sink(target(clinic), elsewhere, force=False) as made:
        made.stage(elsewhere.table)
        made.publish()
        made.withdraw()
    assert clinic.run(LEFT) == []


def test_a_name_that_is_taken_meanwhile_is_left_to_its_owner(
    clinic: Server, elsewhere: Source
) -> None:
    with sink(target(clinic), elsewhere, force=False) as made:
        made.stage(elsewhere.table)
        clinic.run("CREATE TABLE out AS SELECT 1 AS mine")
        with pytest.raises(OutputError, match="out: a table with this name already exists"):
            made.publish()
    assert rows(clinic) == [(1,)]


@pytest.mark.parametrize("name", ["visits", "public.visits"])
@pytest.mark.parametrize("view", [True, False])
@pytest.mark.parametrize("force", [True, False])
def test_the_table_that_is_read_is_never_replaced(
    clinic: Server, name: str, *, view: bool, force: bool
) -> None:
    """Under any name of its host, and by any user; nor is the table of a view."""
    clinic.run("CREATE VIEW adults AS SELECT * FROM visits", "GRANT SELECT ON adults TO reader")
    other_host = target(clinic, name).replace("127.0.0.1", "localhost")
    for user in ("reader", "owner"):
        with read(clinic.address("adults" if view else "visits", user=user)) as source:
            says = (
                "already exists|other objects depend" if view else "reads its rows from this table"
            )
            for address in (target(clinic, name), other_host):
                with pytest.raises(OutputError, match=says):
                    sink(address, source, force=force)
    assert rows(clinic, "visits") == VISITS


@pytest.mark.parametrize(
    ("setup", "table", "says"),
    [
        ("SELECT 1", "nowhere.out", "nowhere.out: there is no such schema"),
        ("CREATE VIEW v AS SELECT * FROM former", "v", "v: this is a view"),
        ("CREATE VIEW v AS SELECT * FROM former", "former", "former: other objects depend on it"),
        ("CREATE TYPE odd AS (a int)", "odd", "odd: "),
        ("SELECT 1", "n" * 64, "is longer than 63 bytes"),
    ],
)
def test_what_cannot_be_made_is_refused_before_any_work(
    clinic: Server, elsewhere: Source, setup: str, table: str, says: str
) -> None:
    clinic.run("DROP TYPE IF EXISTS odd", setup)
    try:
        with pytest.raises(OutputError) as caught:
            sink(target(clinic, table), elsewhere, force=True)
        assert says in str(caught.value)
    finally:
        clinic.run("DROP VIEW IF EXISTS v", "DROP TYPE IF EXISTS odd")
    assert rows(clinic, "former") == [("x",)]


def test_a_table_of_another_user_is_not_replaced(clinic: Server, elsewhere: Source) -> None:
    clinic.run("GRANT CREATE ON SCHEMA public TO reader")
    try:
        with pytest.raises(OutputError, match="former: it belongs to another user"):
            sink(target(clinic, "former", user="reader"), elsewhere, force=True)
        with sink(target(clinic, user="reader"), elsewhere, force=False) as made:
            made.stage(elsewhere.table.order_by("age"))
            made.publish()
        assert rows(clinic) == VISITS
    finally:
        clinic.run("REVOKE CREATE ON SCHEMA public FROM reader", "DROP TABLE IF EXISTS out")


def test_a_table_goes_to_the_first_schema_that_takes_one(clinic: Server, elsewhere: Source) -> None:
    clinic.run(
        "DROP SCHEMA IF EXISTS results CASCADE",
        "CREATE SCHEMA results AUTHORIZATION reader",
        "ALTER ROLE reader SET search_path = public, results",
    )
    try:
        with sink(target(clinic, user="reader"), elsewhere, force=False) as made:
            made.stage(elsewhere.table.order_by("age"))
            made.publish()
        assert rows(clinic, "results.out") == VISITS
    finally:
        clinic.run("ALTER ROLE reader RESET search_path", "DROP SCHEMA results CASCADE")


def test_a_connection_that_ends_in_the_middle_leaves_nothing(clinic: Server) -> None:
    """While the table is being made, and before it is published."""
    clinic.run("INSERT INTO visits SELECT 'x', n FROM generate_series(1, 400) AS t (n)")
    with read(clinic.address("visits", user="owner")) as source, workbench(source) as bench:
        one, two, three = (bench.table.select(**{n: "age"}) for n in "abc")

        def end_it() -> None:
            wait_until(lambda: ended(clinic, "CREATE TABLE"), "a statement to end")

        killer = threading.Thread(target=end_it)
        with sink(target(clinic), source, force=False) as made:
            killer.start()
            with pytest.raises(OutputError, match="out: the database closed the connection"):
                made.stage(one.cross_join(two).cross_join(three).order_by("a", "b", "c"))
            killer.join()
    assert clinic.run(LEFT) == []
    with (
        read(clinic.address("visits", user="owner")) as source,
        workbench(source) as bench,
        sink(target(clinic), source, force=False) as made,
    ):
        made.stage(bench.table)
        assert ended(clinic)
        with pytest.raises(OutputError, match="out: the database closed the connection"):
            made.publish()
    assert clinic.run(LEFT) == []


def test_a_query_that_is_stopped_is_told_without_the_words_of_the_server(
    clinic: Server, elsewhere: Source
) -> None:
    """By its owner here; a server's own limit stops it with the same code."""

    def cancel_it() -> None:
        wait_until(lambda: ended(clinic, "CREATE TABLE", "pg_cancel_backend"), "a statement")

    with (
        read(clinic.address("visits", user="owner")) as source,
        workbench(source) as bench,
        sink(target(clinic), source, force=False) as made,
    ):
        many = bench.small(pa.table({"a": list(range(3000))}))
        canceler = threading.Thread(target=cancel_it)
        canceler.start()
        with pytest.raises(OutputError, match=r"out: the database stopped the query"):
            made.stage(many.cross_join(many.view()).cross_join(many.view()).select("a"))
        canceler.join()
    with sink(target(clinic), elsewhere, force=False) as made:
        hidden = elsewhere.table.mutate(sex=ibis.literal("a\0b"))
        with pytest.raises(OutputError, match=r"out: .*character") as caught:
            made.stage(hidden)
        assert "a\0b" not in str(caught.value)


def test_no_database_is_told(clinic: Server, elsewhere: Source) -> None:
    with pytest.raises(OutputError, match="out: there is no such database"):
        sink(target(clinic).replace("/clinic", "/clinical"), elsewhere, force=False)


def test_no_server_is_told_as_for_a_source(elsewhere: Source) -> None:
    with pytest.raises(OutputError, match="no server answers there") as caught:
        sink("postgresql://127.0.0.1:1/clinic?table=out", elsewhere, force=False)
    assert "127.0.0.1" not in str(caught.value)


PIECES = st.sampled_from(
    ['"', "'", ";", "select", " ", "%s", "{}", ".", "\\", "É", "\U0001f600", "A"]
)
HOSTILE = st.lists(PIECES, min_size=1, max_size=4).map("".join)


@examples(8)
@given(schema=HOSTILE, table=HOSTILE, column=HOSTILE, cell=HOSTILE)
def test_any_name_will_do(
    postgres: Server, schema: str, table: str, column: str, cell: str
) -> None:
    written = ".".join('"' + part.replace('"', '""') + '"' for part in (schema, table))
    make = sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)).as_string()
    drop = sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(schema)).as_string()
    postgres.run(drop, make)
    postgres.load("names", ["c" + column + "::text"], [(cell,), ("-",)])
    with read(postgres.address("names", user="owner")) as source, workbench(source) as bench:
        for found in (bench.table, source.table):
            with sink(target(postgres, written), source, force=True) as made:
                made.stage(found)
                made.publish()
            assert rows(postgres, written) == [(cell,), ("-",)]
        with pytest.raises(OutputError, match="already exists"):
            sink(target(postgres, written), source, force=False)
    with read(target(postgres, written)) as source:
        assert source.columns == ("c" + column,)
    postgres.run(drop)
