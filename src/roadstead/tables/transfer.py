"""Bringing the result of a query in a database to a private engine of this process.

The rows come as a stream, a block at a time, and what does not fit the memory limit of the engine
spills to its encrypted files. Texts, lists of texts, whole numbers, floating-point numbers, truth
values, days and times of day keep their types; what only that database has, such as an address of a
network, comes as the text that the database itself writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.tables import engine
from roadstead.tables.batches import stream
from roadstead.tables.failures import engine_errors

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa
    from ibis.expr import datatypes

_MEMORY = "2GB"
_DIGITS = 38
"""Most digits of a decimal number that Arrow and DuckDB have."""


def brought(table: ibis.Table, name: str) -> ibis.Table:
    """Give a table in DuckDB: as it is if it is there, else copied to a private engine.

    `table`: a table of any engine. `name`: what to call its source in messages. Returns the same
    rows. The private engine lives as long as an expression of it does. Raises SourceError or
    OutputError: the table cannot be read, or there is no room for it.
    """
    if engine.is_embedded(table):
        return table
    with engine_errors(name):
        return copied(stream(portable(table)), name)


def copied(rows: pa.RecordBatchReader, name: str) -> ibis.Table:
    """Copy a stream of rows to a private engine.

    `rows`: the rows; they are read to the end. `name`: what to call their source in messages.
    Returns the same rows. The private engine lives as long as an expression of it does. Raises
    SourceError or OutputError: they cannot be read, or there is no room for them.
    """
    started = engine.start(_MEMORY)
    try:
        with engine_errors(name):
            return engine.keep_rows(started.backend, "brought", rows)
    except BaseException:
        started.close()
        raise


def portable(table: ibis.Table) -> ibis.Table:
    """Make texts, as its own database writes them, of what no other engine has a type for."""
    kinds = table.schema().items()
    texts = {
        column: table[column].cast("string") for column, kind in kinds if not is_portable(kind)
    }
    return table.mutate(**texts).select(*table.columns) if texts else table


def is_portable(kind: datatypes.DataType) -> bool:
    """Return whether every engine means the same by a type."""
    if kind.is_decimal():
        return (kind.precision or _DIGITS + 1) <= _DIGITS and kind.scale is not None
    return bool(
        kind.is_string()
        or kind.is_integer()
        or kind.is_floating()
        or kind.is_boolean()
        or kind.is_date()
        or kind.is_timestamp()
        or kind.is_time()
        or (kind.is_array() and kind.value_type.is_string())
    )
