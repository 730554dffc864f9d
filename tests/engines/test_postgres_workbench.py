"""A workbench in PostgreSQL sees what was counted, brings labels by SELECT, and leaves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ibis
import pyarrow as pa
import pytest
from effort import sparing
from hypothesis import given, settings
from hypothesis import strategies as st
from postgres_server import SECRET

from roadstead.errors import SourceError
from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read
from roadstead.tables.stores.access import workbench
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    from postgres_server import Server

LEFT = "SELECT relname FROM pg_class WHERE relname LIKE 'roadstead%'"
NAMES = st.sampled_from(['a"b', "select", "x; DROP TABLE t", "\u00e9\U0001f600", "A b", "'", "%s"])
TEXTS = st.text(
    st.one_of(st.sampled_from("\"'\\;{},%$ \n\tN\u00e9\U0001f600"), st.characters()), max_size=8
).filter(lambda text: "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text))


def rows(table: ibis.Table) -> list[tuple[Any, ...]]:
    found = table.to_pyarrow()
    return list(zip(*(column.to_pylist() for column in found.columns), strict=True))


@settings(parent=sparing)
@given(
    cells=st.lists(
        st.tuples(
            st.none() | TEXTS,
            st.none() | st.integers(-(2**63), 2**63 - 1),
            st.none() | st.floats(allow_nan=False),
            st.none() | st.booleans(),
        ),
        max_size=5,
    ),
    name=NAMES,
)
def test_a_small_table_comes_back_as_it_went(
    postgres: Server, cells: list[tuple[Any, ...]], name: str
) -> None:
    """Whatever its texts and names are; the right to SELECT is enough."""
    postgres.load("t", ["a"], [("x",)])
    kinds = {name: pa.string(), "i": pa.int64(), "f": pa.float64(), "b": pa.bool_()}
    columns = [pa.array([row[at] for row in cells], kind) for at, kind in enumerate(kinds.values())]
    with read(postgres.address("t")) as source, workbench(source) as bench:
        small = bench.small(pa.table(columns, names=list(kinds)))
        assert sorted(rows(small), key=repr) == sorted(cells, key=repr)
        assert rows(bench.table) == [("x",)]


def test_a_small_table_of_codes_and_labels_is_brought_as_text(postgres: Server) -> None:
    postgres.load("t", ["a"], [("x",)])
    with read(postgres.address("t")) as source, workbench(source) as bench:
        labels = pa.array(["u", None, "u"]).dictionary_encode()
        small = bench.small(pa.table({"code": pa.array([0, 1, 2], pa.int32()), "label": labels}))
        assert sorted(rows(small)) == [(0, "u"), (1, None), (2, "u")]


def test_a_small_table_is_joined_to_the_records(postgres: Server) -> None:
    """The server knows how many rows it has, so it plans for them."""
    postgres.load("t", ["a", "n::int"], [("x", 1), ("y", 2), ("x", 3), (None, 4)])
    values = [f"value {at}" for at in range(20_000)]
    with read(postgres.address("t")) as source, workbench(source) as bench:
        small = bench.small(pa.table({"v": ["x", "y", ""], "label": ["one", "two", "none"]}))
        joined = bench.table.left_join(small, as_text(bench.table["a"]) == small["v"])
        found = rows(joined.select("n", "label").order_by("n"))
        assert found == [(1, "one"), (2, "two"), (3, "one"), (4, "none")]
        many = bench.small(pa.table({"v": values}))
        backend = many.get_backend()
        plan = backend.con.execute(f"EXPLAIN {backend.compile(many)}").fetchall()
        assert "rows=20000" in str(plan)


def test_what_is_kept_is_of_the_state_that_was_counted(postgres: Server) -> None:
    """Neither connection sees commits of others in between."""
    postgres.load("live", ["a"], [("x",), ("y",)])
    with read(postgres.address("live", user="owner")) as source:
        assert summarize(source, ["a"]).records == 2
        postgres.run("INSERT INTO live VALUES ('z')")
        with workbench(source) as bench:
            postgres.run("DELETE FROM live WHERE a = 'x'")
            kept = bench.keep(bench.table.order_by("a"))
            assert rows(kept) == [("x",), ("y",)]
            small = bench.small(pa.table({"a": ["x", "z"]}))
            assert rows(kept.inner_join(small, "a").inner_join(bench.table, "a")) == [("x",)]
    with read(postgres.address("live")) as source:
        assert sorted(rows(source.table)) == [("y",), ("z",)]


def test_nothing_stays_of_what_was_kept(postgres: Server) -> None:
    """Others do not see it meanwhile; a failed keep spoils nothing."""
    postgres.load("t", ["a", "n::int"], [("x", 1), ("y", 0)])
    with read(postgres.address("t", user="owner")) as source:
        with workbench(source) as bench:
            first, second = bench.keep(bench.table), bench.keep(bench.table.select("n"))
            bench.drop(first)
            with pytest.raises(
                SourceError, match="t: the database cannot compute one of its values"
            ):
                rows(bench.keep(bench.table.mutate(bad=1 / bench.table["n"])))
            assert sorted(rows(second)) == [(0,), (1,)]
            assert postgres.run(LEFT) == []
            catalog = second.get_backend().con.execute(LEFT).fetchall()
            assert catalog == [(second.op().name,)]
            bench.close()
        assert postgres.run(LEFT) == []
        assert len(rows(source.table)) == 2
    assert postgres.run(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'roadstead' "
        "AND state LIKE 'idle in%'"
    ) == [(0,)]


def test_who_may_not_keep_is_told_how_to(postgres: Server) -> None:
    postgres.load("t", ["a"], [("x",)])
    with read(postgres.address("t")) as source, workbench(source) as bench:
        with pytest.raises(SourceError) as caught:
            bench.keep(bench.table)
        assert str(caught.value) == (
            "t: you do not have permission to create temporary tables there; request the right to "
            "create temporary "
            "tables (GRANT TEMPORARY), or raise combinations"
        )
        assert rows(bench.table) == [("x",)]


def test_a_password_that_was_taken_from_the_environment_is_used_again(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is never printed, and is not looked up a second time."""
    postgres.load("t", ["a"], [("x",)])
    monkeypatch.setenv("PGPASSWORD", SECRET)
    with read(postgres.address("t", user="guarded")) as source:
        monkeypatch.delenv("PGPASSWORD")
        with workbench(source) as bench:
            assert bench.table.get_backend() is not source.table.get_backend()
            with pytest.raises(SourceError, match="GRANT TEMPORARY") as caught:
                bench.keep(bench.table)
            assert SECRET not in str(caught.value)


def test_without_a_second_connection_the_first_does_all_but_keep(postgres: Server) -> None:
    postgres.load("t", ["a"], [("x",)])
    postgres.run("ALTER ROLE reader CONNECTION LIMIT 1")
    try:
        with read(postgres.address("t")) as source:
            with workbench(source) as bench:
                small = bench.small(pa.table({"a": ["x"], "b": ["y"]}))
                assert rows(bench.table.inner_join(small, "a")) == [("x", "y")]
                with pytest.raises(
                    SourceError, match=r"cannot create temporary tables .*combinations"
                ):
                    bench.keep(bench.table)
            left = source.table.get_backend().con.execute(
                "SELECT count(*) FROM pg_settings WHERE name LIKE 'roadstead.%' AND setting <> ''"
            )
            assert left.fetchone() == (0,)
    finally:
        postgres.run("ALTER ROLE reader CONNECTION LIMIT -1")


def test_texts_are_compared_byte_by_byte(postgres: Server) -> None:
    """Also those of a collation that takes ``a`` for ``A``, and of a type that ignores blanks."""
    postgres.run(
        "CREATE COLLATION IF NOT EXISTS folding "
        "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        "DROP TABLE IF EXISTS folded",
        'CREATE TABLE folded (a text COLLATE folding, "B b" char(4))',
        "INSERT INTO folded VALUES ('x', 'p'), ('X', 'p'), ('X', 'q  ')",
        "GRANT SELECT ON folded TO reader",
    )
    with read(postgres.address("folded")) as source:
        counted = summarize(source, ["a", "B b"])
        assert counted.domains == (("X", "x"), ("p", "q"))
        assert counted.counts.tolist() == [1, 1, 1]
        with workbench(source) as bench:
            small = bench.small(pa.table({"v": ["x", "p"]}))
            for column, expected in (("a", 1), ("B b", 2)):
                matched = bench.table.inner_join(small, as_text(bench.table[column]) == small["v"])
                assert matched.count().to_pyarrow().as_py() == expected


@pytest.mark.filterwarnings("ignore:.*infer_string")
def test_a_connection_that_a_user_opened_is_left_alone(postgres: Server) -> None:
    """Its temporary tables can be used, but nothing is kept next to them."""
    postgres.load("t", ["a"], [("x",)])
    mine = ibis.postgres.connect(
        host="127.0.0.1", port=postgres.port, user="owner", database="clinic"
    )
    mine.raw_sql("CREATE TEMP TABLE only_here AS SELECT 'x' AS a")
    with read(mine.table("t")) as source, workbench(source) as bench:
        assert rows(bench.keep(bench.table)) == [("x",)]
    with read(mine.table("only_here")) as source, workbench(source) as bench:
        assert rows(bench.table.inner_join(bench.small(pa.table({"a": ["x"]})), "a")) == [("x",)]
        with pytest.raises(SourceError, match="cannot create temporary tables"):
            bench.keep(bench.table)
    assert mine.list_tables(like="roadstead") == []
    mine.disconnect()


def test_a_server_that_ends_the_connection_is_told_without_its_words(postgres: Server) -> None:
    postgres.load("t", ["a"], [("x",)])
    with read(postgres.address("t", user="owner")) as source, workbench(source) as bench:
        postgres.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'roadstead'"
        )
        with pytest.raises(SourceError, match="t: the database closed the connection"):
            bench.keep(bench.table)
