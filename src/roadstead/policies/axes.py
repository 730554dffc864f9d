"""Arrange the values of each attribute along an axis, with their places in the domain.

The loss of an interval is Iyengar's loss: (n - 1) / (|D| - 1) if the interval contains n of the |D|
values in the domain. The domain includes values that do not occur in the table. If the whole domain
has length 1, the loss is the distance between the ends of the interval. Numbers are ordered by
size, and dates by time. All dates in the same unit of the hierarchy have the same place, so that a
release is never more exact than the hierarchy. Other values follow the order of their hierarchy,
and the missing value comes first.

If ends must not reveal rare values, each place has a lower and an upper end (`interval_ends`). An
interval extends from the lower end of its first place to the upper end of its last place. Values
with the same ends have the same place.

Declared missing codes come before the missing value. An interval contains either one code alone, or
all codes and the missing value. As a result, a code stays unchanged or becomes a plain missing
value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from roadstead.hierarchies.dates import number_of
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.number_text import parse_number
from roadstead.hierarchies.ordered_domain import OrderedDomain, ordered_domain
from roadstead.hierarchies.rules import MISSING, Calendar
from roadstead.policies.interval_ends import End, Ends, Enough, calendar_of, ends_of

Places = NDArray[np.int32]


@dataclass(frozen=True)
class Axis:
    """The values of one attribute in order.

    `places` contains the place of each value code of the table, counted from 0. Different spellings
    of the same number have the same place. `ends` gives the ends of the smallest interval around
    each place. For each of these intervals, `closed` gives the first and the last place, in an
    array with the shape ``(places, 2)``. The first places belong to the declared missing codes
    (`codes`), which are not in `domain`.
    """

    domain: OrderedDomain
    places: Places = field(repr=False)
    ends: tuple[Ends, ...] = field(repr=False)
    closed: Places = field(repr=False)
    codes: tuple[str, ...] = ()
    steps: int = 0  # from the first to the last value of the domain

    @property
    def size(self) -> int:
        """The number of places."""
        return len(self.ends)

    @cached_property
    def nothing(self) -> int:
        """The number of places without a value. These places come first."""
        return len(self.codes) + (self.domain.places[0] == (MISSING,))

    def around(self, low: Places, high: Places) -> tuple[Places, Places]:
        """Widen intervals to the nearest ends, and return their first and last places."""
        first, last = self.closed[low, 0], self.closed[high, 1]
        several = (low < len(self.codes)) & (low < high)
        if not several.any():
            return first, last
        most = max(len(self.codes) - 1, self._last_with_missing)
        return np.where(several, 0, first), np.where(several, np.maximum(last, most), last)

    @property
    def _last_with_missing(self) -> int:
        """The last place of the smallest interval with the missing value, or 0."""
        return int(self.closed[len(self.codes), 1]) if self.domain.has_missing else 0

    @cached_property
    def lows(self) -> NDArray[np.float64]:
        """The position of each place's lower end, as a share of the domain."""
        return np.array([low.at for low, _ in self.ends])

    @cached_property
    def highs(self) -> NDArray[np.float64]:
        """The position of each place's upper end, as a share of the domain."""
        return np.array([high.at for _, high in self.ends])

    @cached_property
    def positions(self) -> NDArray[np.float64]:
        """The midpoint between the two ends of each place, in ascending order.

        The loss of an interval is the distance between the positions of its first and its last
        place, plus half of the loss at each of these two places.
        """
        return np.asarray((self.lows + self.highs) / 2)

    def losses(self, parts: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the loss of each interval, given its end places in an array ``(intervals, 2)``."""
        return np.asarray(self.highs[parts[:, 1]] - self.lows[parts[:, 0]])

    def is_all(self, parts: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return whether each interval covers the whole domain and therefore reveals nothing."""
        return np.asarray((self.lows[parts[:, 0]] <= 0.0) & (self.highs[parts[:, 1]] >= 1.0))


def axis(hierarchy: Hierarchy, domain: Sequence[str], enough: Enough | None = None) -> Axis:
    """Build the axis of a table's values. The hierarchy must cover the values.

    The function `enough` selects the values with enough records to be ends of intervals. If
    `enough` is None, every value may be an end.
    """
    if hierarchy.missing_codes:
        return _after_codes(_of_values(hierarchy, domain, enough), hierarchy, domain)
    ordered, calendar = ordered_domain(hierarchy, domain), calendar_of(hierarchy)
    if calendar is not None:
        ordered = _by_unit(ordered, calendar)
    positions, steps = _positions(hierarchy, ordered, calendar)
    ends = ends_of(hierarchy, ordered, domain, positions, enough)
    begins = [at for at in range(len(ends)) if at == 0 or ends[at] != ends[at - 1]]
    stops = [*begins[1:], len(ends)]
    joined = [
        tuple(text for texts in ordered.places[begin:stop] for text in texts)
        for begin, stop in zip(begins, stops, strict=True)
    ]
    ordered = replace(ordered, places=tuple(joined))
    place_of = ordered.place_of()
    places = np.array([place_of[value] for value in domain], dtype=np.int32)
    own = tuple(ends[at] for at in begins)
    return Axis(ordered, places, own, _closed(own), steps=steps)


def _of_values(hierarchy: Hierarchy, domain: Sequence[str], enough: Enough | None) -> Axis:
    """Build the axis of a table's values, without the missing codes."""
    codes = hierarchy.missing_codes
    inside = np.array([value not in codes for value in domain], dtype=np.bool_)

    values = [value for value in domain if value not in codes] or [MISSING]
    if enough is None:
        return axis(hierarchy.without_codes(), values)

    def among(groups: NDArray[np.int64]) -> NDArray[np.bool_]:
        others = int(groups.max(initial=-1)) + 1
        every = np.full(len(domain), others, dtype=np.int64)
        every[inside] = groups[: inside.sum()]
        return enough(every)[:others]

    return axis(hierarchy.without_codes(), values, among)


def _after_codes(made: Axis, hierarchy: Hierarchy, domain: Sequence[str]) -> Axis:
    """Put the missing codes of a hierarchy before the other values of an axis."""
    codes, number = hierarchy.missing_codes, len(hierarchy.missing_codes)
    shift = number / max(made.steps + number, 1)

    def moved(end: End) -> End:
        return replace(end, at=shift + end.at * (1 - shift))

    own = [End(code, code, at / max(made.steps + number, 1)) for at, code in enumerate(codes)]
    ends = [(end, end) for end in own]
    ends += [(moved(low), moved(high)) for low, high in made.ends]
    closed = made.closed + number
    # An interval with the missing value also contains the codes.
    closed[[low.value in (None, MISSING) for low, _ in made.ends], 0] = 0
    alone = np.arange(number, dtype=np.int32)
    place = {code: at for at, code in enumerate(codes)}
    others = iter(made.places.tolist())
    places = [place[v] if v in place else number + next(others) for v in domain]
    return replace(
        made,
        places=np.array(places, dtype=np.int32),
        ends=tuple(ends),
        closed=np.concatenate([np.stack([alone, alone], axis=1), closed]),
        codes=codes,
        steps=made.steps + number,
    )


def _closed(ends: Sequence[Ends]) -> Places:
    """Return the first and the last place of the interval around each place.

    An interval without a lower end also contains the missing value.
    """
    lows = [None if low.value is None else low for low, _ in ends]
    highs = [high for _, high in ends]
    last = {high: place for place, high in enumerate(highs)}
    firsts = [0 if low is None else lows.index(low) for low in lows]
    return np.array([firsts, [last[high] for high in highs]], dtype=np.int32).T


def _positions(
    hierarchy: Hierarchy, ordered: OrderedDomain, calendar: Calendar | None
) -> tuple[NDArray[np.float64], int]:
    """Return the position of each place in an ordering, from 0 to 1, and the number of steps."""
    size = hierarchy.domain_size
    if calendar is not None and calendar.unit != "day":
        ranks, size = _units(hierarchy, calendar)
    elif hierarchy.below is None:
        ranks = {value: rank for rank, value in enumerate(_in_order(hierarchy, ordered))}
    else:
        ranks = dict(zip(hierarchy.values, hierarchy.below.tolist(), strict=True))
    ranked = np.array([ranks[texts[0]] for texts in ordered.places], dtype=np.float64)
    return np.asarray(ranked / max(size - 1, 1)), size - 1


def _in_order(hierarchy: Hierarchy, ordered: OrderedDomain) -> list[str]:
    """List the whole domain in order, including values that do not occur in the table.

    In a domain of numbers, values that are not numbers come last. Only the interval that covers the
    whole domain contains such values.
    """
    missing = [MISSING] if MISSING in hierarchy.values else []
    if not ordered.numeric:
        return [*missing, *ordered.listed]
    numbers = {v: parse_number(v) for v in hierarchy.values if v != MISSING}
    inside = sorted((n, v) for v, n in numbers.items() if n is not None)
    return [*missing, *(v for _, v in inside), *(v for v, n in numbers.items() if n is None)]


def _units(hierarchy: Hierarchy, calendar: Calendar) -> tuple[dict[str, int], int]:
    """Return the index of each value's unit, and the number of units.

    The first unit has the index 0. However, if there is a missing value, its index is 0, and the
    index of the first unit is 1.
    """
    days = {value: calendar.date_of(value) for value in hierarchy.values}
    numbers = {v: number_of(day, calendar.unit) for v, day in days.items() if day is not None}
    first = min(numbers.values(), default=0) - (MISSING in hierarchy.values)
    ranks = {value: numbers.get(value, first) - first for value in hierarchy.values}
    return ranks, max(ranks.values()) + 1


def _by_unit(ordered: OrderedDomain, calendar: Calendar) -> OrderedDomain:
    """Give all dates in the same unit the same place, regardless of their form."""
    places = groupby(
        ordered.places, key=lambda texts: (texts[0] == MISSING, calendar.label(texts[0]))
    )
    return replace(
        ordered, places=tuple(tuple(x for texts in same for x in texts) for _, same in places)
    )
