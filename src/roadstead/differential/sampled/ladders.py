"""Define the levels of public domains, which set how coarsely an attribute is released.

For a taxonomy of depth D, level i consists of the groups D - i steps below the top, and of the
values above these groups. For a range, level i divides the range at the multiples of a width. The
last level has a single group, which shows nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import ceil
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.domains import (
    CategoricalCut,
    CategoricalDomain,
    NumericCut,
    NumericDomain,
)
from roadstead.errors import SettingError

SampledDomain: TypeAlias = NumericDomain | CategoricalDomain
SampledCut: TypeAlias = NumericCut | CategoricalCut

MOST_INTERVALS = 1000
"""The largest number of intervals of a range."""
_FIVE, _TWO = 5, 2


@dataclass(frozen=True)
class Widths:
    """The interval widths of each level of a range, finest first, and the start of an interval."""

    widths: tuple[Decimal, ...]
    origin: Decimal = Decimal(0)


@dataclass(frozen=True, eq=False)
class Ladder:
    """The levels of an attribute, from specific to general. The last level has one group."""

    domain: SampledDomain
    levels: tuple[SampledCut, ...] = field(repr=False)
    widths: Widths | None = None  # the widths, for a range

    @property
    def attribute(self) -> str:
        """The name of the column."""
        return self.domain.attribute

    @property
    def height(self) -> int:
        """The number of levels."""
        return len(self.levels)


def ladder_of(domain: SampledDomain, widths: Widths | None = None) -> Ladder:
    """Return the levels of a domain. A range uses the given widths or, by default, round widths."""
    if isinstance(domain, CategoricalDomain):
        return Ladder(domain, _of_tree(domain))
    used = Widths(round_widths(domain)) if widths is None else widths
    whole = NumericCut(domain, (0, domain.size))
    cuts = [intervals(domain, width, used.origin) for width in used.widths]
    return Ladder(domain, (*(cut for cut in cuts if cut.size > 1), whole), used)


def round_widths(domain: NumericDomain) -> tuple[Decimal, ...]:
    """Return widths of one, five, ten, fifty, ... steps.

    Each width is a multiple of the previous width.
    """
    widths, width, times = [], domain.step, _FIVE
    while width < domain.step * domain.size:
        if domain.step * domain.size <= width * MOST_INTERVALS:
            widths.append(width)
        width, times = width * times, _TWO if times == _FIVE else _FIVE
    return tuple(widths)


def intervals(domain: NumericDomain, width: Decimal, origin: Decimal) -> NumericCut:
    """Divide a range at the multiples of the width, counted from the origin."""
    if width <= 0 or domain.step * domain.size > width * MOST_INTERVALS:
        raise SettingError(
            f"with a width of {width}, its range has more than {MOST_INTERVALS:,} intervals",
            where=f"levels of {domain.attribute!r}",
            fix="declare wider intervals",
        )
    at = (domain.low - origin) // width * width + origin
    bounds = {0, domain.size}
    while at < domain.at(domain.size):
        bounds.add(min(max(ceil((at - domain.low) / domain.step), 0), domain.size))
        at += width
    return NumericCut(domain, tuple(sorted(bounds)))


def _of_tree(domain: CategoricalDomain) -> tuple[CategoricalCut, ...]:
    """Cut a tree at each depth, from the deepest level up to the root."""
    taxonomy = domain.taxonomy
    depth = np.zeros(taxonomy.nodes, dtype=np.int64)
    for node, parent in enumerate(taxonomy.parents[1:].tolist(), start=1):
        depth[node] = depth[parent] + 1
    value = np.array([not below for below in taxonomy.children])
    cuts = []
    for level in range(int(depth.max()), -1, -1):
        nodes = np.flatnonzero((depth == level) | (value & (depth < level)))
        cuts.append(CategoricalCut(domain, tuple(nodes.tolist())))
    return tuple(cuts)


def detail(cuts: Sequence[SampledCut], finest: int) -> int:
    """Return how much detail the cuts keep, from 0 to `finest`, according to Iyengar's loss."""
    left = []
    for cut in cuts:
        widths = leaves(cut)
        size = int(widths.sum())
        lost = float((widths * (widths - 1)).sum()) / size / max(size - 1, 1)
        left.append(1.0 - lost)
    return round(finest * sum(left) / len(left))


def leaves(cut: SampledCut) -> NDArray[np.int64]:
    """Return the number of domain values that each group of a cut contains."""
    if isinstance(cut, NumericCut):
        bounds = np.array(cut.bounds, dtype=np.int64)
        return bounds[1:] - bounds[:-1]
    taxonomy, nodes = cut.domain.taxonomy, list(cut.nodes)
    return (taxonomy.last[nodes] - taxonomy.first[nodes]).astype(np.int64)
