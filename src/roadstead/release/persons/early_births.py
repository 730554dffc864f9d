"""Combine births that reveal an age over 89 together with a later date in the same record.

Safe Harbor requires a single category for all dates that reveal such an age (45 CFR
164.514(b)(2)(i)(C)). For example, if a record has a birth in 1909 and the last visit in the table
is in 2024, all births before 1940 are combined into one band. People born up to 1934 are over 89 at
the end of 2024. The band ends with a decade. This decade depends on the last year of the table, so
the band does not reveal when its people were born. Dates that are far from all others in their
column, such as 2999-12-31, are not compared with births. The last dates can span more than fifty
years, for example, because the dates of each person were moved by centuries. Then the last year of
the table would put too many births into the band, so the band ends with the decade of its youngest
person.

If the dates in each record are not available, each birth is compared with the latest date in the
whole table. If the table has no dates except births, each birth is compared with the current year.
A person born 90 years before the current year is over 89 at the end of the year.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.hierarchies.date_forms import fitting_forms
from roadstead.hierarchies.rules import MISSING
from roadstead.hierarchies.written_dates import ReadDate
from roadstead.hierarchies.written_numbers import FIRST_OLD_AGE
from roadstead.release.persons.days_shown import is_called_a_year
from roadstead.release.persons.old_ages import is_called_a_birth
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.persons.profiles import PersonTable
from roadstead.tables.persons.usual_period import usual_period

_YEAR = re.compile(r"(1[89]|2\d)\d\d", re.ASCII)
_NEVER, _ALWAYS = -(10**6), 10**6
"""Placeholder years for missing values."""
_LONGEST_TABLE = 50
"""The largest span of years in which the last year of a table determines the band."""


@dataclass(frozen=True)
class EarlyBirths:
    """A band for all births before a year.

    If the table has no dates except births, `compared_with` is the year with which the births were
    compared.
    """

    before: int
    compared_with: int | None = None


def today() -> date:
    """Return the current day in UTC."""
    return datetime.now(UTC).date()


def this_year() -> int:
    """Return the current year in UTC."""
    return today().year


def years_of(column: str, values: Sequence[str]) -> tuple[NDArray[np.int64], ...] | None:
    """Return the first and the last year of each value in a column of dates or years.

    The result is None for other columns. A column of years is recognized by its name.
    """
    texts = [value for value in values if value != MISSING]
    if not texts:
        return None
    if all(map(_YEAR.fullmatch, texts)):
        if not is_called_a_year(column):
            return None
        return _years(values, lambda text: (int(text), int(text)))
    forms = fitting_forms(texts)
    if not forms or any(form.has_two_digit_years for form in forms):
        return None
    return _years(values, lambda text: _of_date(forms[0].read(text)))


def early_births(table: FrequencyTable, now: int) -> dict[str, EarlyBirths]:
    """Return the band for each column of births.

    A column is omitted if none of its births reveals an age over 89 together with a date in another
    column. If there are no dates except births, the births are compared with the year `now`.
    """
    if not any(map(is_called_a_birth, table.attributes)):
        return {}
    pairs = zip(table.attributes, table.domains, strict=True)
    years = {name: own for name, domain in pairs if (own := years_of(name, domain)) is not None}
    counted = table.added_up is None and table.counts.size > 0
    years = {
        name: own
        if is_called_a_birth(name)
        else _usual(own, _counts(table, name) if counted else np.ones_like(own[0]))
        for name, own in years.items()
    }
    alone = all(map(is_called_a_birth, years))
    latest = np.full(table.counts.size if counted else 1, now if alone else _NEVER)
    for name, (_, last) in years.items():
        if not is_called_a_birth(name):
            seen = last[table.codes[table.attributes.index(name)]] if counted else last.max()
            latest = np.maximum(latest, seen)
    if counted and isinstance(table, PersonTable):
        of_person = np.full(table.persons.people.size, _NEVER)
        np.maximum.at(of_person, table.persons.owners, latest)
        latest = of_person[table.persons.owners]
    found, reaching = {}, latest[latest != _NEVER]
    for name in filter(is_called_a_birth, years):
        first = years[name][0]
        born = first[table.codes[table.attributes.index(name)]] if counted else first
        old = born[latest - born >= FIRST_OLD_AGE]
        if old.size:
            youngest = int(old.max())
            if reaching.max() - reaching.min() <= _LONGEST_TABLE:
                youngest = int(reaching.max()) - FIRST_OLD_AGE
            before = youngest // 10 * 10 + 10
            found[name] = EarlyBirths(before, now if alone else None)
    return found


def with_band(declaration: Mapping[str, Any], born: EarlyBirths | None) -> dict[str, Any]:
    """Add a band for early births to every level of a proposed hierarchy."""
    if born is None or declaration["kind"] not in ("dates", "intervals"):
        return dict(declaration)
    made = {**declaration, "bottom": born.before}
    if declaration["kind"] == "dates":
        return made
    widths = declaration["widths"]
    finest = [1] if all(width > 1 for width in widths) else []
    return {**made, "widths": [*finest, *widths], "bands_only": True}


def _counts(table: FrequencyTable, name: str) -> NDArray[np.int64]:
    """Return the number of records with each value of a column."""
    at = table.attributes.index(name)
    found = np.bincount(table.codes[at], weights=table.counts, minlength=len(table.domains[at]))
    return found.astype(np.int64)


def _usual(
    years: tuple[NDArray[np.int64], ...], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], ...]:
    """Replace the years that are far from all others with the placeholders for missing values."""
    first, last = years
    people: Counter[date] = Counter()
    for year, many in zip(last.tolist(), counts.tolist(), strict=True):
        if year != _NEVER and many:
            people[date(year, 7, 1)] += many
    period = usual_period(people)
    if period is None:
        return years
    usual = (last >= period[0].year) & (last <= period[1].year)
    return np.where(usual, first, _ALWAYS), np.where(usual, last, _NEVER)


def _years(
    values: Sequence[str], read: Callable[[str], tuple[int, int]]
) -> tuple[NDArray[np.int64], ...]:
    """Return the first and the last year of each value. A missing value gets placeholders."""
    none = (_ALWAYS, _NEVER)
    pairs = [none if value == MISSING else read(value) for value in values]
    return tuple(np.array(pairs, dtype=np.int64).T)


def _of_date(found: ReadDate | None) -> tuple[int, int]:
    return (_ALWAYS, _NEVER) if found is None else (found.first.year, found.last.year)
