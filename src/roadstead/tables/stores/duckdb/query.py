"""Querying in DuckDB: types that Arrow holds, digests, and a workbench of temporary tables."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any

from roadstead.tables import engine
from roadstead.tables.engine import compiled
from roadstead.tables.failures import engine_errors
from roadstead.tables.stores.names import fresh, sums_of_digests

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa

_INEXACT = re.compile(
    r"\b(UHUGEINT|BIT|INTERVAL|UNION|BIGNUM|VARIANT|TIME WITH TIME ZONE|TIMETZ)\b"
)
"""DuckDB's types that Arrow or Parquet cannot hold."""
_INSTANT = re.compile(r"TIMESTAMP(_NS)? WITH TIME ZONE|TIMESTAMPTZ(_NS)?")


def exact(table: ibis.Table) -> ibis.Table:
    """Make texts, as DuckDB writes them, of the columns that Arrow or Parquet cannot hold."""
    texts = {
        name: table[name].cast("string")
        for name, kind in _kinds(table).items()
        if _INEXACT.search(kind)
    }
    return table.mutate(**texts).select(*table.columns) if texts else table


def instants(table: ibis.Table) -> frozenset[str]:
    """Name the columns that hold instants and no zone; Ibis does not know all types."""
    return frozenset(name for name, kind in _kinds(table).items() if _INSTANT.fullmatch(kind))


def list_tables(backend: Any, schema: str | None, catalog: str | None) -> list[str]:  # noqa: ANN401 - of Ibis
    """List tables; Ibis 12 does it through a method that DuckDB 2 no longer has."""
    query = """
        SELECT table_name FROM information_schema.tables
        WHERE table_schema = coalesce(?, current_schema())
          AND table_catalog = coalesce(?, current_database())
    """
    return [str(name) for (name,) in backend.con.execute(query, [schema, catalog]).fetchall()]


def digest(texts: ibis.Table) -> tuple[int, ...]:
    """Count texts and add up the words of their digests."""
    words = sums_of_digests("('0x' || substr(digest, {}, 15))::BIGINT")
    query = f"SELECT {words} FROM (SELECT sha256(text) AS digest FROM ({compiled(texts)}))"  # noqa: S608 - compiled
    (found,) = texts.get_backend().con.execute(query).fetchall()
    return tuple(int(one or 0) for one in found)


def cancel(backend: Any) -> None:  # noqa: ANN401 - of Ibis
    """End the query that runs."""
    backend.con.interrupt()


def _kinds(table: ibis.Table) -> dict[str, str]:
    """Give the type of each column as DuckDB calls it."""
    found = table.get_backend().con.sql(compiled(table.limit(0)))
    return dict(zip(found.columns, map(str, found.types), strict=True))


class DuckdbWorkbench:
    """A workbench of temporary tables of the connection that the source is read with.

    `table`: the source's table. `name`: what to call the source in messages.
    """

    def __init__(self, table: ibis.Table, name: str) -> None:
        self.table = table
        self._name = name
        self._backend = table.get_backend()
        self._registered: list[str] = []
        self._kept: set[str] = set()

    def small(self, columns: pa.Table) -> ibis.Table:
        """Let the engine scan a table of this process."""
        name = fresh("small")
        with engine_errors(self._name), engine.quiet():
            self._backend.con.register(name, columns)
            self._registered.append(name)
            return self._backend.table(name)

    def keep(self, expression: ibis.Table) -> ibis.Table:
        """Work an expression out into a temporary table."""
        name = fresh("kept")
        with engine_errors(self._name), engine.quiet():
            self._backend.con.execute(f'CREATE TEMP TABLE "{name}" AS {compiled(expression)}')
            self._kept.add(name)
            return self._backend.table(name)

    def drop(self, kept: ibis.Table) -> None:
        """Drop a temporary table."""
        name = kept.op().name
        with engine_errors(self._name):
            self._backend.con.execute(f'DROP TABLE IF EXISTS temp."{name}"')
        self._kept.discard(name)

    def close(self) -> None:
        """Drop all that was made; a connection that is closed has dropped it already."""
        with contextlib.suppress(Exception):
            while self._registered:
                self._backend.con.unregister(self._registered.pop())
            while self._kept:
                self._backend.con.execute(f'DROP TABLE IF EXISTS temp."{self._kept.pop()}"')
