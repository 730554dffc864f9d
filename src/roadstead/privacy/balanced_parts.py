"""Find a bound on the number of released records if excesses and reserves must balance.

Each row or block of rows has an *excess*; a negative excess is a *reserve*. The excesses of all
released rows add up to 0 or less. The bound first counts all rows with a reserve. The bound then
adds the other rows in ascending order of excess per record (Dantzig's bound for a knapsack).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.privacy.conditions import SLACK

Real = NDArray[np.float64]


def reserves(excess: Real, part: NDArray[np.int64], parts: int) -> Real:
    """Return the sum of the reserves in each part, plus a margin for rounding errors."""
    sizes = np.bincount(part, weights=np.abs(excess), minlength=parts)
    reserve = np.bincount(part, weights=np.maximum(-excess, 0.0), minlength=parts)
    found: Real = reserve + SLACK * sizes
    return found


def most_balanced(
    records: NDArray[np.int64], excess: Real, part: NDArray[np.int64], most: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Reduce `most` to the number of records in each part that the reserves can balance.

    `records` and `excess` describe rows or blocks, and `part` gives the part that contains each row
    or block.
    """
    costly = np.flatnonzero((excess > 0.0) & (records > 0))
    order = costly[np.lexsort((excess[costly] / records[costly], part[costly]))]
    own, of_part = excess[order], part[order]
    used = np.cumsum(own)
    first = np.searchsorted(of_part, np.arange(most.size))
    before = np.concatenate([[0.0], used])[first]
    left = reserves(excess, part, most.size)[of_part] - (used - own - before[of_part])
    taken = records[order] * np.clip(left / own, 0.0, 1.0)
    free = np.bincount(part, weights=np.where(excess > 0.0, 0, records), minlength=most.size)
    total = free + np.bincount(of_part, weights=taken, minlength=most.size)
    return np.minimum(most, (total * (1.0 + SLACK) + SLACK).astype(np.int64))


def never_balanced(excess: Real, part: NDArray[np.int64], parts: int) -> NDArray[np.bool_]:
    """Mark rows or blocks whose excess is larger than the sum of all reserves in their part."""
    over: NDArray[np.bool_] = excess > reserves(excess, part, parts)[part]
    return over
