"""Hierarchies over numbers: equal intervals of growing width, or intervals between chosen cuts.

Level 0 is the number as it is and the last level is ``*``; the levels between are what the caller
lists. The domain is a *range* and not the list of observed values: a label covers as many values
as its interval has steps inside the range, a step being the finest decimal place in use. Iyengar's
loss of an interval is therefore (width - 1) / (range - 1), whatever was observed inside.

The rules carry widths, cuts and open ends that were declared, never a value of the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import TypeAlias

from roadstead.errors import HierarchyError, quoted
from roadstead.hierarchies.hierarchy import Hierarchy, Width, from_rules
from roadstead.hierarchies.number_text import parse_number, plain_number
from roadstead.hierarchies.rules import MISSING, Bands, Cuts, Everything, Identity, Rule

Number: TypeAlias = int | float | str | Decimal
"""A number in a declaration; a float stands for the decimal that it is written as."""

_MOST_STEPS = 10**15
"""Finer steps than this part of the range change no loss that can be printed."""


@dataclass(frozen=True)
class _Range:
    """The domain: the numbers from `lowest` to `highest`, both included, in steps of `step`."""

    lowest: Fraction
    highest: Fraction
    step: Fraction

    @property
    def size(self) -> int:
        return int((self.highest - self.lowest) / self.step) + 1

    def steps_in(self, low: Decimal | None, high: Decimal | None) -> int:
        """Count the steps in the half-open interval, at least one; None: open on that side."""
        first = 0 if low is None else self._index(low)
        last = self.size if high is None else self._index(high)
        return max(min(last, self.size) - max(first, 0), 1)

    def _index(self, bound: Decimal) -> int:
        return ceil((Fraction(bound) - self.lowest) / self.step)


def intervals(
    attribute: str,
    values: Sequence[str],
    widths: Sequence[Number],
    *,
    origin: Number = 0,
    bottom: Number | None = None,
    top: Number | None = None,
    lowest: Number | None = None,
    highest: Number | None = None,
) -> Hierarchy:
    """Build equal intervals whose widths grow from level to level.

    `widths`: one a level between the number itself and ``*``; each a multiple of the one before.
    Every multiple of a width away from `origin` is a bound. Numbers below `bottom`, and numbers of
    `top` and more, are one open interval each. `lowest` and `highest` are the ends of the domain
    for Iyengar's loss; by default the ends of what was observed.
    """
    source = f"intervals of {attribute!r}"
    sizes = [_declared(width, source) for width in widths]
    _check_widths(sizes, source)
    start = _declared(origin, source)
    below, above = _optional(bottom, source), _optional(top, source)
    if below is not None and above is not None and below >= above:
        raise HierarchyError(
            f"bottom {below} is not below top {above}", where=source, fix="exchange them"
        )
    numbers = _numbers(attribute, values, source)
    domain = _range_of(
        attribute, numbers, _optional(lowest, source), _optional(highest, source), source
    )
    marks = [*sizes, start, *(mark for mark in (below, above) if mark is not None)]
    whole = _all_whole([*numbers.values(), *marks])
    bands = [Bands(size, start, whole, below, above) for size in sizes]
    return _build(attribute, values, bands, domain, source)


def cuts(
    attribute: str,
    values: Sequence[str],
    levels_of_cuts: Sequence[Sequence[Number]],
    *,
    lowest: Number | None = None,
    highest: Number | None = None,
) -> Hierarchy:
    """Build the intervals between chosen cuts; a cut begins the interval above it.

    `levels_of_cuts`: one list of cuts a level between the number itself and ``*``, from many to
    few; each list takes its cuts from the one before. ``[[18, 45, 65], [65]]`` gives
    ``<18, 18-44, 45-64, 65+`` and then ``<65, 65+``.
    """
    source = f"cuts of {attribute!r}"
    levels = [tuple(sorted({_declared(c, source) for c in chosen})) for chosen in levels_of_cuts]
    _check_cuts(levels, source)
    numbers = _numbers(attribute, values, source)
    domain = _range_of(
        attribute, numbers, _optional(lowest, source), _optional(highest, source), source
    )
    whole = _all_whole([*numbers.values(), *levels[0]])
    return _build(attribute, values, [Cuts(c, whole) for c in levels], domain, source)


def _build(
    attribute: str,
    values: Sequence[str],
    between: Sequence[Bands | Cuts],
    domain: _Range,
    source: str,
) -> Hierarchy:
    rules: list[Rule] = [Identity(), *between, Everything()]
    widths: list[Width | None] = [
        None,  # every number is one value of the range
        *(_width_of(rule, domain) for rule in between),
        lambda _: domain.size,
    ]
    return from_rules(attribute, values, rules, origin=source, widths=widths)


def _width_of(rule: Bands | Cuts, domain: _Range) -> Width:
    def width(value: str) -> int:
        bounds = rule.interval(value)
        return 1 if bounds is None else domain.steps_in(*bounds)

    return width


def _numbers(attribute: str, values: Sequence[str], source: str) -> dict[str, Decimal]:
    """Read every value that is not missing."""
    numbers: dict[str, Decimal] = {}
    for value in values:
        if value == MISSING:
            continue
        number = parse_number(value)
        if number is None:
            raise HierarchyError(
                f"value {quoted(value)} of {attribute!r} is not a number",
                where=source,
                fix="use another kind of hierarchy, or correct the table",
            )
        numbers[value] = number
    return numbers


def _range_of(
    attribute: str,
    numbers: dict[str, Decimal],
    lowest: Decimal | None,
    highest: Decimal | None,
    source: str,
) -> _Range:
    if lowest is not None and highest is not None and lowest > highest:
        raise HierarchyError(
            f"lowest {lowest} is above highest {highest}", where=source, fix="exchange them"
        )
    anchor = next((end for end in (lowest, highest) if end is not None), Decimal(0))
    low = min(numbers.values(), default=anchor) if lowest is None else lowest
    high = max(numbers.values(), default=anchor) if highest is None else highest
    for value, number in numbers.items():
        if not low <= number <= high:
            raise HierarchyError(
                f"value {quoted(value)} of {attribute!r} lies outside lowest to highest",
                where=source,
                fix="widen them, or leave them out to take the range from the table",
            )
    extent = Fraction(high) - Fraction(low)
    step = Fraction(1, 10 ** max(_places(number) for number in (*numbers.values(), low, high)))
    while extent / step > _MOST_STEPS:
        step *= 10
    return _Range(Fraction(low), Fraction(high), step)


def _places(number: Decimal) -> int:
    """Count the decimal places in use: 2 for 1.250."""
    _, _, fraction = plain_number(number).partition(".")
    return len(fraction)


def _declared(number: Number, source: str) -> Decimal:
    found = parse_number(str(number))
    if found is None:
        raise HierarchyError(
            f"{quoted(str(number))} is not a number", where=source, fix="write a plain number"
        )
    return found


def _optional(number: Number | None, source: str) -> Decimal | None:
    return None if number is None else _declared(number, source)


def _all_whole(numbers: Sequence[Decimal]) -> bool:
    return all(number == number.to_integral_value() for number in numbers)


def _check_widths(widths: Sequence[Decimal], source: str) -> None:
    if not widths or widths[0] <= 0:
        raise HierarchyError(
            "the widths of the intervals are missing or not above zero",
            where=source,
            fix="list one width a level, such as 5, 10, 20",
        )
    for finer, coarser in pairwise(widths):
        if coarser <= finer or (Fraction(coarser) / Fraction(finer)).denominator != 1:
            raise HierarchyError(
                f"width {coarser} is not a multiple of the width {finer} before it",
                where=source,
                fix="make each width two or more times the one before, such as 5, 10, 20",
            )


def _check_cuts(levels: Sequence[Sequence[Decimal]], source: str) -> None:
    if not levels or not all(levels):
        raise HierarchyError(
            "a level has no cuts", where=source, fix="list one or more cuts a level"
        )
    for finer, coarser in pairwise(levels):
        stray = [cut for cut in coarser if cut not in finer]
        if stray:
            raise HierarchyError(
                f"cut {stray[0]} is not among the cuts of the finer level before",
                where=source,
                fix="add it to every finer level, or remove it here",
            )
