"""Read R data frames in ``.rds`` and ``.RData`` files, and write ``.rds`` files.

An ``.rds`` file contains one object, and an ``.RData`` file contains several objects with names. A
factor is read as the names of its levels. A release is an ``.rds`` file with one data frame. A
released factor has only the levels that occur in released records, because another level may be the
name of a person.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import numpy as np

from roadstead.errors import SourceError, quoted
from roadstead.tables.formats.codebook import LETTERS, Code, Codebook, ColumnNotes, letter_code
from roadstead.tables.formats.format import Batches, FileFormat, Options
from roadstead.tables.formats.options import chosen
from roadstead.tables.formats.r.serialized import (
    DAMAGE,
    INTEGER,
    LIST,
    LOGICAL,
    NA_INTEGER,
    NA_REAL,
    REAL,
    TEXT,
    RObject,
    read_objects,
)
from roadstead.tables.formats.r.writing import LABELED, LOCAL, UNITS, write_data_frame

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH = 1 << 16
_MILLION = 1_000_000
_UTC = ("", "UTC", "GMT", "Etc/UTC", "Etc/GMT")
_MOST_SECONDS = 2.5e11
_MOST_DAYS = 2.9e6
_LETTER = slice(3, 4)
"""The place of the letter in the bytes of a missing number."""


class RFile(FileFormat):
    """A file with R data frames."""

    def read(self, path: Path, options: Options) -> Batches:
        """Read the only data frame, or the data frame that the option ``table`` requests."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        try:
            frame = _frame(path, options.get("table"))
            names, columns = frame.texts("names"), frame.values
            for name, column in zip(names, columns, strict=True):
                _require_vector(path, name, column)
            arrays = [_array(column) for column in columns]
            table = pa.table(arrays, names=names)
            notes = {name: _notes(one) for name, one in zip(names, columns, strict=True)}
        except DAMAGE as error:
            what = "the file is damaged, or has objects other than data frames"
            fix = "in R, save the data frame with saveRDS(frame, file)"
            raise SourceError(what, where=path.name, fix=fix) from error
        except MemoryError:
            what = "the file needs more memory than this computer has"
            fix = "in R, write the data frame to a CSV file"
            raise SourceError(what, where=path.name, fix=fix) from None
        return Batches(
            table.schema, iter(table.to_batches(_BATCH)), Codebook(notes, _said(columns))
        )

    def write(self, rows: pa.RecordBatchReader, path: Path, codebook: Codebook) -> None:
        """Write a data frame with R's compression and without the time of writing."""
        write_data_frame(rows.read_all(), path, codebook)


def _frame(path: Path, requested: str | None) -> RObject:
    frames = {
        str(name or "table"): one
        for name, one in read_objects(path).items()
        if one.kind == LIST and one.values and "data.frame" in one.texts("class")
    }
    return frames[chosen(requested, [*frames], path, "table", "data frame")]


def _require_vector(path: Path, name: str, column: RObject) -> None:
    """Reject a column that is not a vector, such as a column of lists or a matrix."""
    known = (LOGICAL, INTEGER, REAL, TEXT)
    if column.kind not in known or "dim" in column.attributes:
        what = "contains lists, complex numbers, or several columns"
        fix = "convert it to text or numbers, or leave it out"
        raise SourceError(what, where=f"{path.name}, column {quoted(name)}", fix=fix)


def _said(columns: tuple[RObject, ...]) -> tuple[str, ...]:
    """Describe the columns with labels and the times without a zone."""
    labeled = sum("labels" in one.attributes for one in columns)
    times = sum("POSIXct" in one.texts("class") and not any(one.texts("tzone")) for one in columns)
    found = ((labeled, "value labels in {}"), (times, "times without a zone in {} read in UTC"))
    return tuple(
        said.format(f"{number} column{'' if number == 1 else 's'}")
        for number, said in found
        if number
    )


def _notes(column: RObject) -> ColumnNotes:
    classes, units = column.texts("class"), column.texts("units")
    labeled = LABELED in classes
    unit = f"{'hms' if 'hms' in classes else 'dif'} {''.join(units)}"
    shown = "integer" if column.kind == INTEGER and (labeled or not classes) else None
    shown = next((one for one in ("ordered", "integer64") if one in classes), shown)
    shown = "".join(column.texts("tzone")[:1]) or LOCAL if "POSIXct" in classes else shown
    moments = {*classes} & {"Date", "POSIXct", "integer64"}
    missing: list[tuple[Code, Code]] = [LETTERS] if column.kind == REAL and not moments else []
    missing += [(one, one) for one in _codes(column, "na_values")]
    ends = _codes(column, "na_range")
    missing += [(ends[0], ends[1])] if ends else []
    names = (
        column.attributes["labels"].texts("names") if labeled and _codes(column, "labels") else []
    )
    return ColumnNotes(
        description="".join(column.texts("label")[:1]) or None,
        labels=dict(zip(_codes(column, "labels"), names, strict=True)) if names else {},
        missing=tuple(missing),
        number=column.kind in (INTEGER, REAL) and (labeled or not classes),
        levels=tuple(column.texts("levels")) if "factor" in classes else (),
        shown=unit if unit in UNITS else shown,
    )


def _codes(column: RObject, attribute: str) -> list[Code]:
    """Return the codes in an attribute of a column, such as those with labels."""
    found = column.attributes.get(attribute)
    if found is None or found.values is None:
        return []
    codes = replace(found, attributes={}) if found.kind == TEXT else _as_real(found)
    return [one for one in _array(codes).to_pylist() if one is not None]


def _as_real(column: RObject) -> RObject:
    """Return whole numbers as floating-point numbers."""
    if column.kind == REAL:
        return column
    numbers = np.where(column.values == NA_INTEGER, np.nan, column.values).astype(">f8")
    return RObject(REAL, numbers)


def _array(column: RObject) -> pa.Array:
    """Return the cells of a column. Missing and empty cells are null."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    classes = column.texts("class")
    column = _as_real(column) if column.kind == INTEGER and LABELED in classes else column
    values = column.values
    if column.kind == TEXT:
        return pa.array([text or None for text in values], pa.string())
    if "integer64" in classes and column.kind == REAL:
        whole = values.view(">i8").astype(np.int64)
        return pa.array(whole, pa.int64(), mask=whole == np.iinfo(np.int64).min)
    missing = np.isnan(values) if column.kind == REAL else values == NA_INTEGER
    if "factor" in classes:
        levels = [*column.texts("levels"), ""]
        places = np.where(missing, len(levels), values) - 1
        if (places < 0).any():
            raise ValueError
        return pa.array([levels[at] or None for at in places.tolist()], pa.string())
    if "Date" in classes or "POSIXct" in classes:
        return _times(values.astype(np.float64), missing, column)
    if column.kind == REAL:
        return _numbers(values, missing)
    whole = values.astype(np.int64)
    return pa.array(whole != 0 if column.kind == LOGICAL else whole, mask=missing)


def _numbers(values: Any, missing: Any) -> pa.Array:  # noqa: ANN401 - arrays
    """Return numbers, with the codes of tagged missing values in place of them."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    numbers = values.astype(np.float64)
    bits = values.view(">i8")
    for code in np.unique(bits[missing]).tolist():
        letter = code.to_bytes(8, "big", signed=True)[_LETTER].decode("latin-1")
        known = letter_code(letter) if code & 0xFFFF == NA_REAL & 0xFFFF else None
        if known is not None:
            numbers[bits == code] = known
    return pa.array(numbers, pa.float64(), mask=np.isnan(numbers))


def _times(numbers: Any, missing: Any, column: RObject) -> pa.Array:  # noqa: ANN401 - arrays
    """Return days or times. R counts days and seconds from 1970, with fractions."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    day = "Date" in column.texts("class")
    missing = missing | ~(np.abs(numbers) < (_MOST_DAYS if day else _MOST_SECONDS))
    present = np.where(missing, 0, numbers)
    if day:
        return pa.array(np.floor(present).astype("datetime64[D]"), pa.date32(), mask=missing)
    zone = "".join(column.texts("tzone")[:1])
    try:
        zone = "" if zone in _UTC else ZoneInfo(zone).key
    except (ValueError, OSError, LookupError):  # R reads times in an unknown zone in UTC
        zone = ""
    micros = np.round(present * _MILLION).astype(np.int64)
    return pa.array(micros, pa.timestamp("us", zone or None), mask=missing)


R = RFile("R", (".rds",), ("table",), "r")
