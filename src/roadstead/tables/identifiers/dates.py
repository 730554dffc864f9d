"""Dates as people write them, read as far as the year.

ISO dates, months and times; 2024/05/31, 05/31/2024 or 31.05.2024, and with two digits for the
year; 20240531, with a time too; 31-May-2024, 31 May 2024 or May 31, 2024; 31MAY2024 or
31MAY2024:13:45:00 as SAS has them. Of 03/04/2020 nobody knows which is the
month, but the year is plain, and the year is all that Safe Harbor lets stand. A year alone is not a
date here, for it need not be cut.
"""

from __future__ import annotations

import re

_TIME = r"(?:(?:[T ]|, )[0-2]?\d:[0-5]\d.{0,20})?"
_YEAR = r"(?P<year>(?:1[89]|2[012])\d\d)"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"

_MONTH_OF_THREE = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"

_NUMBERED = (
    rf"{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d){_TIME}",
    rf"{_YEAR}-(?P<month>\d\d)",
    rf"{_YEAR}/(?P<month>\d\d?)/(?P<day>\d\d?){_TIME}",
    rf"(?P<a>\d\d?)(?P<mark>[/.-])(?P<b>\d\d?)(?P=mark){_YEAR}{_TIME}",
    rf"(?P<a>\d\d?)/(?P<b>\d\d?)/(?P<year>\d\d){_TIME}",
    r"(?P<year>(?:1[89]|20)\d\d)(?P<month>[01]\d)(?P<day>[0-3]\d)"
    r"(?:T?[0-2]\d[0-5]\d(?:[0-5]\d)?Z?)?",
    rf"(?P<month>\d\d?)/{_YEAR}",
)
_NAMED = (
    rf"\d\d?[- ]{_MONTH}[- ,]{{1,2}}{_YEAR}{_TIME}",
    rf"\d\d?[- /]?{_MONTH_OF_THREE}[- /]?(?:{_YEAR}|(?P<short>\d\d))"
    rf"(?::[0-2]\d:[0-5]\d.{{0,12}})?{_TIME}",
    rf"{_MONTH} \d\d?,? {_YEAR}{_TIME}",
    rf"{_MONTH}[- ]?{_YEAR}",
)
_FORMS = [re.compile(form, re.ASCII | re.IGNORECASE) for form in (*_NUMBERED, *_NAMED)]

_LONGEST = 40
_MONTHS, _DAYS = 12, 31


def year_of(text: str) -> str | None:
    """Read the year of a date, as it is written; None if the text is no date.

    `text`: any text. A date has a month at least.
    """
    if len(text) > _LONGEST:
        return None
    for form in _FORMS:
        found = form.fullmatch(text)
        if found and _is_of_calendar(found.groupdict()):
            parts = found.groupdict()
            return parts["year"] or parts.get("short")
    return None


def is_date(text: str) -> bool:
    """Whether a text is a date that tells more than the year."""
    return year_of(text) is not None


def _is_of_calendar(parts: dict[str, str | None]) -> bool:
    """Whether a month and a day are some; of two numbers `a` and `b`, either may be the month."""
    named = [int(part) for name in ("month", "day") if (part := parts.get(name)) is not None]
    either = sorted(int(part) for name in ("a", "b") if (part := parts.get(name)) is not None)
    limits = (_MONTHS, _DAYS)
    return all(1 <= x <= most for x, most in zip(named or either, limits, strict=False))
