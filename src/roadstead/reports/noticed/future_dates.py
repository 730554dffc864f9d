"""Find births and other past events whose dates are after the day of the run.

A two-digit year often gets the wrong century, so that a birth in 1952 becomes one in 2052. If most
dates of a column are in the future, someone shifted them on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from roadstead.release.persons.days_shown import YEAR
from roadstead.release.persons.early_births import today
from roadstead.release.persons.old_ages import is_called_a_birth
from roadstead.reports.noticed.column_values import ColumnValues
from roadstead.reports.noticed.days_read import days_read
from roadstead.reports.noticed.missing_codes import LAST_YEAR
from roadstead.tables.identifiers.vocabulary import words

_PAST_EVENT = re.compile(
    r"(^|_)(admit\w*|admission\w*|dischar\w*|onset|diagnos\w*|death|died|dod|deceased"
    r"|aufnahme\w*|entlass\w*|sterbe\w*|todes\w*|obito|muerte|deces|ingreso|alta|entree|sortie)(_|$)"
)
_MOST = 0.5


def after_today(column: ColumnValues) -> Iterator[str]:
    """Count the dates of past events that are after the day of the run."""
    birth, now = is_called_a_birth(column.name), today()
    if not birth and not _PAST_EVENT.search(words(column.name)):
        return
    days = {value: read.first for value, read in days_read(column).items()}
    if birth and not days:
        days = {text: date(int(text), 1, 1) for text in column.records if YEAR.fullmatch(text)}
    late = [
        value
        for value, day in days.items()
        if day > now and not (day.year > LAST_YEAR and value in column.frequent)
    ]
    number = sum(column.records[value] for value in late)
    if not late or number > _MOST * column.total:
        return
    century = ", for example if a two-digit year got the wrong century" if birth else ""
    yield (
        f"{column.counted(late)} {'is' if column.is_one(late) else 'are'} after {now}, the day of "
        f"this run{century}. {column.correction(late)}"
    )
