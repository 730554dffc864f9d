"""Hierarchies over numbers that already come in ranges, such as ages: ``[10-20)``, ``80 and over``.

The ranges are read (:mod:`roadstead.number_ranges`) and go into bands of growing width, in their
order: ``10-19`` and ``0-9`` become ``0-19``. A range without an end is in the highest band, which
has no end either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from roadstead.errors import HierarchyError, quoted
from roadstead.hierarchies.hierarchy import Hierarchy, from_columns
from roadstead.hierarchies.rules import MISSING
from roadstead.number_ranges import NumberRange, parse_range

_TOP = "*"


def ranges(attribute: str, values: Sequence[str], widths: Sequence[int]) -> Hierarchy:
    """Build levels that put ranges of numbers into wider ones.

    Level 0 is the range as it is and the last level is ``*``.

    Parameters
    ----------
    attribute
        The column it belongs to.
    values
        Its distinct values as text, each a range or a number; the empty text is the missing value.
    widths
        One a level between the range itself and ``*``; each a multiple of the one before.

    Raises
    ------
    HierarchyError
        A value that is no range, ranges that lie in two bands, or widths that do not nest.
    """
    source = f"ranges of {attribute!r}"
    if any(width < 1 for width in widths):
        raise HierarchyError("a width is below one", where=source, fix="list widths from 1 on")
    for finer, coarser in pairwise(widths):
        if coarser <= finer or coarser % finer:
            raise HierarchyError(
                f"width {coarser} is not a multiple of the width {finer} before it",
                where=source,
                fix="make each width two or more times the one before, such as 10, 20, 40",
            )
    read = {value: _read(attribute, value, source) for value in values if value != MISSING}
    if not read:
        raise HierarchyError(f"column {attribute!r} has no values", where=source)
    inside = sorted(read, key=lambda value: (read[value].low, read[value].last, value))
    columns = [inside]
    for width in widths:
        open_from = open_start(read.values(), width)
        columns.append([_label(value, read[value], width, open_from, source) for value in inside])
    return from_columns(attribute, [*columns, [_TOP] * len(inside)], origin=source)


def fits(found: Sequence[NumberRange], width: int) -> bool:
    """Whether each range lies in one band of that width."""
    start = open_start(found, width)
    return all(_band(one, width, start) is not None for one in found)


def open_start(found: Iterable[NumberRange], width: int) -> int | None:
    """Say where the highest band begins if it has no end."""
    lows = [one.low // width * width for one in found if one.high is None]
    return min(lows, default=None)


def band_label(one: NumberRange, width: int, open_from: int | None) -> str | None:
    """Name the band that a range lies in; None if it lies in two."""
    start = _band(one, width, open_from)
    if start is None:
        return None
    if open_from is not None and start >= open_from:
        return f"{open_from}+"
    return str(start) if width == 1 else f"{start}-{start + width - 1}"


def _band(one: NumberRange, width: int, open_from: int | None) -> int | None:
    """Give the first number of the band that a range lies in; None if it lies in two."""
    start = one.low // width * width
    if open_from is not None and start >= open_from:
        return open_from
    if one.high is None or one.high > start + width:
        return None
    return start


def _label(value: str, one: NumberRange, width: int, open_from: int | None, source: str) -> str:
    label = band_label(one, width, open_from)
    if label is None:
        raise HierarchyError(
            f"the range {quoted(value)} lies in two bands of width {width}",
            where=source,
            fix="choose widths whose multiples are bounds of the ranges",
        )
    return label


def _read(attribute: str, value: str, source: str) -> NumberRange:
    found = parse_range(value)
    if found is None:
        raise HierarchyError(
            f"value {quoted(value)} of {attribute!r} is not a range of whole numbers",
            where=source,
            fix="use another kind of hierarchy, or correct the table",
        )
    return found
