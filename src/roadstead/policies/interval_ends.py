"""Determine where an interval may begin and end without identifying anyone.

The lowest value in a class may occur in only one record. To avoid revealing this value, an interval
extends outward to the nearest possible *end*. An end can be a value or the bound of a label that at
least k records (or people) have. It can also be a value that a hierarchy lists. If there is no such
end, the interval is open, for example ``<20`` or ``85+`` (docs/methods/recodings.md).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.hierarchies.dates import number_of, span_of
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.number_text import EXACT, parse_number, plain_number
from roadstead.hierarchies.ordered_domain import OrderedDomain
from roadstead.hierarchies.rules import MISSING, Bands, Calendar, Cuts, Prefix, Rule
from roadstead.hierarchies.spreadsheet_ranges import place_of_range
from roadstead.hierarchies.written_numbers import NumberForm, name_of_number, place_of_number
from roadstead.tables.frequency import FrequencyTable

Enough: TypeAlias = Callable[[NDArray[np.int64]], NDArray[np.bool_]]
"""A function that returns whether each group of values has enough records or people."""
LAST_CHARACTER = "\U0003134a"
"""The last printable character.

A prefix followed by this character is greater than all codes with the prefix.
"""


@dataclass(frozen=True)
class End:
    """An end of an interval.

    The policy compares values with `value`, which is None if the interval is open. `name` is the
    text of the value in a label. `at` is the end's position in the domain, from 0 to 1.
    """

    value: str | None
    name: str
    at: float


Ends: TypeAlias = tuple[End, End]
_Order: TypeAlias = Callable[[End], Any]
OPEN_BELOW, OPEN_ABOVE = End(None, "", 0.0), End(None, "", 1.0)


def enough_of(table: FrequencyTable, attribute: int, k: int) -> Enough:
    """Return a function that finds the groups of values with at least k records (or people)."""
    codes = table.codes[attribute]

    def enough(groups: NDArray[np.int64]) -> NDArray[np.bool_]:
        return table.units_in(groups[codes], int(groups.max(initial=-1)) + 1) >= k

    return enough


def ends_of(
    hierarchy: Hierarchy,
    ordered: OrderedDomain,
    domain: Sequence[str],
    positions: NDArray[np.float64],
    enough: Enough | None,
) -> tuple[Ends, ...]:
    """Return the ends of the smallest interval around each place in an ordering.

    `positions` gives the position of each place. If `enough` is None, every value may be an end.
    """
    calendar = calendar_of(hierarchy)
    own = [
        _of_place(texts, calendar, float(at), ordered.form)
        for texts, at in zip(ordered.places, positions, strict=True)
    ]
    own = _in_bands(own, hierarchy, ordered)
    if enough is None or ordered.declared:
        return tuple(own)
    place_of = ordered.place_of()
    kept = enough(np.array([place_of[value] for value in domain], dtype=np.int64))
    first = int(ordered.has_missing)
    pairs = [own[place] for place in range(first, len(own)) if kept[place]]
    pairs += _of_nodes(hierarchy, ordered, own[first:], _frequent_labels(hierarchy, domain, enough))
    made = _outward(own[first:], pairs, _order_of(ordered, calendar))
    if not first:
        return made
    # The missing value comes before all other values.
    lowest = own[0] if kept[0] else (OPEN_BELOW, _lowest(pairs, _order_of(ordered, calendar)))
    return (lowest, *made)


def _in_bands(own: list[Ends], hierarchy: Hierarchy, ordered: OrderedDomain) -> list[Ends]:
    """Widen each place to its finest band if the hierarchy never shows exact numbers or dates."""
    rule, first = hierarchy.levels[0].rule, int(ordered.has_missing)
    if not isinstance(rule, Bands | Calendar):
        return own
    ruler = _Ruler.of(hierarchy, ordered, own[first:])
    made = own[:first]
    if isinstance(rule, Calendar):
        pairs = zip(ordered.places[first:], own[first:], strict=True)
        return made + [ruler.before(rule, texts[0]) or ends for texts, ends in pairs]
    for texts, ends in zip(ordered.places[first:], own[first:], strict=True):
        low, high = rule.interval(texts[0]) or (None, None)
        if low is not None and high is not None and EXACT.subtract(high, low) <= ruler.step:
            made.append(ends)
            continue
        begins, stops = (ruler.cut(bound) if bound is not None else None for bound in (low, high))
        made.append(
            (
                OPEN_BELOW if begins is None else begins[0][0],
                OPEN_ABOVE if stops is None else stops[1][1],
            )
        )
    return made


def calendar_of(hierarchy: Hierarchy) -> Calendar | None:
    """Return the finest calendar rule of a hierarchy, or None if its values are not dates."""
    rules = (hierarchy.rule(level) for level in range(hierarchy.height))
    return next((rule for rule in rules if isinstance(rule, Calendar)), None)


def _outward(own: Sequence[Ends], pairs: Sequence[Ends], order: _Order) -> tuple[Ends, ...]:
    """Widen the interval of each place outward to the nearest ends in `pairs`."""
    lows = {order(low): low for low, _ in reversed(pairs) if low.value is not None}
    highs = {order(high): high for _, high in reversed(pairs) if high.value is not None}
    low_keys, high_keys = sorted(lows), sorted(highs)
    made = []
    for low, high in own:
        before = -1 if low.value is None else bisect_right(low_keys, order(low)) - 1
        after = len(high_keys) if high.value is None else bisect_left(high_keys, order(high))
        made.append(
            (
                lows[low_keys[before]] if before >= 0 else OPEN_BELOW,
                highs[high_keys[after]] if after < len(high_keys) else OPEN_ABOVE,
            )
        )
    return tuple(made)


def _lowest(pairs: Sequence[Ends], order: _Order) -> End:
    closed = (high for _, high in pairs if high.value is not None)
    return min(closed, key=order, default=OPEN_ABOVE)


def _order_of(ordered: OrderedDomain, calendar: Calendar | None) -> _Order:
    """Return the sort key with which the policy compares ends."""
    if calendar is not None:
        return lambda end: _day(end.value, calendar)
    if ordered.numeric:
        return lambda end: parse_number(end.value or "")
    if ordered.form != "plain":
        return lambda end: place_of_number(end.value or "", ordered.form)
    if ordered.ranges:
        return lambda end: place_of_range(end.value or "")
    return lambda end: end.value


def _day(value: str | None, calendar: Calendar) -> int:
    day = calendar.date_of(value or "")
    return 0 if day is None else day.toordinal()


def _of_place(
    texts: tuple[str, ...], calendar: Calendar | None, at: float, form: NumberForm
) -> Ends:
    """Return the ends of a place: its value twice, or the first and last day of a calendar unit."""
    if form != "plain" and texts[0] != MISSING:
        low, high = (End(text, name_of_number(text, form), at) for text in (texts[0], texts[-1]))
        return low, high
    if calendar is None or texts[0] == MISSING:
        return End(texts[0], texts[0], at), End(texts[0], texts[0], at)
    first, last = (
        _day_of_unit(text, calendar, last=last)
        for text, last in ((texts[0], False), (texts[-1], True))
    )
    return (
        End(first, calendar.label(first) or first, at),
        End(last, calendar.label(last) or last, at),
    )


def _day_of_unit(value: str, calendar: Calendar, *, last: bool) -> str:
    day = calendar.date_of(value)
    if day is None:
        return value
    written = _written(span_of(day, calendar.unit)[last], calendar)
    # If the form has no days, all values are months or years. Dates in some years, such as
    # years before 1000, are written in a form that cannot be read back.
    return written if calendar.label(written) == calendar.label(value) else value


def _written(ordinal: int, calendar: Calendar) -> str:
    """Write a day in the same form as the values."""
    day = date.fromordinal(min(max(ordinal, 1), date.max.toordinal()))
    return day.isoformat() if calendar.form is None else day.strftime(calendar.form)


def _frequent_labels(
    hierarchy: Hierarchy, domain: Sequence[str], enough: Enough
) -> Iterator[tuple[Rule, str, list[str]]]:
    """Yield each label below the top that enough records (or people) have, with its values."""
    codes = hierarchy.codes_of(domain)
    for level in range(hierarchy.height - 1):
        rule, own = hierarchy.rule(level), codes[level].astype(np.int64)
        for label in np.flatnonzero(enough(own)).tolist():
            inside: list[int] = np.flatnonzero(own == label).tolist()
            members = [domain[at] for at in inside if domain[at] != MISSING]
            if members:
                yield rule, hierarchy.levels[level].labels[label], members


def _of_nodes(
    hierarchy: Hierarchy,
    ordered: OrderedDomain,
    own: Sequence[Ends],
    labels: Iterator[tuple[Rule, str, list[str]]],
) -> list[Ends]:
    """Return the ends of bands, calendar units, and prefixes with enough records (or people)."""
    ruler = _Ruler.of(hierarchy, ordered, own)
    places = ordered.places[int(ordered.has_missing) :]
    at_place = {v: ends for texts, ends in zip(places, own, strict=True) for v in texts}
    in_order = not ordered.numeric and [*ordered.listed] == sorted(ordered.listed)
    found: list[Ends] = []
    for rule, label, members in labels:
        if isinstance(rule, Bands | Cuts) and ordered.numeric:
            found += ruler.of_band(rule, members[0])
        elif isinstance(rule, Calendar):
            found += ruler.of_unit(rule, members[0])
        elif isinstance(rule, Prefix) and in_order:
            begins = {one[: rule.keep] for one in members}
            below = all(one < one[: rule.keep] + LAST_CHARACTER for one in members)
            if len(begins) == 1 and below and not begins & {*at_place}:
                inside = [at_place[one] for one in members]
                low, high = min(low.at for low, _ in inside), max(high.at for _, high in inside)
                text = begins.pop()
                found.append((End(text, label, low), End(text + LAST_CHARACTER, label, high)))
    return found


@dataclass(frozen=True)
class _Ruler:
    """Computes the positions of numbers or days from two values whose positions are known."""

    calendar: Calendar | None
    known: tuple[tuple[Fraction, float], ...]  # for the first and the last value
    first: float  # the position of the domain's first value
    step: Decimal  # for numbers, the smallest decimal place that is used

    @classmethod
    def of(cls, hierarchy: Hierarchy, ordered: OrderedDomain, own: Sequence[Ends]) -> _Ruler:
        """Build the ruler from the values in a table."""
        calendar = calendar_of(hierarchy)
        measured = own if calendar is not None or ordered.numeric else ()
        known = {low.at: _measure(low.value or "", calendar) for low, _ in measured}
        outermost = sorted({min(known), max(known)}) if known else []
        numbers = [parse_number(value) for value in ordered.listed] if ordered.numeric else []
        places = [len(plain_number(one).partition(".")[2]) for one in numbers if one is not None]
        return cls(
            calendar,
            tuple((known[at], at) for at in outermost),
            (MISSING in hierarchy.values) / max(hierarchy.domain_size - 1, 1),
            Decimal(1).scaleb(-max(places, default=0)),
        )

    def at(self, value: str) -> float:
        """Return the position of a value in the domain."""
        if len(self.known) < 2:  # noqa: PLR2004 - one value measures nothing
            return self.first
        (low, start), (high, stop) = self.known
        share = float((_measure(value, self.calendar) - low) / (high - low))
        return min(max(start + share * (stop - start), self.first), 1.0)

    def of_band(self, rule: Bands | Cuts, value: str) -> list[Ends]:
        """Return the first and last numbers of a value's band, and the numbers next to the band."""
        bounds = rule.interval(value)
        if bounds is None or len(self.known) < 2:  # noqa: PLR2004 - one value measures nothing
            return []
        low, high = bounds
        if low is not None and high is not None and EXACT.subtract(high, low) <= self.step:
            return []  # a single value, which may have rare neighbors
        return [ends for bound in bounds if bound is not None for ends in self.cut(bound)]

    def cut(self, bound: Decimal) -> list[Ends]:
        """Return the ends of two intervals: one begins at the bound, and one is below the bound."""
        first, last = plain_number(bound), plain_number(EXACT.subtract(bound, self.step))
        return [
            (End(first, first, self.at(first)), OPEN_ABOVE),
            (OPEN_BELOW, End(last, last, self.at(last))),
        ]

    def of_unit(self, rule: Calendar, value: str) -> list[Ends]:
        """Return the first and last days of a calendar unit, and the two days around the unit."""
        day, calendar = rule.date_of(value), self.calendar
        if day is None or calendar is None or len(self.known) < 2:  # noqa: PLR2004 - as above
            return []
        if rule.unit == calendar.unit or rule.is_early(day):
            return []  # a single value, as above
        low, high = span_of(day, rule.unit)
        firsts = [self._day_of(ordinal, calendar) for ordinal in (low, high + 1)]
        lasts = [self._day_of(ordinal, calendar) for ordinal in (low - 1, high)]
        return [
            *((end, OPEN_ABOVE) for end in firsts if end is not None),
            *((OPEN_BELOW, end) for end in lasts if end is not None),
        ]

    def before(self, rule: Calendar, value: str) -> Ends | None:
        """Return the ends of the years before `bottom`, or None if the date is in a later year."""
        day = rule.date_of(value)
        if day is None or rule.bottom is None or not rule.is_early(day):
            return None
        last = _written(date(rule.bottom, 1, 1).toordinal() - 1, rule)
        name = replace(rule, bottom=None).label(last) or last
        return OPEN_BELOW, End(last, name, self.at(last))

    def _day_of(self, ordinal: int, calendar: Calendar) -> End | None:
        """Return a day as the end of an interval, or None if the day cannot be represented."""
        written = _written(ordinal, calendar)
        if _day(written, calendar) != ordinal:
            return None
        return End(written, calendar.label(written) or written, self.at(written))


def _measure(value: str, calendar: Calendar | None) -> Fraction:
    """Return a number itself, or the index of a date's calendar unit."""
    if calendar is None:
        return Fraction(parse_number(value) or 0)
    return Fraction(number_of(calendar.date_of(value) or date.min, calendar.unit))
