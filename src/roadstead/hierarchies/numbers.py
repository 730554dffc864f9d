"""Build hierarchies of numbers from equal intervals, from intervals between cuts, or from ranges.

Level 0 is the unchanged number, unless the declaration allows only bands. The last level is ``*``.
The caller lists the levels between level 0 and ``*``. The domain is a *range*, not the list of
observed values. A step is one unit of the finest decimal place in use. The size of a label is the
number of steps in its interval that are inside the range. So Iyengar's loss for an interval is
(width - 1) / (range - 1), and does not depend on the values inside the interval. The rules contain
declared widths, cuts, and open ends, never a value in the data.

A column may already contain ranges, such as ages (``[10-20)``, ``80 and over``). The ranges are
parsed (:mod:`roadstead.number_ranges`), ordered, and put into bands of growing width: ``10-19`` and
``0-9`` become ``0-19``. A range without an end is in the highest band, which is also open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from math import ceil
from typing import TypeAlias

from roadstead.errors import HierarchyError, quoted
from roadstead.hierarchies.hierarchy import (
    Hierarchy,
    Width,
    from_rules,
    read_values,
    require_multiples,
)
from roadstead.hierarchies.number_text import all_whole, parse_number, plain_number
from roadstead.hierarchies.range_bands import RangeBands
from roadstead.hierarchies.rules import MISSING, Bands, Cuts, Everything, Identity, Rule
from roadstead.hierarchies.spreadsheet_ranges import parse_range_or_date
from roadstead.hierarchies.written_numbers import NumberForm, are_whole, read_span
from roadstead.number_ranges import NumberRange, parse_range

Number: TypeAlias = int | float | str | Decimal
"""A number in a declaration. A float means the decimal number that a person wrote."""

_MOST_STEPS = 10**9
"""The largest number of steps in a range. More steps do not change a printed loss, and sums over
billions of records are still whole numbers of 64 bits."""


@dataclass(frozen=True)
class _Range:
    """The domain: the numbers from `lowest` to `highest` in steps of `step`."""

    lowest: Fraction
    highest: Fraction
    step: Fraction

    @property
    def size(self) -> int:
        return int((self.highest - self.lowest) / self.step) + 1

    def steps_in(self, low: Decimal | None, high: Decimal | None) -> int:
        """Return the number of steps in a half-open interval. A bound of None is an open end."""
        first = 0 if low is None else self._index(low)
        last = self.size if high is None else self._index(high)
        return max(min(last, self.size) - max(first, 0), 1)

    def steps_below(self, number: Decimal) -> int:
        """Return the number of steps in the range that are below the step with this number."""
        return int((Fraction(number) - self.lowest) / self.step)

    def _index(self, bound: Decimal) -> int:
        return ceil((Fraction(bound) - self.lowest) / self.step)

    def width(self, rule: Bands | Cuts, value: str) -> int:
        bounds = rule.interval(value)
        return 1 if bounds is None else self.steps_in(*bounds)


@dataclass(frozen=True)
class _Builder:
    """The common steps for building a hierarchy of the numbers in one attribute."""

    attribute: str
    values: Sequence[str]
    origin: str
    form: NumberForm = "plain"

    def declared(self, number: Number) -> Decimal:
        found = parse_number(str(number))
        if found is None:
            what = f"{quoted(str(number))} is not a number"
            raise HierarchyError(what, where=self.origin, fix="write a plain number")
        return found

    def optional(self, number: Number | None) -> Decimal | None:
        return None if number is None else self.declared(number)

    @cached_property
    def numbers(self) -> dict[str, Decimal]:
        """Return the number of each value. Missing values and other strings are omitted."""
        if self.form != "plain":
            spans = {text: read_span(text, self.form, whole=self.whole) for text in self.values}
            return {text: span.place for text, span in spans.items() if span is not None}
        form, fix = "a number", "declare form='mixed' or 'ages', or correct the table"
        return read_values(
            self.attribute, self.values, parse_number, form, origin=self.origin, fix=fix
        )

    @cached_property
    def whole(self) -> bool:
        """Return whether all numbers are whole. Ages are in completed years, so they are whole."""
        if self.form == "plain":
            return all_whole(self.numbers.values())
        return self.form == "ages" or are_whole(self.values)

    @property
    def apart(self) -> list[str]:
        """Return the values that are not numbers. Each adds one value to the domain."""
        return [value for value in self.values if value != MISSING and value not in self.numbers]

    def build(
        self,
        between: Sequence[Bands | Cuts],
        lowest: Number | None,
        highest: Number | None,
        *,
        exact: bool = True,
    ) -> Hierarchy:
        """Build the levels: the number itself (only if `exact`), the rules `between`, and ``*``.

        The size of a label is the number of steps in the range that the label covers.
        """
        domain = self._range_of(self.optional(lowest), self.optional(highest))
        apart = {value: place for place, value in enumerate(self.apart)}
        rules: list[Rule] = [*([Identity()] if exact else []), *between, Everything()]

        def width(rule: Bands | Cuts, value: str) -> int:
            return len(apart) if value in apart else domain.width(rule, value)

        def below(value: str) -> int:
            if value in apart:
                return domain.size + apart[value]
            return domain.steps_below(self.numbers[value])

        # Each number counts as one value of the range.
        inner = (partial(width, rule) for rule in between)
        widths: list[Width | None] = [None] if exact else []
        widths += [*inner, lambda _: domain.size + len(apart)]
        return from_rules(
            self.attribute,
            self.values,
            rules,
            origin=self.origin,
            widths=widths,
            below=below,
        )

    def _range_of(self, lowest: Decimal | None, highest: Decimal | None) -> _Range:
        if lowest is not None and highest is not None and lowest > highest:
            what = f"the lowest value {lowest} is above the highest value {highest}"
            raise HierarchyError(what, where=self.origin, fix="swap them")
        anchor = next((end for end in (lowest, highest) if end is not None), Decimal(0))
        low = min(self.numbers.values(), default=anchor) if lowest is None else lowest
        high = max(self.numbers.values(), default=anchor) if highest is None else highest
        for value, number in self.numbers.items():
            if not low <= number <= high:
                raise HierarchyError(
                    f"value {quoted(value)} of {self.attribute!r} is outside the range from "
                    "lowest to highest",
                    where=self.origin,
                    fix="widen the range, or leave it out to use the range of the table",
                )
        extent = Fraction(high) - Fraction(low)
        # The number of decimal places in use: 2 for 1.250.
        found = (*self.numbers.values(), low, high)
        step = Fraction(1, 10 ** max(len(plain_number(one).partition(".")[2]) for one in found))
        while extent / step > _MOST_STEPS:
            step *= 10
        return _Range(Fraction(low), Fraction(high), step)


def intervals(  # noqa: PLR0913 - the keys of a declaration
    attribute: str,
    values: Sequence[str],
    widths: Sequence[Number],
    *,
    origin: Number = 0,
    bottom: Number | None = None,
    top: Number | None = None,
    bands_only: bool = False,
    lowest: Number | None = None,
    highest: Number | None = None,
    form: NumberForm = "plain",
) -> Hierarchy:
    """Build a hierarchy of equal intervals whose width grows from level to level.

    `widths`: one width per level between the number itself and ``*``; each width is a multiple of
    the previous width. The bounds are `origin` plus or minus all multiples of the width. All
    numbers below `bottom` are in one open interval. All numbers of at least `top` are in another
    open interval. `bands_only`: level 0 has bands of the first width instead of the numbers
    themselves. `lowest` and `highest` are the ends of the domain for Iyengar's loss; the defaults
    are the observed ends. `form`: the form of the values (`written_numbers`).
    """
    make = _Builder(attribute, values, f"intervals of {attribute!r}", form)
    sizes = [make.declared(width) for width in widths]
    if not sizes or sizes[0] <= 0:
        raise HierarchyError(
            "the interval widths are missing or not above zero",
            where=make.origin,
            fix="list one width per level, such as 5, 10, 20",
        )
    fix = "make each width a multiple of the previous width, such as 5, 10, 20"
    require_multiples(sizes, origin=make.origin, fix=fix)
    start, below, above = make.declared(origin), make.optional(bottom), make.optional(top)
    if below is not None and above is not None and below >= above:
        what = f"bottom {below} must be below top {above}"
        raise HierarchyError(what, where=make.origin, fix="swap them")
    marks = [*sizes, start, *(mark for mark in (below, above) if mark is not None)]
    whole = make.whole and all_whole(marks)
    bands = [Bands(size, start, whole, below, above, form) for size in sizes]
    return make.build(bands, lowest, highest, exact=not bands_only)


def cuts(
    attribute: str,
    values: Sequence[str],
    cuts: Sequence[Sequence[Number]],
    *,
    lowest: Number | None = None,
    highest: Number | None = None,
    form: NumberForm = "plain",
) -> Hierarchy:
    """Build a hierarchy of intervals between chosen cuts. Each cut is the start of an interval.

    `cuts`: one list of cuts per level between the number itself and ``*``, from many cuts to few.
    Each list contains some of the cuts of the previous list. ``[[18, 45, 65], [65]]`` gives ``<18,
    18-44, 45-64, 65+`` and then ``<65, 65+``. `form`: the form of the values (`written_numbers`).
    """
    make = _Builder(attribute, values, f"cuts of {attribute!r}", form)
    levels = [tuple(sorted({make.declared(cut) for cut in chosen})) for chosen in cuts]
    if not levels or not all(levels):
        raise HierarchyError(
            "a level has no cuts", where=make.origin, fix="list one or more cuts per level"
        )
    for finer, coarser in pairwise(levels):
        stray = [cut for cut in coarser if cut not in finer]
        if stray:
            raise HierarchyError(
                f"cut {stray[0]} is not among the cuts of the previous, finer level",
                where=make.origin,
                fix="add it to every finer level, or remove it here",
            )
    whole = make.whole and all_whole(levels[0])
    return make.build([Cuts(level, whole, form) for level in levels], lowest, highest)


def ranges(
    attribute: str,
    values: Sequence[str],
    widths: Sequence[int],
    *,
    spreadsheet_dates: bool = False,
) -> Hierarchy:
    """Build a hierarchy that merges ranges of numbers into wider ranges.

    `widths`: one width per level between the range itself and ``*``; each width is a multiple of
    the previous width. `spreadsheet_dates`: whether dates are ranges that a spreadsheet turned into
    dates, such as 14-Oct for 10-14.
    """
    source = f"ranges of {attribute!r}"
    if any(width < 1 for width in widths):
        raise HierarchyError("a width is below one", where=source, fix="list widths of 1 or more")
    fix = "make each width a multiple of the previous width, such as 10, 20, 40"
    require_multiples(widths, origin=source, fix=fix)
    form = "a range of whole numbers"
    parse = parse_range_or_date if spreadsheet_dates else parse_range
    read = read_values(attribute, values, parse, form, origin=source)
    if not read:
        raise HierarchyError(f"column {attribute!r} has no values", where=source)
    inside = sorted(read, key=lambda value: (read[value].low, read[value].last, value))
    rules = [_range_bands([*read.values()], width, dates=spreadsheet_dates) for width in widths]
    for rule in rules:
        torn = next((value for value in inside if rule.band(read[value]) is None), None)
        if torn is not None:
            raise HierarchyError(
                f"the range {quoted(torn)} is partly in one band of width {rule.width} and "
                "partly in another",
                where=source,
                fix="choose widths so that each range is completely in one band",
            )
    return from_rules(attribute, inside, [Identity(), *rules, Everything()], origin=source)


def _range_bands(found: Sequence[NumberRange], width: int, *, dates: bool = False) -> RangeBands:
    """Return the bands of this width. If a range has no upper end, the highest band is open."""
    opens = (one.low // width * width for one in found if one.high is None)
    return RangeBands(width, min(opens, default=None), dates)


def band_labels(found: Sequence[NumberRange], width: int) -> list[str | None]:
    """Return the name of each range's band, or None if the range overlaps two bands."""
    return [_range_bands(found, width).band(one) for one in found]
