"""A domain in its order, and the rule of each way to cut it into intervals.

A search over partitions (Bayardo and Agrawal 2005) needs the values of an attribute in an order
and no hierarchy. Dates are ordered by time and numbers by size; other values stand in the order
of the hierarchy they come with, which for a file is that of its rows, and where none was given the
order of code points. Codes that look like numbers, such as ZIP codes, are not numbers here.

The missing value is the first of its domain. It is an interval of its own, unless it is merged
with the lowest values.

Intervals become a rule that stands without the search: `Cuts` for numbers, so that a number that
did not occur has its place too, and `Groups` for other values. A cut is the roundest number that
parts the two values around it, and a value that is listed and does not occur goes with the one
before it: what a rule says shall not show more of the data than where they were cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_FLOOR, Decimal
from itertools import chain, count, groupby
from pathlib import Path

from roadstead.hierarchies.hierarchy import Hierarchy, from_rules
from roadstead.hierarchies.number_text import EXACT, all_whole, parse_number, plain_number
from roadstead.hierarchies.range_bands import RangeBands
from roadstead.hierarchies.rules import (
    MISSING,
    Calendar,
    Cuts,
    Everything,
    Groups,
    Identity,
    Prefix,
    Rule,
)

_MOST_CUTS_NAMED = 12
_PADDED = re.compile(r"0\d", re.ASCII)
"""How codes of digits begin that are no numbers."""


@dataclass(frozen=True)
class OrderedDomain:
    """The values of one attribute in their order."""

    attribute: str  # the column
    # What stands at each place of the order: one value of the table, or several texts that are the
    # same number. The missing value, where there is one, is the first.
    places: tuple[tuple[str, ...], ...]
    # All values in their order, the missing one aside: those of the table, and those of a file or a
    # declaration that the table does not have.
    listed: tuple[str, ...]
    numeric: bool  # whether the values are numbers
    ranges: bool  # whether the values are ranges of numbers
    declared: bool  # whether the values were listed by somebody, and not read off the table
    identity: Identity  # the rule that keeps every value
    origin: str  # where the order comes from, in words

    @property
    def size(self) -> int:
        """Number of places."""
        return len(self.places)

    @property
    def has_missing(self) -> bool:
        """Whether there is a missing value."""
        return MISSING in self.places[0]

    def place_of(self) -> dict[str, int]:
        """Give the place of each value of the table, counted from 0."""
        return {value: i for i, values in enumerate(self.places) for value in values}

    def rule(self, firsts: Sequence[int]) -> Rule:
        """Say what it is to put the values into intervals.

        `firsts`: first place of each interval, ascending from 0.
        """
        if len(firsts) == len(self.place_of()):
            return self.identity
        if len(firsts) == 1:
            return Everything()
        return self._cuts(firsts) if self.numeric else self._groups(firsts)

    def _cuts(self, firsts: Sequence[int]) -> Rule:
        """Cut numbers; where the missing value is one with the lowest, list what goes together."""
        apart = self.has_missing and firsts[1] == 1
        bounds = firsts[2:] if apart else firsts[1:]
        rule = Cuts(
            tuple(
                roundest(_number(self.places[first - 1][0]), _number(self.places[first][0]))
                for first in bounds
            ),
            all_whole(map(_number, self.listed)),
        )
        if apart or not self.has_missing:
            return rule
        labelled = [(str(rule.label(value)), value) for value in self.listed]
        bands = [
            (label, tuple(value for _, value in members))
            for label, members in groupby(labelled, key=lambda pair: pair[0])
        ]
        lowest, members = bands[0]
        return Groups(((f"missing or {lowest}", (MISSING, *members)), *bands[1:]))

    def _groups(self, firsts: Sequence[int]) -> Groups:
        """Group neighbors; a missing value that is an interval of its own is in no group."""
        position = {value: i for i, value in enumerate(self.listed)}
        apart = self.has_missing and firsts[1] == 1
        begins = [position[self.places[first][0]] for first in firsts[1 + apart :]]
        ends = [*begins, len(self.listed)]
        spans = [self.listed[a:b] for a, b in zip([0, *begins], ends, strict=True)]
        taken = {span[0] for span in spans if len(span) == 1}
        groups: list[tuple[str, tuple[str, ...]]] = []
        for number, span in enumerate(spans):
            label = span[0] if len(span) == 1 else f"{span[0]} .. {span[-1]}"
            members = span
            if self.has_missing and not apart and number == 0:
                label, members = f"missing or {label}", (MISSING, *span)
            if len(members) > 1:
                label = _unused(label, taken)
                taken.add(label)
            groups.append((label, members))
        return Groups(tuple(groups))

    def hierarchy(self, rule: Rule) -> Hierarchy:
        """Make the hierarchy whose level 1 is a rule for the values.

        What a label covers is counted in listed values, the missing one included.
        """
        values = (MISSING, *self.listed) if self.has_missing else self.listed
        rules: list[Rule] = [Identity(), rule, Everything()]
        return from_rules(self.attribute, values, rules, origin=self.origin)


def ordered_domain(hierarchy: Hierarchy, domain: Sequence[str]) -> OrderedDomain:
    """Put the values of a table into order."""
    values = {value for value in domain if value != MISSING}
    rules = [hierarchy.rule(level) for level in range(hierarchy.height)]
    calendar = next((rule for rule in rules if isinstance(rule, Calendar)), None)
    codes = any(isinstance(rule, Prefix) for rule in rules) or any(map(_PADDED.match, values))
    numeric = not codes and calendar is None and all(parse_number(v) is not None for v in values)
    if calendar is not None:
        listed = sorted(values, key=lambda v: (calendar.date_of(v) or date.min, v))
        origin = "in order of time"
    elif numeric:
        listed = sorted(values, key=lambda v: (_number(v), v))
        origin = "in numeric order"
    else:
        listed = [value for value in hierarchy.values if value != MISSING]
        by_code = listed == sorted(listed)
        source = Path(hierarchy.origin).name  # a path would show where data lie
        origin = "in order of code points" if by_code else f"as listed in {source}"
    occurring = [value for value in listed if value in values]
    same = groupby(occurring, key=_number if numeric else None)
    places = [tuple(texts) for _, texts in same]
    first = rules[0]
    return OrderedDomain(
        attribute=hierarchy.attribute,
        places=(*([(MISSING,)] if MISSING in domain else []), *places),
        listed=tuple(listed),
        numeric=numeric,
        ranges=not numeric and any(isinstance(rule, RangeBands) for rule in rules),
        declared=hierarchy.levels[0].rule is None,
        identity=first if isinstance(first, Identity) else Identity(),
        origin=origin,
    )


def in_words(rule: Rule) -> str:
    """Say what a rule made of intervals does; of many cuts, name the first few."""
    if not isinstance(rule, Cuts):
        return rule.describe()
    if not rule.cuts:
        return "all numbers in one group"
    named = Cuts(rule.cuts[:_MOST_CUTS_NAMED]).describe()
    more = len(rule.cuts) - _MOST_CUTS_NAMED
    return f"{named} and {more} more" if more > 0 else named


def roundest(low: Decimal, high: Decimal) -> Decimal:
    """Give the number of fewest digits that is above `low` and not above `high`."""
    exponent = max(low.adjusted(), high.adjusted(), 0) + 1
    while True:
        steps = high.scaleb(-exponent, EXACT).to_integral_value(ROUND_FLOOR, EXACT)
        found = steps.scaleb(exponent, EXACT)
        if found > low:
            return Decimal(plain_number(found))
        exponent -= 1


def _number(value: str) -> Decimal:
    return parse_number(value) or Decimal(0)


def _unused(label: str, taken: set[str]) -> str:
    """Give a label that is not taken: two intervals may have one name only if values are odd."""
    others = (f"{label} ({number})" for number in count(2))
    return next(name for name in chain([label], others) if name not in taken)
