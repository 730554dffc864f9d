"""Weighted sums over rows of what each attribute costs at each level."""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Codes, Whole, compiled


@compiled
def add_costs(
    rows: Codes,
    counts: Whole,
    codes: Codes,
    costs: Whole,
    offsets: Whole,
    heights: Whole,
    values: Whole,
) -> Whole:
    """Sum the cost of rows, for every attribute and level at once; 0 above an attribute's height.

    `costs` has that of every value code at every level, one run of values a level, flat; `offsets`
    where the run of an attribute's level begins, shape ``(attributes, highest)``, as the answer.
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
