"""Convert tables from other libraries to Arrow tables with types that the engine reads exactly.

A column is rejected if its values would change. DuckDB changes some types without an error. For
example, it reads a duration in a Parquet file as an integer. So this module checks the types first,
including types within lists and records.

A time with a time zone is an instant. If the zone is unknown, the day is also unknown. A column of
such instants can only be released unchanged, and cannot be a quasi-identifier.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from roadstead.errors import SourceError, quoted
from roadstead.tables import engine, names
from roadstead.tables.arrow_arrays import computed
from roadstead.tables.failures import engine_errors
from roadstead.tables.source import Memory, Source

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import parquet

    from roadstead.tables.readers import Manner

_DIGITS = 38
_OFFSET = re.compile(r"(?:GMT)?([+-].*)")
"""The form of a fixed offset from UTC in Arrow, and in DuckDB."""
_STORED_AS_ARROW = b"ARROW:schema"
_EXTENSION = b"ARROW:extension:name"
_SHAPES = ("GEOMETRY", "GEOGRAPHY")
_GEOPARQUET = b"geo"
_KNOWN = ("arrow.uuid", "arrow.json")
"""Extension types of Arrow that DuckDB can read in files."""
_KNOWN_IN_MEMORY = (*_KNOWN, "arrow.bool8")
_NUMBERS = (int, float, np.integer, np.floating)
_LISTS = (list, tuple, np.ndarray)
_MISSING = ("NoneType", "NAType", "NaTType")
_DECIMALS = "decimals"
_KINDS: Mapping[str, Any] = {
    "truth values": (bool, np.bool_),
    "numbers": _NUMBERS,
    "texts": str,
    _DECIMALS: Decimal,
    "times": dt.datetime,
    "dates": dt.date,
    "lists": _LISTS,
}
"""The types of each kind of value. The first matching kind is used."""


def read_memory(data: Any, manner: Manner) -> Source:  # noqa: ANN401 - a table of any library
    """Read a table from another library through a private engine."""
    manner.in_memory()
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
    """Convert each column separately, so that an error can name a column with mixed types."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if not hasattr(data, "iloc") or not hasattr(data, "columns"):
        what = f"a pandas {type(data).__name__} is not a table"
        raise SourceError(what, fix="pass a DataFrame")
    arrays = []
    for at, column in enumerate(data.columns):
        values = data.iloc[:, at]
        if str(values.dtype) == "object":
            require_one_zone(str(column), values)
        try:
            arrays.append(pa.Array.from_pandas(values))
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            if str(values.dtype) == "object":
                raise _mixed(str(column)) from None
            what = f"has the type {values.dtype}, which cannot be read"
            raise _mixed(str(column), what) from None
    return pa.table(arrays, names=[str(column) for column in data.columns])


def _mixed(column: str, what: str = "mixes values of different types") -> SourceError:
    fix = "convert it to one type, for example, with astype('string')"
    return SourceError(f"the column {what}", where=f"column {quoted(column)}", fix=fix)


def cleared(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Copy records, but clear the memory behind missing values.

    The engine does not clear the memory of a missing value in an Arrow array. This memory can
    contain any bytes of the process, even an original value.
    """
    return batch.take(np.arange(batch.num_rows))


def readable(schema: pa.Schema, *, offsets: bool = True) -> pa.Schema:
    """Return a schema without dictionaries, and with offsets from UTC in the form of Arrow.

    If `offsets` is false, times with an offset are in UTC, because Polars has only named zones.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy

    def plain(kind: pa.DataType) -> pa.DataType:
        if pa.types.is_dictionary(kind):
            return kind.value_type
        offset = _OFFSET.fullmatch(kind.tz or "") if pa.types.is_timestamp(kind) else None
        return pa.timestamp(kind.unit, offset[1] if offsets else "UTC") if offset else kind

    return pa.schema([one.with_type(plain(one.type)) for one in schema])


def _from_polars(data: Any) -> pa.Table:  # noqa: ANN401 - as above
    frame = data.collect() if hasattr(data, "collect") else data
    if not hasattr(frame, "columns"):
        raise SourceError("a Polars Series is not a table", fix="pass a DataFrame")
    import pyarrow as pa  # noqa: PLC0415 - heavy

    try:
        return frame.to_arrow()
    except pa.ArrowException:
        raise SourceError(
            "a column of the Polars data frame has a type that Arrow does not support",
            fix="convert 128-bit whole numbers to text or Int64, and objects to text",
        ) from None


def _from_arrow(data: Any) -> pa.Table:  # noqa: ANN401 - as above
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if isinstance(data, Mapping):
        for name, values in data.items():
            if isinstance(values, list | tuple):
                require_one_zone(str(name), values)
        data = {str(name): _listed(str(name), values) for name, values in data.items()}
        if len({len(one) for one in data.values()}) > 1:
            sizes = ", ".join(f"{name} has {len(one):,}" for name, one in data.items())
            fix = "pass lists of the same length"
            raise SourceError(f"the lists do not have the same length: {sizes}", fix=fix)
    try:
        return pa.table(data)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        raise SourceError(
            f"a {type(data).__name__} cannot be read as a table",
            fix="pass a path, a data frame, an Arrow table, or an Ibis table",
        ) from None


def _listed(name: str, values: Any) -> Any:  # noqa: ANN401 - a list, or what Arrow can read
    """Convert a list to an Arrow array, in which pandas' missing values are missing."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if not isinstance(values, list | tuple):
        if hasattr(values, "__len__") and not isinstance(values, str):
            return values
        fix = "pass a list of values"
        what = f"{quoted(str(values))} is not a list"
        raise SourceError(what, where=f"column {quoted(name)}", fix=fix)
    present = [None if type(one).__name__ in _MISSING else one for one in values]
    try:
        return pa.array(present)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        fix = "pass values of one type, for example, text"
        what = "the list mixes values of different types"
        raise SourceError(what, where=f"column {quoted(name)}", fix=fix) from None


def check_kinds(data: Any) -> None:  # noqa: ANN401 - a table of any library
    """Check that all values in each column of Python objects have the same kind.

    The columns come from a pandas data frame or a mapping. In a differentially private release, one
    value must not change how other values are read. Arrow gives a column a type that fits every
    value. In a column with ``Decimal("2.55")``, Arrow reads ``Decimal("1")`` as ``1.00``. In a
    column with bytes, Arrow reads a string as bytes. So columns of decimal numbers are also
    rejected. Numbers of different types are safe, because Arrow either keeps them unchanged or
    rejects the column.
    """
    for name, values in _columns(data):
        kinds = _kinds(values)
        if len(kinds) > 1:
            raise _mixed(name)
        if _DECIMALS in kinds:
            raise _mixed(
                name, "contains Decimal objects, which could change how other values are written"
            )


def _columns(data: Any) -> Iterator[tuple[str, Iterable[Any]]]:  # noqa: ANN401 - as above
    """Yield each column whose Python objects do not have a common type."""
    if isinstance(data, Mapping):
        columns = [(str(name), values) for name, values in data.items()]
    elif type(data).__module__.startswith("pandas") and hasattr(data, "iloc"):
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
        # In a column of other values, pandas writes a missing value as a float NaN.
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
    return next((kind for kind, types in _KINDS.items() if issubclass(one, types)), one.__name__)


def exact_in_memory(table: pa.Table) -> pa.Table:
    """Convert a table in memory to types that DuckDB reads exactly."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    for at, field in enumerate(table.schema):
        kind = field.type
        if pa.types.is_float16(kind):
            table = table.set_column(at, field.name, table.column(at).cast(pa.float32()))
        elif pa.types.is_decimal256(kind) and kind.precision <= _DIGITS and kind.scale >= 0:
            narrow = pa.decimal128(kind.precision, kind.scale)
            table = table.set_column(at, field.name, table.column(at).cast(narrow))
        elif pa.types.is_run_end_encoded(kind):
            decoded = computed("run_end_decode", table.column(at))
            table = table.set_column(at, field.name, decoded)
    _require_exact(table.schema, _KNOWN_IN_MEMORY)
    for at, column in enumerate(table.columns):
        coded = pa.types.is_dictionary(column.type)
        if coded and any(chunk.dictionary.null_count for chunk in column.chunks):
            # Arrow cannot write such a column to Parquet.
            decoded = column.cast(column.type.value_type)
            table = table.set_column(at, table.schema.names[at], decoded)
    return table


def require_exact_parquet(metadata: parquet.FileMetaData, schema: pa.Schema, where: str) -> None:
    """Reject a Parquet file if DuckDB cannot read a column, or would read a different type."""
    _require_exact(schema, _KNOWN, where)
    for column in map(metadata.schema.column, range(len(metadata.schema))):
        if column.logical_type.type in _SHAPES or column.path in _shapes_of_geoparquet(metadata):
            what, fix = "contains geographic shapes", "convert it to text, or leave it out"
            raise SourceError(what, where=f"{where}, column {quoted(column.path)}", fix=fix)


def _shapes_of_geoparquet(metadata: parquet.FileMetaData) -> frozenset[str]:
    """Return the columns that GeoParquet metadata lists as columns of shapes."""
    try:
        return frozenset(json.loads((metadata.metadata or {})[_GEOPARQUET])["columns"])
    except (KeyError, TypeError, ValueError):
        return frozenset()


def require_one_zone(name: str, values: Iterable[Any]) -> None:
    """Reject a column of Python times with several time zones, because Arrow would convert them."""
    zones = {str(one.tzinfo) for one in values if isinstance(one, dt.datetime) and one == one}  # noqa: PLR0124 - not a time
    if len(zones) > 1:
        what = "the column has several time zones, which would be lost"
        fix = "convert it to one zone, or write it as text with its offsets"
        raise SourceError(what, where=f"column {quoted(name)}", fix=fix)


def zones_in_memory(schema: pa.Schema) -> dict[str, str | None]:
    """Return the time zone of each column whose times have a zone."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    return {
        field.name: field.type.tz
        for field in schema
        if pa.types.is_timestamp(field.type) and field.type.tz is not None
    }


def zones_in_parquet(metadata: parquet.FileMetaData, schema: pa.Schema) -> dict[str, str | None]:
    """Return the zone of each column of instants in a file, or None if the zone is unknown.

    Only libraries that use Arrow store the zone. For the old 96-bit form, the zone is always
    unknown.
    """
    stored = _STORED_AS_ARROW in (metadata.metadata or {})
    zones = {name: zone if stored else None for name, zone in zones_in_memory(schema).items()}
    columns = map(metadata.schema.column, range(len(metadata.schema)))
    return zones | {one.path: None for one in columns if one.physical_type == "INT96"}


def common_zone(zones: dict[str, str | None]) -> str | None:
    """Return the common time zone of all columns, in DuckDB's form, or None if they differ."""
    found = set(zones.values()) - {None}
    if len(found) != 1:
        return None
    (zone,) = found
    return f"GMT{zone}" if zone and zone[0] in "+-" else zone


def in_zone(started: engine.PrivateEngine, zones: dict[str, str | None]) -> frozenset[str]:
    """Set the engine's time zone to the columns' zone, and return columns with an unknown zone."""
    zone = common_zone(zones)
    if zone is None or not started.work_in_zone(zone):
        return frozenset(zones)
    return frozenset(name for name, own in zones.items() if own is None)


def _parts(field: pa.Field) -> Iterator[pa.Field]:
    """Yield a field and the fields nested in it."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    yield field
    kind = field.type
    if isinstance(kind, pa.BaseExtensionType):
        return
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        yield from _parts(pa.field(field.name, kind.value_type))
    for at in range(kind.num_fields):
        yield from _parts(kind.field(at))


def _require_exact(schema: pa.Schema, known: tuple[str, ...], file: str | None = None) -> None:
    for column, part in ((field, own) for field in schema for own in _parts(field)):
        if found := _inexact(part, known, inner=file is None and part is not column):
            where = f"column {quoted(column.name)}"
            what, fix = found
            raise SourceError(what, where=f"{file}, {where}" if file else where, fix=fix)


def _inexact(part: pa.Field, known: tuple[str, ...], *, inner: bool) -> tuple[str, str] | None:
    """Explain why a type is not read exactly. `inner` indicates a type within a list or record."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    kind = part.type
    added = (part.metadata or {}).get(_EXTENSION, b"").decode(errors="replace")
    added = getattr(kind, "extension_name", added)
    if added and added not in known:
        what = f"has the type {added}, so Roadstead would read only the stored values"
        return what, "convert it to text, or to a plain type"
    if pa.types.is_duration(kind) or str(kind).endswith("_interval"):
        what = "contains durations, which would be read as numbers without their unit"
        return what, "convert it to text, or to a number with the unit in the column's name"
    nested = pa.types.is_dictionary(kind) and pa.types.is_nested(kind.value_type)
    unnamed = pa.types.is_struct(kind) and "" in (one.name for one in kind)
    if nested or unnamed or pa.types.is_union(kind):
        what = "a dictionary of lists or records" if nested else "values of several types"
        what = "records with a field that has no name" if unnamed else what
        return f"contains {what}", "convert it to text"
    if pa.types.is_decimal(kind) and (
        kind.precision > _DIGITS or not 0 <= kind.scale <= kind.precision
    ):
        what = f"contains decimal numbers ({kind}) that cannot be read exactly"
        fix = "convert it to decimal128 with at most 38 digits and a scale of 0 or more, or to text"
        return what, fix
    tests = (pa.types.is_float16, pa.types.is_decimal256, pa.types.is_run_end_encoded)
    if inner and any(test(kind) for test in tests):
        return f"contains {kind} within lists or records", "convert it to float64, or to text"
    return None
