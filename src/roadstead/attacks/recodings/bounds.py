"""Integer bounds: how many records of a class can have a value at all, given what is concluded.

Combinatorial refinement (Chhillar, Righi, Sutter, Kornaropoulos, arXiv:2509.03350, 2025) writes
down what a local recoding that loses as little as possible implies, as linear constraints on how
often each value occurs, and needs no other data. These are such constraints for classes of ours,
and each bound is the optimum of an integer program (SciPy's `milp`, which is HiGHS). A bound holds
for certain if the conclusions do; where they cannot all be true there is none.

*Quasi-identifiers.* n_v is how many records of the class have the combination v of those that are
left to it. They add up to the class. No child of a node has k of them. At either end of an interval
there is one at least.

*Sensitive values.* x_rs is how many records of row r, whose quasi-identifiers are known, have value
s. They add up to the records of the row and to those of the value in the class. A group that was
refused has less than l values: z_gs says whether it has s.
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


def bounds_of_sensitive(
    records: Counts, totals: Counts, refused: Sequence[NDArray[np.bool_]], least: int
) -> CountBounds | None:
    """Bound how many records of each row have each sensitive value; shape ``(rows, values)``.

    `records` of each row of a class, `totals` of each value in it, `refused`: flags of the rows of
    each group that has fewer than `least` values.
    """
    number, values = records.size, totals.size
    wide = number * values
    total = wide + len(refused) * values
    rows, low, high = [], [], []

    def add(entries: dict[int, float], least_sum: float, most_sum: float) -> None:
        row = np.zeros(total)
        for place, factor in entries.items():
            row[place] = factor
        rows.append(row)
        low.append(least_sum)
        high.append(most_sum)

    for r, of_row in enumerate(records.tolist()):
        add({r * values + s: 1.0 for s in range(values)}, of_row, of_row)
    for s, of_value in enumerate(totals.tolist()):
        add({r * values + s: 1.0 for r in range(number)}, of_value, of_value)
    for g, flags in enumerate(refused):
        first = wide + g * values
        add({first + s: 1.0 for s in range(values)}, 0.0, least - 1.0)
        for r in np.flatnonzero(flags).tolist():
            for s in range(values):
                room = float(min(records[r], totals[s]))
                add({r * values + s: 1.0, first + s: -room}, -np.inf, 0.0)
    most = np.concatenate(
        [np.minimum.outer(records, totals).reshape(-1), np.ones(total - wide)]
    ).astype(np.float64)
    found = extremes(np.eye(wide, total), np.stack(rows), np.array(low), np.array(high), most)
    if found is None:
        return None
    return CountBounds(found.low.reshape(number, values), found.high.reshape(number, values))


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
