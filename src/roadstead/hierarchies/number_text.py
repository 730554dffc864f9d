"""Read numbers from text, and name intervals of numbers.

Intervals are half open. The name of an interval consists of its bounds: ``45-49`` and ``47`` for
whole numbers, ``[0.5, 1)`` for other numbers, and ``90+`` and ``<20`` for intervals that are open
on one side. `member_of_interval` parses a name, so a released label can be checked without the
original data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Context, Decimal

EXACT = Context(prec=120)
"""A precision that is high enough for exact bounds of all numbers that `parse_number` reads."""

_DECIMAL_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?", re.ASCII)
_DIGITS_BEFORE, _DIGITS_AFTER = 30, 40

_NUMBER = r"-?\d+(?:\.\d+)?"
_INTERVAL_FORMS = (
    re.compile(rf"(?P<low>{_NUMBER})"),
    re.compile(rf"(?P<low>{_NUMBER})-{_NUMBER}"),
    re.compile(rf"(?P<low>{_NUMBER})\+"),
    re.compile(rf"\[(?P<low>{_NUMBER}), {_NUMBER}\)"),
)
_BELOW_FORM = re.compile(rf"<(?P<high>{_NUMBER})")


def parse_number(text: str) -> Decimal | None:
    """Read a decimal number. Return None if the text is not a number.

    A string is a number only if every engine reads it in the same way. So the function returns None
    for numbers with thousands separators, for infinities, and for numbers with more than 30 digits
    before or 40 digits after the point.
    """
    text = text.strip()
    if not _DECIMAL_NUMBER.fullmatch(text):
        return None
    number = Decimal(text)
    exponent = number.as_tuple().exponent
    fits = isinstance(exponent, int) and exponent >= -_DIGITS_AFTER
    return number if fits and number.adjusted() < _DIGITS_BEFORE else None


def plain_number(number: Decimal) -> str:
    """Return a number as text without an exponent or trailing zeros."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def all_whole(numbers: Iterable[Decimal]) -> bool:
    """Return whether all numbers are whole."""
    return all(number == number.to_integral_value() for number in numbers)


def name_interval(low: Decimal | None, high: Decimal | None, *, integer: bool) -> str:
    """Return the name of a half-open interval. A bound of None means no limit."""
    if low is None and high is None:
        return "any number"
    if high is None:
        return f"{plain_number(low)}+" if low is not None else ""
    if low is None:
        return f"<{plain_number(high)}"
    if integer:
        last = EXACT.subtract(high, Decimal(1))
        return plain_number(low) if last == low else f"{plain_number(low)}-{plain_number(last)}"
    return f"[{plain_number(low)}, {plain_number(high)})"


def member_of_interval(label: str) -> str | None:
    """Return a number in the interval with this name, or None if the label is not such a name."""
    if label == "any number":
        return "0"
    for form in _INTERVAL_FORMS:
        if match := form.fullmatch(label):
            return match["low"]
    if match := _BELOW_FORM.fullmatch(label):
        return plain_number(EXACT.subtract(Decimal(match["high"]), Decimal(1)))
    return None
