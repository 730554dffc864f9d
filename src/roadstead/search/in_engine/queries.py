"""Queries to an engine, counted: a search in an engine costs what they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roadstead.tables.batches import stream, stream_until
from roadstead.tables.failures import engine_errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import ibis
    import pyarrow as pa
    from numpy.typing import NDArray

    from roadstead.tables.stores.store import Workbench


class Queries:
    """A workbench that counts what it is asked; messages call its source by `name`."""

    def __init__(self, bench: Workbench, name: str) -> None:
        self._bench = bench
        self.name = name
        self.number = 0

    @property
    def table(self) -> ibis.Table:
        """The source's table."""
        return self._bench.table

    def small(self, columns: pa.Table) -> ibis.Table:
        """Bring a small table to the engine, which is no query."""
        return self._bench.small(columns)

    def keep(self, expression: ibis.Table) -> ibis.Table:
        """Work an expression out and keep its rows in the engine."""
        self.number += 1
        return self._bench.keep(expression)

    def drop(self, kept: ibis.Table) -> None:
        """Forget a table that was kept."""
        self._bench.drop(kept)

    def stream(
        self, expression: ibis.Table, columns: Sequence[str], most: int
    ) -> Iterator[tuple[pa.Array, ...]]:
        """Give some columns of an answer, a batch at a time; all, or more rows than `most`."""
        self.number += 1
        with engine_errors(self.name), stream_until(expression, most) as batches:
            for batch in batches:
                yield tuple(batch.column(name) for name in columns)

    def answer(self, expression: ibis.Table) -> pa.Table:
        """Give a small answer whole."""
        self.number += 1
        with engine_errors(self.name):
            return stream(expression).read_all()

    def count(self, table: ibis.Table) -> int:
        """Count rows."""
        return int(self.answer(table.aggregate(rows=table.count())).column("rows")[0].as_py())

    def numbers_of(
        self, table: ibis.Table, column: str
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Give the numbers in a column, ascending, and how many rows have each."""
        counted = table.group_by(column).aggregate(number=lambda rows: rows.count())
        found = self.answer(counted.order_by(column))
        values, rows = (found.column(name).to_numpy() for name in (column, "number"))
        return values.astype(np.int64), rows.astype(np.int64)
