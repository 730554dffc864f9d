"""Order the values of a domain, and build the rule for any division into intervals.

Dates are ordered by time and numbers by size. Other values are in the order of their hierarchy or,
without a hierarchy, in the order of their code points. The missing value is first. It has its own
interval, unless it is merged with the lowest values.

For numbers, the rule is `Cuts`, so that numbers that do not occur in the table also have an
interval. For other values, the rule is `Groups`. A cut is the roundest number that separates the
two values around it. A listed value that does not occur in the table is in the interval of the
previous value. So the only information that a rule reveals is the positions of the cuts.

Declared missing codes are before the missing value. A code that has its own interval remains a
value. Codes in a longer interval become missing values, because no rule lists these codes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_FLOOR, Decimal
from itertools import chain, count, groupby
from pathlib import Path

from roadstead.hierarchies.hierarchy import Hierarchy, from_rules
from roadstead.hierarchies.number_text import EXACT, all_whole, parse_number, plain_number
from roadstead.hierarchies.range_bands import RangeBands
from roadstead.hierarchies.rules import (
    MISSING,
    Bands,
    Calendar,
    Cuts,
    Everything,
    Groups,
    Identity,
    Prefix,
    Rule,
)
from roadstead.hierarchies.written_numbers import NumberForm, place_of_number

_MOST_CUTS_NAMED = 12
_PADDED = re.compile(r"0\d", re.ASCII)
"""A pattern for codes with a leading zero, which are not numbers."""


@dataclass(frozen=True)
class OrderedDomain:
    """The values of one attribute in their order."""

    attribute: str  # the column
    # The strings at each place in the order: one value of the table, or several strings for the
    # same number. The missing value, if there is one, is first.
    places: tuple[tuple[str, ...], ...]
    # All values in their order, except the missing value: the values of the table, and further
    # values from a file or a declaration. Missing codes are not listed.
    listed: tuple[str, ...]
    numeric: bool  # whether the values are numbers
    ranges: bool  # whether the values are ranges of numbers
    declared: bool  # whether the list of values comes from a person rather than from the table
    identity: Identity  # the rule that keeps every value
    origin: str  # words that say where the order comes from
    form: NumberForm = "plain"  # how numbers with open ends or units are written
    # The rule that reads numbers with open ends or units. Such values are not `numeric`, but cuts
    # can separate them.
    reads: Bands | Cuts | None = None
    codes: tuple[str, ...] = ()  # the declared missing codes, which have the first places

    @property
    def size(self) -> int:
        """The number of places in the order."""
        return len(self.places)

    @property
    def has_missing(self) -> bool:
        """Return whether there is a missing value."""
        return any(MISSING in own for own in self.places[len(self.codes) :][:1])

    def place_of(self) -> dict[str, int]:
        """Return the place, counted from 0, of each value in the table."""
        return {value: i for i, values in enumerate(self.places) for value in values}

    def with_codes(self, codes: Sequence[str]) -> OrderedDomain:
        """Put declared missing codes before the other places."""
        alone = tuple((code,) for code in codes)
        return replace(self, places=(*alone, *self.places), codes=tuple(codes))

    def without_codes(self, firsts: Sequence[int]) -> tuple[int, OrderedDomain, list[int]]:
        """Return the number of codes that remain, and the domain and its intervals without codes.

        A code remains if it has its own interval. The other codes become missing values. If all
        values are in one interval, no code remains.
        """
        if not self.codes:
            return 0, self, [*firsts]
        begins, number = {*firsts, self.size}, len(self.codes)
        stay = next((at for at in range(number) if at + 1 not in begins), number)
        end, values = number + self.has_missing, self.places[number + self.has_missing :]
        alone = firsts[-1] < max(end, stay + 1)  # one interval has all values
        if values and alone and sum(map(len, self.places[stay:])) > 1:
            stay = 0
        missing = self.has_missing or stay < number
        places = ((MISSING,), *values) if missing or not values else values
        rest = {0 if first < end else first - end + missing for first in firsts if first >= stay}
        return stay, replace(self, places=places, codes=()), sorted(rest or {0})

    def representable(self, firsts: Sequence[int]) -> list[int]:
        """Return the intervals of a policy. Join the codes that cannot have their own interval."""
        stay, own, rest = self.without_codes(firsts)
        if rest == [0] and own.size > 1:
            return [0]
        shift = self.size - own.size
        later = [first + shift for first in rest[1:]]
        return [*range(stay), *([stay] if stay < self.size else []), *later]

    def rule(self, firsts: Sequence[int]) -> Rule:
        """Return the rule that puts the values into intervals.

        `firsts` contains the first place of each interval. These places are in ascending order and
        begin with 0.
        """
        if self.codes:
            _, own, firsts = self.without_codes(firsts)
            return own.rule(firsts)
        if len(firsts) == len(self.place_of()):
            return self.identity
        if len(firsts) == 1:
            return Everything()
        cut = self.numeric or self.reads is not None
        return self._cuts(firsts) if cut else self._groups(firsts)

    def _cuts(self, firsts: Sequence[int]) -> Rule:
        """Return the rule for numbers. It lists values if missing values join the lowest values."""
        apart = self.has_missing and firsts[1] == 1
        bounds = firsts[2:] if apart else firsts[1:]
        rule = Cuts(
            tuple(
                roundest(
                    max(map(self._number, self.places[first - 1])),
                    min(map(self._number, self.places[first])),
                )
                for first in bounds
            ),
            all_whole(map(self._number, self.listed)),
            "plain" if self.reads is None else self.reads.form,
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

    def _number(self, value: str) -> Decimal:
        span = None if self.reads is None else self.reads.span(value)
        return _number(value) if span is None else span.place

    def _groups(self, firsts: Sequence[int]) -> Groups:
        """Group neighboring values. A missing value that has its own interval is not in a group."""
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
        """Return a hierarchy with three levels: the value, the label that a rule gives, and ``*``.

        The size of a label is the number of listed values that it covers, including a missing
        value.
        """
        values = (MISSING, *self.listed) if self.has_missing else self.listed
        rules: list[Rule] = [Identity(), rule, Everything()]
        return from_rules(self.attribute, values, rules, origin=self.origin)


def ordered_domain(hierarchy: Hierarchy, domain: Sequence[str]) -> OrderedDomain:
    """Return the values in a table, in their order."""
    values = {value for value in domain if value != MISSING}
    rules = [hierarchy.rule(level) for level in range(hierarchy.height)]
    calendar = next((rule for rule in rules if isinstance(rule, Calendar)), None)
    codes = any(isinstance(rule, Prefix) for rule in rules) or any(map(_PADDED.match, values))
    numeric = not codes and calendar is None and all(parse_number(v) is not None for v in values)
    if not numeric and (written := _written(hierarchy, domain)) is not None:
        return written
    if calendar is not None:
        listed = sorted(values, key=lambda v: (calendar.date_of(v) or date.min, v))
        origin = "in order of time"
    elif numeric:
        listed = sorted(values, key=lambda v: (_number(v), v))
        origin = "in numeric order"
    else:
        listed = [value for value in hierarchy.values if value != MISSING]
        by_code = listed == sorted(listed)
        source = Path(hierarchy.origin).name  # a path would reveal the location of the data
        origin = "in order of code points" if by_code else f"as listed in {source}"
    occurring = [value for value in listed if value in values]
    first = rules[0]
    bands = first if isinstance(first, Bands) else None  # the finest level that may be released
    same = groupby(
        occurring, key=(_number if bands is None else bands.interval) if numeric else None
    )
    places = [tuple(texts) for _, texts in same]
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


def _written(hierarchy: Hierarchy, domain: Sequence[str]) -> OrderedDomain | None:
    """Order numbers with open ends or units. Return None if the hierarchy cannot read them.

    An open end such as ``> 89`` and all numbers that it can mean have the same place, so that no
    cut separates them. Strings that are not numbers are last. If the column contains such strings,
    the rule lists the values of each interval.
    """
    rules = (level.rule for level in hierarchy.levels)
    bands = (rule for rule in rules if isinstance(rule, Bands | Cuts) and rule.form != "plain")
    rule = next(bands, None)
    if rule is None:
        return None
    spans = {text: rule.span(text) for text in hierarchy.values if text != MISSING}
    numbers = {text: span.place for text, span in spans.items() if span is not None}
    ends = [span for span in spans.values() if span is not None and span.is_open]
    tops = [end.low for end in ends if end.high is None and end.low is not None]
    if hierarchy.levels[0].rule == rule and isinstance(rule, Bands) and rule.top is not None:
        tops.append(rule.top)  # no level has a number above this one
    top = min(tops, default=None)
    bottom = max((end.high for end in ends if end.high is not None), default=None)

    def joined(text: str) -> tuple[int, Decimal]:
        if text not in numbers:
            return 3, Decimal(0)
        if top is not None and numbers[text] >= top:
            return 2, top
        below = bottom is not None and numbers[text] < bottom
        return (0, Decimal(0)) if below else (1, numbers[text])

    listed = sorted(spans, key=lambda text: (place_of_number(text, rule.form), text))
    whole = len(numbers) == len(spans) and (top is None or bottom is None or bottom <= top)
    present = set(domain)
    occurring = [text for text in listed if text in present]
    places = [tuple(texts) for _, texts in groupby(occurring, joined if whole else None)]
    return OrderedDomain(
        attribute=hierarchy.attribute,
        places=(*([(MISSING,)] if MISSING in domain else []), *places),
        listed=tuple(listed),
        numeric=False,
        ranges=False,
        declared=False,
        identity=Identity(),
        origin="in numeric order",
        form=rule.form,
        reads=rule if whole else None,
    )


def in_words(rule: Rule) -> str:
    """Describe the intervals in words. If there are many cuts, describe only the first cuts."""
    if not isinstance(rule, Cuts):
        return rule.describe()
    if not rule.cuts:
        return "all numbers in one group"
    named = Cuts(rule.cuts[:_MOST_CUTS_NAMED]).describe()
    more = len(rule.cuts) - _MOST_CUTS_NAMED
    return f"{named} and {more} more" if more > 0 else named


def roundest(low: Decimal, high: Decimal) -> Decimal:
    """Return the number with the fewest digits that is above `low` and not above `high`."""
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
    """Return an unused label. If values are unusual, two intervals can have the same name."""
    others = (f"{label} ({number})" for number in count(2))
    return next(name for name in chain([label], others) if name not in taken)
