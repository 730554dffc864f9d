"""Recognize columns of months, weeks, quarters, and days without a year.

Such a value is also a Safe Harbor date, because only the year may remain. A single `Apr-21` or
`01/22` may be a code or a ratio, so nearly all values of a column must have the form. For numbers,
the form is not enough evidence. The numbers must also cover all months, and either a run of years
or all days of a month.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Final, TypeAlias

from roadstead.tables.identifiers.dated import is_day, is_month_number
from roadstead.tables.identifiers.normal import plain
from roadstead.tables.identifiers.vocabulary import table_of

PARTIAL: Final = "its values look like"
"""The beginning of the reason why a column has partial dates."""
_LONGEST: Final = 24
_FEWEST: Final = 3
_FEWEST_PAIRS: Final = 20
_FEWEST_WORDS, _LONG_WORD = 3, 6
_FEWEST_DAYS, _FEWEST_MONTHS = 10, 8
_NEARLY_ALL, _HALF = 0.9, 0.5
_MONTHS, _DAYS, _WEEKS = range(1, 13), range(1, 32), range(1, 54)
_MOST_YEARS: Final = 30
_FEWEST_TIMES, _LATE, _LONG = 24, 100, 365
_UNEVEN: Final = 0.15
"""The highest squared coefficient of variation of frequencies, excluding the sampling error."""
_WHOLE: Final = re.compile(r"\d{1,9}")
_PAIR: Final = re.compile(r"(\d\d?)([./-])(\d\d?)|(\d\d)()(\d\d)")
_LETTERS: Final = re.compile(r"[^\W\d_]{1,3}[-_ ]?")
_CLEAR: Final = re.compile(
    r"^(?:jan|feb|apr|jun|jul|aug|oct|nov|dec)\W{1,2}\d|\d\W(?:jan|feb|apr|jun|jul|aug|oct|nov|dec)$"
)
_TWO_DIGITS: Final = re.compile(r"(?<!\d)\d\d(?!\d)")

_Y4 = r"(?:1[89]|2[0-5])\d\d"
_YEAR = rf"(?:'?\d\d|{_Y4})"
_MONTH_NUMBER, _DAY_NUMBER = r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
_WEEK = (
    r"(?:w|wk|week|kw|cw|sem|semaine|semana|uke|vecka|uge)\.? ?"
    r"(?P<week>0?[1-9]|[1-4]\d|5[0-3])"
)
_EAST = r"(?:\d{1,4} ?[年\ub144] ?)?\d{1,2} ?[月\uc6d4](?: ?\d{1,2} ?[日号\uc77c])?"
"""Chinese, Japanese, and Korean dates, without the names of eras."""


def partial_dates(values: Collection[str], *, called_a_time: bool) -> str:
    """Return the kind of partial date that nearly all values have, or an empty string.

    If the column is named like a time (`called_a_time`), pairs of numbers do not have to cover all
    months.
    """
    if len(values) < _FEWEST:
        return ""
    shown = list(values)[: 2 * _FEWEST]
    if any(map(_form_of, shown)) and _are_of_forms(values):
        return "months, weeks, quarters, or days without a year"
    letters = _LETTERS.match(shown[0])
    prefix = letters[0] if letters and all(one.startswith(letters[0]) for one in values) else ""
    rest = [value.removeprefix(prefix) for value in values]
    if prefix and (all(map(is_month_number, rest)) or all(map(is_day, rest))):
        return "the same letters followed by dates"
    return _pairs(rest, called_a_time=called_a_time)


def are_counted_times(values: Mapping[str, int]) -> bool:
    """Return whether numbers may count days, weeks, or months since a start date.

    Such numbers are a run of large whole numbers, or a long run of whole numbers, and are about
    equally frequent. The frequencies of measurements and counts differ more. `values` contains the
    number of records with each number.
    """
    if len(values) < _FEWEST_TIMES or not all(map(_WHOLE.fullmatch, values)):
        return False
    numbers = sorted(map(int, values))
    if len(numbers) < _NEARLY_ALL * (numbers[-1] - numbers[0] + 1):
        return False
    if numbers[0] < _LATE and len(numbers) < _LONG:
        return False
    mean = sum(values.values()) / len(values)
    variance = sum((many - mean) ** 2 for many in values.values()) / len(values)
    return variance <= _UNEVEN * mean**2 + 2 * mean


def is_calendar_word(text: str) -> bool:
    """Return whether a string is the name of a month or of a weekday."""
    small = plain(text).rstrip(".")
    return small in _months() or small in _weekdays()


def _pairs(values: Collection[str], *, called_a_time: bool) -> str:
    """Return the parts of a date that pairs of numbers represent, such as `04/21` or `2104`."""
    found = [_PAIR.fullmatch(value) for value in values]
    pairs = [one for one in found if one is not None]
    if len(pairs) < max(_FEWEST_PAIRS, len(values)):
        return ""
    parts = [tuple(part for part in one.groups() if part is not None) for one in pairs]
    if len({part[1] for part in parts}) > 1:
        return ""
    first, second = ({int(part[at]) for part in parts} for at in (0, 2))
    if len(set(parts)) < _HALF * len(first) * len(second) and not called_a_time:
        return ""
    ways = [_named(*way, called_a_time) for way in ((first, second), (second, first))]
    return ways[0] or ways[1]


def _named(one: Collection[int], other: Collection[int], called_a_time: bool) -> str:  # noqa: FBT001
    """Return the parts of a date that two sets of numbers represent."""
    if _covers(one, _MONTHS, 0 if called_a_time else 2):
        if _covers(other, _DAYS, 3):
            return "months and days of a month"
        if _are_years(other):
            return "months and two-digit years"
    weeks = _are_years(one) and _covers(other, _WEEKS, 8)
    return "weeks and two-digit years" if weeks else ""


def _covers(numbers: Collection[int], every: range, missing: int) -> bool:
    """Return whether numbers are within a range, and at most `missing` numbers are missing."""
    few = missing or len(every) - 2
    return all(one in every for one in numbers) and len(numbers) >= len(every) - few


def _are_years(numbers: Collection[int]) -> bool:
    """Return whether numbers are a run of two-digit years."""
    span = max(numbers) - min(numbers) + 1
    return 1 < len(numbers) == span <= _MOST_YEARS


@cache
def _months() -> frozenset[str]:
    table = table_of("months.toml")
    short = (words for language, words in table["short"].items() if language != "roman")
    return frozenset(" ".join((*table["full"].values(), *short)).split())


@cache
def _weekdays() -> frozenset[str]:
    return frozenset(table_of("months.toml")["weekdays"]["all"].split())


_Found: TypeAlias = Sequence[re.Match[str]]


def _are_of_forms(values: Collection[str]) -> bool:
    """Return whether nearly all values have forms of dates and vary in the same way as dates.

    Codes have the same forms: a gene (MAR1), a phase of a study ("Week 1-12"), a section ("1.1.").
    """
    found: dict[Callable[[_Found], bool], list[re.Match[str]]] = {}
    for value in values:
        if one := _form_of(value):
            found.setdefault(one[1], []).append(one[0])
    dates = sum(len(ones) for vary, ones in found.items() if vary(ones))
    return dates >= _NEARLY_ALL * len(values)


def _form_of(text: str) -> tuple[re.Match[str], Callable[[_Found], bool]] | None:
    """Return the match of a string with a date form, and the test for all values of this form."""
    if len(text) > _LONGEST:
        return None
    if (east := _east().fullmatch(text)) is not None:
        return east, bool
    small = plain(text)
    return next(((one, vary) for form, vary in _forms() if (one := form.fullmatch(small))), None)


def _months_vary(found: _Found) -> bool:
    """Return whether the names of months are clear, or are several names in one language.

    If all numbers have two digits, as years may have, fewer names are enough.
    """
    words = [_part(one, "word").rstrip(".") for one in found]
    clear = (len(word) >= _LONG_WORD for word in words)
    if sum(map(max, clear, map(_is_clear, found))) >= _HALF * len(words):
        return True
    fewest = _FEWEST_WORDS - all(_TWO_DIGITS.search(one[0]) is not None for one in found)
    return any(
        len(own) >= fewest and sum(word in own for word in words) >= _NEARLY_ALL * len(words)
        for own in ({*words} & language for language in _languages())
    )


def _is_clear(found: re.Match[str]) -> bool:
    """Return whether a sign is next to an English name that is neither a code nor another word."""
    return _CLEAR.search(found[0]) is not None


def _words_vary(found: _Found) -> bool:
    return len({one["word"] for one in found}) >= _FEWEST_WORDS


def _weeks_vary(found: _Found) -> bool:
    """Return whether values are weeks with two-digit years, and not ranges such as "Week 1-12"."""
    pairs = {(int(_part(one, "week")), int(_part(one, "year").lstrip("'"))) for one in found}
    weeks, years = ({pair[at] for pair in pairs} for at in (0, 1))
    falls = any(year < week for week, year in pairs)
    return falls or len(years) == 1 or (_are_years(years) and 2 * len(years) <= len(weeks))


def _days_vary(found: _Found) -> bool:
    days, months = ({int(_part(one, part)) for one in found} for part in ("day", "month"))
    return len(days) >= _FEWEST_DAYS and len(months) >= _FEWEST_MONTHS and max(days) > max(_MONTHS)


def _all_months(found: _Found) -> bool:
    return _covers({int(one["month"]) for one in found}, _MONTHS, 2)


def _part(found: re.Match[str], part: str) -> str:
    """Return a part of a date, which has two names if it may be in two places."""
    parts = found.groupdict()
    return str(parts[part] or parts[f"{part}2"])


@cache
def _languages() -> tuple[frozenset[str], ...]:
    table = table_of("months.toml")
    full, short = table["full"], table["short"]
    return tuple(
        frozenset(f"{full.get(language, '')} {short.get(language, '')}".split())
        for language in {**full, **short}
        if language != "roman"
    )


@cache
def _east() -> re.Pattern[str]:
    return re.compile(_EAST)


@cache
def _forms() -> tuple[tuple[re.Pattern[str], Callable[[_Found], bool]], ...]:
    """Return all forms, each with a test. The forms are for lowercase strings without accents."""
    month, weekday = (
        rf"(?:{'|'.join(sorted(words, key=len, reverse=True))})\.?"
        for words in (_months(), _weekdays())
    )
    roman = "|".join(table_of("months.toml")["short"]["roman"].split()[::-1])
    gap = r"[ .,\-/_]{0,2}(?:de |of )?"
    number = rf"(?:{_YEAR}|{_DAY_NUMBER})(?:st|nd|rd|th|\.)?"
    days, months = rf"(?P<day>{_DAY_NUMBER})", rf"(?P<month>{_MONTH_NUMBER})"
    quarter, either = r"(?:q|quarter|qtr)", r"[ ./-]"
    two = r"(?P<year>'?\d\d)"
    forms: tuple[tuple[str, Callable[[_Found], bool]], ...] = (
        (rf"(?P<word>{month})(?:{gap}{number})?|{number}{gap}(?P<word2>{month})", _months_vary),
        (rf"(?P<word>{weekday}),? {_DAY_NUMBER}\.?", _words_vary),
        (rf"{_Y4}[ -]?m ?{_MONTH_NUMBER}", bool),
        (rf"{_WEEK}[ ,./-]{{1,2}}{_Y4}|{_Y4}{either}?{_WEEK.replace('week>', 'week2>')}", bool),
        (rf"{_WEEK}[ ,./-]{{1,2}}{two}", _weeks_vary),
        (rf"{two}{either}?{_WEEK}", _weeks_vary),
        # Without a sign between them, "Q210" is a code of ICD-10.
        (
            rf"{quarter} ?[1-4](?:{either}{_YEAR}|'\d\d|{_Y4})|{_YEAR}{either}?{quarter} ?[1-4]",
            bool,
        ),
        (rf"[1-4](?:st|nd|rd|th|\.)? ?(?:q|quarter|quartal){either}?{_YEAR}", bool),
        (r"fy ?\d{2,4}[ ./-]?[pmqw] ?\d{1,2}", bool),
        (rf"(?P<word>{roman})[ ./-](?:\d\d|{_Y4})", _words_vary),
        # A day and a month between points, as in German.
        (rf"{days}\. ?{months}\.", _days_vary),
        # Years of Japanese emperors, of Taiwan, of the Islamic calendars, and of Thailand.
        (rf"(?:[rhs]\d\d?|1[34]?\d\d)[./-]{months}[./-]{days}", _days_vary),
        (rf"1[34]\d\d[./-]{months}", _all_months),
        (rf"{_DAY_NUMBER}[./-]{_MONTH_NUMBER}[./-]2[45]\d\d", bool),
    )
    return tuple((re.compile(form), vary) for form, vary in forms)
