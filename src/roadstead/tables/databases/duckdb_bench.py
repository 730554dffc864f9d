"""Working in DuckDB: temporary tables of the connection that the source is read with."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from roadstead.tables import engine
from roadstead.tables.databases.own_names import fresh
from roadstead.tables.failures import engine_errors

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa


class DuckdbBench:
    """A workbench in the DuckDB of a source.

    Parameters
    ----------
    table
        The source's table.
    name
        What to call the source in messages.
    """

    def __init__(self, table: ibis.Table, name: str) -> None:
        self._table = table
        self._name = name
        self._backend = table.get_backend()
        self._registered: list[str] = []
        self._kept: set[str] = set()

    @property
    def table(self) -> ibis.Table:
        """The source's table."""
        return self._table

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
            expression.limit(0).to_pyarrow()  # registers tables held in memory
            query = self._backend.compile(expression)
            self._backend.con.execute(f'CREATE TEMP TABLE "{name}" AS {query}')
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
        for name in self._registered:
            with contextlib.suppress(Exception):
                self._backend.con.unregister(name)
        for name in self._kept:
            with contextlib.suppress(Exception):
                self._backend.con.execute(f'DROP TABLE IF EXISTS temp."{name}"')
        self._registered.clear()
        self._kept.clear()
