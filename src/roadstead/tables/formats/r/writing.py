"""Write a data frame in R's serialized form, without anything but cells, names, and types."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from roadstead.tables.formats.codebook import LETTERS, Codebook, ColumnNotes, letter_of
from roadstead.tables.formats.r.serialized import (
    INTEGER,
    LIST,
    LOGICAL,
    NA_INTEGER,
    NA_REAL,
    REAL,
    TEXT,
)
from roadstead.tables.formats.statistics.clocks import SPSS_CLOCK
from roadstead.tables.formats.statistics.writing import columns_of, plain_numbers

if TYPE_CHECKING:
    import pyarrow as pa

_HEADER = b"X\n" + struct.pack(">iii", 2, 0x00040000, 0x00020300)
_OBJECT, _WITH_ATTRIBUTES, _TAGGED = 0x100, 0x200, 0x402
_SYMBOL, _END = 1, 254
_ASCII, _UTF8, _MISSING = 0x00040009, 0x00008009, 9
_MILLION = 1_000_000
_NA_OF_64_BITS = -(2**63)
_NAMES = {INTEGER: "integer", REAL: "double", TEXT: "character"}
LABELED = "haven_labelled"
"""The class of columns of the package haven."""
LOCAL = "local"
"""The note on a column of times without a time zone. Otherwise, the note is the zone."""
_Stored: TypeAlias = tuple[int, Any, dict[str, Any]]
"""A column in R: the number of its type, the values, and the attributes."""


def write_data_frame(table: pa.Table, path: Path, codebook: Codebook) -> None:
    """Write a compressed ``.rds`` file. The same table always gives the same bytes."""
    attributes = {
        "names": _vector(TEXT, table.column_names),
        "row.names": _vector(INTEGER, [NA_INTEGER, -table.num_rows]),
        "class": _vector(TEXT, ["data.frame"]),
    }
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as file:
        file.write(_HEADER)
        file.write(struct.pack(">ii", LIST | _OBJECT | _WITH_ATTRIBUTES, table.num_columns))
        for name in table.column_names:
            file.write(_column(table[name], codebook.of(name), codebook.fewest))
        file.write(_pairs(attributes))


def _column(column: pa.ChunkedArray, notes: ColumnNotes, fewest: int) -> bytes:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    stored: _Stored
    kind = column.type
    if notes.labels or notes.kept:
        stored = _labeled(column, notes, fewest)
    elif pa.types.is_boolean(kind):
        stored = (LOGICAL, _whole(column), {})
    elif pa.types.is_temporal(kind):
        stored = _times(column, notes)
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        stored = _numbers(column, notes)
    else:
        stored = _texts(column.cast(pa.string()), notes)
    about = {"label": [notes.description]} if notes.description else {}
    return _vector(stored[0], stored[1], {**about, **stored[2]})


def _labeled(column: pa.ChunkedArray, notes: ColumnNotes, fewest: int) -> _Stored:
    """Return the codes of a column of the package haven, chosen as for an SPSS file."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    codebook = Codebook({"": notes}, fewest=fewest)
    made = columns_of(pa.table({"": column}).to_reader(), codebook, SPSS_CLOCK, labels=True)
    cells, labels, ranges = made.values[""], made.labels.get("", {}), made.missing.get("", [])
    kind = TEXT if cells.dtype == object else REAL
    numbers = cells[~np.isnan(cells)] if kind == REAL else np.ones(1) / 2
    if notes.shown == "integer" and np.all((numbers % 1 == 0) & (np.abs(numbers) < -NA_INTEGER)):
        kind = INTEGER
    about: dict[str, Any] = {}
    if labels:
        about["labels"] = _vector(kind, _codes([*labels], kind), {"names": [*labels.values()]})
    single = [one["lo"] for one in ranges if one["lo"] == one["hi"]]
    ends = [[one["lo"], one["hi"]] for one in ranges if one["lo"] != one["hi"]]
    if single:
        about["na_values"] = _vector(kind, _codes(single, kind))
    if ends:
        about["na_range"] = _vector(kind, _codes(ends[0], kind))
    if about:
        declared = [f"{LABELED}_spss"] if ranges else []
        about["class"] = [*declared, LABELED, "vctrs_vctr", _NAMES[kind]]
    return kind, _codes(cells, kind), about


def _codes(codes: Any, kind: int) -> Any:  # noqa: ANN401 - a list or an array
    """Return codes as R has them: a missing value with a letter is a number that is not valid."""
    if kind == TEXT:
        return [text or None for text in codes]
    found = np.array(codes, dtype=np.float64)
    bits = found.view(np.int64)
    bits[np.isnan(found)] = NA_REAL
    for code in np.unique(found[found >= float(LETTERS[0])]).tolist():
        bits[found == code] = NA_REAL | ord(letter_of(code) or "\0") << 32
    return np.where(np.isnan(found), NA_INTEGER, found) if kind == INTEGER else found


def _times(column: pa.ChunkedArray, notes: ColumnNotes) -> _Stored:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if pa.types.is_date(column.type):
        return REAL, _with_na(column.cast(pa.int32())), {"class": ["Date"]}
    micros = column.cast(pa.timestamp("us", column.type.tz)).cast(pa.int64())
    zone = "" if notes.shown == LOCAL else notes.shown or column.type.tz or "UTC"
    return REAL, _with_na(micros, _MILLION), {"class": ["POSIXct", "POSIXt"], "tzone": [zone]}


def _numbers(column: pa.ChunkedArray, notes: ColumnNotes) -> _Stored:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if pa.types.is_integer(column.type) and notes.shown == "integer64":
        cells = column.cast(pa.int64()).fill_null(_NA_OF_64_BITS).to_numpy()
        return REAL, cells.astype(">i8"), {"class": ["integer64"]}
    if pa.types.is_integer(column.type) and notes.shown == "integer" and _fits(column):
        return INTEGER, _whole(column), {}
    classes = UNITS.get(notes.shown or "")
    units = {"class": [*classes], "units": [str(notes.shown)[4:]]} if classes else {}
    return REAL, _with_na(column.cast(pa.float64())), units


def _texts(column: pa.ChunkedArray, notes: ColumnNotes) -> _Stored:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    texts = column.to_pylist()
    if notes.number and (numbers := plain_numbers(notes, texts)) is not None:
        whole = pa.int64() if notes.shown == "integer" else pa.float64()
        return _numbers(pa.chunked_array([pa.array(numbers, whole, from_pandas=True)]), notes)
    present = {text for text in texts if text is not None}
    if not notes.levels or not present:
        return TEXT, texts, {}
    levels = [level for level in notes.levels if level in present]
    levels += sorted(present.difference(levels))
    places = {level: at for at, level in enumerate(levels, 1)}
    codes = [NA_INTEGER if text is None else places[text] for text in texts]
    ordered = ["ordered"] if notes.shown == "ordered" and present <= {*notes.levels} else []
    return INTEGER, codes, {"levels": levels, "class": [*ordered, "factor"]}


UNITS: Mapping[str, tuple[str, ...]] = {
    **{f"hms {unit}": ("hms", "difftime") for unit in ("secs", "mins", "hours", "days")},
    **{f"dif {unit}": ("difftime",) for unit in ("secs", "mins", "hours", "days", "weeks")},
}
"""The classes of durations, by the notes on a column: the kind of duration, and its unit."""


def _fits(column: pa.ChunkedArray) -> bool:
    import pyarrow.compute as pc  # noqa: PLC0415 - heavy

    ends = pc.min_max(column).as_py()
    return ends["min"] is None or (ends["min"] > NA_INTEGER and ends["max"] < -NA_INTEGER)


def _whole(column: pa.ChunkedArray) -> Any:  # noqa: ANN401 - an array
    import pyarrow as pa  # noqa: PLC0415 - heavy

    return column.cast(pa.int32()).fill_null(NA_INTEGER).to_numpy()


def _with_na(column: pa.ChunkedArray, unit: int = 1) -> Any:  # noqa: ANN401 - an array
    found = np.array(column.fill_null(0).to_numpy() / unit, dtype=np.float64)
    found.view(np.int64)[column.is_null().to_numpy()] = NA_REAL
    return found


def _vector(kind: int, values: Any, attributes: Mapping[str, Any] | None = None) -> bytes:  # noqa: ANN401 - a list or an array
    flags = kind | (_WITH_ATTRIBUTES if attributes else 0)
    flags |= _OBJECT if attributes and "class" in attributes else 0
    start = struct.pack(">ii", flags, len(values))
    if kind == TEXT:
        content = b"".join(map(_text, values))
    else:
        swapped = isinstance(values, np.ndarray) and values.dtype.byteorder == ">"
        form = values.dtype if swapped else ">f8" if kind == REAL else ">i4"
        content = np.asarray(values).astype(form).tobytes()
    own = {
        name: one if isinstance(one, bytes) else _vector(TEXT, one)
        for name, one in (attributes or {}).items()
    }
    return start + content + (_pairs(own) if own else b"")


def _text(text: str | None) -> bytes:
    if text is None:
        return struct.pack(">ii", _MISSING, -1)
    own = text.encode()
    return struct.pack(">ii", _ASCII if text.isascii() else _UTF8, len(own)) + own


def _pairs(attributes: Mapping[str, bytes]) -> bytes:
    parts = (
        struct.pack(">ii", _TAGGED, _SYMBOL) + _text(name) + value
        for name, value in attributes.items()
    )
    return b"".join(parts) + struct.pack(">i", _END)
