"""Bound how many records of a part can be released when excesses and reserves must balance.

Some models bound a ratio. In the released set, rows with too much of something must be balanced by
rows with less than the limit. Each row or block of rows has an *excess*; a negative excess is a
reserve. The excesses of all released rows sum to 0 or less. To bound the number of records, take
everything that has a reserve. Then take the rest in the order of its excess per record, least
first. The last one may be taken in part, which only raises the bound (Dantzig's bound for a
knapsack).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.privacy.conditions import SLACK

Real = NDArray[np.float64]


def reserves(excess: Real, part: NDArray[np.int64], parts: int) -> Real:
    """Add the reserves of each part up; on the safe side of rounding."""
    sizes = np.bincount(part, weights=np.abs(excess), minlength=parts)
    reserve = np.bincount(part, weights=np.maximum(-excess, 0.0), minlength=parts)
    found: Real = reserve + SLACK * sizes
    return found


def most_balanced(
    records: NDArray[np.int64], excess: Real, part: NDArray[np.int64], most: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Lower `most`, the records of each part, to those whose excesses its reserves make up for.

    `records` and `excess` belong to rows or blocks, and each row or block is in one `part`.
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
    """Mark rows or blocks with more excess than their part has reserves."""
    over: NDArray[np.bool_] = excess > reserves(excess, part, parts)[part]
    return over
