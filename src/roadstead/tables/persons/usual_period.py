"""Find the period of the dates in a column, without placeholders and mistyped dates.

Several people can share such a date: programs write 2999-12-31 or 1900-01-01 for a missing date. A
date is outside the usual period if it is the first date of a program's calendar. Up to four
different dates at one end are outside if they are after the year 2100. They are also outside if a
gap of more than a year separates them from the other dates, and if one of the following is true:
the gap exceeds the range of the middle 90% of the other dates, or each of the dates has ten times
as many people as the median date. If a table has many different dates after 2100, these dates are
not placeholders: they were moved on purpose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from statistics import median

import numpy as np

FIRST_DATES = frozenset(
    (
        *("0001-01-01", "1111-11-11", "1582-10-14", "1753-01-01", "1800-01-01"),
        *("1899-12-30", "1899-12-31", "1900-01-01", "1901-01-01", "1970-01-01"),
    )
)
LAST_YEAR = 2100
"""A frequent date after this year may be a code for a missing date."""
HEAP = 10
"""The multiple of the median count from which a date may be a placeholder."""
_MOST = 4
_YEAR = 366
_MANY = 20
"""The minimum sum of the other counts, so that a few dates are not compared with a few."""
_ENDS = (0.05, 0.95)


def usual_period(people: Mapping[date, int]) -> tuple[date, date] | None:
    """Return the first and the last usual day. `people` is the number of people with each day.

    The result is None if the dates have no usual day.
    """
    codes = {day for day in people if day.year > LAST_YEAR}
    if len(codes) > _MOST:
        codes = set()
    days = sorted(day for day in people if day not in codes and day.isoformat() not in FIRST_DATES)
    if not days:
        return None
    ordinals = np.array([day.toordinal() for day in days], dtype=np.int64)
    counts = np.array([people[day] for day in days], dtype=np.int64)
    first, last = 0, len(days)
    while True:
        low = _at_the_end(-ordinals[first:last][::-1], counts[first:last][::-1])
        high = _at_the_end(ordinals[first + low : last], counts[first + low : last])
        if not low and not high:
            return days[first], days[last - 1]
        first, last = first + low, last - high


def _at_the_end(days: np.ndarray, counts: np.ndarray) -> int:
    """Return how many of the last days are far from all other days. The days are in order."""
    for many in range(min(_MOST, days.size - 1), 0, -1):
        rest = days[:-many]
        gap = int(days[-many] - rest[-1])
        reached = np.cumsum(counts[:-many])
        if gap <= _YEAR or days[-1] - days[-many] > gap or reached[-1] < _MANY:
            continue
        low, high = (rest[np.searchsorted(reached, share * reached[-1])] for share in _ENDS)
        heap = counts[-many:].min() >= HEAP * median(counts[:-many].tolist())
        if heap or gap > high - low:
            return many
    return 0


def shared(people: Mapping[date, int], period: tuple[date, date], least: int) -> Sequence[date]:
    """Return the dates that are outside a period and that at least `least` people share."""
    first, last = period
    return sorted(
        day for day, number in people.items() if number >= least and not first <= day <= last
    )
