"""Split rows into boxes recursively until no box can be split.

A cut is between two places of an axis, and each side has at least a given number of records. The
best cut is either the cut nearest to the median (Mondrian), or the cut with the lowest loss. If
rows are sorted along an axis, one pass finds the smallest box before each possible cut, and another
pass finds the smallest box after each possible cut.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Real, Small, Whole, compiled

MEDIAN, LOSS = 0, 1
"""The rules by which cuts are chosen."""


@compiled
def cuts(points: Real, weights: Whole, rows: Whole, least: int, rule: int) -> tuple[Small, Real]:
    """Return the best cut of some rows along each axis, and the badness of the cut.

    A cut is given by the number of rows before it in the order of the axis, or -1 if there is no
    cut. A lower badness is better. With the median rule, the widest axis is best. Otherwise, the
    cut with the lowest loss is best. The future loss of a side of n records is estimated as the
    width of its box, divided by log2(1 + n / least), because the side will be split further.
    """
    axes = points.shape[1]
    front = np.full(axes, -1, dtype=np.int32)
    badness = np.full(axes, np.inf)
    for axis in range(axes):
        along = points[rows, axis]
        width = along.max() - along.min()
        if width > 0.0:
            order = rows[np.argsort(along, kind="mergesort")]
            if rule == MEDIAN:
                front[axis] = nearest_to_median(points, weights, order, axis, least)
                if front[axis] > 0:
                    badness[axis] = -width
            else:
                front[axis], badness[axis] = cheapest(points, weights, order, axis, least)
    return front, badness


@compiled
def nearest_to_median(points: Real, weights: Whole, order: Whole, axis: int, least: int) -> int:
    """For sorted rows, return the cut nearest to the median, or -1 if a side would be too small."""
    total = weights[order].sum()
    best, off, before = -1, np.inf, 0
    for at in range(1, order.size):
        before += weights[order[at - 1]]
        fits = before >= least and total - before >= least
        if fits and points[order[at], axis] > points[order[at - 1], axis]:
            distance = abs(before - total / 2)
            if distance < off:
                best, off = at, distance
    return best


@compiled
def cheapest(
    points: Real, weights: Whole, order: Whole, axis: int, least: int
) -> tuple[int, float]:
    """For sorted rows, return the cut with the lowest loss (-1 if there is none), and the loss."""
    number, total = order.size, weights[order].sum()
    after = np.empty(number)
    low, high = points[order[number - 1]].copy(), points[order[number - 1]].copy()
    width = 0.0
    for at in range(number - 1, -1, -1):
        width += grown(points, order[at], low, high)
        after[at] = width
    low, high = points[order[0]].copy(), points[order[0]].copy()
    best, loss, before, width = -1, np.inf, 0, 0.0
    for at in range(1, number):
        before += weights[order[at - 1]]
        width += grown(points, order[at - 1], low, high)
        behind = total - before
        fits = before >= least and behind >= least
        if fits and points[order[at], axis] > points[order[at - 1], axis]:
            found = before * width / np.log2(1.0 + before / least)
            found += behind * after[at] / np.log2(1.0 + behind / least)
            if found < loss:
                best, loss = at, found
    return best, loss


@compiled
def grown(points: Real, row: int, low: Real, high: Real) -> float:
    """Grow a box to include a row, and return the increase in its width."""
    wider = 0.0
    for axis in range(low.size):
        value = points[row, axis]
        if value < low[axis]:
            wider += low[axis] - value
            low[axis] = value
        elif value > high[axis]:
            wider += value - high[axis]
            high[axis] = value
    return wider


@compiled
def split(points: Real, weights: Whole, least: int, rule: int) -> Small:
    """Return the box of each row after all splits; nearby boxes have similar numbers."""
    number = points.shape[0]
    rows = np.arange(number)
    boxes = np.full(number, -1, dtype=np.int32)
    starts, ends = np.zeros(number + 2, dtype=np.int64), np.zeros(number + 2, dtype=np.int64)
    ends[0] = number
    left, made = 1, 0
    while left > 0:
        left -= 1
        start, end = starts[left], ends[left]
        inside = rows[start:end].copy()
        axis = -1
        if inside.size > 1 and weights[inside].sum() >= 2 * least:
            front, badness = cuts(points, weights, inside, least, rule)
            axis = int(np.argmin(badness))
            if front[axis] < 0:
                axis = -1
        if axis < 0:
            boxes[inside] = made
            made += 1
            continue
        rows[start:end] = inside[np.argsort(points[inside, axis], kind="mergesort")]
        middle = start + front[axis]
        starts[left], ends[left] = middle, end
        starts[left + 1], ends[left + 1] = start, middle
        left += 2
    return boxes
