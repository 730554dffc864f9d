"""Hierarchies over dates: by day, week, month, quarter, year, decade.

Values are ISO dates or date-times, or have a declared strptime form. Labels are always ISO
(``2024-03-05``, ``2024-03``, ``2024-Q1``, ``2024``, ``2020s``). The units that the caller lists are
the levels below ``*``. If the caller omits the day, no policy can release days.

The domain is the range of days from the first to the last. A label covers the days of its unit
inside the range, so Iyengar's loss of a month is about thirty times the loss of two days.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import MAXYEAR, MINYEAR, date
from functools import partial
from itertools import pairwise
from typing import get_args

from roadstead.errors import HierarchyError
from roadstead.hierarchies.hierarchy import Hierarchy, Width, from_rules, read_values
from roadstead.hierarchies.rules import Calendar, CalendarUnit, Everything, Rule

ALL_UNITS: tuple[CalendarUnit, ...] = ("day", "month", "quarter", "year", "decade")
"""Units that nest in one another; a week nests in none of them but the whole."""

_DAYS_OF: dict[CalendarUnit, int] = {"day": 1, "week": 7}
_MONTHS_OF: dict[CalendarUnit, int] = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_DIRECTIVE = re.compile(r"%([A-Za-z%])")
_DIRECTIVES_READ = frozenset("YmdjbBHIMSfpzZAa%")


def dates(
    attribute: str,
    values: Sequence[str],
    units: Sequence[CalendarUnit] = ALL_UNITS,
    *,
    form: str | None = None,
) -> Hierarchy:
    """Build levels by calendar unit.

    `units`: from fine to coarse, among day, week, month, quarter, year and decade; ``*`` is added.
    `form`: how dates are written, in strptime's directives (``%d.%m.%Y``); None: ISO. Two-digit
    years are refused, for they do not say the century.
    """
    source = f"dates of {attribute!r}"
    _check_units(units, source)
    if form is not None:
        _check_form(form, units, source)
    days = read_values(
        attribute,
        values,
        Calendar("day", form).date_of,
        f"a date of the form {form or 'YYYY-MM-DD'}",
        origin=source,
        fix="declare its form, such as form='%d.%m.%Y', or correct the table",
    )
    ordinals = [day.toordinal() for day in days.values()]
    first, last = min(ordinals, default=0), max(ordinals, default=0)

    def width(unit: CalendarUnit, value: str) -> int:
        start, end = span_of(days[value], unit)
        return min(end, last) - max(start, first) + 1

    rules: list[Rule] = [*(Calendar(unit, form) for unit in units), Everything()]
    widths: list[Width] = [*(partial(width, unit) for unit in units), lambda _: last - first + 1]
    return from_rules(
        attribute,
        values,
        rules,
        origin=source,
        widths=widths,
        below=lambda value: days[value].toordinal() - first,
    )


def span_of(day: date, unit: CalendarUnit) -> tuple[int, int]:
    """First and last day of the unit that the day lies in, as ordinals.

    Ordinals, because the week or decade of the last day of the calendar ends after it.
    """
    if unit in _DAYS_OF:
        begin = day.toordinal() - day.weekday() * (unit == "week")
        return begin, begin + _DAYS_OF[unit] - 1
    months = _MONTHS_OF[unit]
    first = (12 * day.year + day.month - 1) // months * months
    return _first_day(first), _first_day(first + months) - 1


def number_of(day: date, unit: CalendarUnit) -> int:
    """Number the unit that the day lies in; the next one has the next number."""
    if unit in _DAYS_OF:
        return (day.toordinal() - 1) // _DAYS_OF[unit]  # 0001-01-01 was a Monday
    return (12 * day.year + day.month - 1) // _MONTHS_OF[unit]


def _first_day(month: int) -> int:
    """First day of a month, counted from the year 0; the calendar has the years 1 to 9999."""
    year, before = divmod(month, 12)
    if year > MAXYEAR:
        return date.max.toordinal() + 1
    return date(year, before + 1, 1).toordinal() if year >= MINYEAR else 1


def _check_units(units: Sequence[CalendarUnit], source: str) -> None:
    known = get_args(CalendarUnit)
    unknown = [unit for unit in units if unit not in known]
    if unknown or not units:
        what = f"{unknown[0]!r} is not a unit" if unknown else "no unit is listed"
        raise HierarchyError(what, where=source, fix=f"list some of {', '.join(known)}")
    for finer, coarser in pairwise(units):
        if finer == "week":
            raise HierarchyError(
                f"weeks do not fit into a {coarser}: a week can belong to two of them",
                where=source,
                fix="make week the last unit, or leave it out",
            )
        if known.index(coarser) <= known.index(finer):
            raise HierarchyError(
                f"unit {coarser} comes after {finer}, but is not coarser",
                where=source,
                fix=f"use the order {', '.join(known)}",
            )


def _check_form(form: str, units: Sequence[CalendarUnit], source: str) -> None:
    """Check that a form has the full year and every part that the finest unit needs."""
    found = set(_DIRECTIVE.findall(form))
    if strange := sorted(found - _DIRECTIVES_READ):
        fix = "use %Y, the year with four digits" if "y" in strange else "use %Y, %m, %d, %b, %j"
        what = f"form {form!r} has %{strange[0]}, which is not supported"
        raise HierarchyError(what, where=source, fix=fix)
    says_month = bool(found & set("mbBj"))
    says_day = "j" in found or ("d" in found and says_month)
    enough = {"day": says_day, "week": says_day, "month": says_month, "quarter": says_month}
    lacking = [unit for unit in units if not enough.get(unit, True)]
    if "Y" not in found or lacking:
        missing = "year" if "Y" not in found else lacking[0]
        raise HierarchyError(
            f"form {form!r} does not include the {missing}",
            where=source,
            fix="complete the form, or list coarser units",
        )
