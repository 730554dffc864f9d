"""A sensible hierarchy from a column's distinct values alone, so that a first run needs none.

What a column is called plays no part. In this order, a column whose values (missing ones aside) are

1. ISO dates or date-times, or dates of exactly one other form that is in wide use, goes by day,
   month, quarter, year and decade;
2. digits only, of one length, and of five digits or more or somewhere with a leading zero, is a
   *code*, not a number: its last characters are masked (ZIP 02139; but age 47 is a number);
3. ZIP+4, ICD-10 or ICD-9 codes, or digits with leading zeros and unequal lengths, are cut from
   the end;
4. numbers go into bands of round widths that suit their range;
5. anything else keeps its value or loses it.

A level that merges nothing that the level before kept apart, or all there is, is left out. The
proposal is a declaration for the project file, and carries no value of the data: widths, units
and numbers of characters only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from math import ceil
from typing import TypeVar

from roadstead.errors import HierarchyError
from roadstead.hierarchies.dates import ALL_UNITS
from roadstead.hierarchies.declare import build_declared
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.number_text import parse_number
from roadstead.hierarchies.rules import MISSING, Bands, Calendar, Prefix, Rule

_T = TypeVar("_T")

_FORMS = {
    "%Y/%m/%d": re.compile(r"\d{4}/\d{1,2}/\d{1,2}", re.ASCII),
    "%m/%d/%Y": re.compile(r"\d{1,2}/\d{1,2}/\d{4}", re.ASCII),
    "%d/%m/%Y": re.compile(r"\d{1,2}/\d{1,2}/\d{4}", re.ASCII),
    "%m-%d-%Y": re.compile(r"\d{1,2}-\d{1,2}-\d{4}", re.ASCII),
    "%d-%m-%Y": re.compile(r"\d{1,2}-\d{1,2}-\d{4}", re.ASCII),
    "%d.%m.%Y": re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}", re.ASCII),
    "%Y%m%d": re.compile(r"(?:19|20)\d{6}", re.ASCII),
}
"""Where two forms fit, as 03/04/2020 fits two, neither is proposed."""

_DIGITS = re.compile(r"\d+", re.ASCII)
_LEADING_ZERO = re.compile(r"0\d.*", re.ASCII)
_SHORTEST_SURE_CODE = 5
_MOST_KEEPS = 5

_ZIP_PLUS_4 = re.compile(r"\d{5}(?:-\d{4})?", re.ASCII)
_ICD_10 = re.compile(r"[A-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{1,4})?", re.ASCII)
_ICD_9 = re.compile(r"(?:V\d\d|E\d{3}|\d{3})(?:\.?\d{1,2})?", re.ASCII)
_ZERO_PADDED = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_CUT_CODES = {_ZIP_PLUS_4: [5, 4, 3, 2, 1], _ICD_10: [3, 2, 1], _ICD_9: [3, 2, 1]}

_FINEST_SHARE = 20
_LADDERS = {1: (1, 5, 10, 20), 2: (2, 10, 20, 40), 5: (5, 10, 20, 40)}
"""Widths that follow a finest width of 1, 2 or 5 times a power of ten."""


def default_hierarchy(attribute: str, values: Sequence[str]) -> Hierarchy:
    """Build the hierarchy that `propose` declares.

    Parameters
    ----------
    attribute
        The column it belongs to; its name decides nothing.
    values
        Its distinct values as text; the empty text is the missing value.

    Raises
    ------
    HierarchyError
        The column has no values.
    """
    return build_declared(attribute, propose(attribute, values), values)


def propose(attribute: str, values: Sequence[str]) -> dict[str, object]:
    """Propose a declaration, as a project file holds it, for a column with these values.

    Parameters
    ----------
    attribute, values
        As for `default_hierarchy`.

    Raises
    ------
    HierarchyError
        The column has no values.
    """
    if not values:
        raise HierarchyError(f"column {attribute!r} has no values", mend="give a table with rows")
    texts = [value for value in values if value != MISSING]
    proposals = (_dates, _masked_codes, _cut_codes, _numbers)
    found = (proposal(texts) for proposal in proposals) if texts else iter(())
    return next((spec for spec in found if spec is not None), {"kind": "flat"})


def _dates(texts: Sequence[str]) -> dict[str, object] | None:
    forms = [form for form in (None, *_FORMS) if _all_dates(texts, form)]
    if len(forms) != 1:
        return None
    form = forms[0]
    day, *coarser = ALL_UNITS
    units = [day, *_telling(texts, Calendar(day, form), coarser, lambda u: Calendar(u, form))]
    spec: dict[str, object] = {"kind": "dates", "units": units}
    return spec if form is None else {**spec, "form": form}


def _all_dates(texts: Sequence[str], form: str | None) -> bool:
    rule = Calendar("day", form)
    shape = None if form is None else _FORMS[form]
    return all((shape is None or shape.fullmatch(t)) and rule.date_of(t) for t in texts)


def _masked_codes(texts: Sequence[str]) -> dict[str, object] | None:
    length = len(texts[0])
    if not all(len(t) == length and _DIGITS.fullmatch(t) for t in texts):
        return None
    padded = any(_LEADING_ZERO.fullmatch(t) for t in texts)
    if not padded and length < _SHORTEST_SURE_CODE:
        return None
    candidates = list(range(length, 0, -ceil(length / _MOST_KEEPS)))[1:]
    keeps = _telling(texts, Prefix(length, length), candidates, lambda k: Prefix(k, length))
    return {"kind": "prefix", "keep": [length, *keeps]}


def _cut_codes(texts: Sequence[str]) -> dict[str, object] | None:
    if all(parse_number(t) is not None for t in texts):
        padded = any(_LEADING_ZERO.fullmatch(t) for t in texts)
        fits = padded and all(_ZERO_PADDED.fullmatch(t) for t in texts)
        candidates = [3, 2, 1] if fits else []
    else:
        shapes = (s for s in _CUT_CODES if all(s.fullmatch(t) for t in texts))
        candidates = next((_CUT_CODES[shape] for shape in shapes), [])
    longest = max(map(len, texts))
    keeps = _telling(texts, Prefix(longest, None, ""), candidates, lambda k: Prefix(k, None, ""))
    return {"kind": "prefix", "keep": keeps, "mask": ""} if keeps else None


def _numbers(texts: Sequence[str]) -> dict[str, object] | None:
    numbers = [number for t in texts if (number := parse_number(t)) is not None]
    if len(numbers) < len(texts):
        return None
    whole = all(number == number.to_integral_value() for number in numbers)
    candidates = _round_widths(max(numbers) - min(numbers))
    finest = Bands(Decimal(1)) if whole else None
    widths = _telling(texts, finest, candidates, lambda w: Bands(w, integer=False))
    plain = [int(w) if w == w.to_integral_value() else float(w) for w in widths]
    return {"kind": "intervals", "widths": plain} if plain else None


def _round_widths(extent: Decimal) -> list[Decimal]:
    """Round widths, each a multiple of the one before, from a twentieth of the range upwards."""
    if extent <= 0:
        return []
    share = extent / _FINEST_SHARE
    power = Decimal(1).scaleb(share.adjusted())
    step = next(s for s in (1, 2, 5, 10) if s * power >= share)
    if step == max(_LADDERS) * 2:
        step, power = 1, power * 10
    return [w for factor in _LADDERS[step] if (w := factor * power) * 3 <= extent * 2]


def _telling(
    texts: Sequence[str], finest: Rule | None, candidates: Sequence[_T], rule: Callable[[_T], Rule]
) -> list[_T]:
    """Keep the levels that merge something, and not everything, that is left by the one before."""
    kept: list[_T] = []
    before = len(texts) if finest is None else len({finest.label(t) for t in texts})
    for candidate in candidates:
        labels = {rule(candidate).label(t) for t in texts}
        if 1 < len(labels) < before:
            kept.append(candidate)
            before = len(labels)
    return kept
