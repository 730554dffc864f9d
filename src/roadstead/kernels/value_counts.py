"""How often each value of each attribute occurs in some rows, and sums over such counts.

Counts are whole numbers and are added up in the order of the codes. So a sum depends on which rows
were counted, and not on the order in which a search came to them.

Counts of all attributes lie one after the other in one flat array, and so do the arrays that say
something of every value at every level.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.compiled import compiled


@compiled
def count_values(
    rows: NDArray[np.uint32],
    counts: NDArray[np.int64],
    codes: NDArray[np.uint32],
    starts: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Count the records of rows by their values.

    Parameters
    ----------
    rows
        Indices of the rows.
    counts
        Records in each row of the table.
    codes
        Value codes, shape ``(attributes, rows of the table)``.
    starts
        Where the counts of each attribute begin, and where the last ones end.
    """
    found = np.zeros(starts[-1], np.int64)
    for i in range(codes.shape[0]):
        column, start = codes[i], starts[i]
        for j in range(rows.size):
            found[start + column[rows[j]]] += counts[rows[j]]
    return found


@compiled
def label_logs(
    found: NDArray[np.int64],
    starts: NDArray[np.int64],
    lookups: NDArray[np.uint32],
    offsets: NDArray[np.int64],
    labels: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Sum n ln n over the labels of every attribute and level, where n records have the label.

    Parameters
    ----------
    found, starts
        Counts of values, as `count_values` returns them.
    lookups
        Label of every value code at every level, one run of values a level, flat.
    offsets
        Where the run of an attribute's level begins, shape ``(attributes, highest)``.
    labels
        How many labels there are, in the same shape; 0 above an attribute's height.

    Returns
    -------
    numpy.ndarray
        Sums, shape ``(attributes, highest)``; zero above an attribute's height.
    """
    attributes, highest = offsets.shape
    sums = np.zeros((attributes, highest), np.float64)
    for i in range(attributes):
        for level in range(highest):
            totals = np.zeros(labels[i, level], np.int64)
            if totals.size == 0:
                continue
            run = offsets[i, level]
            for code in range(starts[i + 1] - starts[i]):
                totals[lookups[run + code]] += found[starts[i] + code]
            total = 0.0
            for label in range(totals.size):
                n = totals[label]
                if n > 1:
                    total += n * np.log(np.float64(n))
            sums[i, level] = total
    return sums


@compiled
def weigh_values(
    found: NDArray[np.int64],
    starts: NDArray[np.int64],
    weights: NDArray[np.float64],
    offsets: NDArray[np.int64],
    heights: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Sum counts times weights, for every attribute and level.

    Parameters
    ----------
    found, starts
        Counts of values, as `count_values` returns them.
    weights
        Weight of every value code at every level, one run of values a level, flat.
    offsets
        Where the run of an attribute's level begins, shape ``(attributes, highest)``.
    heights
        Levels of each attribute.

    Returns
    -------
    numpy.ndarray
        Sums, shape ``(attributes, highest)``; zero above an attribute's height.
    """
    attributes, highest = offsets.shape
    sums = np.zeros((attributes, highest), np.float64)
    for i in range(attributes):
        for level in range(heights[i]):
            run = offsets[i, level]
            total = 0.0
            for code in range(starts[i + 1] - starts[i]):
                total += found[starts[i] + code] * weights[run + code]
            sums[i, level] = total
    return sums
