"""Attributes as axes: their values in an order, each with its place along the domain.

An interval of an axis shows all values from one place to another. What it loses is Iyengar's
loss, (n - 1) / (|D| - 1) for n of the |D| values of the domain: the distance between its ends,
where the whole domain is of length 1. Values of the domain that the table does not have count too,
and of numbers and dates the domain is a range. Numbers stand in order of size, dates in order of
time, other values as their hierarchy lists them, and the missing value comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.ordered_domain import OrderedDomain, ordered_domain
from roadstead.hierarchies.rules import MISSING


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
    ordered = ordered_domain(hierarchy, domain)
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
