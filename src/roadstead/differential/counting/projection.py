"""The nearest counts with a given total: none below 0, all of them whole numbers.

Among all non-negative vectors with a given sum, the one nearest to a vector `v` (least squares) is
``max(v - level, 0)``, with one level for all entries (projection onto a simplex; Held, Wolfe and
Crowder 1974, "Validation of subgradient optimization"). So a surplus is taken from all cells alike,
and a lack is given to all alike; those that would fall below 0 are left at 0. Scaling would take
from large counts what noise added to small ones.

With whole numbers the level is rounded down, and the few records that are then too many are taken
one each from the smallest counts that have one. The result is a nearest vector of whole numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def with_total(counts: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """Find the nearest non-negative whole numbers with a given sum.

    Parameters
    ----------
    counts
        Shape ``(cells,)``, at least one; whole numbers of any sign.
    total
        The sum, at least 0.

    Returns
    -------
    NDArray[np.int64]
        Shape ``(cells,)``.
    """
    if total == 0:
        return np.zeros_like(counts)
    order = np.argsort(-counts, kind="stable")
    sizes = counts[order]
    number = np.arange(1, sizes.size + 1)
    # With the first r cells left above 0, the level is surplus / r; the r-th must be above it.
    surplus = np.cumsum(sizes) - total
    left = int(np.flatnonzero(sizes * number > surplus)[-1]) + 1
    near = np.maximum(sizes - int(surplus[left - 1]) // left, 0)
    too_many = int(near.sum()) - total
    near[left - too_many : left] -= 1
    result = np.empty_like(counts)
    result[order] = near
    return result
