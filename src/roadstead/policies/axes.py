"""Attributes as axes: their values in an order, each with its place along the domain.

An interval of an axis shows all values from one place to another. What it loses is Iyengar's
loss, (n - 1) / (|D| - 1) for n of the |D| values of the domain: the distance between its ends,
where the whole domain is of length 1. Values of the domain that the table does not have count too,
and of numbers and dates the domain is a range. Numbers stand in order of size, dates in order of
time, those of one day at one place, as a policy compares days. Where the hierarchy begins with a
coarser unit, such as years, all dates of one unit are at one place, the domain counts units, and an
interval never ends within one: no release shall be more exact than the hierarchy. Other values
stand as their hierarchy lists them, and the missing value comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from roadstead.hierarchies.dates import number_of
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.ordered_domain import OrderedDomain, ordered_domain
from roadstead.hierarchies.rules import MISSING, Calendar


@dataclass(frozen=True)
class Axis:
    """One attribute's values in their order.

    `places` has the place of each value code of the table, counted from 0; several values may have
    one, which are the same number. `positions` has where each place lies, ascending, in parts of
    the domain: the loss of an interval is the position of its last place less that of its first.
    """

    domain: OrderedDomain
    places: NDArray[np.int32] = field(repr=False)
    positions: NDArray[np.float64] = field(repr=False)

    @property
    def size(self) -> int:
        """Number of places."""
        return self.positions.size


def axis(hierarchy: Hierarchy, domain: Sequence[str]) -> Axis:
    """Make the axis of the values that a table has; the hierarchy covers them."""
    ordered, calendar = ordered_domain(hierarchy, domain), calendar_of(hierarchy)
    size = hierarchy.domain_size
    if calendar is not None:
        ordered = _by_unit(ordered, calendar)
    place_of = ordered.place_of()
    if calendar is not None and calendar.unit != "day":
        ranks, size = _units(hierarchy, calendar)
    elif hierarchy.below is None:
        listed = (MISSING, *ordered.listed) if MISSING in hierarchy.values else ordered.listed
        ranks = {value: rank for rank, value in enumerate(listed)}
    else:
        ranks = dict(zip(hierarchy.values, hierarchy.below.tolist(), strict=True))
    steps = np.array([ranks[texts[0]] for texts in ordered.places], dtype=np.float64)
    return Axis(
        ordered,
        np.array([place_of[value] for value in domain], dtype=np.int32),
        steps / max(size - 1, 1),
    )


def calendar_of(hierarchy: Hierarchy) -> Calendar | None:
    """Give the finest rule of a hierarchy of dates; None if it is not one of dates."""
    rules = (hierarchy.rule(level) for level in range(hierarchy.height))
    return next((rule for rule in rules if isinstance(rule, Calendar)), None)


def _units(hierarchy: Hierarchy, calendar: Calendar) -> tuple[dict[str, int], int]:
    """Count units from the first to that of each value, the missing one before; and all of them."""
    days = {value: calendar.date_of(value) for value in hierarchy.values}
    numbers = {v: number_of(day, calendar.unit) for v, day in days.items() if day is not None}
    first = min(numbers.values(), default=0) - (MISSING in hierarchy.values)
    ranks = {value: numbers.get(value, first) - first for value in hierarchy.values}
    return ranks, max(ranks.values()) + 1


def _by_unit(ordered: OrderedDomain, calendar: Calendar) -> OrderedDomain:
    """Put dates of the same unit at one place, however they are written."""
    places = groupby(
        ordered.places, key=lambda texts: (texts[0] == MISSING, calendar.label(texts[0]))
    )
    return replace(
        ordered, places=tuple(tuple(x for texts in same for x in texts) for _, same in places)
    )
