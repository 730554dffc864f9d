"""Find dates after the day of the run, and dates that are far from all others in their column.

A two-digit year often gets the wrong century. For example, a birth in 1952 becomes a birth in 2052.
If most dates of a column are in the future, someone shifted them on purpose. Dates of past events
cannot be in the future. Other dates, such as appointments, are reported only if they are far from
all others. Dates of birth that are far from all others are not reported, because one person can be
much older than all others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date

from roadstead.release.persons.days_shown import YEAR, is_called_a_year
from roadstead.release.persons.early_births import today
from roadstead.release.persons.old_ages import is_called_a_birth
from roadstead.reports.noticed.column_values import ColumnValues
from roadstead.reports.noticed.days_read import days_read
from roadstead.tables.identifiers.vocabulary import words
from roadstead.tables.persons.usual_period import FIRST_DATES, LAST_YEAR, usual_period

_PAST_EVENT = re.compile(
    r"(^|_)(admit\w*|admission\w*|dischar\w*|onset|diagnos\w*|death|died|dod|deceased"
    r"|aufnahme\w*|entlass\w*|sterbe\w*|todes\w*|obito|muerte|deces|ingreso|alta|entree|sortie)(_|$)"
)
_MOST = 0.5


def after_today(column: ColumnValues) -> Iterator[str]:
    """Count the dates of past events that are after the day of the run."""
    birth, now = is_called_a_birth(column.name), today()
    late = _late(column)
    if not late:
        return
    century = ". A two-digit year may have the wrong century" if birth else ""
    yield (
        f"{column.counted(late)} {'is' if column.is_one(late) else 'are'} after {now}, the day of "
        f"this run{century}. {column.correction(late)}"
    )


def far_dates(column: ColumnValues) -> Iterator[str]:
    """Count the dates, except births, that are far from all others."""
    if is_called_a_birth(column.name):
        return
    days, people = _days(column), Counter[date]()
    for value, day in days.items():
        people[day] += column.records[value]
    period = usual_period(people)
    if period is None:
        return
    told = {*_late(column), *(value for value, day in days.items() if _is_code(column, value, day))}
    far = [
        value
        for value, day in days.items()
        if value not in told and not period[0] <= day <= period[1]
    ]
    if not far:
        return
    one = column.is_one(far)
    yield (
        f"{column.counted(far)} {'is' if one else 'are'} far from all other dates. Roadstead does "
        f"not use {'it' if one else 'them'} to find ages over 89. {column.correction(far)}"
    )


def _late(column: ColumnValues) -> list[str]:
    """Return dates of past events after the day of the run, or none if most dates are late."""
    if not is_called_a_birth(column.name) and not _PAST_EVENT.search(words(column.name)):
        return []
    now = today()
    late = [
        value
        for value, day in _days(column).items()
        if day > now and not (day.year > LAST_YEAR and value in column.frequent)
    ]
    most = sum(column.records[value] for value in late) > _MOST * column.total
    return [] if most else late


def _days(column: ColumnValues) -> dict[str, date]:
    days = {value: read.first for value, read in days_read(column).items()}
    if not days and (is_called_a_birth(column.name) or is_called_a_year(column.name)):
        days = {text: date(int(text), 1, 1) for text in column.records if YEAR.fullmatch(text)}
    return days


def _is_code(column: ColumnValues, value: str, day: date) -> bool:
    """Return whether a date is a frequent code, which another finder reports."""
    return value in column.frequent and (day.year > LAST_YEAR or day.isoformat() in FIRST_DATES)
