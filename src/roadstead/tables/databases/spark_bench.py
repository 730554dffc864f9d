"""Working in Spark: temporary views of the session that the source is read with.

What is kept is a cached data frame, in the memory of the workers and then on their disks. A worker
that is lost takes its part along, and Spark works that part out again from the source.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from roadstead.tables.databases.own_names import fresh
from roadstead.tables.databases.spark_engine import quiet, spark_table
from roadstead.tables.failures import engine_errors

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa


class SparkBench:
    """A workbench in the session of a source.

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
        self._session = self._backend._session  # noqa: SLF001 - ours
        self._made: list[str] = []

    @property
    def table(self) -> ibis.Table:
        """The source's table."""
        return self._table

    def small(self, columns: pa.Table) -> ibis.Table:
        """Send a table of this process to the session."""
        name = fresh("small")
        with engine_errors(self._name), quiet():
            self._session.createDataFrame(columns).createTempView(name)
            self._made.append(name)
            return spark_table(self._backend, (name,))

    def keep(self, expression: ibis.Table) -> ibis.Table:
        """Work an expression out into the workers' cache."""
        from pyspark import StorageLevel  # noqa: PLC0415 - an extra

        name = fresh("kept")
        with engine_errors(self._name), quiet():
            self._backend._run_pre_execute_hooks(expression)  # noqa: SLF001 - sends small tables
            self._session.sql(self._backend.compile(expression)).createTempView(name)
            self._made.append(name)
            self._session.catalog.cacheTable(name, StorageLevel.MEMORY_AND_DISK)
            self._session.table(name).count()  # works it out, all columns of it
            return spark_table(self._backend, (name,))

    def drop(self, kept: ibis.Table) -> None:
        """Let the workers forget a table."""
        name = kept.get_name()
        if name in self._made:
            self._made.remove(name)
            self._session.catalog.dropTempView(name)  # and what is cached of it

    def close(self) -> None:
        """Forget all that was made; a session that has ended has forgotten it already."""
        while self._made:
            with contextlib.suppress(Exception), quiet():
                self._session.catalog.dropTempView(self._made.pop())
