"""Tables of other libraries in this process, as Arrow tables.

A column keeps its values or is refused with its name: nothing is converted that could change one.

A list, or a pandas column of type ``object``, has no type of its own, so Arrow gives it one that
holds every value in it. One value can so change how others read: ``Decimal("1")`` becomes ``1.00``
next to ``Decimal("2.55")``, a text becomes bytes next to bytes. In a differentially private release
no record may do that. Columns with values of one kind are safe, and so are whole numbers alongside
others: they read the same, or Arrow refuses them. `check_kinds` refuses everything else.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from roadstead.errors import SourceError, quoted
from roadstead.tables import engine, names
from roadstead.tables.exact_types import (
    exact_in_memory,
    in_zone,
    require_one_zone,
    zones_in_memory,
)
from roadstead.tables.failures import engine_errors
from roadstead.tables.source import Memory, Source

if TYPE_CHECKING:
    import pyarrow as pa

    from roadstead.tables.readers import Manner


_NUMBERS = (int, float, np.integer, np.floating)
_LISTS = (list, tuple, np.ndarray)
_MISSING = ("NoneType", "NAType", "NaTType")
_DECIMALS = "decimals"


def read_memory(data: Any, manner: Manner) -> Source:  # noqa: ANN401 - a table of any library
    """Read a table of another library through a private engine."""
    library = type(data).__module__.partition(".")[0]
    kind: Memory
    if library == "pandas":
        kind, table = Memory("pandas"), _from_pandas(data)
    elif library == "polars":
        kind, table = Memory("polars"), _from_polars(data)
    else:
        kind, table = Memory("arrow"), _from_arrow(data)
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


def _from_pandas(data: Any) -> pa.Table:  # noqa: ANN401 - as above
    """Convert column by column, so that one that mixes types can be named."""
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
            raise _mixed(str(column)) from None
    return pa.table(arrays, names=[str(column) for column in data.columns])


def _mixed(column: str, what: str = "mixes values of different types") -> SourceError:
    return SourceError(
        f"the column {what}",
        where=f"column {quoted(column)}",
        fix="convert it to one type, for instance with astype('string')",
    )


def _from_polars(data: Any) -> pa.Table:  # noqa: ANN401 - as above
    """Convert a data frame, or a lazy one."""
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


def _from_arrow(data: Any) -> pa.Table:  # noqa: ANN401 - as above
    """Convert a mapping of lists, or anything that Arrow reads."""
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


def check_kinds(data: Any) -> None:  # noqa: ANN401 - a table of any library
    """Prove that each column of Python objects, in pandas or a mapping, holds values of one kind.

    Raises SourceError: a column mixes kinds, or holds decimal numbers, whose type has as many
    decimals as the longest of them.
    """
    for name, values in _columns(data):
        kinds = _kinds(values)
        if len(kinds) > 1:
            raise _mixed(name)
        if _DECIMALS in kinds:
            raise _mixed(
                name, "holds Decimal objects, and one could change how the others are written"
            )


def _columns(data: Any) -> Iterator[tuple[str, Iterable[Any]]]:  # noqa: ANN401 - as above
    """Give the columns that have no type."""
    if isinstance(data, Mapping):
        columns = [(str(name), values) for name, values in data.items()]
    elif type(data).__module__.startswith("pandas") and hasattr(data, "columns"):
        columns = [(str(name), data.iloc[:, at]) for at, name in enumerate(data.columns)]
    else:
        return
    for name, values in columns:
        own: Any = getattr(getattr(values, "cat", None), "categories", values)
        if isinstance(own, list | tuple) or str(getattr(own, "dtype", "")) == "object":
            yield name, own


def _kinds(values: Iterable[Any]) -> set[str]:
    types = {one for one in set(map(type, values)) if one.__name__ not in _MISSING}
    if float in types and any(not issubclass(one, _NUMBERS) for one in types):
        # Among other values pandas writes a missing one as a float that is no number.
        types -= {float} if all(one != one for one in values if type(one) is float) else set()  # noqa: PLR0124 - not a number
    kinds = {_kind(one) for one in types}
    if kinds == {"times"}:
        present = (one for one in values if isinstance(one, dt.datetime) and one == one)  # noqa: PLR0124 - not a time
        kinds = {f"times, {'with' if one.tzinfo else 'without'} a zone" for one in present}
    if kinds == {"lists"}:
        lists = (one for one in values if isinstance(one, _LISTS))
        kinds = {f"lists of {kind}" for kind in _kinds([*chain.from_iterable(lists)])}
    return {_DECIMALS} if kinds == {f"lists of {_DECIMALS}"} else kinds


def _kind(one: type) -> str:
    known: tuple[tuple[Any, str], ...] = (
        ((bool, np.bool_), "truth values"),
        (_NUMBERS, "numbers"),
        (str, "texts"),
        (Decimal, _DECIMALS),
        (dt.datetime, "times"),
        (dt.date, "dates"),
        (_LISTS, "lists"),
    )
    return next((kind for types, kind in known if issubclass(one, types)), one.__name__)
