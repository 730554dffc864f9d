"""Find columns that count the time from a fixed date of each person, such as a study day.

If a release contains such a column and a shifted date, it also shows another date of the person,
shifted by the same number of days. Examples are the dates of consent and of birth. A column is
recognized by its values: for nearly all pairs of records of a person, the numbers differ by the
time between the two dates. The numbers can be seconds, minutes, hours, days, weeks, months, or
years, and may be rounded. Numbers with decimals, and numbers of less than a day, can have any unit.
The numbers can also count down to a fixed date. The same words can be before or after each number,
as in ``Day 15``.
"""

from __future__ import annotations

import re
from collections import Counter
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
    "seconds": 1 / 86_400,
}
_OTHER = "time"
"""The word for any other unit of the numbers, such as quarters."""
_PARTS = re.compile(
    r"([^0-9+,.-]*)([+-]?[.,]?[0-9](?:[0-9.,' ]*[0-9])?(?:[eE][+-]?[0-9]+)?)([^0-9]*)"
)
"""Words, a number, and words."""
_THOUSANDS = re.compile(r"([+-]?[1-9][0-9]{0,2}(?:([,.' ])[0-9]{3})(?:\2[0-9]{3})*)([.,][0-9]+)?")
_DECIMALS = re.compile(r"[^,.]*([,.])[0-9]*")
_AGREEING = 0.9
"""The smallest share of pairs of records that agree with the time between the dates."""
_NUMBERS = 0.9
"""The smallest share of numbers among the values of a column."""
_FEWEST = 10
"""The smallest number of people whose records are compared."""


class CountingColumn(NamedTuple):
    """A column of numbers, with the column of dates, the unit, and the number of days per unit.

    The number of days is negative if the numbers count down. The fixed date is the date minus the
    days.
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
    `most` is the longest shift in days. The function omits a column if its numbers are so coarse
    that they leave more days open than the shift.
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
            for unit, length in _units(*from_first[1:], step):
                open_days = 1 + (length * step if length > 1 else 0)
                if open_days > 2 * most:
                    continue
                if way := _way(*from_first, length, open_days):
                    yield CountingColumn(column, date, unit, way * length)
                    break


def _units(
    days: NDArray[np.int64], numbers: NDArray[np.float64], step: float
) -> Iterator[tuple[str, float]]:
    """Yield the units that a column may have, each with its length in days.

    The function does not estimate the unit from whole numbers of days or longer times, because
    visit numbers also increase by about one in equal times.
    """
    yield from _UNITS.items()
    moved = (days > 0) & (numbers != 0)
    if moved.any():
        far = moved & (days >= np.median(days[moved]))
        length = float(np.median(days[far] / np.abs(numbers[far])))
        if step < 1 or length < 1:
            yield _OTHER, length


def _numbers(
    column: tuple[Sequence[str], NDArray[np.int64]],
) -> tuple[NDArray[np.float64], float] | None:
    """Return the numbers (NaN for other values) and the smallest step, or None without numbers."""
    texts, codes = column
    numbers, places = numbers_of(texts)
    present = sum(text.strip() not in BLANKS for text in texts)
    if not texts or np.count_nonzero(~np.isnan(numbers)) < _NUMBERS * present:
        return None
    return numbers[codes], 10.0**-places


def numbers_of(texts: Sequence[str]) -> tuple[NDArray[np.float64], int]:
    """Return the number in each string, or NaN, and the largest number of decimals.

    A string has no number if the words around its number differ from the words in most strings.
    """
    parts = [_PARTS.fullmatch(text.strip().replace("\u2212", "-")) for text in texts]
    words = [(part[1].strip(), part[3].strip()) if part else None for part in parts]
    around = Counter(own for own in words if own)
    usual = max(around, key=around.__getitem__, default=None)
    cells = _with_points(
        [part[2] if part and own == usual else "" for part, own in zip(parts, words, strict=True)]
    )
    places = max((len(cell.partition(".")[2].rstrip("0")) for cell in cells), default=0)
    return np.array([_number(cell) for cell in cells], dtype=np.float64), places


def _with_points(cells: Sequence[str]) -> list[str]:
    """Return numbers without thousands separators, and with a point before the decimals.

    A comma or point before three digits separates thousands, unless the same sign is before more or
    fewer digits in another cell of the column.
    """
    single = {cell: found[1] for cell in cells if (found := _DECIMALS.fullmatch(cell))}
    decimal = {sign for cell, sign in single.items() if not _THOUSANDS.fullmatch(cell)}
    result = []
    for cell in cells:
        found = _THOUSANDS.fullmatch(cell)
        if found and single.get(cell) not in decimal:
            result.append(re.sub("[,.' ]", "", found[1]) + (found[3] or "").replace(",", "."))
        else:
            result.append(cell.replace(",", "."))
    return result


def _number(text: str) -> float:
    try:
        return float(text) if text else np.nan
    except ValueError:
        return np.nan


def _differences(
    people: NDArray[np.int64], days: NDArray[np.int64], numbers: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the person of each record, and the differences from the person's first record."""
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
    """Return 1 if the numbers count up with the days, -1 if they count down, and 0 otherwise."""
    # Closer dates would also agree with a column that has the same number in all of these records.
    apart = days > 2 * open_days
    if np.unique(people[apart]).size < _FEWEST:
        return 0
    for way in (1, -1):
        agrees = np.abs(days[apart] - way * length * numbers[apart]) <= open_days
        if np.mean(agrees) >= _AGREEING:
            return way
    return 0
