"""Integer bounds: how many records of a class can have a value at all, given what is concluded.

Combinatorial refinement (Chhillar, Righi, Sutter, Kornaropoulos, arXiv:2509.03350, 2025) writes
down what a local recoding that loses as little as possible implies, as linear constraints on how
often each value occurs, and needs no other data. These are such constraints for classes of ours,
and each bound is the optimum of an integer program (SciPy's `milp`, which is HiGHS). A bound holds
for certain if the conclusions do; where they cannot all be true there is none.

n_v is how many records of the class have the combination v of those that are
left to it. They add up to the class. No child of a node has k of them. At either end of an interval
there is one at least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.recodings.regions import Cells
from roadstead.attacks.recodings.view import Reals

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class CountBounds:
    """Fewest and most records with each value; shape that of what was asked."""

    low: Counts = field(repr=False)
    high: Counts = field(repr=False)


def bounds_of_values(
    cells: Cells, attribute: int, groups: Sequence[Counts], records: int, k: int, *, intervals: bool
) -> CountBounds | None:
    """Bound the records of a class with each value of an attribute, by ascending code.

    `cells`: combinations that are left to the class. `groups`: of each attribute and cell the child
    of the node, or the place on the axis.
    """
    rows, low, high = [np.ones(cells.shape[1])], [float(records)], [float(records)]
    for own in groups:
        labels = np.unique(own)
        if labels.size == 1:
            continue
        for label in (labels[0], labels[-1]) if intervals else labels:
            rows.append((own == label).astype(np.float64))
            low.append(1.0 if intervals else 0.0)
            high.append(float(records) if intervals else float(k - 1))
    sums = [(cells[attribute] == value).astype(np.float64) for value in np.unique(cells[attribute])]
    most = np.full(cells.shape[1], float(records))
    return extremes(np.stack(sums), np.stack(rows), np.array(low), np.array(high), most)


def extremes(sums: Reals, rows: Reals, low: Reals, high: Reals, most: Reals) -> CountBounds | None:
    """Least and largest value of each of some sums over whole numbers; None if there are none."""
    from scipy.optimize import Bounds as Limits  # noqa: PLC0415 - heavy
    from scipy.optimize import LinearConstraint, milp  # noqa: PLC0415 - heavy

    constraint = LinearConstraint(rows, low, high)
    limits = Limits(np.zeros(most.size), most)
    whole = np.ones(most.size)
    ends = np.zeros((2, sums.shape[0]), dtype=np.int64)
    for at, own in enumerate(sums):
        for end, sign in enumerate((1.0, -1.0)):
            solved = milp(sign * own, integrality=whole, bounds=limits, constraints=constraint)
            if solved.x is None:
                return None
            ends[end, at] = round(sign * solved.fun)
    return CountBounds(ends[0], ends[1])
