"""Run queries in PostgreSQL, in a workbench that sees the same data as the source.

The transaction that reads the source is read-only. A second transaction imports the snapshot of the
first transaction, so both see the same state of every table. The second transaction may create
temporary tables. Only a sink commits this transaction.

A small table does not become a database table. Instead, each column becomes a session setting that
contains an array as text, and a query unnests the arrays. So users need only the permission for
SELECT.
"""

from __future__ import annotations

import contextlib
import weakref
from typing import TYPE_CHECKING, Any

from roadstead.errors import SourceError
from roadstead.front_end import option
from roadstead.tables.engine import compiled
from roadstead.tables.failures import engine_errors
from roadstead.tables.stores.names import fresh, quoted_name, sums_of_digests
from roadstead.tables.stores.postgres.open import SESSION, SNAPSHOTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    import ibis
    import pyarrow as pa

OURS: weakref.WeakSet[Any] = weakref.WeakSet()
"""Connections that only Roadstead uses, and on which it may write and commit.

Ibis treats two backends with the same connection as equal, so a backend cannot be the key.
"""
_SECONDS: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
"""The connections of workbenches, by the connection of the source."""
_DIGEST = """
SELECT {sums} FROM (
    SELECT encode(sha256(convert_to(text, 'UTF8')), 'hex') AS digest FROM ({query}) AS texts
    OFFSET 0
) AS digests
"""
"""The query for digests. OFFSET keeps PostgreSQL from computing each digest several times."""


class PostgresWorkbench:
    """A workbench in the PostgreSQL database of a source.

    If a second transaction is impossible, for example on a standby server, the source's own
    transaction does everything except `keep`. For a user's Ibis table, the second transaction sees
    the data that was committed before this transaction begins. A sink's staged table is visible
    only to the connection that staged the table. A workbench for such a table uses this connection.
    """

    def __init__(self, table: ibis.Table, name: str) -> None:
        self._name = name
        self._first = table.get_backend()
        self._second = _second(table)
        self.table = table if self._second is None else _seen_by(table, self._second)
        self._backend = self.table.get_backend()
        self._settings: list[str] = []
        self._kept: set[str] = set()

    def small(self, columns: pa.Table) -> ibis.Table:
        """Store the columns of a table as settings, and unnest the settings in a query."""
        import ibis  # noqa: PLC0415 - heavy

        prefix = f"roadstead.{fresh('small')}"
        schema, calls = ibis.schema(columns.schema), []
        with engine_errors(self._name):
            for at, kind in enumerate(schema.types):
                setting = f"{prefix}_{at}"
                self._backend.con.execute(
                    "SELECT set_config(%s, %s, false)",
                    [setting, array_literal(columns.column(at).to_pylist())],
                )
                self._settings.append(setting)
                calls.append(f"current_setting('{setting}')::{server_type(kind)}[]")
            names = ", ".join(map(quoted_name, columns.column_names))
            arrays = ", ".join(calls)
            query = f"SELECT {names} FROM unnest({arrays}) AS t({names})"  # noqa: S608 - quoted
            return self._backend.sql(query, schema=schema)

    def keep(self, expression: ibis.Table) -> ibis.Table:
        """Compute an expression, store the result in a temporary table, and analyze the table."""
        from psycopg import errors  # noqa: PLC0415 - an extra

        name, more = fresh("kept"), option("combinations")
        if self._second is None:
            what = (
                "Roadstead cannot create temporary tables there, because the server or the "
                "connection is read-only"
            )
            fix = f"use a server with write access, or raise {more}"
            raise SourceError(what, where=self._name, fix=fix)
        connection = self._backend.con
        with engine_errors(self._name):
            query = compiled(expression)
            try:
                with connection.transaction():
                    connection.execute(f"CREATE TEMPORARY TABLE {name} AS {query}")
                    connection.execute(f"ANALYZE pg_temp.{name}")
            except errors.InsufficientPrivilege:
                raise SourceError(
                    "you do not have permission to create temporary tables there",
                    where=self._name,
                    fix="request the right to create temporary tables (GRANT TEMPORARY), or "
                    f"raise {more}",
                ) from None
            self._kept.add(name)
            return self._backend.table(name)

    def drop(self, kept: ibis.Table) -> None:
        """Drop a temporary table."""
        with engine_errors(self._name):
            self._drop(kept.op().name)

    def close(self) -> None:
        """Close the second connection, or drop the objects that the workbench created."""
        if self._second is not None and self._second is not self._first:
            self._second.con.close()
            return
        with contextlib.suppress(Exception):
            for name in list(self._kept):
                self._drop(name)
            for setting in self._settings:
                self._backend.con.execute("SELECT set_config(%s, '', false)", [setting])
        self._settings.clear()

    def _drop(self, name: str) -> None:
        with self._backend.con.transaction():
            self._backend.con.execute(f"DROP TABLE IF EXISTS pg_temp.{quoted_name(name)}")
        self._kept.discard(name)


def digest(texts: ibis.Table) -> tuple[int, ...]:
    """Count strings, and add up the numbers in the digests of their UTF-8 bytes."""
    sums = sums_of_digests("('x' || substr(digest, {}, 15))::bit(60)::bigint")
    query = _DIGEST.format(sums=sums, query=compiled(texts))
    found = texts.get_backend().con.execute(query).fetchone()
    return tuple(int(one or 0) for one in found)


def cancel(backend: Any) -> None:  # noqa: ANN401 - of Ibis
    """Cancel the queries of a source and its workbench on the server."""
    for connection in (backend.con, _SECONDS.get(backend.con)):
        if connection is not None:
            connection.cancel()


def _second(table: ibis.Table) -> Any | None:  # noqa: ANN401 - Ibis does not say
    """Open a second transaction that sees the same data as the first, if the server allows this."""
    import ibis  # noqa: PLC0415 - heavy
    import psycopg  # noqa: PLC0415 - an extra
    from psycopg import sql  # noqa: PLC0415 - an extra

    first = table.get_backend().con
    if first in OURS:
        return table.get_backend()
    snapshot = SNAPSHOTS.get(first)
    with contextlib.ExitStack() as undo:
        try:
            again = {**first.info.get_parameters(), "client_encoding": "UTF8"}
            if first.info.password:
                again["password"] = first.info.password
            connection = psycopg.connect(**again)
            undo.callback(connection.close)
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = False
            if snapshot is not None:
                connection.execute(
                    sql.SQL("SET TRANSACTION SNAPSHOT {}").format(sql.Literal(snapshot))
                )
            for setting in SESSION:
                connection.execute(setting)
            second = ibis.postgres.from_connection(connection)
            # This fails, for example, for a temporary table of the first connection.
            second.con.execute(f"EXPLAIN {compiled(_seen_by(table, second).limit(0))}")
        except psycopg.Error:
            return None
        undo.pop_all()
    weakref.finalize(second, connection.close)
    _SECONDS[first] = connection
    OURS.add(connection)
    return second


def _seen_by(table: ibis.Table, backend: Any) -> ibis.Table:  # noqa: ANN401 - Ibis does not say
    """Return the same expression for another connection."""
    import ibis.expr.operations as ops  # noqa: PLC0415 - heavy

    whole = table.op()
    bound = whole.find((ops.DatabaseTable, ops.SQLQueryResult))
    return whole.replace({one: one.copy(source=backend) for one in bound}).to_expr()


def server_type(kind: Any) -> str:  # noqa: ANN401 - Ibis does not say
    """Return the PostgreSQL type that can represent every value of a column."""
    if kind.is_integer():
        wide = kind.nbytes * (2 if kind.is_unsigned_integer() else 1)
        return {1: "smallint", 2: "smallint", 4: "integer", 8: "bigint"}.get(wide, "numeric(20, 0)")
    if kind.is_decimal():
        return f"numeric({kind.precision}, {kind.scale})"
    if kind.is_timestamp():
        return "timestamp" if kind.timezone is None else "timestamptz"
    if kind.is_array():
        return "text[]" if kind.value_type.is_string() else "text"
    plain = {"boolean": "boolean", "floating": "double precision", "date": "date", "time": "time"}
    return next((name for is_of, name in plain.items() if getattr(kind, f"is_{is_of}")()), "text")


def array_literal(cells: Iterable[Any] | None) -> str | None:
    """Return a PostgreSQL array literal with strings, numbers, or nulls."""
    if cells is None:
        return None
    return "{" + ",".join(map(_cell, cells)) + "}"


def _cell(cell: object) -> str:
    if not isinstance(cell, str):
        return "NULL" if cell is None else repr(cell)
    return '"' + cell.replace("\\", "\\\\").replace('"', '\\"') + '"'
