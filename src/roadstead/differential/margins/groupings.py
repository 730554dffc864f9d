"""Ways to put the values of a variable together: few groups for weak ties, many for strong ones.

The count of a pair of variables has noise in each cell, so a pair is told by as many groups of
either as its noise lets be seen. The groupings of one variable are nested, from two groups upwards;
each group of values in order is an interval that has about half of the records of the one it came
from, and without an order the most frequent values stand alone, and the rest together. What is
frequent is known from the noisy margin, so this costs nothing.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.margins.variables import Grouping

MOST_GROUPS = 16
"""Groups of a variable in a pair, at most."""


def groupings_of(
    share: NDArray[np.float64], *, ordered: bool, most: int = MOST_GROUPS
) -> tuple[Grouping, ...]:
    """Give the groupings of a variable, from coarse to fine; the last is the finest."""
    found: list[Grouping] = []
    sizes = [2**power for power in range(1, most.bit_length()) if 2**power <= most]
    bounds = [0, share.size]
    for size in sizes:
        if ordered:
            bounds = _halved(share, bounds)
            found.append(np.searchsorted(bounds, np.arange(share.size), side="right") - 1)
        elif size < share.size:
            rank = np.empty(share.size, dtype=np.int64)
            rank[np.argsort(-share, kind="stable")] = np.arange(share.size)
            found.append(np.minimum(rank, size - 1))
    if share.size <= most:
        found.append(np.arange(share.size))
    distinct = {int(one.max()): one for one in found}
    return tuple(distinct[size] for size in sorted(distinct))


def _halved(share: NDArray[np.float64], bounds: list[int]) -> list[int]:
    """Part each interval where about half of its records are on either side."""
    found = [bounds[0]]
    for begin, end in pairwise(bounds):
        if end - begin > 1:
            before = np.cumsum(share[begin:end])
            found.append(begin + 1 + int(np.argmin(np.abs(before[:-1] - before[-1] / 2))))
        found.append(end)
    return found
