"""Use integer programs to find bounds on the number of records with each value in a class.

Combinatorial refinement (Chhillar, Righi, Sutter, Kornaropoulos, arXiv:2509.03350, 2025) assumes
that a local recoding has the lowest possible loss, and derives linear constraints on the
frequencies of values. Each bound is the optimum of an integer program. If the constraints
contradict each other, there is no bound.

*Quasi-identifiers.* Let n_v be the number of records with the combination v. The constraints are as
follows. The numbers n_v add up to the size of the class. Each child of a node has fewer than k
records. Each end of an interval has at least one record.
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
    """The smallest and the largest possible numbers of records with each value."""

    low: Counts = field(repr=False)
    high: Counts = field(repr=False)


def bounds_of_values(
    cells: Cells, attribute: int, groups: Sequence[Counts], records: int, k: int, *, intervals: bool
) -> CountBounds | None:
    """Find bounds on the number of records in a class with each value of an attribute.

    The bounds are in the order of the value codes. `cells` lists the combinations that can still
    occur in the class. For each attribute and cell, `groups` gives the child of the node, or the
    position on the axis.
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
    """Return the smallest and the largest value of each sum, or None if there is no solution."""
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
