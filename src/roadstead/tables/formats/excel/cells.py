"""Find one type for each column of a sheet, such as whole numbers, dates, or strings.

In a sheet, each cell has a type. A column has a type other than text only if all of its nonempty
cells have this type. In a column of strings, numbers have the form that Excel shows without
formatting, for example, ``12`` rather than ``12.0``.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from roadstead.tables.formats.codebook import clock_text, code_text

if TYPE_CHECKING:
    import pyarrow as pa

CLOCK, ELAPSED = "hh:mm:ss", "[hh]:mm:ss"
"""The notes on columns with times of day, and with elapsed times."""
_EXACT = 2.0**53
_LONGEST = 2**63


def column_of(cells: Sequence[Any]) -> pa.Array:
    """Return the cells of a column with one type. An empty cell is a missing value."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    values = [None if cell == "" else cell for cell in cells]
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} and kinds:
        return _numbers(values)
    if kinds == {bool}:
        return pa.array(values, pa.bool_())
    if kinds == {dt.date}:
        return pa.array(values, pa.date32())
    if kinds and kinds <= {dt.date, dt.datetime}:
        return _days_or_times(values)
    return pa.array([None if value is None else text_of(value) for value in values], pa.string())


def clock_form(cells: Sequence[Any]) -> str | None:
    """Return the display format of a column with times, or None for other columns.

    The table contains such times as strings, and a release contains them as times again.
    """
    kinds = {type(cell) for cell in cells if cell != ""}
    if not kinds & {dt.time, dt.timedelta} or not kinds <= {dt.time, dt.timedelta, str}:
        return None
    return ELAPSED if dt.timedelta in kinds else CLOCK


def said_of_times(columns: Iterable[Sequence[Any]]) -> str:
    """Say how many cells in columns of days are times of day, or nothing.

    Excel has no days before 1900, so the library reads such days of other programs as midnight.
    """
    found = 0
    for cells in columns:
        kinds = Counter(map(type, cells))
        if kinds[dt.date] or kinds[dt.datetime]:
            found += kinds[dt.time]
    own = (
        "1 cell in a column of dates is"
        if found == 1
        else f"{found:,} cells in columns of dates are"
    )
    return f"{own} read as a time, but may mean a day before 1900" if found else ""


def text_of(value: Any) -> str:  # noqa: ANN401 - whatever a cell holds
    """Write a cell as a string."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return code_text(float(value)) if abs(value) < _EXACT else repr(value)
        case dt.datetime():
            whole_day = value.time() == dt.time()
            return value.date().isoformat() if whole_day else value.isoformat(sep=" ")
        case dt.time() if value.microsecond:
            return value.isoformat().rstrip("0")
        case dt.timedelta():
            return clock_text(value // dt.timedelta(microseconds=1))
        case _:
            return str(value)


def _numbers(values: Sequence[float | None]) -> pa.Array:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    present = [value for value in values if value is not None]
    if all(_is_whole(value) for value in present):
        return pa.array([None if value is None else int(value) for value in values], pa.int64())
    if any(isinstance(value, int) and abs(value) > _EXACT for value in present):
        return pa.array([None if value is None else text_of(value) for value in values])
    return pa.array([None if value is None else float(value) for value in values], pa.float64())


def _is_whole(value: float) -> bool:
    """Return whether a number is exactly a whole number of 64 bits."""
    if isinstance(value, int):
        return -_LONGEST <= value < _LONGEST
    return value.is_integer() and abs(value) < _EXACT


def _days_or_times(values: Sequence[Any]) -> pa.Array:
    """Return dates if no value has a time of day, and dates with times otherwise."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    times = [
        dt.datetime.combine(value, dt.time())
        if isinstance(value, dt.date) and not isinstance(value, dt.datetime)
        else value
        for value in values
    ]
    if all(time is None or time.time() == dt.time() for time in times):
        return pa.array([None if time is None else time.date() for time in times], pa.date32())
    return pa.array(times, pa.timestamp("us"))
