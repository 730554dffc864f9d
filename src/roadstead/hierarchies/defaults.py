"""Propose a hierarchy for a column from its distinct values, so that a first run needs no setup.

The first of the following rules that matches the values applies. Missing values are ignored.

1. ISO dates or date-times, or dates of exactly one other common form, use day, month, quarter,
   year, and decade. If day and month cannot be distinguished, or if some dates have only a year,
   the levels are year and decade. Two-digit years do not include the century, so this rule does
   not apply to them;
2. values that consist of digits and have equal lengths are *codes*, not numbers, if they have at
   least five digits, or if a value has a leading zero. The last characters of codes are masked
   (ZIP 02139 is a code; age 47 is a number);
3. ZIP+4, ICD-10, or ICD-9 codes, or digits with leading zeros and unequal lengths, lose characters
   at the end;
4. ranges of numbers, such as ages from 10 to 19, become wider ranges;
5. numbers become bands of round widths that suit their range; all ages over 89 are in one band at
   every level, as Safe Harbor requires;
6. all other values have only two levels: the unchanged value, and ``*``.

The rules do not use the name of the column. A caller who knows the name passes the *meaning* of the
numbers. The numbers of an ``id`` or a ``code`` are never put into bands, because neighboring
numbers are not similar. A ``zip`` that became a number and lost its leading zero is put into bands
of 10, 100, and 1,000.

A level is omitted if it merges either none or all of the previous level's labels. The proposal is a
declaration for the project file. A proposal contains only widths, units, and numbers of characters,
never values in the data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from math import ceil
from typing import Literal, TypeAlias, TypeVar, cast

from roadstead.errors import HierarchyError
from roadstead.hierarchies.calendar_units import TOO_FINE, CalendarUnit
from roadstead.hierarchies.date_forms import fitting_forms
from roadstead.hierarchies.dates import ALL_UNITS
from roadstead.hierarchies.declare import build_declared
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.number_text import all_whole, parse_number
from roadstead.hierarchies.numbers import band_labels
from roadstead.hierarchies.rules import (
    MISSING,
    Bands,
    Calendar,
    Prefix,
    Rule,
)
from roadstead.hierarchies.spreadsheet_ranges import turned_into_dates
from roadstead.hierarchies.written_dates import WrittenForm
from roadstead.hierarchies.written_numbers import (
    FIRST_OLD_AGE,
    Span,
    are_whole,
    form_of,
    old_ages,
    read_span,
)
from roadstead.number_ranges import parse_range

_T = TypeVar("_T")

Meaning: TypeAlias = Literal["any", "age", "capped-age", "code", "id", "zip", "days"]
"""The meaning of a column's numbers, if known.

The value `days` represents days since an anchor. The value `capped-age` represents ages in which 90
means 90 and over.
"""

_DIGITS = re.compile(r"\d+", re.ASCII)
_LEADING_ZERO = re.compile(r"0\d.*", re.ASCII)
_SHORTEST_SURE_CODE = 5
_MOST_KEEPS = 5

_ZIP_PLUS_4 = re.compile(r"\d{5}(?:-\d{4})?", re.ASCII)
_ICD_10 = re.compile(r"[A-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{1,4})?", re.ASCII)
_ICD_9 = re.compile(r"(?:V\d\d|E\d{3}|\d{3})(?:\.?\d{1,2})?", re.ASCII)
_ZERO_PADDED = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_CUT_CODES = {_ZIP_PLUS_4: [5, 4, 3, 2, 1], _ICD_10: [3, 2, 1], _ICD_9: [3, 2, 1]}

_LONGEST_ZIP, _ZIP_BANDS = 5, (10, 100, 1_000, 10_000)
_DAYS = (7, 28, 364, 1_820, 3_640)
"""A week, four weeks, and about 1, 5, and 10 years; each is a multiple of the previous width."""
_RANGE_WIDTHS = (5, 10, 20, 25, 40, 50, 100, 200)
_FEWEST_RANGES = 2

_FINEST_SHARE = 20
_LADDERS = {1: (1, 5, 10, 20), 2: (2, 10, 20, 40), 5: (5, 10, 20, 40)}
"""The widths for each finest width: 1, 2, or 5 times a power of ten."""


def default_hierarchy(attribute: str, values: Sequence[str], meaning: Meaning = "any") -> Hierarchy:
    """Build the hierarchy that `propose` declares."""
    return build_declared(attribute, propose(attribute, values, meaning), values)


def propose(attribute: str, values: Sequence[str], meaning: Meaning = "any") -> dict[str, object]:
    """Propose a hierarchy for a column with these values, as a declaration in a project file."""
    if not values:
        raise HierarchyError(f"column {attribute!r} has no values", fix="give a table with rows")
    texts = [value for value in values if value != MISSING]
    found = (proposal(texts) for proposal in _PROPOSALS[meaning]) if texts else iter(())
    return next((spec for spec in found if spec is not None), {"kind": "flat"})


def _dates(texts: Sequence[str]) -> dict[str, object] | None:
    forms = fitting_forms(texts)
    if not forms or any(one.has_two_digit_years for one in forms):
        return None  # the century is unknown
    form = forms[0]
    found = [read for text in texts if (read := form.read(text)) is not None]
    short = {unit for read in found for unit in TOO_FINE[read.finest]}
    units = [unit for unit in ALL_UNITS if unit not in short]
    if len(forms) > 1:
        units = ["year", "decade"]
    finest, *coarser = units
    kept = _distinguishing(texts, _calendar(finest, form), coarser, lambda u: _calendar(u, form))
    spec: dict[str, object] = {"kind": "dates", "units": [finest, *kept]}
    if form.form is not None:
        spec["form"] = form.form
    return {**spec, "serials": True} if form.serials else spec


def _calendar(unit: CalendarUnit, form: WrittenForm) -> Calendar:
    return Calendar(unit, form.form, serials=form.serials)


def _masked_codes(texts: Sequence[str]) -> dict[str, object] | None:
    length = len(texts[0])
    if not all(len(t) == length and _DIGITS.fullmatch(t) for t in texts):
        return None
    if not _is_padded(texts) and length < _SHORTEST_SURE_CODE:
        return None
    candidates = list(range(length, 0, -ceil(length / _MOST_KEEPS)))[1:]
    keeps = _distinguishing(texts, Prefix(length, length), candidates, lambda k: Prefix(k, length))
    return {"kind": "prefix", "keep": [length, *keeps]}


def _cut_codes(texts: Sequence[str]) -> dict[str, object] | None:
    numbers = _all_read(texts, parse_number) is not None
    if numbers and not _is_padded(texts):
        return None
    known = {_ZERO_PADDED: [3, 2, 1]} if numbers else _CUT_CODES
    fitting = (keep for shape, keep in known.items() if all(shape.fullmatch(t) for t in texts))
    candidates = next(fitting, [])
    longest = max(map(len, texts))
    keeps = _distinguishing(
        texts, Prefix(longest, None, ""), candidates, lambda k: Prefix(k, None, "")
    )
    return {"kind": "prefix", "keep": keeps, "mask": ""} if keeps else None


def _numbers(texts: Sequence[str]) -> dict[str, object] | None:
    form = form_of(texts)
    if form is None or (form == "mixed" and _look_like_codes(texts)):
        return None
    whole = form == "ages" or are_whole(texts)
    spans = [span for text in texts if (span := read_span(text, form, whole=whole)) is not None]
    numbers = [span.place for span in spans]
    extent = max(numbers) - min(numbers)
    bottom, top = _open_ends(spans)
    integer = whole and form != "plain"
    finest = Bands(Decimal(1), bottom=bottom, top=top, form=form) if whole else None

    def rule(width: Decimal) -> Bands:
        return Bands(width, integer=integer, bottom=bottom, top=top, form=form)

    widths = _distinguishing(texts, finest, _round_widths(extent), rule)
    if not widths:
        return None
    spec: dict[str, object] = {"kind": "intervals", "widths": [_plain(w) for w in widths]}
    ends = {"bottom": bottom, "top": top}
    spec |= {key: _plain(end) for key, end in ends.items() if end is not None}
    return spec if form == "plain" else {**spec, "form": form}


def _ages(texts: Sequence[str]) -> dict[str, object] | None:
    """Put all ages over 89 into one band at every level."""
    form, spec = form_of(texts), _numbers(texts)
    if form is None or spec is None or not old_ages(texts, form):
        return spec
    return _with_old_band(spec)


def _capped_ages(texts: Sequence[str]) -> dict[str, object]:
    """Make a band for 90 and over, even if no age in this table is in it."""
    return _with_old_band(_numbers(texts) or {"kind": "intervals", "widths": [5]})


def _with_old_band(spec: dict[str, object]) -> dict[str, object]:
    widths = cast("list[int | float]", spec["widths"])
    finest = [1] if all(width > 1 and width % 1 == 0 for width in widths) else []
    top = min(cast("int", spec.get("top", FIRST_OLD_AGE)), FIRST_OLD_AGE)
    return {**spec, "widths": [*finest, *widths], "top": top, "bands_only": True}


def _open_ends(spans: Sequence[Span]) -> tuple[Decimal | None, Decimal | None]:
    """Return the bounds of the open bands that contain all open spans. A bound can be None.

    A bound is None if the band is not needed. It is also None if the band would contain more than a
    quarter of the numbers, because it would then hide too many numbers. The open spans then stay
    separate.
    """
    lows = [span.low for span in spans if span.is_open and span.high is None and span.low]
    highs = [span.high for span in spans if span.is_open and span.low is None and span.high]
    top, bottom = min(lows, default=None), max(highs, default=None)
    numbers = [span.place for span in spans if not span.is_open]
    most = len(numbers) / 4
    if top is not None and sum(number >= top for number in numbers) > most:
        top = None
    if bottom is not None and sum(number < bottom for number in numbers) > most:
        bottom = None
    return (bottom, top) if bottom is None or top is None or bottom < top else (None, top)


def _plain(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)


def _look_like_codes(texts: Sequence[str]) -> bool:
    """Return whether numbers have leading zeros, or an equal length of five digits or more."""
    digits = [text for text in texts if _DIGITS.fullmatch(text)]
    lengths = {len(text) for text in digits}
    return _is_padded(digits) or (len(lengths) == 1 and lengths.pop() >= _SHORTEST_SURE_CODE)


def _days(texts: Sequence[str]) -> dict[str, object] | None:
    """Propose bands of weeks and years for whole days."""
    numbers = _all_read(texts, parse_number)
    if numbers is None or not all_whole(numbers):
        return None
    widths = _distinguishing(texts, Bands(Decimal(1)), _DAYS, lambda w: Bands(Decimal(w)))
    return {"kind": "intervals", "widths": widths} if widths else None


def _zip_numbers(texts: Sequence[str]) -> dict[str, object] | None:
    """Recognize ZIP codes that became numbers, such as 91911.0, or 2139 for 02139."""
    numbers = _all_read(texts, parse_number)
    if numbers is None or not all_whole(numbers):
        return None
    if not all(0 <= number < 10**_LONGEST_ZIP for number in numbers):
        return None
    widths = _distinguishing(texts, Bands(Decimal(1)), _ZIP_BANDS, lambda w: Bands(Decimal(w)))
    return {"kind": "intervals", "widths": widths} if widths else None


def _ranges(texts: Sequence[str]) -> dict[str, object] | None:
    """Propose bands for at least two ranges that do not overlap, and possibly single numbers."""
    dates = turned_into_dates(texts)
    found = _all_read([dates.get(text, text) for text in texts], parse_range)
    if found is None or sum(not one.is_one for one in found) < _FEWEST_RANGES:
        return None
    ordered = sorted(found, key=lambda one: (one.low, one.last))
    if any(
        one != later and (one.high is None or one.high > later.low)
        for one, later in pairwise(ordered)
    ):
        return None
    widths: list[int] = []
    before = len(set(found))
    for width in _RANGE_WIDTHS:
        nested = not widths or width % widths[-1] == 0
        labels = set(band_labels(found, width))
        if nested and None not in labels and 1 < len(labels) < before:
            widths.append(width)
            before = len(labels)
    spec: dict[str, object] = {"kind": "ranges", "widths": widths}
    return {**spec, "spreadsheet_dates": True} if dates and widths else spec if widths else None


def _padded_codes(texts: Sequence[str]) -> dict[str, object] | None:
    """Propose masking the ends of codes. A leading zero shows that the values are not counts."""
    return _masked_codes(texts) if _is_padded(texts) else None


def _is_padded(texts: Sequence[str]) -> bool:
    return any(_LEADING_ZERO.fullmatch(t) for t in texts)


def _all_read(texts: Sequence[str], read: Callable[[str], _T | None]) -> list[_T] | None:
    """Read all strings. Return None if a string cannot be read."""
    found = [one for t in texts if (one := read(t)) is not None]
    return found if len(found) == len(texts) else None


def _round_widths(extent: Decimal) -> list[Decimal]:
    """Return round widths of at least a twentieth of the range, each a multiple of the previous."""
    if extent <= 0:
        return []
    share = extent / _FINEST_SHARE
    power = Decimal(1).scaleb(share.adjusted())
    step = next(s for s in (1, 2, 5, 10) if s * power >= share)
    if step == max(_LADDERS) * 2:
        step, power = 1, power * 10
    return [w for factor in _LADDERS[step] if (w := factor * power) * 3 <= extent * 2]


def _distinguishing(
    texts: Sequence[str], finest: Rule | None, candidates: Sequence[_T], rule: Callable[[_T], Rule]
) -> list[_T]:
    """Keep only levels that merge some of the labels of the previous level, but not all."""
    kept: list[_T] = []
    before = len(texts) if finest is None else len({finest.label(t) for t in texts})
    for candidate in candidates:
        labels = {rule(candidate).label(t) for t in texts}
        if 1 < len(labels) < before:
            kept.append(candidate)
            before = len(labels)
    return kept


_PROPOSALS: Mapping[Meaning, tuple[Callable[[Sequence[str]], dict[str, object] | None], ...]] = {
    "any": (_dates, _masked_codes, _cut_codes, _ranges, _numbers),
    "age": (_dates, _masked_codes, _cut_codes, _ranges, _ages),
    "capped-age": (_capped_ages,),
    "code": (_dates, _masked_codes, _cut_codes, _ranges),
    "id": (_dates, _padded_codes),
    "days": (_days, _numbers),
    "zip": (_masked_codes, _cut_codes, _zip_numbers),
}
