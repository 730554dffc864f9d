"""Recover ranges that a spreadsheet turned into dates: ``14-Oct`` was 10-14.

The day and the month of such a date are the two ends of the range, in either order, so ``5-Sep``
was 5-9. Roadstead recognizes these dates only if the column also contains ranges, and if none of
the ranges would overlap.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from roadstead.hierarchies.written_dates import months
from roadstead.number_ranges import NumberRange, parse_range

_MARK = r"[-/. ]"
_WRITTEN = re.compile(
    rf"(?P<a>\d{{1,2}}){_MARK}(?P<b>[^\W\d_]{{3,10}})|(?P<c>[^\W\d_]{{3,10}}){_MARK}(?P<d>\d{{1,2}})"
    r"|(?P<e>\d{1,2})/(?P<f>\d{1,2})(?:/\d{4})?|\d{4}-(?P<g>\d{2})-(?P<h>\d{2})"
)
_LAST_DAY, _LAST_MONTH = 31, 12
_FEWEST_RANGES = 2


def range_of_date(text: str) -> NumberRange | None:
    """Return the range that a spreadsheet turned into a date, or None for other strings."""
    found = _WRITTEN.fullmatch(text.strip().lower())
    parts = [part for part in found.groups() if part is not None] if found else []
    numbers = [int(part) if part.isdecimal() else months().get(part) for part in parts]
    low, high = sorted(number or 0 for number in numbers) if numbers else (0, 0)
    if not 0 < low < high <= _LAST_DAY or low > _LAST_MONTH:
        return None
    return NumberRange(low, high + 1)


def parse_range_or_date(text: str) -> NumberRange | None:
    """Return the range of a string, including ranges that a spreadsheet turned into dates."""
    return parse_range(text) or range_of_date(text)


def place_of_range(text: str) -> tuple[int, int, str] | None:
    """Return the sort key of a range, or None for other strings. The key ends with the text."""
    found = parse_range_or_date(text)
    return None if found is None else (found.low, found.last, text)


def turned_into_dates(texts: Sequence[str]) -> Mapping[str, str]:
    """Return the range of each date in a column of ranges, or no ranges if ranges overlap."""
    read = {text: parse_range(text) for text in texts}
    ranges = [one for one in read.values() if one is not None]
    dates = {
        text: one
        for text, found in read.items()
        if found is None and (one := range_of_date(text)) is not None
    }
    if not dates or sum(not one.is_one for one in ranges) < _FEWEST_RANGES:
        return {}
    ordered = sorted({*ranges, *dates.values()}, key=lambda one: (one.low, one.last))
    if any(one.high is None or one.high > later.low for one, later in pairwise(ordered)):
        return {}
    return {text: f"{one.low}-{one.last}" for text, one in dates.items()}
