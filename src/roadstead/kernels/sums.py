"""Weighted sums over rows of what each attribute costs at each level."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.compiled import compiled


@compiled
def add_costs(
    rows: NDArray[np.uint32],
    counts: NDArray[np.int64],
    codes: NDArray[np.uint32],
    costs: NDArray[np.int64],
    offsets: NDArray[np.int64],
    heights: NDArray[np.int64],
    values: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Sum the cost of rows, for every attribute and level at once.

    Parameters
    ----------
    rows
        Indices of the rows to sum over.
    counts
        Records in each row of the table.
    codes
        Value codes, shape ``(attributes, rows of the table)``.
    costs
        Cost of every value code at every level, one run of values a level, flat.
    offsets
        Where the run of an attribute's level begins, shape ``(attributes, highest)``.
    heights, values
        Levels, and value codes, of each attribute.

    Returns
    -------
    numpy.ndarray
        Sums, shape ``(attributes, highest)``; zero above an attribute's height.
    """
    attributes, highest = offsets.shape
    sums = np.zeros((attributes, highest), np.int64)
    for i in range(attributes):
        if values[i] <= rows.size:  # count each value once, then price the values
            weights = np.zeros(values[i], np.int64)
            column = codes[i]
            for j in range(rows.size):
                weights[column[rows[j]]] += counts[rows[j]]
            for level in range(heights[i]):
                start = offsets[i, level]
                total = np.int64(0)
                for code in range(values[i]):
                    total += weights[code] * costs[start + code]
                sums[i, level] = total
        else:
            for j in range(rows.size):
                code = codes[i, rows[j]]
                for level in range(heights[i]):
                    sums[i, level] += counts[rows[j]] * costs[offsets[i, level] + code]
    return sums
