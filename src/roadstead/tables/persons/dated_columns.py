"""Find columns whose values depend on a date of the same record, such as the date's quarter.

If dates are shifted, such a column shows to which days the true date belongs. The name of the
column and the form of its values do not matter. A value *follows* from a date if all records of a
calendar unit have the same value. The units are a day, a week, a month, a calendar month of any
year, and a day of the week. So the module also finds quarters, financial years, and seasons.

Only units with several people count, because a person's rows can agree for other reasons. The
result must not be chance: if the values were assigned at random, so many records would agree in
fewer than one of a million tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import TYPE_CHECKING

import numpy as np

from roadstead.tables.failures import engine_errors
from roadstead.tables.persons.dates import transformed
from roadstead.tables.text import BLANKS, as_text
from roadstead.tables.texts import texts_of

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from roadstead.tables.source import Source

_RECORDS = 20_000
"""The approximate number of records that are compared."""
_PEOPLE = 2_000
"""The number of people whose records are compared with each other."""
_TOGETHER = 100_000
"""The approximate number of records of these people that are compared."""
_EXCEPTIONS = 0.02
"""The largest share of exceptions among the records that do not have the most frequent value."""
_CHANCE = log(1e6)
_DATE = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-([0-2][0-9]|3[01])($|[ T])")
WEEKDAY = "day of the week"


def columns_that_follow(
    source: Source, person: str, dates: Sequence[str], columns: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    """Yield each column whose values follow from a date, with the date and the calendar unit.

    `person` is the column of the person ID. `source` contains the dates before any shift.
    """
    if not columns or not dates:
        return
    cells = drawn_cells(source, person, (*dates, *columns))
    for date in dates:
        days = days_in(cells[date])
        dated = ~np.isnat(days)
        units = _units(days[dated])
        for column in columns:
            if column in (date, person):
                continue
            values, at_value = cells[column]
            there = np.array([text.strip() not in BLANKS for text in values], dtype=np.bool_)
            own = there[at_value][dated] if values else np.zeros(0, dtype=np.bool_)
            people, codes = cells[person][1][dated][own], at_value[dated][own]
            for unit, places in units.items():
                if _follows(places[own], people, codes):
                    yield column, date, unit
                    break


def drawn_cells(
    source: Source, person: str, columns: Sequence[str], *, together: bool = False
) -> dict[str, tuple[list[str], NDArray[np.int64]]]:
    """Return the distinct strings of the columns, and the index of the string in each sampled cell.

    If `together` is true, the sample contains all records of some people instead of random records.
    """
    needed = list(dict.fromkeys((person, *columns)))
    with engine_errors(source.name):
        number = int(source.table.count().to_pyarrow().as_py())
        share = min(1.0, _RECORDS / max(number, 1))
        if together and share < 1.0:
            drawn = texts_of(source, [person]).drawn(share).column(0).to_pylist()
            some = [*dict.fromkeys(drawn)][:_PEOPLE]
            whose = as_text(source.table[person])
            source = transformed(source, source.table.filter(whose.isin(some)))
            number = int(source.table.count().to_pyarrow().as_py())
            share = min(1.0, _TOGETHER / max(number, 1))
        rows = texts_of(source, needed).drawn(share)
    return {name: _encoded(rows.column(at)) for at, name in enumerate(needed)}


def days_in(column: tuple[Sequence[str], NDArray[np.int64]]) -> NDArray[np.datetime64]:
    """Return the day of each cell, or no day if the cell does not begin with a date."""
    texts, codes = column
    days = [text[:10] if _DATE.match(text) else "NaT" for text in texts] or ["NaT"]
    return np.array(days, dtype="datetime64[D]")[codes]


def _encoded(column: pa.ChunkedArray) -> tuple[list[str], NDArray[np.int64]]:
    """Return the distinct strings of a column, and the index of the string in each cell."""
    numbers: dict[str, int] = {}
    cells = [numbers.setdefault(text or "", len(numbers)) for text in column.to_pylist()]
    return [*numbers], np.array(cells, dtype=np.int64)


def _units(days: NDArray[np.datetime64]) -> Mapping[str, NDArray[np.int64]]:
    """Assign each day to calendar units, and return the numbers of these units."""
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
    """Return whether the values of a column follow from the calendar units of the records."""
    if not values.size:
        return False
    many, persons = int(values.max()) + 1, int(people.max()) + 1
    # Rows of a person with the same value in the same unit count once.
    rows = np.unique((places - places.min()) * (many * persons) + values * persons + people)
    pairs, having = np.unique(rows // persons, return_counts=True)
    own, of_value = np.divmod(pairs, many)
    starts = np.flatnonzero(np.r_[True, np.diff(own) != 0])
    totals, most = np.add.reduceat(having, starts), np.maximum.reduceat(having, starts)
    several = totals > 1
    compared = int(totals[several].sum() - np.count_nonzero(several))
    kept = np.repeat(several, np.diff(np.r_[starts, having.size]))
    frequent = np.bincount(of_value[kept], weights=having[kept]) if kept.any() else np.zeros(1)
    largest, total = float(frequent.max()), float(frequent.sum())
    if not 0 < largest < total:
        return False
    exceptions = int((totals - most)[several].sum())
    by_chance = compared * log(total / largest)
    return exceptions <= _EXCEPTIONS * (total - largest) and by_chance >= _CHANCE
