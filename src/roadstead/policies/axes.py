"""Attributes as axes: their values in an order, each with its place along the domain.

An interval of an axis shows all values from one place to another. What it loses is Iyengar's
loss, (n - 1) / (|D| - 1) for n of the |D| values of the domain: the distance between its ends,
where the whole domain is of length 1. Values of the domain that the table does not have count too,
and of numbers and dates the domain is a range. Numbers stand in order of size, dates in order of
time, those of one day at one place, as a policy compares days. Other values stand as their
hierarchy lists them, and the missing value comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

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
    ordered = _by_day(ordered_domain(hierarchy, domain), hierarchy)
    place_of = ordered.place_of()
    if hierarchy.below is None:
        listed = (MISSING, *ordered.listed) if MISSING in hierarchy.values else ordered.listed
        ranks = {value: rank for rank, value in enumerate(listed)}
    else:
        ranks = dict(zip(hierarchy.values, hierarchy.below.tolist(), strict=True))
    steps = np.array([ranks[texts[0]] for texts in ordered.places], dtype=np.float64)
    return Axis(
        ordered,
        np.array([place_of[value] for value in domain], dtype=np.int32),
        steps / max(hierarchy.domain_size - 1, 1),
    )


def calendar_of(hierarchy: Hierarchy) -> Calendar | None:
    """Give the rule that reads the days of a hierarchy's dates; None if it is not one of dates."""
    rules = (hierarchy.rule(level) for level in range(hierarchy.height))
    form = next(((rule.form,) for rule in rules if isinstance(rule, Calendar)), None)
    return None if form is None else Calendar("day", *form)


def _by_day(ordered: OrderedDomain, hierarchy: Hierarchy) -> OrderedDomain:
    """Put dates that are the same day, written in two ways or at two times, at one place."""
    calendar = calendar_of(hierarchy)
    if calendar is None:
        return ordered
    places = groupby(
        ordered.places, key=lambda texts: (texts[0] == MISSING, calendar.date_of(texts[0]))
    )
    return replace(
        ordered, places=tuple(tuple(x for texts in same for x in texts) for _, same in places)
    )
