"""Querying in Spark: digests, and a workbench of temporary views of the source's session.

What is kept is a cached data frame, in the memory of the workers and then on their disks. A worker
that is lost takes its part along, and Spark works that part out again from the source.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from roadstead.tables.failures import engine_errors
from roadstead.tables.stores.names import fresh, sums_of_digests
from roadstead.tables.stores.spark.engine import compiled, quiet, spark_table

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa


def digest(texts: ibis.Table) -> tuple[int, ...]:
    """Count texts and add up the words of their digests."""
    backend = texts.get_backend()
    sums = sums_of_digests("CAST(conv(substr(digest, {}, 15), 16, 10) AS DECIMAL(38, 0))")
    query = f"SELECT {sums} FROM (SELECT sha2(text, 256) AS digest FROM ({compiled(texts)}))"  # noqa: S608 - compiled
    with quiet():
        (found,) = backend._session.sql(query).collect()  # noqa: SLF001 - ours
    return tuple(int(one or 0) for one in found)


def cancel(backend: Any) -> None:  # noqa: ANN401 - of Ibis
    """End all that runs in a session."""
    with quiet():
        backend._session.interruptAll()  # noqa: SLF001 - ours


class SparkWorkbench:
    """A workbench in the session of a source.

    `table`: the source's table. `name`: what to call the source in messages.
    """

    def __init__(self, table: ibis.Table, name: str) -> None:
        self.table = table
        self._name = name
        self._backend = table.get_backend()
        self._session = self._backend._session  # noqa: SLF001 - ours
        self._made: list[str] = []

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
            self._session.sql(compiled(expression)).createTempView(name)
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
