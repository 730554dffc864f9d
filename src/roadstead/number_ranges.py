"""Parse ranges of whole numbers as people write them: ``[10-20)``, ``10-19``, ``90+``.

All parts of Roadstead must interpret a label in the same way. For example, the range ``[80-90)``
ends before 90, so the Safe Harbor check must not treat it as an age over 89.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_UNIT = r"(?: ?(?:years?|yrs?|y|yo|y/o)(?: old| of age)?)?"
_BETWEEN = r" ?(?:-|\u2013|to|,|;|\.\.) ?"
_NUMBER = r"\d{1,9}"


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


_MARKED = _form(
    rf"(?P<open>[\[(]) ?(?P<low>{_NUMBER}){_BETWEEN}(?P<high>{_NUMBER}) ?(?P<close>[\])])"
)
_CLOSED = _form(rf"(?:ages? |aged )?(?P<low>{_NUMBER}){_UNIT}{_BETWEEN}(?P<high>{_NUMBER}){_UNIT}")
_FROM = _form(
    rf"(?:(?:>=|\u2265) ?(?P<least>{_NUMBER}){_UNIT}"
    rf"|(?P<low>{_NUMBER}){_UNIT} ?(?:\+|(?:and|or) (?:over|older|above|more|up)|plus){_UNIT})"
)
_ABOVE = _form(rf"(?:> ?|over |above |older than |more than )(?P<low>{_NUMBER}){_UNIT}")
_BELOW = _form(rf"(?:< ?|under |below |younger than |less than )(?P<high>{_NUMBER}){_UNIT}")
_UP_TO = _form(
    rf"(?:(?:<=|\u2264|up to) ?(?P<most>{_NUMBER}){_UNIT}"
    rf"|(?P<high>{_NUMBER}){_UNIT} (?:and|or) (?:under|younger|below|less){_UNIT})"
)
_ONE = _form(rf"(?P<low>{_NUMBER}){_UNIT}")


@dataclass(frozen=True, order=True)
class NumberRange:
    """A range of whole numbers from `low` (included) to `high` (excluded).

    If `high` is None, the range has no upper limit.
    """

    low: int
    high: int | None

    @property
    def is_one(self) -> bool:
        """Return whether the range is a single number."""
        return self.high == self.low + 1

    @property
    def last(self) -> int:
        """Return the last number of the range, or the first number if there is no upper limit."""
        return self.low if self.high is None else self.high - 1


def parse_range(text: str) -> NumberRange | None:
    """Return the range that a label describes, or None if the label does not describe a range.

    A single number is a range of one number.
    """
    label = text.strip().lower()
    if found := _ONE.fullmatch(label):
        return NumberRange(int(found["low"]), int(found["low"]) + 1)
    if found := _MARKED.fullmatch(label):
        low = int(found["low"]) + (found["open"] == "(")
        return _within(low, int(found["high"]) + (found["close"] == "]"))
    if found := _CLOSED.fullmatch(label):
        return _within(int(found["low"]), int(found["high"]) + 1)
    return _open_range(label)


def _within(low: int, high: int) -> NumberRange | None:
    return NumberRange(low, high) if low < high else None


def _open_range(label: str) -> NumberRange | None:
    if found := _FROM.fullmatch(label):
        return NumberRange(int(found["least"] or found["low"]), None)
    if found := _ABOVE.fullmatch(label):
        return NumberRange(int(found["low"]) + 1, None)
    if found := _BELOW.fullmatch(label):
        return _within(0, int(found["high"]))
    if found := _UP_TO.fullmatch(label):
        return NumberRange(0, int(found["most"] or found["high"]) + 1)
    return None
