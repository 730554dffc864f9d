"""A query's result as a stream of Arrow record batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa

ROWS = 1 << 18
_ROWS_OF_OBJECTS = 1 << 14
"""Drivers of other engines make a Python object of each cell, which takes far more memory."""


def stream(table: ibis.Table, rows: int = ROWS) -> pa.RecordBatchReader:
    """Execute a table expression and return its result batch by batch.

    Parameters
    ----------
    table
        Any Ibis table expression.
    rows
        Most rows in a batch, where the engine lets one say so.

    Returns
    -------
    pyarrow.RecordBatchReader
        The result; in the embedded engine it is never whole in memory.
    """
    import ibis.expr.operations as ops  # noqa: PLC0415 - heavy

    backend = table.get_backend()
    if backend.name != "duckdb":
        return table.to_pyarrow_batches(chunk_size=min(rows, _ROWS_OF_OBJECTS))
    # Ibis 12 streams through a method that DuckDB 2 no longer has, so the query is compiled by
    # the one and run by the other. Executing an empty slice registers tables held in memory.
    if table.op().find(ops.InMemoryTable):
        table.limit(0).to_pyarrow()
    return backend.con.sql(backend.compile(table)).to_arrow_reader(rows)
