"""Write a release as a workbook with one sheet of values. It has no author, time, or formula.

The workbook also has no links. The same rows give the same bytes. The header is in the first row.
Strings remain strings, even if they look like a formula, a number, or an address.
"""

from __future__ import annotations

import datetime as dt
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.errors import OutputError
from roadstead.tables.formats.codebook import Codebook, clock_micros

if TYPE_CHECKING:
    import pyarrow as pa

SHEET = "Release"
_MOST_ROWS = 1_048_576
_MOST_COLUMNS = 16_384
_LONGEST_TEXT = 32_767
_DAY_OF_FILE = dt.datetime(1980, 1, 1)  # noqa: DTZ001 - the same for every workbook, without a zone
_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_LONGEST_TIME = 10_000 * 3_600 * _SECOND
"""Excel does not accept longer times as input."""
_FIRST_DAY = dt.date(1900, 3, 1)
"""Excel counts earlier days differently, so earlier dates are written as strings."""


class _Exact(float):
    """A number that is written with all 17 digits. XlsxWriter alone would write only 16 digits."""

    def __format__(self, _: str) -> str:
        return repr(float(self))


def write_workbook(rows: pa.RecordBatchReader, path: Path, codebook: Codebook) -> None:
    """Write an Excel workbook row by row."""
    import xlsxwriter  # noqa: PLC0415 - an extra

    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_numbers": False,
        "strings_to_urls": False,
        "nan_inf_to_errors": False,
        "in_memory": False,
        "tmpdir": str(path.parent),
    }
    clocks = [codebook.of(name).shown for name in rows.schema.names]
    with xlsxwriter.Workbook(str(path), options) as book:
        book.set_properties({"author": "", "created": _DAY_OF_FILE, "comments": ""})
        sheet = _Sheet(book.add_worksheet(SHEET), book, path)
        sheet.sheet.write_row(0, 0, rows.schema.names)
        require_size(path, 1, len(rows.schema.names))
        at = 1
        for batch in rows:
            require_size(path, at + batch.num_rows, batch.num_columns)
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                for column, value in enumerate(row):
                    sheet.write(at, column, value, clocks[column])
                at += 1


class _Sheet:
    """A sheet of a workbook, with the display formats of its dates and times."""

    def __init__(self, sheet: Any, book: Any, path: Path) -> None:  # noqa: ANN401 - of XlsxWriter
        self.sheet, self._path = sheet, path
        self._form = cache(lambda form: book.add_format({"num_format": form}))

    def write(self, at: int, column: int, value: Any, clock: str | None) -> None:  # noqa: ANN401 - any cell
        match value:
            case None:
                return
            case bool():
                self.sheet.write_boolean(at, column, value)
            case int() | float() if value == value and abs(value) != float("inf"):  # noqa: PLR0124 - not NaN
                number = _Exact(value) if isinstance(value, float) else value
                self.sheet.write_number(at, column, number)
            case dt.datetime() if value.date() >= _FIRST_DAY:
                self.sheet.write_datetime(at, column, value, self._form("yyyy-mm-dd hh:mm:ss"))
            case dt.date() if not isinstance(value, dt.datetime) and value >= _FIRST_DAY:
                self.sheet.write_datetime(at, column, value, self._form("yyyy-mm-dd"))
            case float():
                return
            case str() if clock and (micros := time_of(value)) is not None:
                form = self._form(f"{clock}.000" if micros % _SECOND else clock)
                self.sheet.write_number(at, column, _Exact(micros / _DAY), form)
            case _:
                text = value if isinstance(value, str) else str(value)
                if len(text) > _LONGEST_TEXT:
                    what = f"a cell has more than {_LONGEST_TEXT:,} characters, the limit of Excel"
                    fix = "save the source as CSV or Parquet"
                    raise OutputError(what, where=self._path.name, fix=fix)
                self.sheet.write_string(at, column, text)


def time_of(text: str) -> int | None:
    """Return the microseconds of a time that a sheet can show, or None for other strings."""
    micros = clock_micros(text)
    return micros if micros is not None and 0 <= micros < _LONGEST_TIME else None


def require_size(path: Path, rows: int, columns: int) -> None:
    """Reject a table that is too large for a sheet."""
    if rows > _MOST_ROWS or columns > _MOST_COLUMNS:
        what = f"a sheet holds at most {_MOST_ROWS - 1:,} records and {_MOST_COLUMNS:,} columns"
        raise OutputError(what, where=path.name, fix="save the source as CSV or Parquet")
