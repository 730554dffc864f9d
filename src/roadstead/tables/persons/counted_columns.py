"""Find columns that count the time from a fixed date of each person, such as a study day.

Next to a shifted date, such a column shows another date of the person, shifted, such as the date of
consent or of birth. A column is recognized by its values: for nearly all pairs of records of a
person, the numbers differ by the time between the two dates. The numbers can be minutes, hours,
days, weeks, months, or years, and may be rounded. They can also count down to a fixed date.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from roadstead.tables.persons.dated_columns import days_in, drawn_cells
from roadstead.tables.text import BLANKS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roadstead.tables.source import Source

_UNITS = {
    "days": 1.0,
    "weeks": 7.0,
    "months": 365.25 / 12,
    "years": 365.25,
    "hours": 1 / 24,
    "minutes": 1 / 1440,
}
_AGREEING = 0.9
"""The smallest share of pairs of records that agree with the time between the dates."""
_NUMBERS = 0.9
"""The smallest share of numbers among the values of a column."""
_FEWEST = 10
"""The smallest number of people whose records are compared."""


class CountingColumn(NamedTuple):
    """A column of numbers, the column of dates, the unit, and the days per number.

    The days are negative if the numbers count down. The date minus the days is the fixed date.
    """

    column: str
    date: str
    unit: str
    days: float


def columns_that_count(
    source: Source, person: str, dates: Sequence[str], columns: Sequence[str], most: int
) -> Iterator[CountingColumn]:
    """Yield the columns that count from a fixed date.

    `person` is the column of the person ID. `source` contains the dates before any shift, and
    `most` is the longest shift in days. A column does not count if its numbers are so coarse that
    they leave more days open than the shift.
    """
    if not columns or not dates:
        return
    cells = drawn_cells(source, person, (*dates, *columns), together=True)
    people = cells[person][1]
    for date in dates:
        days = days_in(cells[date])
        for column in columns:
            if column in (date, person) or (read := _numbers(cells[column])) is None:
                continue
            numbers, step = read
            dated = ~np.isnat(days) & ~np.isnan(numbers)
            when = days[dated].astype(np.int64)
            from_first = _differences(people[dated], when, numbers[dated])
            for unit, length in _UNITS.items():
                open_days = 1 + (length * step if length > 1 else 0)
                if open_days > 2 * most:
                    continue
                if way := _way(*from_first, length, open_days):
                    yield CountingColumn(column, date, unit, way * length)
                    break


def _numbers(
    column: tuple[Sequence[str], NDArray[np.int64]],
) -> tuple[NDArray[np.float64], float] | None:
    """Return the numbers of a column and the smallest step between them, or None without numbers.

    A value that is not a number becomes NaN.
    """
    texts, codes = column
    told = [text.strip().replace(",", ".") for text in texts]  # a decimal comma, if there is one
    numbers = np.array([_number(text) for text in told] or [np.nan])
    if np.count_nonzero(~np.isnan(numbers)) < _NUMBERS * sum(text not in BLANKS for text in told):
        return None
    places = max((len(x.partition(".")[2]) for x in told if not np.isnan(_number(x))), default=0)
    return numbers[codes], 10.0**-places


def _number(text: str) -> float:
    try:
        return float(text) if text[-1:].isdigit() else np.nan
    except ValueError:
        return np.nan


def _differences(
    people: NDArray[np.int64], days: NDArray[np.int64], numbers: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Compare each record with the earliest record of its person.

    Returns the person, the days between the two dates, and the difference of the two numbers.
    """
    order = np.lexsort((days, people))
    people, days, numbers = people[order], days[order], numbers[order]
    starts = np.flatnonzero(np.r_[True, np.diff(people) != 0]) if people.size else people
    first = np.repeat(starts, np.diff(np.r_[starts, people.size]))
    return people, days - days[first], numbers - numbers[first]


def _way(
    people: NDArray[np.int64],
    days: NDArray[np.int64],
    numbers: NDArray[np.float64],
    length: float,
    open_days: float,
) -> int:
    """Return 1 if numbers of this length in days count the time between dates, -1 if down, or 0."""
    # Closer dates would also agree with a column that has the same number in all of these records.
    apart = days > 2 * open_days
    if np.unique(people[apart]).size < _FEWEST:
        return 0
    for way in (1, -1):
        agrees = np.abs(days[apart] - way * length * numbers[apart]) <= open_days
        if np.mean(agrees) >= _AGREEING:
            return way
    return 0
