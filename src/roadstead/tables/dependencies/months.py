"""Find columns that follow from the month or the week of a date, such as the lot of a drug.

A release may show only the year of the date. A column with the same value in all records of a month
gives the month back, if it has more values than there are years.
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

_DATE: Final = re.compile(r"((?:19|20)\d\d)(-?)([01]\d)\2([0-3]\d)(?!\d).*")


def following_months(rows: DrawnRows, candidates: Sequence[str], target: str) -> list[Objection]:
    """Return objections to the columns that follow from the month or the week of a target date."""
    days = _days(rows[target])
    if days is None:
        return []
    years = len({day.year for day in days})
    found = []
    units = {
        "month": _codes(rows[target], [(day.year, day.month) for day in days]),
        "week": _codes(rows[target], [day.isocalendar()[:2] for day in days]),
    }
    for name in candidates:
        column = rows[name]
        if column.distinct <= max(years, 2):
            continue
        for unit, codes in units.items():
            if agreement(codes, column.codes).determines:
                why = (
                    f"{name} follows from the {unit} of {target}, so it reveals more than the year"
                )
                found.append(Objection(name, "undoes", why, (target,)))
                break
    return found


def _days(column: DrawnColumn) -> list[date] | None:
    """Return the day of each string, or None if a string is not a date that starts with a year."""
    days = []
    for text in column.plain:
        found = _DATE.fullmatch(text)
        if found is None:
            return None
        try:
            days.append(date(int(found[1]), int(found[3]), int(found[4])))
        except ValueError:
            return None
    return days or None


def _codes(column: DrawnColumn, keys: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """Return the number of a unit for each record, and -1 for a missing date."""
    numbers = {key: at for at, key in enumerate(dict.fromkeys(keys))}
    own = np.array([numbers[key] for key in keys], dtype=np.int64)
    return np.where(column.codes >= 0, own[np.maximum(column.codes, 0)], -1)
