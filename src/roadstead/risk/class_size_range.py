"""Between what bounds the records of small classes are, whatever the sizes of the classes.

Let M(h) be how many classes of the population have h people. A sample is expected to have

    N(f) = sum over h of M(h) B(f; h, p)

classes of f records, and of its records so many are in classes of fewer than k people:

    T = sum over h < k of M(h) times the sum over f released of f B(f; h, p)

Both are linear in M. So the least and the largest T among all M >= 0 under which the N(f) are as
near to those seen as chance allows are two linear programs. Nothing is taken for granted of M,
hence the range is wide where p is small: many populations leave the same sample. Its lower end is
often 0, since classes of slightly more than k people could be in the place of those of fewer.

The N(f) may be two standard deviations off in each cell, small cells made one, and so may the
records of one sample be off T, to whose variance a class of f records adds its chance times f^2.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from roadstead.risk.class_size_law import Reals, SizeGrid

_DEVIATIONS = (2.0, 3.0, 4.0)
"""Taken in turn until there is any M that is so near to what was seen."""
_ENOUGH = 25
"""Classes of a cell; cells of fewer are made one with the next."""


def class_size_range(grid: SizeGrid, classes: Reals, records: Reals) -> tuple[float, float] | None:
    """Bound the released records whose class has fewer than k people.

    `classes` and `records` are those of the sample, and those released, in each cell of the grid.
    None where no law comes near to what was seen.
    """
    from scipy.optimize import linprog  # noqa: PLC0415 - heavy

    each = np.divide(records, classes, out=np.zeros_like(records), where=classes > 0)
    gain = np.where(grid.small, each @ grid.chances, 0.0)
    pooled, seen = _pooled(grid.chances, classes)
    scale = np.maximum(pooled.max(axis=0), 1e-300)
    rows = np.vstack([pooled, -pooled]) / scale
    squares = np.where(grid.small, (each * grid.seen[:-1]) @ grid.chances, 0.0)
    for deviations in _DEVIATIONS:
        slack = deviations * np.sqrt(seen + 1.0)
        limits = np.concatenate([seen + slack, -np.maximum(seen - slack, 0.0)])
        ends = []
        for sign in (1.0, -1.0):
            answer = linprog(sign * gain / scale, A_ub=rows, b_ub=limits, method="highs")
            if answer.status != 0:
                break
            numbers = np.maximum(answer.x, 0.0) / scale
            chance = deviations * sqrt(float(squares @ numbers))
            ends.append(max(float(gain @ numbers) - sign * chance, 0.0))
        else:
            return ends[0], ends[1]
    return None


def _pooled(chances: Reals, classes: Reals) -> tuple[Reals, Reals]:
    """Make cells of few classes one with those after them."""
    ends, held = [], 0.0
    for place, number in enumerate(classes):
        held += number
        if held >= _ENOUGH:
            ends.append(place + 1)
            held = 0.0
    ends = [*ends[:-1], classes.size] if ends and held else ends or [classes.size]
    starts = [0, *ends[:-1]]
    if ends[-1] != classes.size:  # what is beyond has no class, and says so
        starts.append(ends[-1])
    return np.add.reduceat(chances, starts), np.add.reduceat(classes, starts)
