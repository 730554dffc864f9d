"""Write a release as a workbook with one sheet of values. It has no author, time, or formula.

The workbook also has no links. The same rows give the same bytes. The header is in the first row.
Strings remain strings, even if they look like a formula, a number, or an address.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.errors import OutputError
from roadstead.tables.formats.codebook import Codebook

if TYPE_CHECKING:
    import pyarrow as pa

SHEET = "Release"
_MOST_ROWS = 1_048_576
_MOST_COLUMNS = 16_384
_LONGEST_TEXT = 32_767
_DAY_OF_FILE = dt.datetime(1980, 1, 1)  # noqa: DTZ001 - the same for every workbook, without a zone
_FIRST_DAY = dt.date(1900, 3, 1)
"""Excel counts earlier days differently, so earlier dates are written as strings."""


class _Exact(float):
    """A number that is written with all 17 digits. XlsxWriter alone would write only 16 digits."""

    def __format__(self, _: str) -> str:
        return repr(float(self))


def write_workbook(rows: pa.RecordBatchReader, path: Path, _: Codebook) -> None:
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
    with xlsxwriter.Workbook(str(path), options) as book:
        book.set_properties({"author": "", "created": _DAY_OF_FILE, "comments": ""})
        sheet = book.add_worksheet(SHEET)
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        time = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        sheet.write_row(0, 0, rows.schema.names)
        require_size(path, 1, len(rows.schema.names))
        at = 1
        for batch in rows:
            require_size(path, at + batch.num_rows, batch.num_columns)
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                for column, value in enumerate(row):
                    _write(sheet, at, column, value, day, time, path)
                at += 1


def _write(sheet: Any, at: int, column: int, value: Any, day: Any, time: Any, path: Path) -> None:  # noqa: ANN401 - of XlsxWriter
    match value:
        case None:
            return
        case bool():
            sheet.write_boolean(at, column, value)
        case int() | float() if value == value and abs(value) != float("inf"):  # noqa: PLR0124 - not NaN
            sheet.write_number(at, column, _Exact(value) if isinstance(value, float) else value)
        case dt.datetime() if value.date() >= _FIRST_DAY:
            sheet.write_datetime(at, column, value, time)
        case dt.date() if not isinstance(value, dt.datetime) and value >= _FIRST_DAY:
            sheet.write_datetime(at, column, value, day)
        case float():
            return
        case _:
            text = value if isinstance(value, str) else str(value)
            if len(text) > _LONGEST_TEXT:
                what = f"a cell has more than {_LONGEST_TEXT:,} characters, the limit of Excel"
                raise OutputError(what, where=path.name, fix="save the source as CSV or Parquet")
            sheet.write_string(at, column, text)


def require_size(path: Path, rows: int, columns: int) -> None:
    """Reject a table that is too large for a sheet."""
    if rows > _MOST_ROWS or columns > _MOST_COLUMNS:
        what = f"a sheet holds at most {_MOST_ROWS - 1:,} records and {_MOST_COLUMNS:,} columns"
        raise OutputError(what, where=path.name, fix="save the source as CSV or Parquet")
