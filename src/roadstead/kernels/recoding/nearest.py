"""The rows nearest to each row, where the distance is the width of the smallest box of two.

Rows stand in blocks, each of rows near each other. A block whose box is farther from a row than the
rows already found has none that is nearer, and is passed over. With many axes few blocks are; then
the search ends after so many blocks, the nearest ones, and what is found is nearly the nearest.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Real, Small, Whole, compiled


@compiled
def block_boxes(points: Real, order: Whole, size: int) -> tuple[Real, Real]:
    """Least and greatest values, by axis, of each block of `size` rows in an order of rows."""
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
def nearest(  # noqa: C901, PLR0912, PLR0913, PLR0917 - loops of few lines within each other
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
    """Nearest other rows of the rows in the blocks from `first` up to `last`.

    They stand in ascending order of distance; `order` has all rows, block by block, and `low` and
    `high` the blocks' boxes. There are more rows than `number`. At most `most` blocks are looked
    into for a row, and more only until enough rows are found. The answer's rows are those of
    `order`; its shape is ``(rows of these blocks, number)``.
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
            row, kept, looked = order[at], 0, 0
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
                    place = number - 1 if full else kept
                    while place > 0 and best[place - 1] > distance:
                        best[place] = best[place - 1]
                        found[at - begin, place] = found[at - begin, place - 1]
                        place -= 1
                    best[place] = distance
                    found[at - begin, place] = order[there]
                    kept = min(kept + 1, number)
    return found
