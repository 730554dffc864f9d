"""Find columns whose values follow from a date of the same record, such as the date's quarter.

If dates are shifted, such a column shows in which days the true date lies, whatever the column is
called and however its values are written. A value *follows* from a date if all records of a
calendar unit have the same value. The units are a day, a week, a month, a calendar month of any
year, and a day of the week. So quarters, financial years, and seasons are found as well.

Only units with several people count, because a person's rows can agree for other reasons. The
result must not be chance: with the frequencies of the values, so many records would agree in less
than one of a million tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import TYPE_CHECKING

import numpy as np

from roadstead.tables.failures import engine_errors
from roadstead.tables.persons.dates import day_of
from roadstead.tables.text import BLANKS, as_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roadstead.tables.source import Source

_RECORDS = 20_000
"""The approximate number of records that are compared."""
_EXCEPTIONS = 0.02
"""The largest share of exceptions among the records that do not have the most frequent value."""
_CHANCE = log(1e6)
WEEKDAY = "day of the week"


def columns_that_follow(
    source: Source, person: str, date: str, columns: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield the columns whose values follow from a date, each with the unit of the calendar.

    `person` is the column of the person ID. `source` contains the dates before any shift.
    """
    table = source.table
    if not columns:
        return
    with engine_errors(source.name):
        number = table.count().to_pyarrow().as_py()
        drawn = table if number <= _RECORDS else table.sample(_RECORDS / number, seed=1)
        rows = drawn.select(
            day=day_of(drawn[date]).cast("string"),
            who=as_text(drawn[person]),
            **{f"value_{at}": as_text(drawn[name]) for at, name in enumerate(columns)},
        )
        found = rows.filter(rows["day"].notnull()).to_pyarrow()
    if not found.num_rows:
        return
    days = np.array(found.column("day").to_pylist(), dtype="datetime64[D]")
    people = _encoded(found.column("who").to_pylist())
    units = _units(days)
    for at, name in enumerate(columns):
        texts = found.column(f"value_{at}").to_pylist()
        there = np.array([text is not None and text.strip() not in BLANKS for text in texts])
        values = _encoded([str(text) for text, own in zip(texts, there, strict=True) if own])
        for unit, places in units.items():
            if _follows(places[there], people[there], values):
                yield name, unit
                break


def _encoded(texts: Sequence[str]) -> NDArray[np.int64]:
    """Give equal strings the same number."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)


def _units(days: NDArray[np.datetime64]) -> Mapping[str, NDArray[np.int64]]:
    """Number the days by the units of the calendar to which they belong."""
    numbers = days.astype(np.int64)
    months = days.astype("datetime64[M]").astype(np.int64)
    monday = numbers + 3  # day 0 of NumPy, 1970-01-01, was a Thursday
    return {
        "month": months,
        "calendar month (in any year)": months % 12,
        WEEKDAY: monday % 7,
        "week": monday // 7,
        "day": numbers,
    }


def _follows(
    places: NDArray[np.int64], people: NDArray[np.int64], values: NDArray[np.int64]
) -> bool:
    """Return whether the values of a column follow from the units in which the records lie."""
    # Rows of a person with the same value in the same unit count once.
    rows = np.unique(np.stack([places, values, people]), axis=1)
    pairs, having = np.unique(rows[:2], axis=1, return_counts=True)
    starts = np.flatnonzero(np.r_[True, np.diff(pairs[0]) != 0]) if having.size else having
    totals, most = np.add.reduceat(having, starts), np.maximum.reduceat(having, starts)
    several = totals > 1
    compared = int(totals[several].sum() - np.count_nonzero(several))
    kept = np.repeat(several, np.diff(np.r_[starts, having.size]))
    frequent = np.bincount(pairs[1][kept], weights=having[kept]) if kept.any() else np.zeros(1)
    largest, total = float(frequent.max()), float(frequent.sum())
    if not 0 < largest < total:
        return False
    exceptions = int((totals - most)[several].sum())
    by_chance = compared * log(total / largest)
    return exceptions <= _EXCEPTIONS * (total - largest) and by_chance >= _CHANCE
