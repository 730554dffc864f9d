"""Tables of other libraries in this process, as Arrow tables.

A column keeps its values or is refused with its name: nothing is converted that could change one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from roadstead.errors import SourceError
from roadstead.tables import engine, names
from roadstead.tables.exact_types import (
    exact_in_memory,
    in_zone,
    require_one_zone,
    zones_in_memory,
)
from roadstead.tables.failures import engine_errors
from roadstead.tables.formats import Memory
from roadstead.tables.source import Source

if TYPE_CHECKING:
    import pyarrow as pa

    from roadstead.tables.readers import Manner


def read_memory(data: Any, manner: Manner) -> Source:  # noqa: ANN401 - a table of any library
    """Read a table of another library through a private engine."""
    library = type(data).__module__.partition(".")[0]
    kind: Memory
    if library == "pandas":
        kind, table = Memory("pandas"), from_pandas(data)
    elif library == "polars":
        kind, table = Memory("polars"), from_polars(data)
    else:
        kind, table = Memory("arrow"), from_arrow(data)
    called = manner.name or kind.describe()
    columns = names.checked(table.column_names, called)
    if table.num_rows == 0:
        manner.without_records(called)
    table = exact_in_memory(table)
    started = engine.start(manner.memory_limit)
    instants = in_zone(started, zones_in_memory(table.schema))
    with engine_errors(called):
        own = started.table("source", table)
    return Source(own, columns, called, kind, None, started, instants=instants)


def from_pandas(data: Any) -> pa.Table:  # noqa: ANN401 - pandas is only a guest
    """Convert column by column, so that one that mixes types can be named.

    Raises SourceError: it is a Series, or a column mixes types or time zones.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if not hasattr(data, "columns"):
        raise SourceError("a pandas Series is not a table", fix="pass a DataFrame")
    arrays = []
    for at, column in enumerate(data.columns):
        values = data.iloc[:, at]
        if str(values.dtype) == "object":
            require_one_zone(str(column), values)
        try:
            arrays.append(pa.Array.from_pandas(values))
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            raise SourceError(
                "the column mixes values of different types",
                where=f"column {str(column)!r}",
                fix="convert it to one type, for instance with astype('string')",
            ) from None
    return pa.table(arrays, names=[str(column) for column in data.columns])


def from_polars(data: Any) -> pa.Table:  # noqa: ANN401 - Polars is only a guest
    """Convert a data frame, or a lazy one.

    Raises SourceError: it is a Series, or a column has a type that Arrow lacks.
    """
    frame = data.collect() if hasattr(data, "collect") else data
    if not hasattr(frame, "columns"):
        raise SourceError("a Polars Series is not a table", fix="pass a DataFrame")
    import pyarrow as pa  # noqa: PLC0415 - heavy

    try:
        return frame.to_arrow()
    except pa.ArrowException:
        raise SourceError(
            "a column of the Polars data frame has a type that Arrow lacks",
            fix="cast whole numbers of 128 bits to text or to Int64, and objects to text",
        ) from None


def from_arrow(data: Any) -> pa.Table:  # noqa: ANN401 - whatever Arrow can read
    """Convert a mapping of lists, or anything that Arrow reads.

    Raises SourceError: Arrow cannot read it, or a column mixes time zones.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if isinstance(data, Mapping):
        for name, values in data.items():
            if isinstance(values, list | tuple):
                require_one_zone(str(name), values)
    try:
        return pa.table(data)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        raise SourceError(
            f"a {type(data).__name__} cannot be read as a table",
            fix="pass a path, a data frame, an Arrow table or an Ibis table",
        ) from None
