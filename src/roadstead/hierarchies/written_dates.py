"""Read dates in the forms that people write, and find the days that a string can mean.

A string that contains only a year or a month is a *partial* date, which may mean any day in this
year or month. Partial dates such as ``1955`` and ``1955-03`` are always read, in addition to dates
in the column's form. Two-digit years do not include the century, so they need a *pivot*: the first
year of the hundred years that they can mean. Names of months are recognized in several languages,
in uppercase or lowercase. Excel's serial numbers of days are read as dates only if `serials` is
set: ``44197`` is 2021-01-01. With `serials`, ``1955`` could be a year or a day, so it is not read
as a day.
"""

from __future__ import annotations

import re
import tomllib
from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias

Precision: TypeAlias = Literal["day", "month", "year"]
"""The finest part of a date."""

DIRECTIVE = re.compile(r"%([A-Za-z%])")
"""A directive of a form, in the notation of strptime."""

_ISO_DATE_TIME = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})"
    r"(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?(?:Z|[+-]\d{2}(?::?\d{2})?))?)?",
    re.ASCII,
)
_PARTIAL = re.compile(r"(?P<year>[12]\d{3})(?:-(?P<month>0[1-9]|1[0-2]))?", re.ASCII)
_WORD = re.compile(r"[^\W\d_]+")
_SERIAL = re.compile(r"(?P<day>\d{2,7})(?:\.\d+)?", re.ASCII)
BEFORE_SERIALS = date(1899, 12, 30)
"""Excel's day 0. Excel counts February 29, 1900, which never existed. No earlier day is read."""
FIRST_SERIAL, LAST_SERIAL = 61, 2_958_465
LIKE_YEARS = range(1900, 2101)
"""Numbers that can be years or Excel's days in 1905. Such numbers are not read as Excel's days."""


@dataclass(frozen=True)
class ReadDate:
    """A parsed date, with its first day and its finest part."""

    first: date
    finest: Precision = "day"

    @property
    def last(self) -> date:
        """The last day that the date can mean."""
        if self.finest == "day":
            return self.first
        if self.finest == "year":
            return self.first.replace(month=12, day=31)
        return self.first.replace(day=monthrange(self.first.year, self.first.month)[1])


@dataclass(frozen=True)
class WrittenForm:
    """The form in which dates are written: ISO's form, or the strptime `form`.

    `pivot` is the first year of the hundred years that two-digit years can mean. `serials`
    indicates whether numbers are Excel's serial numbers of days.
    """

    form: str | None = None
    pivot: int | None = None
    serials: bool = False

    @property
    def has_two_digit_years(self) -> bool:
        """Return whether years in the form do not include the century."""
        return "y" in DIRECTIVE.findall(self.form or "")

    def read(self, value: str) -> ReadDate | None:
        """Read a date. Return None if the text does not have the form."""
        text = value.strip()
        day = parse_date(text) if self.form is None else self._of_form(text)
        if day is not None:
            return ReadDate(day, precision_of(self.form))
        if self.serials and (found := _SERIAL.fullmatch(text)):
            return _of_serial(int(found["day"]))
        if partial := _PARTIAL.fullmatch(text):
            finest: Precision = "month" if partial["month"] else "year"
            return ReadDate(date(int(partial["year"]), int(partial["month"] or 1), 1), finest)
        return None

    def days_of(self, value: str) -> tuple[date, date] | tuple[None, None]:
        """Return the first and the last day that a string can mean, or two None values."""
        found = self.read(value)
        return (None, None) if found is None else (found.first, found.last)

    def _of_form(self, text: str) -> date | None:
        form, plain = str(self.form), text
        if "%b" in form or "%B" in form:
            form = form.replace("%b", "%m").replace("%B", "%m")
            plain = _WORD.sub(_month_number, text)
        try:
            day = datetime.strptime(plain, form).date()  # noqa: DTZ007 - only the date
            if "%y" not in form:
                return day
            if self.pivot is None:  # Python would choose a century by itself
                return None
            return day.replace(year=self.pivot + (day.year - self.pivot) % 100)
        except (ValueError, re.error):  # re.error if the form names a part twice
            return None


def parse_date(text: str) -> date | None:
    """Read a complete ISO date, or the date of an ISO date-time. Return None for other strings."""
    match = _ISO_DATE_TIME.fullmatch(text.strip())
    try:
        return date.fromisoformat(match["day"]) if match else None
    except ValueError:
        return None


def precision_of(form: str | None) -> Precision:
    """Return the finest part of the dates in a form. A form of None means ISO dates."""
    if form is None:
        return "day"
    parts = {*DIRECTIVE.findall(form)}
    has_month = bool(parts & {*"mbBj"})
    if "j" in parts or ("d" in parts and has_month):
        return "day"
    return "month" if has_month else "year"


@cache
def months() -> Mapping[str, int]:
    """Map the names of months, in lowercase, to the numbers of the months."""
    named: dict[str, list[str]] = known_forms()["months"]
    return {name: int(number) for number, names in named.items() for name in names}


@cache
def known_forms() -> dict[str, Any]:
    """Read the file that lists common date forms and the names of months."""
    text = (files("roadstead.hierarchies") / "data" / "date_forms.toml").read_text("utf-8")
    return tomllib.loads(text)


def _month_number(word: re.Match[str]) -> str:
    number = months().get(word[0].lower())
    return word[0] if number is None else f"{number:02d}"


def _of_serial(number: int) -> ReadDate | None:
    if number in LIKE_YEARS or not FIRST_SERIAL <= number <= LAST_SERIAL:
        return None
    return ReadDate(BEFORE_SERIALS + timedelta(days=number))
