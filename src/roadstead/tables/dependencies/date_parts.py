"""Find dates that are split into columns, such as the day, the month, and the year.

The names of the columns do not matter, and the same letters may precede all numbers of a column
(`M03`, `KW 36`). Such columns are recognized because all days, weeks, and months are about equally
frequent. In a column of counts, large counts are rarer than small counts. An age in days is
recognized by the name of the column. Together with any date, such an age reveals the date of birth.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import exp
from typing import Final

import numpy as np

from roadstead.tables.dependencies.rows import DrawnColumn, DrawnRows
from roadstead.tables.identifiers.objections import Objection
from roadstead.tables.identifiers.vocabulary import words

_DAYS: Final = (28, 31)
_MONTHS: Final = (12, 12)
_WEEKS: Final = (52, 53)
_FORTNIGHTS: Final = (26, 27)
_WEEKDAYS: Final = (7, 7)
_DAYS_OF_YEAR: Final = (365, 366)
_YEARS: Final = (1880, 2100)
_UNEVEN: Final = 0.15
"""The highest squared coefficient of variation of frequencies, excluding the sampling error."""
_NEARLY_ALL, _EACH = 0.95, 3
_AGE_IN_DAYS: Final = re.compile(r"(^|_)age_?(in_?)?d(ays?)?(_|$)|(^|_)days?_?(old|of_age)(_|$)")
_LONG: Final = 367
_SINCE: Final = re.compile(
    r"study|trial|treat|therap|follow|visit|enrol|gestation|pregnan|dose|cycle|since|after|from|post"
)
"""The name of a week that may count from an enrollment rather than from the start of a year."""
_NUMBERED: Final = re.compile(r"([^\W\d_]{1,5})[-_. ]{0,2}(\d{1,3})")
_OF_FORTNIGHTS: Final = frozenset(["p", "pp", "bw", "fn", "fw", "ppe"])
"""Letters in front of the number of a pay period, which lasts two weeks."""
_BIRTH: Final = re.compile(r"(^|_)(birth|born|dob|yob)")
_WEEKDAY: Final = re.compile(r"(^|_)(week_?day|dow|day_?of_?(the_?)?week|wochentag)(_|$)")


def date_parts(
    rows: DrawnRows, candidates: Sequence[str], others: Sequence[str]
) -> list[Objection]:
    """Find the parts of a date among `candidates` and the quasi-identifiers `others`."""
    every = [*candidates, *others]
    years = [name for name in every if _is_year(rows[name])]
    lettered = {name: one for name in every if (one := _lettered(rows[name])) is not None}
    numbered = {
        ends: [name for name in every if _counts_to(rows[name], lettered.get(name), ends)]
        for ends in (_DAYS, _MONTHS, _WEEKS, _FORTNIGHTS, _WEEKDAYS, _DAYS_OF_YEAR)
    }
    dated = any(not _BIRTH.search(words(name)) for name in years)
    weeks = [name for name in numbered[_WEEKS] if dated or not _SINCE.search(words(name))]
    fortnights = [
        name
        for name in numbered[_FORTNIGHTS]
        if name in lettered and lettered[name][0] in _OF_FORTNIGHTS
    ]
    order = list(rows.columns)
    weekdays = [
        name
        for name in numbered[_WEEKDAYS]
        if _WEEKDAY.search(words(name)) or order[order.index(name) - 1] in weeks
    ]
    ways = (
        ((numbered[_DAYS], numbered[_MONTHS], years), (), "the day, month, and year of a date"),
        ((numbered[_DAYS], numbered[_MONTHS]), (), "the day and month of a date"),
        ((weeks,), (*weekdays, *years), "the weeks of a year"),
        ((fortnights,), tuple(years), "the fortnights of a year"),
        ((numbered[_DAYS_OF_YEAR],), tuple(years), "the days of a year"),
    )
    found: dict[str, Objection] = {}
    for required, further, what in ways:
        if not all(required):
            continue
        listed = _in_words([names[0] for names in required])
        look = "looks" if len(required) == 1 else "look"
        parts = dict.fromkeys((*(name for names in required for name in names), *further))
        for name in parts:
            if name in candidates:
                rest = tuple(one for one in parts if one != name)
                why = f"{listed} {look} like {what}"
                if name in further:
                    why += f", and {name} completes the date"
                found.setdefault(name, Objection(name, "date", why, rest))
    return list(found.values())


def _in_words(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def ages_in_days(rows: DrawnRows, candidates: Sequence[str]) -> list[Objection]:
    """Find ages in days by their names and numbers."""
    return [
        Objection(
            name,
            "date",
            f"{name} looks like an age in days; together with any date, it gives the date of birth",
        )
        for name in candidates
        if _AGE_IN_DAYS.search(words(name))
        and (numbers := rows[name].numbers) is not None
        and float(numbers.max()) >= _LONG
    ]


def _lettered(column: DrawnColumn) -> tuple[str, np.ndarray] | None:
    """Return the letters in front of all numbers of a column, and the numbers."""
    found = [_NUMBERED.fullmatch(text) for text in column.plain[: _LONG + 1]]
    if column.distinct > _LONG or len({one and one[1] for one in found}) != 1 or found[0] is None:
        return None
    return found[0][1], np.array([int(one[2]) for one in found if one], dtype=np.float64)


def _counts_to(
    column: DrawnColumn, lettered: tuple[str, np.ndarray] | None, ends: tuple[int, int]
) -> bool:
    """Return whether the values are consecutive numbers from 1, and about equally frequent."""
    low, high = ends
    numbers = column.numbers if lettered is None else lettered[1]
    # With few records for each number, some numbers may be missing by chance.
    enough = column.present >= _EACH * low
    expected = low * (1.0 - exp(-column.present / low)) if enough else low
    least = min(low - 1, _NEARLY_ALL * expected) if enough else low - 1
    if not least <= column.distinct <= high or numbers is None:
        return False
    gap = low - expected
    if not (1 <= numbers.min() <= 1 + gap and low - gap <= numbers.max() <= high):
        return False
    if not _whole(numbers):
        return False
    counts = column.counts[numbers <= low].astype(np.float64)
    mean = float(counts.mean())
    return float(counts.var()) <= _UNEVEN * mean**2 + 2.0 * mean


def _is_year(column: DrawnColumn) -> bool:
    if column.distinct < 2 or (numbers := column.numbers) is None:  # noqa: PLR2004 - a constant
        return False
    return bool(_whole(numbers) and numbers.min() >= _YEARS[0] and numbers.max() <= _YEARS[1])


def _whole(numbers: np.ndarray) -> bool:
    return bool((numbers == np.floor(numbers)).all())
