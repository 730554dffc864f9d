"""Order labels, such as bands of numbers and dates, by their meaning.

If labels are sorted as text, ``[10-15)`` comes before ``[5-10)``. The labels of a column can be
ordered only if each label is a number, a band, or a date. The label for a missing value is first,
and ``*``, which represents every value, is last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from math import inf
from typing import NamedTuple

from roadstead.hierarchies.number_text import name_interval, parse_number
from roadstead.hierarchies.rules import MISSING, Bands, Calendar, Rule
from roadstead.number_ranges import parse_range

_NUMBER = r"([+-]?\d+(?:\.\d+)?)"
_BETWEEN = re.compile(rf"[\[(]?{_NUMBER} ?(?:,|-|\u2013|to|\.\.) ?{_NUMBER}[\])]?", re.ASCII)
_FROM = re.compile(rf"(?:>=?|\u2265) ?{_NUMBER}|{_NUMBER}\+", re.ASCII)
_BELOW = re.compile(rf"(?:<=?|\u2264) ?{_NUMBER}", re.ASCII)
_CODE = re.compile(r"0\d", re.ASCII)
"""A pattern for codes with a leading zero, which are not numbers."""
_DAY = re.compile(r"(?:week of )?(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_MONTH = re.compile(r"(\d{4})-(\d\d)", re.ASCII)
_QUARTER = re.compile(r"(\d{4})-Q([1-4])", re.ASCII)
_DECADE = re.compile(r"(\d{4})s", re.ASCII)
_ANY = "*"
_MISSING = (MISSING, "missing", "(missing)")
_OR_MISSING = "missing or "
_BETWEEN_DATES = " to "
_DAYS_OF_YEAR = 366


class _Span(NamedTuple):
    """The range that a label covers. Dates are measured in years."""

    low: float
    high: float


_FIRST, _LAST = _Span(-inf, -inf), _Span(inf, inf)


def label_order(labels: Sequence[str]) -> list[int] | None:
    """Return the position of each label in the order of meaning, or None if there is no order.

    Labels with the same lower end are ordered by their upper end.
    """
    spans = []
    for label in labels:
        if label in _MISSING:
            spans.append(_FIRST)
        elif label == _ANY:
            spans.append(_LAST)
        elif (span := _span(label.strip().removeprefix(_OR_MISSING))) is not None:
            spans.append(span)
        else:
            return None
    if all(span in {_FIRST, _LAST} for span in spans):
        return None
    return sorted(range(len(labels)), key=lambda at: (spans[at], labels[at]))


def _span(label: str) -> _Span | None:
    found = _of_date(label)
    if found is None and _BETWEEN_DATES in label:
        ends = [_of_date(end) for end in label.split(_BETWEEN_DATES, 1)]
        if ends[0] is not None and ends[1] is not None:
            return _Span(ends[0].low, ends[1].high)
    return found or _of_numbers(label)


def _of_date(label: str) -> _Span | None:
    if found := _DAY.fullmatch(label):
        try:
            day = date(*map(int, found.groups()))
        except ValueError:
            return None
        start = day.year + (day.timetuple().tm_yday - 1) / _DAYS_OF_YEAR
        return _Span(start, start)
    if found := _QUARTER.fullmatch(label):
        start = int(found[1]) + (int(found[2]) - 1) / 4
        return _Span(start, start + 1 / 4)
    if (found := _MONTH.fullmatch(label)) and 1 <= int(found[2]) <= 12:  # noqa: PLR2004 - months
        start = int(found[1]) + (int(found[2]) - 1) / 12
        return _Span(start, start + 1 / 12)
    if found := _DECADE.fullmatch(label):
        return _Span(int(found[1]), int(found[1]) + 10)
    return None


def _of_numbers(label: str) -> _Span | None:
    if not _CODE.match(label) and (number := parse_number(label)) is not None:
        return _Span(float(number), float(number))
    if found := _BETWEEN.fullmatch(label):
        return _Span(float(found[1]), float(found[2]))
    if found := _FROM.fullmatch(label):
        return _Span(float(found[1] or found[2]), inf)
    if found := _BELOW.fullmatch(label):
        return _Span(-inf, float(found[1]))
    own = None if _CODE.match(label) else parse_range(label)
    return None if own is None else _Span(own.low, inf if own.high is None else own.high)


def open_bands(rule: Rule) -> tuple[str, ...]:
    """Return the labels of the open bands of a rule, such as "before 1940" and "90+"."""
    if isinstance(rule, Calendar):
        return () if rule.before is None else (rule.before,)
    if not isinstance(rule, Bands):
        return ()
    ends = ((None, rule.bottom), (rule.top, None))
    return tuple(name_interval(*end, integer=rule.integer) for end in ends if end != (None, None))
