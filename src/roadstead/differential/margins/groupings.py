"""Merge the values of a variable into groups for pairs of variables.

Weak associations get few groups, and strong associations get many. Each cell of a pair of variables
has noise, so each variable has only as many groups as the noise allows. The groupings of one
variable are nested, and the coarsest grouping has two groups. If the values are ordered, each group
is an interval with about half of the records of its parent group. Otherwise, the most frequent
values are separate groups, and all other values form one group. The groupings use only the noisy
margin, so they do not cost any budget.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.margins.variables import Grouping

MOST_GROUPS = 16
"""The largest number of groups that a variable in a pair can have."""


def groupings_of(share: NDArray[np.float64], *, ordered: bool) -> tuple[Grouping, ...]:
    """Return the groupings of a variable, from coarse to fine."""
    found: list[Grouping] = []
    sizes = [2**power for power in range(1, MOST_GROUPS.bit_length())]
    bounds = [0, share.size]
    for size in sizes:
        if ordered:
            bounds = _halved(share, bounds)
            found.append(np.searchsorted(bounds, np.arange(share.size), side="right") - 1)
        elif size < share.size:
            rank = np.empty(share.size, dtype=np.int64)
            rank[np.argsort(-share, kind="stable")] = np.arange(share.size)
            found.append(np.minimum(rank, size - 1))
    if share.size <= MOST_GROUPS:
        found.append(np.arange(share.size))
    distinct = {int(one.max()): one for one in found}
    return tuple(distinct[size] for size in sorted(distinct))


def _halved(share: NDArray[np.float64], bounds: list[int]) -> list[int]:
    """Split each interval so that each side has about half of the interval's records."""
    found = [bounds[0]]
    for begin, end in pairwise(bounds):
        if end - begin > 1:
            before = np.cumsum(share[begin:end])
            found.append(begin + 1 + int(np.argmin(np.abs(before[:-1] - before[-1] / 2))))
        found.append(end)
    return found
