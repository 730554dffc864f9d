"""Stream the result of a query as Arrow record batches.

If only one database has a type, such as a network address, its values become the text that the
database writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from roadstead.errors import SourceError, quoted
from roadstead.tables import engine
from roadstead.tables.engine import ROWS
from roadstead.tables.failures import engine_errors, first_cause, streamed
from roadstead.tables.text import MISSING, as_text

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa
    from ibis.expr import datatypes

_ROWS_OF_OBJECTS = 1 << 14
"""The number of rows per batch for drivers that create a Python object for each cell."""
_MEMORY = "2GB"
_NOT_REPRESENTED = re.compile(
    r"DataError: .*?(?P<time>date|timestamp|time)|ArrowInvalid: .*decimal"
)
"""The errors of psycopg and Arrow for a value that Python or Arrow cannot represent."""
_BEYOND = {"time": "a time is 24:00", "decimal": "a number is NaN or infinite"}
_AS_NAMED: Mapping[str, str] = MappingProxyType({})
_DIGITS = 38
"""The maximum number of digits of a decimal number in Arrow and DuckDB."""


def stream(
    table: ibis.Table, rows: int = ROWS, *, called: Mapping[str, str] = _AS_NAMED
) -> pa.RecordBatchReader:
    """Execute a table expression. Return the result in batches with a maximum number of rows.

    `called` contains the names of renamed columns in messages. If the engine is embedded, the whole
    result is never in memory.
    """
    if not engine.is_embedded(table):
        batches = table.to_pyarrow_batches(chunk_size=min(rows, _ROWS_OF_OBJECTS))
        return _representable(batches, called)
    # Ibis 12 streams through a method that DuckDB 2 does not have. So Ibis compiles the query, and
    # DuckDB runs it.
    return table.get_backend().con.sql(engine.compiled(table)).to_arrow_reader(rows)


def _representable(
    batches: pa.RecordBatchReader, called: Mapping[str, str]
) -> pa.RecordBatchReader:
    """Return the columns that may contain values that the driver or Arrow cannot represent."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    def representable() -> Iterator[pa.RecordBatch]:
        try:
            yield from batches
        except Exception as error:
            cause = first_cause(error)
            found = _NOT_REPRESENTED.match(f"{type(cause).__name__}: {cause}")
            if found is None:
                raise
            kind = found["time"] or "decimal"
            is_one = getattr(pa.types, f"is_{kind}")
            names = [called.get(one.name, one.name) for one in batches.schema if is_one(one.type)]
            raise streamed(
                SourceError(
                    _BEYOND.get(kind, f"a {kind} is infinite, or outside the years 1 to 9999"),
                    where=f"column {' or '.join(map(quoted, names))}",
                    fix="make a view in which the column is text, such as CAST(x AS TEXT), and "
                    "use the view as the table",
                )
            ) from None

    return pa.RecordBatchReader.from_batches(batches.schema, representable())


def stream_until(table: ibis.Table, most: int) -> pa.RecordBatchReader:
    """Return a stream for a caller that reads at most `most` rows and stops at the next row.

    If the engine is embedded, its query ends when the stream is closed. The drivers of other
    engines cannot end a query early, so the query has a limit of `most` + 1 rows.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if engine.is_embedded(table):
        return stream(table)
    batches = stream(table.limit(most + 1))
    return pa.RecordBatchReader.from_batches(batches.schema, _one_ahead(batches))


def _one_ahead(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Fetch the next batch before each batch is yielded, so that the query ends early enough."""
    held = next(batches, None)
    while held is not None:
        given, held = held, next(batches, None)
        yield given


def brought(table: ibis.Table, name: str) -> ibis.Table:
    """Return a table in DuckDB. A table in another engine is copied to a private engine.

    `name` is the name of the source in messages.
    """
    if engine.is_embedded(table):
        return table
    with engine_errors(name):
        return copied(stream(portable(table)), name)


def copied(rows: pa.RecordBatchReader, name: str) -> ibis.Table:
    """Copy a stream of rows to a private engine. The engine exists while expressions use it."""
    started = engine.start(_MEMORY)
    try:
        with engine_errors(name):
            return engine.keep_rows(started.backend, "brought", rows)
    except BaseException:
        started.close()
        raise


def portable(table: ibis.Table) -> ibis.Table:
    """Convert values whose type only one database has to the strings that this database writes."""
    kinds = table.schema().items()
    texts = {
        column: as_text(table[column]).nullif(MISSING)
        if kind.is_decimal()
        else table[column].cast("string")
        for column, kind in kinds
        if not is_portable(kind)
    }
    return table.mutate(**texts).select(*table.columns) if texts else table


def is_portable(kind: datatypes.DataType) -> bool:
    """Return whether a type has the same meaning in every engine."""
    if kind.is_decimal():
        return (kind.precision or _DIGITS + 1) <= _DIGITS and kind.scale is not None
    if kind.is_array():
        return bool(kind.value_type.is_string())
    plain = ("string", "integer", "floating", "boolean", "date", "timestamp", "time")
    return any(getattr(kind, f"is_{one}")() for one in plain)
