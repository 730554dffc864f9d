"""Columns whose values an engine would change without a word: converted exactly, or refused.

DuckDB reads a decimal number of more than 38 digits as a floating-point number, a duration in a
Parquet file as a bare integer, and of a type that a library has added the storage alone. What it
hands to Arrow loses the offset of a time of day, and more. None of that is an error to it. So the
types are looked at first, those within lists and records too.

A time with a zone is an instant, and has a day in a zone alone. The zone is that of the column.
Where there is none, as in Parquet files that do not name it, the column is released unchanged, as
instants, and it cannot be a quasi-identifier.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from roadstead.errors import SourceError, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyarrow import parquet

    from roadstead.tables.engine import PrivateEngine

_DIGITS = 38
_STORED_AS_ARROW = b"ARROW:schema"
_EXTENSION = b"ARROW:extension:name"
_KNOWN = ("arrow.uuid", "arrow.json")
"""Types added to Arrow that DuckDB knows, in files too."""
_KNOWN_IN_MEMORY = (*_KNOWN, "arrow.bool8")


def exact_in_memory(table: pa.Table) -> pa.Table:
    """Give a table in memory with types that DuckDB reads exactly."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    for at, field in enumerate(table.schema):
        kind = field.type
        if pa.types.is_float16(kind):
            table = table.set_column(at, field.name, table.column(at).cast(pa.float32()))
        elif pa.types.is_decimal256(kind) and kind.precision <= _DIGITS and kind.scale >= 0:
            narrow = pa.decimal128(kind.precision, kind.scale)
            table = table.set_column(at, field.name, table.column(at).cast(narrow))
    for field in table.schema:
        for own in _parts(field):
            inside = own is not field and (
                pa.types.is_float16(own.type) or pa.types.is_decimal256(own.type)
            )
            _require_exact(field.name, own, _KNOWN_IN_MEMORY, refused=inside)
    return table


def require_exact_parquet(schema: pa.Schema, where: str) -> None:
    """Refuse a Parquet file with a column that DuckDB would read as something else."""
    for field in schema:
        for own in _parts(field):
            _require_exact(field.name, own, _KNOWN, file=where)


def require_one_zone(name: str, values: Iterable[Any]) -> None:
    """Refuse Python times with several zones in a column, which Arrow would bring to one."""
    zones = {str(one.tzinfo) for one in values if isinstance(one, dt.datetime) and one == one}  # noqa: PLR0124 - not a time
    if len(zones) > 1:
        raise SourceError(
            "the column mixes time zones, and only instants would be left of them",
            where=f"column {quoted(name)}",
            fix="bring it to one zone, or write it as text with its offsets",
        )


def zones_in_memory(schema: pa.Schema) -> dict[str, str | None]:
    """Give each column of times with a zone, and the zone."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    return {
        field.name: field.type.tz
        for field in schema
        if pa.types.is_timestamp(field.type) and field.type.tz is not None
    }


def zones_in_parquet(metadata: parquet.FileMetaData, schema: pa.Schema) -> dict[str, str | None]:
    """Give each column of instants in a file, and the zone if it is known.

    Files hold instants. Libraries that build on Arrow put the zone next to them; others do not, and
    of the old form of 96 bits nobody can tell in which zone it was written.
    """
    stored = _STORED_AS_ARROW in (metadata.metadata or {})
    zones = {name: zone if stored else None for name, zone in zones_in_memory(schema).items()}
    columns = map(metadata.schema.column, range(len(metadata.schema)))
    return zones | {one.path: None for one in columns if one.physical_type == "INT96"}


def common_zone(zones: dict[str, str | None]) -> str | None:
    """Give the zone that all columns have, as DuckDB writes it; None where there is not one."""
    found = set(zones.values()) - {None}
    if len(found) != 1:
        return None
    (zone,) = found
    return f"GMT{zone}" if zone and zone[0] in "+-" else zone


def in_zone(started: PrivateEngine, zones: dict[str, str | None]) -> frozenset[str]:
    """Let an engine work in the zone of the columns; name those whose zone is not known to it."""
    zone = common_zone(zones)
    if zone is None or not started.work_in_zone(zone):
        return frozenset(zones)
    return frozenset(name for name, own in zones.items() if own is None)


def _parts(field: pa.Field) -> Iterator[pa.Field]:
    """Give a field, and those within its lists, records and dictionaries."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    yield field
    kind = field.type
    if isinstance(kind, pa.BaseExtensionType):
        return
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        yield from _parts(pa.field(field.name, kind.value_type))
    for at in range(kind.num_fields):
        yield from _parts(kind.field(at))


def _require_exact(
    column: str,
    field: pa.Field,
    known: tuple[str, ...],
    *,
    file: str | None = None,
    refused: bool = False,
) -> None:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    kind = field.type
    added = (field.metadata or {}).get(_EXTENSION, b"").decode(errors="replace")
    added = getattr(kind, "extension_name", added)
    if added and added not in known:
        what = f"is of the type {added}, of which only the storage would be read"
        fix = "convert it to text, or to a plain type"
    elif pa.types.is_duration(kind) or kind == pa.month_day_nano_interval():
        what = "holds durations, which would be read as numbers without their unit"
        fix = "make it a number whose unit is in its name, or text"
    elif pa.types.is_union(kind):
        what, fix = "holds values of several types", "convert it to text"
    elif pa.types.is_decimal(kind) and (
        kind.precision > _DIGITS or not 0 <= kind.scale <= kind.precision
    ):
        what = f"holds decimal numbers ({kind}) that cannot be read exactly"
        fix = "convert it to decimal128 with at most 38 digits and a scale of 0 or more, or to text"
    elif refused:
        what, fix = f"holds {kind} within lists or records", "convert it to float64, or to text"
    else:
        return
    where = f"column {quoted(column)}"
    raise SourceError(what, where=f"{file}, {where}" if file else where, fix=fix)
