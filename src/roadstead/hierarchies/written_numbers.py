"""Read numbers with open ends (``> 89``, ``90+``, ``<1``) and ages with units.

A string represents a *span* of numbers: ``47`` represents one number, and ``> 89`` represents all
numbers above 89. A string is in a band only if the band contains the string's full span. Therefore,
the band's label is true for every number that the string can mean. The form of a column is one of:

``plain``
    Numbers in decimal notation (`parse_number`), and nothing else.
``mixed``
    Numbers, and numbers with an open end. Any other string becomes ``other``.
``ages``
    Ages in completed years. A number without a unit is in years, ``5 months`` and ``006M`` are 0,
    and ``045Y`` is 45. An age may have an open end. Any other string becomes ``other``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache
from typing import Literal, TypeAlias

from roadstead.hierarchies.number_text import EXACT, all_whole, parse_number, plain_number

NumberForm: TypeAlias = Literal["plain", "mixed", "ages"]

APART = "other"
"""The label of strings that are in no band, such as words."""

_ABOVE = r"over|above|older than|more than|greater than"
_LEAST = r"at least|from"
_BELOW = r"under|below|younger than|less than|fewer than"
_MOST = r"at most|up to"
_SIGN = re.compile(
    rf"(?:(?P<least>>=|=>|\u2265|{_LEAST})|(?P<above>>|{_ABOVE})|(?P<most><=|=<|\u2264|{_MOST})"
    rf"|(?P<below><|{_BELOW}))\s*(?P<number>.+)",
    re.ASCII,
)
_ENDING = re.compile(
    r"(?P<number>.*[^\s+])\s*(?:(?P<least>(?:\+|plus)(?:\s*(?:y|yrs?|years?))?"
    r"|(?:and|or|&) (?:over|older|above|more|up))"
    r"|(?P<most>(?:and|or|&) (?:under|younger|below|less)))(?: old)?",
    re.ASCII,
)

FIRST_OLD_AGE = 90
"""Safe Harbor requires one category for this age and above (45 CFR 164.514(b)(2)(i)(C))."""
_OLDEST_EVER = 130
_UNITS = {
    "h": r"h|hrs?|hours?",
    "d": r"d|days?",
    "w": r"w|wks?|weeks?",
    "m": r"m|mos?|mths?|mons?|months?",
    "y": r"y|yrs?|years?|yo|y/o|y\.o",
}
_OF_A_YEAR = {"h": Decimal(8766), "d": Decimal("365.25"), "w": Decimal("52.1786"), "m": Decimal(12)}
_UNIT = "|".join(f"(?P<{key}>{words})" for key, words in _UNITS.items())
_PART = re.compile(
    rf"(?P<number>\d{{1,6}}(?:\.\d{{1,6}})?)\s*-?\s*(?:{_UNIT})(?![a-z])\.?", re.ASCII
)
_BETWEEN_PARTS = re.compile(r"(?:,|and|&)?\s*", re.ASCII)
_WORDS_AROUND_AGE = re.compile(r"(?:aged?:?\s+)?(?P<age>.*?)(?:[\s-]+(?:old|of age))?", re.ASCII)


@dataclass(frozen=True)
class Span:
    """The numbers that a string represents, from `low` to `high`. None means no limit.

    If the span is `closed`, it includes `high`. A single number is a closed span.
    """

    low: Decimal | None
    high: Decimal | None
    closed: bool = False

    @property
    def is_open(self) -> bool:
        """Return whether an end has no limit, or whether the text gives only an upper end."""
        return not self.closed

    @property
    def place(self) -> Decimal:
        """Return the sort key of a span: its lower end, or a number just below its upper end."""
        if self.low is not None:
            return self.low
        high = self.high or Decimal(0)
        return high if self.closed else EXACT.subtract(high, Decimal(1))

    def within(self, low: Decimal | None, high: Decimal | None) -> bool:
        """Return whether the half-open interval contains the whole span."""
        if low is not None and (self.low is None or self.low < low):
            return False
        if high is None:
            return True
        if self.high is None:
            return False
        return self.high < high or (self.high == high and not self.closed)


@lru_cache(maxsize=65536)
def read_span(text: str, form: NumberForm, *, whole: bool) -> Span | None:
    """Return the numbers that a string represents, or None if the string is not a number.

    `whole` indicates whether the numbers in the column are whole. If so, ``> 89`` begins at 90.
    """
    if form == "ages":
        return _ages(text)
    number = parse_number(text)
    if number is not None:
        return Span(number, number, closed=True)
    found = None if form == "plain" else _open_end(text)
    if found is None or (number := parse_number(found[1])) is None:
        return None
    return _span_from(found[0], number, number, whole=whole)


def place_of_number(text: str, form: NumberForm) -> tuple[bool, Decimal, bool, str]:
    """Return a sort key for a string: its number, or a place after all numbers.

    Strings that represent the same number have the same key. An open end comes after its number.
    """
    span = read_span(text, form, whole=False)
    if span is None:
        return True, Decimal(0), False, text
    return False, span.place, span.is_open, text if span.is_open else ""


def name_of_number(text: str, form: NumberForm) -> str:
    """Return the plain form of the number in a string. Other strings stay unchanged."""
    span = read_span(text, form, whole=False)
    return text if span is None or span.is_open else plain_number(span.place)


def old_ages(texts: Sequence[str], form: NumberForm) -> list[str]:
    """Return the strings that mean an age over 89 in a column of ages, except codes such as 999.

    A column with many numbers over 130 does not contain ages in years, so the result is empty.
    """
    spans = {text: read_span(text, form, whole=False) for text in texts}
    ages = {text: span.place for text, span in spans.items() if span is not None}
    if _TENTH * sum(age > _OLDEST_EVER for age in ages.values()) > len(ages):
        return []
    return [
        text
        for text, age in ages.items()
        if FIRST_OLD_AGE <= age <= _OLDEST_EVER and (span := spans[text]) and not span.is_open
    ]


def _open_end(text: str) -> tuple[str, str] | None:
    """Split a string such as ``> 89`` into the kind of its open end and the number."""
    label = text.strip().lower()
    for shape in (_SIGN, _ENDING):
        if match := shape.fullmatch(label):
            kind = next(name for name, own in match.groupdict().items() if name != "number" and own)
            return kind, match["number"]
    return None


def _span_from(kind: str, low: Decimal, high: Decimal, *, whole: bool) -> Span:
    """Return the span of an open end. `low` and `high` are the number, rounded down and up."""
    match kind:
        case "least":
            return Span(_up(low) if whole else low, None)
        case "above":
            return Span(EXACT.add(_down(low), Decimal(1)) if whole else low, None)
        case "below":
            return Span(None, _up(high) if whole else high)
    if whole:
        return Span(None, EXACT.add(_down(high), Decimal(1)))
    return Span(None, high, closed=True)


def _ages(text: str) -> Span | None:
    """Read an age in completed years. For an age such as ``<2``, the span begins at 0."""
    if (years := age_in_years(text)) is not None:
        completed = _down(years)
        return Span(completed, completed, closed=True)
    found = _open_end(text)
    if found is None or (years := age_in_years(found[1])) is None:
        return None
    kind = found[0]
    if kind in {"least", "above"}:  # "older than 18 months" means one completed year or more
        past = kind == "above" and years == _down(years) and not _has_small_unit(found[1])
        return Span(EXACT.add(_down(years), Decimal(past)), None)
    high = _up(years) if kind == "below" else EXACT.add(_down(years), Decimal(1))
    return Span(Decimal(0), max(high, Decimal(1)))


def age_in_years(text: str) -> Decimal | None:
    """Return an age in years, with its fraction, or None if the text is not an age."""
    number = parse_number(text)
    if number is not None:
        return number if number >= 0 else None
    match = _WORDS_AROUND_AGE.fullmatch(text.strip().lower())
    parts = _parts(match["age"]) if match else None
    if not parts:
        return None
    total = Decimal(0)
    for number, unit in parts:
        total = EXACT.add(total, EXACT.divide(number, _OF_A_YEAR.get(unit, Decimal(1))))
    return total


def _parts(age: str) -> list[tuple[Decimal, str]] | None:
    """Split an age such as ``2 years 3 months`` into its numbers and units."""
    found: list[tuple[Decimal, str]] = []
    at = 0
    while at < len(age):
        if found and (between := _BETWEEN_PARTS.match(age, at)):
            at = between.end()
        match = _PART.match(age, at)
        if match is None:
            return None
        unit = next(key for key in _UNITS if match[key])
        if any(list(_UNITS).index(own) <= list(_UNITS).index(unit) for _, own in found):
            return None  # each unit may occur once, from large to small
        found.append((Decimal(match["number"]), unit))
        at = match.end()
    return found


def _has_small_unit(text: str) -> bool:
    return any(unit != "y" for _, unit in _parts(text.strip()) or ())


def has_unit(text: str) -> bool:
    """Return whether a string is an age with a unit, with or without an open end."""
    inner = _open_end(text)
    number = text if inner is None else inner[1]
    return parse_number(number) is None and age_in_years(number) is not None


def _down(number: Decimal) -> Decimal:
    return number.to_integral_value(ROUND_FLOOR)


def _up(number: Decimal) -> Decimal:
    return number.to_integral_value(ROUND_CEILING)


def are_whole(texts: Sequence[str]) -> bool:
    """Return whether all numbers in a column's strings, including open ends, are whole."""
    found = (read_span(text, "mixed", whole=False) for text in texts)
    ends = (end for span in found if span is not None for end in (span.low, span.high))
    return all_whole(end for end in ends if end is not None)


def form_of(texts: Sequence[str]) -> NumberForm | None:
    """Return the form of numbers that fits a column's distinct strings, or None if no form fits.

    Nearly all strings in a column of numbers must be numbers. All strings in a column of ages with
    units must be ages. If the units are words or follow a blank, a few other strings are allowed.
    """
    if all(parse_number(text) is not None for text in texts):
        return "plain"
    if any(map(has_unit, texts)):
        apart = [text for text in texts if _ages(text) is None]
        sure = not apart or all(map(_is_spelled, filter(has_unit, texts)))
        return "ages" if sure and _few(len(apart), len(texts)) else None

    def reads(text: str) -> bool:
        return read_span(text, "mixed", whole=False) is not None

    return "mixed" if _few(sum(not reads(text) for text in texts), len(texts)) else None


_FEW_VALUES, _ENOUGH_NUMBERS, _TENTH = 3, 8, 10


def _few(apart: int, values: int) -> bool:
    """Return whether enough distinct strings are numbers. `apart` strings are not numbers."""
    numbers = values - apart
    return apart * _TENTH <= values or (apart <= _FEW_VALUES and numbers >= _ENOUGH_NUMBERS)


def _is_spelled(text: str) -> bool:
    """Return whether a unit is a word or follows a blank, as in 5 months or 5 m, but not 5m."""
    return re.search(r"\d\s+[a-z]|[a-z]{3}", text.lower()) is not None
