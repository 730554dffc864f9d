"""A query's result as a stream of Arrow record batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.tables.engine import compiled, is_embedded

if TYPE_CHECKING:
    from collections.abc import Iterator

    import ibis
    import pyarrow as pa

ROWS = 1 << 18
_ROWS_OF_OBJECTS = 1 << 14
"""Drivers of other engines make a Python object of each cell, which takes far more memory."""


def stream(table: ibis.Table, rows: int = ROWS) -> pa.RecordBatchReader:
    """Execute a table expression and return its result batch by batch.

    `table`: any Ibis table expression. `rows`: most rows in a batch, where the engine lets one say
    so. Returns the result; in the embedded engine it is never whole in memory.
    """
    if not is_embedded(table):
        return table.to_pyarrow_batches(chunk_size=min(rows, _ROWS_OF_OBJECTS))
    # Ibis 12 streams through a method that DuckDB 2 no longer has, so the query is compiled by
    # the one and run by the other.
    return table.get_backend().con.sql(compiled(table)).to_arrow_reader(rows)


def stream_until(table: ibis.Table, most: int) -> pa.RecordBatchReader:
    """Give a stream for a reader who stops at the first row too many.

    `table`: as in `stream`. `most`: rows that the reader takes; whether there are more is seen by
    the next. Returns the result. Closed in the middle, it ends the query of the embedded engine;
    the drivers of others cannot leave a query, so these are asked for one row more than needed, and
    have ended when it comes.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if is_embedded(table):
        return stream(table)
    batches = stream(table.limit(most + 1))
    return pa.RecordBatchReader.from_batches(batches.schema, _one_ahead(batches))


def _one_ahead(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Fetch the next before each is given, so that nothing is open when the last one is."""
    held = next(batches, None)
    while held is not None:
        given, held = held, next(batches, None)
        yield given
