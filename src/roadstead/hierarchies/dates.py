"""Build hierarchies of dates from days, weeks, months, quarters, years, and decades.

Values are ISO dates, ISO date-times, or strings of a declared form (`written_dates`). Labels are
always ISO (``2024-03-05``, ``2024-03``, ``2024-Q1``, ``2024``, ``2020s``). If the declared units do
not include the day, no policy can release days. The domain is the range from the first day to the
last day. A label covers the days of its unit that are inside the range.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import MAXYEAR, MINYEAR, date
from functools import partial
from itertools import pairwise
from typing import get_args

from roadstead.errors import HierarchyError
from roadstead.hierarchies.calendar_units import TOO_FINE, CalendarUnit
from roadstead.hierarchies.hierarchy import Hierarchy, Width, from_rules, read_values
from roadstead.hierarchies.rules import Calendar, Everything, Rule
from roadstead.hierarchies.written_dates import (
    DIRECTIVE,
    Precision,
    ReadDate,
    WrittenForm,
    precision_of,
)

ALL_UNITS: tuple[CalendarUnit, ...] = ("day", "month", "quarter", "year", "decade")
"""Calendar units from fine to coarse. Weeks do not nest in any other unit, only in ``*``."""

_DAYS_OF: dict[CalendarUnit, int] = {"day": 1, "week": 7}
_MONTHS_OF: dict[CalendarUnit, int] = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_DIRECTIVES_READ = frozenset("YymdjbBHIMSfpzZAa%")


def dates(
    attribute: str,
    values: Sequence[str],
    units: Sequence[CalendarUnit] = ALL_UNITS,
    *,
    form: str | None = None,
    pivot: int | None = None,
    serials: bool = False,
    bottom: int | None = None,
) -> Hierarchy:
    """Build a hierarchy of dates with one level for each calendar unit.

    `units`: one or more of day, week, month, quarter, year, and decade, from fine to coarse; the
    level ``*`` is added. `form`: the form of dates, in strptime's directives (``%d.%m.%Y``); None
    means ISO. Two-digit years do not include the century, so they need a `pivot`: the first year of
    the hundred years that they can mean. `serials`: whether numbers are Excel's serial numbers of
    days. `bottom`: all dates before this year are in one band at every level.
    """
    source = f"dates of {attribute!r}"
    _check_units(units, source)
    _check_form(form, pivot, units, source)
    _check_year("bottom", bottom, MAXYEAR, source)
    read = read_values(
        attribute,
        values,
        WrittenForm(form, pivot, serials).read,
        f"a date of the form {form or 'YYYY-MM-DD'}",
        origin=source,
        fix="declare its form, such as form='%d.%m.%Y', or correct the table",
    )
    _refuse_too_fine(attribute, read, units[0], source)
    days = {value: one.first for value, one in read.items()}
    first = min((day.toordinal() for day in days.values()), default=0)
    last = max((one.last.toordinal() for one in read.values()), default=0)

    calendars = [Calendar(unit, form, pivot, serials, bottom) for unit in units]
    begin = first if bottom is None else date(bottom, 1, 1).toordinal()

    def width(unit: CalendarUnit, value: str) -> int:
        if days[value].toordinal() < begin:
            return min(begin - 1, last) - first + 1
        start, end = span_of(days[value], unit)
        return min(end, last) - max(start, first, begin) + 1

    rules: list[Rule] = [*calendars, Everything()]
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
    """Return the ordinals of the first and the last day of the unit that contains a day.

    The function returns ordinals instead of dates, because the last week and the last decade end
    after the last day that a Python date can represent.
    """
    if unit in _DAYS_OF:
        begin = day.toordinal() - day.weekday() * (unit == "week")
        return begin, begin + _DAYS_OF[unit] - 1
    months = _MONTHS_OF[unit]
    first = (12 * day.year + day.month - 1) // months * months
    return _first_day(first), _first_day(first + months) - 1


def number_of(day: date, unit: CalendarUnit) -> int:
    """Return the number of the unit that contains a day. Units are numbered consecutively."""
    if unit in _DAYS_OF:
        return (day.toordinal() - 1) // _DAYS_OF[unit]  # 0001-01-01 was a Monday
    return (12 * day.year + day.month - 1) // _MONTHS_OF[unit]


def _first_day(month: int) -> int:
    """Return the ordinal of a month's first day. Months are counted from year 0."""
    year, before = divmod(month, 12)
    if year > MAXYEAR:
        return date.max.toordinal() + 1
    return date(year, before + 1, 1).toordinal() if year >= MINYEAR else 1


def _check_units(units: Sequence[CalendarUnit], source: str) -> None:
    known = get_args(CalendarUnit)
    unknown = [unit for unit in units if unit not in known]
    if unknown or not units:
        what = f"{unknown[0]!r} is not a unit" if unknown else "no unit is listed"
        raise HierarchyError(what, where=source, fix=f"list one or more of {', '.join(known)}")
    for finer, coarser in pairwise(units):
        if finer == "week":
            raise HierarchyError(
                f"weeks do not fit into a {coarser}: a week can begin in one {coarser} and end "
                "in the next",
                where=source,
                fix="make week the last unit, or leave it out",
            )
        if known.index(coarser) <= known.index(finer):
            raise HierarchyError(
                f"unit {coarser} comes after {finer}, but is not coarser",
                where=source,
                fix=f"use the order {', '.join(known)}",
            )


def _check_form(
    form: str | None, pivot: int | None, units: Sequence[CalendarUnit], source: str
) -> None:
    """Check that a form contains the year and every part that the finest unit needs."""
    found = set(DIRECTIVE.findall("%Y-%m-%d" if form is None else form))
    if strange := sorted(found - _DIRECTIVES_READ):
        what = f"form {form!r} has %{strange[0]}, which is not supported"
        raise HierarchyError(what, where=source, fix="use %Y, %y, %m, %d, %b, %j")
    _check_pivot(form, pivot, source, two_digits="y" in found)
    has_year = bool(found & {"Y", "y"})
    lacking = [unit for unit in units if unit in TOO_FINE[precision_of(form)]]
    if not has_year or lacking:
        missing = lacking[0] if has_year else "year"
        raise HierarchyError(
            f"form {form!r} does not include the {missing}",
            where=source,
            fix="complete the form, or list coarser units",
        )


def _check_pivot(form: str | None, pivot: int | None, source: str, *, two_digits: bool) -> None:
    if two_digits and pivot is None:
        raise HierarchyError(
            f"form {form!r} has two-digit years, which do not include the century",
            where=source,
            fix=(
                "add a pivot, which is the first year that two-digit years can mean: with pivot = "
                "1930, 30 means 1930 and 29 means 2029"
            ),
        )
    if pivot is None:
        return
    if not two_digits:
        raise HierarchyError(
            "a pivot is given, but the form does not have two-digit years",
            where=source,
            fix="leave out the pivot, or give a form with %y",
        )
    _check_year("pivot", pivot, MAXYEAR - 99, source)


def _check_year(key: str, year: int | None, last: int, source: str) -> None:
    if year is not None and not MINYEAR <= year <= last:
        raise HierarchyError(
            f"the {key} {year} is not a year", where=source, fix="give a year such as 1930"
        )


def _refuse_too_fine(
    attribute: str, read: Mapping[str, ReadDate], unit: CalendarUnit, source: str
) -> None:
    """Reject a unit if some dates lack a part that the unit needs."""
    short = [one.finest for one in read.values() if unit in TOO_FINE[one.finest]]
    if not short:
        return
    finest: Precision = "year" if "year" in short else "month"
    units = [one for one in ALL_UNITS if one not in TOO_FINE[finest]]
    raise HierarchyError(
        f"{len(short):,} of {len(read):,} values of {attribute!r} have only a "
        f"{finest if len({*short}) == 1 else 'month or a year'}, so they do not have a {unit}",
        where=source,
        fix=f"begin with a coarser unit: units = {json.dumps(units)}",
    )
