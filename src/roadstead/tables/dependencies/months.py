"""Find columns whose values depend on the month or the week of a date, such as a drug's lot.

A release may show only the year of the date. A column with the same value in all records of a month
can reveal the month. This is the case if the column has more values than there are years. It is
also the case if the column, such as a season, has at least two values per year on average.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Final

import numpy as np

from roadstead.tables.dependencies.agreement import agreement
from roadstead.tables.dependencies.rows import DrawnColumn, DrawnRows
from roadstead.tables.identifiers.objections import Objection

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DATE: Final = re.compile(r"((?:19|20)\d\d)([-/.]?)([01]\d)\2([0-3]\d)(?!\d).*")
_YEAR_LAST: Final = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2((?:19|20)\d\d)(?!\d).*")
_MONTHS: Final = 12


def following_months(rows: DrawnRows, candidates: Sequence[str], target: str) -> list[Objection]:
    """Return objections to columns whose values depend on the month or week of a target date."""
    days = _days(rows[target])
    if days is None:
        return []
    years = len({day.year for day in days})
    found = []
    of_year = _codes(rows[target], [(day.year, 0) for day in days])
    units = {
        "month": _codes(rows[target], [(day.year, day.month) for day in days]),
        "week": _codes(rows[target], [day.isocalendar()[:2] for day in days]),
    }
    for name in candidates:
        column = rows[name]
        there = (of_year >= 0) & (column.codes >= 0)
        pairs = np.unique(of_year[there] * column.distinct + column.codes[there]).size
        if column.distinct <= max(years, 2) and pairs < 2 * years:
            continue
        for unit, codes in units.items():
            if agreement(codes, column.codes).determines:
                why = (
                    f"{name} follows from the {unit} of {target}, so the column reveals more "
                    "than the year"
                )
                found.append(Objection(name, "undoes", why, (target,)))
                break
    return found


def _days(column: DrawnColumn) -> list[date] | None:
    """Return the day of each string, or None if a string is not a date.

    If the year is at the end of the dates, at least one value must show whether the day or the
    month comes first.
    """
    found = [_DATE.fullmatch(text) for text in column.plain]
    if all(found):
        parts = [(one[1], one[3], one[4]) for one in found if one]
    else:
        found = [_YEAR_LAST.fullmatch(text) for text in column.plain]
        if not all(found):
            return None
        last = [(one[4], one[1], one[3]) for one in found if one]
        day_first = any(int(first) > _MONTHS for _, first, _ in last)
        if day_first == any(int(second) > _MONTHS for _, _, second in last):
            return None
        parts = [(year, b, a) if day_first else (year, a, b) for year, a, b in last]
    try:
        return [date(int(year), int(month), int(day)) for year, month, day in parts] or None
    except ValueError:
        return None


def _codes(column: DrawnColumn, keys: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """Return the number of a unit for each record, and -1 for a missing date."""
    numbers = {key: at for at, key in enumerate(dict.fromkeys(keys))}
    own = np.array([numbers[key] for key in keys], dtype=np.int64)
    return np.where(column.codes >= 0, own[np.maximum(column.codes, 0)], -1)
