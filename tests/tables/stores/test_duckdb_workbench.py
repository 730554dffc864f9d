"""A workbench in DuckDB keeps what is requested, and leaves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import ibis
import pyarrow as pa
import pytest

from roadstead.errors import SourceError
from roadstead.tables.reading import read
from roadstead.tables.stores.access import workbench

if TYPE_CHECKING:
    from pathlib import Path

RENAMED = pytest.mark.filterwarnings("ignore:fetch_arrow_table")  # Ibis calls what DuckDB renamed
TABLE = pa.table({"a": ["x", "y", None], 'select "': [1, 2, 3]})


def rows(table: ibis.Table) -> list[tuple[Any, ...]]:
    found = table.to_pyarrow()
    return list(zip(*(column.to_pylist() for column in found.columns), strict=True))


def objects(connection: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    return connection.execute(
        "SELECT view_name FROM duckdb_views() WHERE NOT internal "
        "UNION ALL SELECT table_name FROM duckdb_tables()"
    ).fetchall()


def test_small_and_kept_tables_meet_the_source() -> None:
    with read(TABLE) as source, workbench(source) as bench:
        small = bench.small(
            pa.table({"a": ["x", "y"], "l": pa.array(["it's", None]).dictionary_encode()})
        )
        kept = bench.keep(bench.table.inner_join(small, "a"))
        assert sorted(
            rows(kept.inner_join(bench.table, "a").select("l", 'select "')), key=repr
        ) == [
            ("it's", 1),
            (None, 2),
        ]
        nothing = bench.small(pa.table({"a": pa.array([], pa.string())}))
        assert rows(bench.table.inner_join(nothing, "a")) == []


def test_an_expression_with_a_table_in_memory_is_kept() -> None:
    with read(TABLE) as source, workbench(source) as bench:
        memory = ibis.memtable(pa.table({"a": ["x"]}))
        assert rows(bench.keep(bench.table.inner_join(memory, "a"))) == [("x", 1)]


@RENAMED
def test_nothing_stays_in_the_connection_of_a_user(tmp_path: Path) -> None:
    mine = ibis.duckdb.connect(tmp_path / "mine.duckdb")
    mine.con.execute("CREATE TABLE t AS SELECT 'x' AS a")
    before = objects(mine.con)
    with read(mine.table("t")) as source, workbench(source) as bench:
        small = bench.small(pa.table({"a": ["x"]}))
        first, second = bench.keep(bench.table), bench.keep(bench.table.inner_join(small, "a"))
        bench.drop(first)
        assert [second.op().name] == [
            name for (name,) in objects(mine.con) if name.startswith("roadstead_kept")
        ]
        bench.close()
    assert objects(mine.con) == before
    mine.disconnect()


def test_what_cannot_be_kept_is_told_without_a_value() -> None:
    with read(pa.table({"a": ["secret"]})) as source, workbench(source) as bench:
        with pytest.raises(SourceError, match="the engine cannot") as caught:
            bench.keep(bench.table.mutate(n=bench.table["a"].cast("int64")))
        assert "secret" not in str(caught.value)
        assert rows(bench.keep(bench.table)) == [("secret",)]


def test_what_is_kept_spills_when_memory_is_short() -> None:
    """The limit of the source's engine holds for its workbench too."""
    numbers = pa.table({"n": pa.array(range(2_000_000))})
    with read(numbers, memory_limit="40MB") as source, workbench(source) as bench:
        kept = [bench.keep(bench.table.mutate(m=bench.table["n"] * at)) for at in (3, 5, 7)]
        assert [one.count().to_pyarrow().as_py() for one in kept] == [2_000_000] * 3


@pytest.mark.filterwarnings("ignore:.*infer_string")  # of the pandas that Ibis brings its rows by
def test_a_source_of_another_engine_is_brought_and_closing_twice_is_harmless() -> None:
    other = ibis.sqlite.connect()
    other.con.execute("CREATE TABLE t AS SELECT 'x' AS a, 1 AS n")
    with read(other.table("t")) as source, workbench(source) as bench:
        assert rows(bench.keep(bench.table)) == [("x", 1)]
        bench.close()
