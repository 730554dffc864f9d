"""Recognize dates in any form, such as whole cells, parts of longer text, or numbers of days.

`contents.year_of` reads dates with a year, a month, and a day in the usual forms. This module
recognizes other forms, such as month names in eleven languages, Roman months, dates after a
weekday, two-digit years after points, and weeks and days of a year (ISO 8601). The module also
recognizes numbers that count days or seconds, as in spreadsheets, statistics packages, and
operating systems.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from math import exp
from typing import Final

from roadstead.tables.identifiers.contents import is_date
from roadstead.tables.identifiers.normal import plain
from roadstead.tables.identifiers.vocabulary import table_of

_YEAR = r"(?:1[89]|20)\d\d"
_TIME = r"(?:[t ,]+[0-2]?\d[:.h][0-5]\d.{0,24})?"
_NUMERIC = re.compile(
    rf"(?<![\w.,/-])(?:{_YEAR}([-./])(?P<m1>[01]?\d)\1(?P<d1>[0-3]?\d)"
    rf"|(?P<a>[0-3]?\d)(?P<mark>[-./])(?P<b>[0-3]?\d)(?P=mark)(?:{_YEAR}|\d\d))"
    r"(?![\w/-]|[.,]\d)"
)
_WEEK = re.compile(rf"{_YEAR}-?w(?:0[1-9]|[1-4]\d|5[0-3])(?:-?[1-7])?(?![\w-])")
_ORDINAL = re.compile(rf"{_YEAR}-?(?:00[1-9]|0[1-9]\d|[12]\d\d|3[0-5]\d|36[0-6])")
_ORDINAL_WITH_HYPHEN = re.compile(rf"(?<![\w-]){_YEAR}-(?:[0-2]\d\d|3[0-6]\d)(?![\w-])")
_THREE = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
_SHORT = re.compile(
    rf"(?<![\w.-])(?:(?:{_THREE})\.?[ '-]{{1,2}}[0-3]?\d(?![\w.,-])|[0-3]?\d[ -](?:{_THREE})(?!\w))"
)
"""A month and a day or a year. In uppercase or lowercase, it may be a code or a word."""
_SHORT_AFTER = re.compile(
    r"(?<!\w)(?:since|on|from|until|till?|before|after|by|died|born|seen|admitted|discharged) "
    rf"(?:the )?(?:(?!may)(?:{_THREE})\.? ?[0-3]?\d(?:st|nd|rd|th)?(?![\w.,-])"
    rf"|[0-3]?\d(?:st|nd|rd|th)? ?(?:of )?(?:{_THREE})(?!\w))",
    re.IGNORECASE,
)
_MONTH_AS_NUMBER = re.compile(rf"{_YEAR}(?:0[1-9]|1[0-2])")
_LONGEST: Final = 48
_DAYS, _MONTHS = 31, 12

_FEWEST_DAYS, _SHORTEST_SPAN, _LONGEST_SPAN = 60, 60, 45_000
_FEWEST_SECONDS = 30
_DAY_NUMBERS: Final = ((8_000, 49_674), (2_415_000, 2_464_693))
"""Ranges of day numbers: days since 1960, 1970, or 1900, and Julian days. Both ranges end in 2035.

The end is fixed, because the result must not depend on the day of the scan.
"""
_SECONDS: Final = ((631_152_000, 2_051_222_400), (-2_208_988_800, -86_400))
"""Ranges of seconds since 1970, for the years 1990 to 2034 and 1900 to 1969."""
_FIRST_WITH_YEAR: Final = 1_900_000_000
"""Seconds since 1970 in 2030. Later seconds begin like a year, as many ID numbers do."""
_TEN_DIGITS: Final = 1_000_000_000
"""Seconds since 1970 in 2001. Earlier seconds have nine digits, like many telephone numbers."""
_THOUSAND, _MILLION = 1_000, 1_000_000
_WHOLE_DAYS = 86_400
_DENSE: Final = 0.6
_NEARLY_ALL: Final = 0.98
_FIRST_YEAR, _LAST_YEAR = 1_900, 2_035
_LATE_DAYS: Final = 30_000
"""The number of a day in 1982. Measurements with decimals are rarely all above this number."""


def is_day(text: str) -> bool:
    """Return whether a string is a date with a month, or with a month and a day."""
    if is_date(text):
        return True
    if len(text) > _LONGEST or not any(map(str.isdigit, text)):
        return False
    small = plain(text)
    if _WEEK.fullmatch(small):
        return True
    rest = _forms()["weekday"].sub("", small).strip(" ,.")
    return any(
        (found := form.match(rest)) is not None
        and re.fullmatch(_TIME, rest[found.end() :]) is not None
        and _of_calendar(found)
        for form in (_NUMERIC, _forms()["day_month"], _forms()["month_day"], _forms()["month_year"])
    )


def holds_day(text: str) -> bool:
    """Return whether a string contains a month with a year or a day."""
    if not any(map(str.isdigit, text)):
        return False
    small = plain(text)
    forms = (_NUMERIC, _forms()["day_month"], _forms()["month_day"], _forms()["month_year"])
    return (
        bool(_WEEK.search(small) or _SHORT.search(text) or _SHORT_AFTER.search(text))
        or any(_of_calendar(found) for form in forms for found in form.finditer(small))
        or any(
            _of_calendar(found) and ("may" not in (found["month"], found["late"]) or "May" in text)
            for found in _forms()["without_year"].finditer(small)
        )
    )


def is_ordinal(text: str) -> bool:
    """Return whether a string may be a year and a day of the year."""
    return _ORDINAL.fullmatch(text) is not None or _ORDINAL_WITH_HYPHEN.fullmatch(text) is not None


def is_month_number(text: str) -> bool:
    """Return whether a string may be a year and a month in six digits."""
    return _MONTH_AS_NUMBER.fullmatch(text) is not None


def numbers_that_are_dates(
    numbers: Mapping[float, int], distinct: int, *, called_a_time: bool = False
) -> str:
    """Return the kind of date that numbers represent, or an empty string if they are not dates.

    `numbers` contains the number of records with each number. `distinct` is the number of distinct
    numbers in the whole column; `numbers` may contain only some of them. Seconds before 2001 are
    recognized only if the column is named like a time (`called_a_time`).
    """
    if len(numbers) < _FEWEST_SECONDS:
        return ""
    values = sorted(numbers)
    if all(value == int(value) for value in values):
        records = sum(numbers.values())
        moments = _SECONDS[0] if called_a_time else (_TEN_DIGITS, _FIRST_WITH_YEAR)
        found = _whole_dates(values, distinct, records, moments)
        # Consecutive numbers with one record each are only record numbers.
        one_each = records == len(numbers)
        key = one_each and distinct >= _NEARLY_ALL * (values[-1] - values[0] + 1)
        return "" if key else found
    return _dates_with_fractions(values)


def _whole_dates(values: list[float], distinct: int, records: int, moments: tuple[int, int]) -> str:
    if _is_run_of_days(values[0], values[-1], distinct, records):
        return "day numbers, the form in which spreadsheets and statistics packages store dates"
    units = ((1, "seconds"), (_THOUSAND, "milliseconds"), (_MILLION, "microseconds"))
    unit = next((unit for factor, unit in units if _are_moments(values, factor, moments)), "")
    return f"{unit} since 1970, the form in which computers store dates" if unit else ""


def _dates_with_fractions(values: list[float]) -> str:
    low, high = values[0], values[-1]
    if 2 * sum(value != int(value) for value in values) <= len(values):
        return ""
    if low >= _FIRST_YEAR and high <= _LAST_YEAR and high - low > 1:
        return "years with a fraction that gives the day"
    days = low >= _LATE_DAYS and high <= _DAY_NUMBERS[0][1]
    return "day numbers with a time, the form in which spreadsheets store dates" if days else ""


def _is_run_of_days(low: float, high: float, distinct: int, records: int) -> bool:
    """Return whether whole numbers are far from zero, and cover a span of days with few gaps."""
    span = int(high - low) + 1
    between = any(first <= low and high <= last for first, last in _DAY_NUMBERS)
    if not between or not _SHORTEST_SPAN <= span <= _LONGEST_SPAN or 2 * span > high:
        return False
    expected = span * (1.0 - exp(-records / span))
    return distinct >= max(_FEWEST_DAYS, _DENSE * expected)


def _are_moments(values: list[float], factor: int, moments: tuple[int, int]) -> bool:
    """Return whether whole numbers are points in time: starts of days, or times in `moments`."""
    past = all(_SECONDS[1][0] * factor <= value <= _SECONDS[0][1] * factor for value in values)
    days = sum(int(value) % (_WHOLE_DAYS * factor) == 0 for value in values)
    if past and days >= _NEARLY_ALL * len(values) and values[-1] - values[0] > _WHOLE_DAYS * factor:
        return True
    first, last = moments
    recent = sum(first * factor <= value < last * factor for value in values)
    return recent >= _NEARLY_ALL * len(values) and len(values) >= _FEWEST_DAYS


def _of_calendar(found: re.Match[str]) -> bool:
    parts = found.groupdict()
    a, b = parts.get("a"), parts.get("b")
    if a and b:
        return 1 <= min(int(a), int(b)) <= _MONTHS and 1 <= max(int(a), int(b)) <= _DAYS
    named = ("d1", "day", "short", "roman")
    month, day = parts.get("m1"), next((one for key in named if (one := parts.get(key))), None)
    if month and not 1 <= int(month) <= _MONTHS:
        return False
    return not day or 1 <= int(day) <= _DAYS


@cache
def _forms() -> dict[str, re.Pattern[str]]:
    table = table_of("months.toml")
    full = set(" ".join(table["full"].values()).split())
    short = set(" ".join(words for key, words in table["short"].items() if key != "roman").split())
    roman = "|".join(sorted(table["short"]["roman"].split(), key=len, reverse=True))
    month = rf"(?:{'|'.join(sorted(full | short, key=lambda word: (-len(word), word)))})"
    named = "|".join(sorted(full, key=lambda word: (-len(word), word)))
    weekday = "|".join(sorted(table["weekdays"]["all"].split(), key=len, reverse=True))
    of = r"(?:de |do |di |del |d')?"
    gap = r"[ .\-/,]{1,3}"
    day = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th|er|\.|º|o)?"
    return {
        "weekday": re.compile(rf"^(?:{weekday})\.?(?:,| )+(?:den |le |el |il |de )?"),
        "day_month": re.compile(
            rf"(?<![\w.,])(?:{day}{gap}{of}{month}\.?{gap}{of}{_YEAR}"
            rf"|(?P<short>[0-3]?\d)[.\-/]?{month}[.\-/]?\d\d"
            rf"|(?P<roman>[0-3]?\d)[.\-/] ?(?:{roman})[.\-/] ?{_YEAR})(?!\w)"
        ),
        "month_day": re.compile(
            rf"(?<!\w){month}\.? ?(?P<day>[0-3]?\d)(?:st|nd|rd|th)?,? {_YEAR}(?!\w)"
        ),
        # Short names are also words or codes, and a lowercase "may" is usually a verb.
        "without_year": re.compile(
            rf"(?<![\w.,/-])(?:{day}[ -](?:of )?{of}(?P<month>{named})"
            rf"|(?P<late>{named}) (?P<d1>[0-3]?\d)(?:st|nd|rd|th)?)(?![\w-])"
        ),
        "month_year": re.compile(rf"(?<!\w){month}\.?{gap}{of}{_YEAR}(?!\w)"),
    }
