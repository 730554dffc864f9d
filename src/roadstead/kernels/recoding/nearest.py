"""Find the rows nearest to each row, by the width of the smallest box around two rows.

Rows are in blocks of nearby rows. A block is skipped if its box is farther from a row than the rows
found so far. With many axes, few blocks are skipped. The search then ends after a fixed number of
nearest blocks, and the result is only approximate.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Real, Small, Whole, compiled
from roadstead.kernels.shortlist import shortlist


@compiled
def block_boxes(points: Real, order: Whole, size: int) -> tuple[Real, Real]:
    """For each axis, return the smallest and largest value in each block of `size` rows."""
    blocks = -(-order.size // size)
    low = np.full((blocks, points.shape[1]), np.inf)
    high = np.full((blocks, points.shape[1]), -np.inf)
    for at in range(order.size):
        for axis in range(points.shape[1]):
            value = points[order[at], axis]
            low[at // size, axis] = min(low[at // size, axis], value)
            high[at // size, axis] = max(high[at // size, axis], value)
    return low, high


@compiled
def nearest(  # noqa: C901, PLR0913, PLR0917 - loops of few lines within each other
    points: Real,
    order: Whole,
    size: int,
    low: Real,
    high: Real,
    first: int,
    last: int,
    number: int,
    most: int,
) -> Small:
    """For each row in some blocks, return the nearest other rows, sorted by distance.

    Parameters
    ----------
    points
        The position of each row, with the shape ``(rows, axes)``.
    order, size
        All rows, block by block, and the number of rows in each block.
    low, high
        The boxes of the blocks.
    first, last
        The first block of rows whose neighbors are needed, and the block after the last.
    number
        The number of rows to find for each row; it is less than the number of all rows.
    most
        The largest number of blocks to visit for a row, unless too few rows were found.

    Returns
    -------
    ndarray
        An array of shape ``(rows of these blocks, number)``, with rows in the order of `order`.
    """
    blocks, axes = low.shape
    begin, end = first * size, min(last * size, order.size)
    found = np.empty((end - begin, number), dtype=np.int32)
    best = np.empty(number)
    gaps = np.empty(blocks)
    for block in range(first, last):
        for other in range(blocks):
            gap = 0.0
            for axis in range(axes):
                gap += max(low[other, axis] - high[block, axis], 0.0)
                gap += max(low[block, axis] - high[other, axis], 0.0)
            gaps[other] = gap
        gaps[block] = -1.0
        turns = np.argsort(gaps, kind="mergesort")
        for at in range(block * size, min((block + 1) * size, end)):
            row, near, kept, looked = order[at], found[at - begin], 0, 0
            for other in turns:
                if kept == number and (gaps[other] >= best[number - 1] or looked >= most):
                    break
                if kept == number:
                    gap = 0.0
                    for axis in range(axes):
                        value = points[row, axis]
                        gap += max(low[other, axis] - value, 0.0)
                        gap += max(value - high[other, axis], 0.0)
                    if gap >= best[number - 1]:
                        continue
                looked += 1
                for there in range(other * size, min((other + 1) * size, order.size)):
                    distance = 0.0
                    for axis in range(axes):
                        distance += abs(points[row, axis] - points[order[there], axis])
                    full = kept == number
                    if there == at or (full and distance >= best[number - 1]):
                        continue
                    kept = shortlist(best, near, kept, number, distance, order[there])
    return found
