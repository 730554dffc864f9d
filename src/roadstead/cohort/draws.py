"""Random draws by inverse cumulative weights, with the same bytes on every platform.

The tests check a hash of the cohort, so a draw must not use operations whose results differ in the
last bit between machines. Uniform numbers come from the generator's `random`. All further steps
add, multiply, and compare doubles in a fixed order. Sums are running sums, because the order of
additions in a pairwise or vectorized sum depends on the machine. Logarithms are not used.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


def running_sum(values: ArrayLike) -> Floats:
    """Add the flattened values from left to right, and return every partial sum."""
    return np.add.accumulate(np.asarray(values, dtype=np.float64).ravel())


def total(values: ArrayLike) -> float:
    """Add the values from left to right."""
    return float(running_sum(values)[-1])


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of weights. A draw selects a column in a row in proportion to the column's weight."""

    # Weights of 0 or more; the shape is (rows, columns). A drawn row has a positive sum.
    weights: Floats

    @cached_property
    def _edges(self) -> Floats:
        return np.concatenate([np.zeros(1), running_sum(self.weights)])

    def draw(self, uniform: Floats, rows: Indices | int = 0) -> Indices:
        """For each uniform number in [0, 1), select a column in the given row.

        One running sum covers all rows, so one binary search is enough.
        """
        width = self.weights.shape[1]
        starts = self._edges[np.multiply(rows, width)]
        ends = self._edges[np.multiply(np.add(rows, 1), width)]
        points = starts + uniform * (ends - starts)
        # Rounding may move a point to the upper end of its row, or past last columns of weight 0.
        points = np.minimum(points, np.nextafter(ends, starts))
        found = np.searchsorted(self._edges, points, side="right") - 1
        return np.asarray(found - np.multiply(rows, width), dtype=np.int64)
