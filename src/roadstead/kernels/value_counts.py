"""Count the values of each attribute in some rows, and compute weighted sums of the counts.

Counts are whole numbers, and are added in the order of the codes. As a result, a sum depends only
on the counted rows, and not on the order in which a search visited them. The counts of all
attributes are in one flat array, one attribute after another.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.compiled import Codes, Real, Whole, compiled


@compiled
def count_values(rows: Codes, counts: Whole, codes: Codes, starts: Whole) -> Whole:
    """Count the records of rows by value, where the values of each attribute begin at `starts`."""
    found = np.zeros(starts[-1], np.int64)
    for i in range(codes.shape[0]):
        column, start = codes[i], starts[i]
        for j in range(rows.size):
            found[start + column[rows[j]]] += counts[rows[j]]
    return found


@compiled
def label_logs(found: Whole, starts: Whole, lookups: Codes, offsets: Whole, labels: Whole) -> Real:
    """For every attribute and level, return the sum of n ln n over labels with n records.

    `lookups` gives the label of every value code at every level, with one run of values per level,
    in one flat array. `offsets` gives the indices at which the runs begin, and `labels` gives the
    numbers of labels, both with the shape ``(attributes, highest)``.
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
    found: Whole, starts: Whole, weights: Real, offsets: Whole, heights: Whole
) -> Real:
    """For every attribute and each of its levels, return the sum of counts times weights.

    `weights` gives the weight of every value code at every level, arranged like `lookups` in
    `label_logs`.
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
    """Sum the cost of rows for every attribute and level at once.

    `costs` gives the cost of every value code at every level, with one run of values per level, in
    one flat array. `offsets` gives the index at which each run begins. `offsets` and the result
    have the shape ``(attributes, highest)``. Above the height of an attribute, the result is 0.
    """
    attributes, highest = offsets.shape
    sums = np.zeros((attributes, highest), np.int64)
    for i in range(attributes):
        if values[i] <= rows.size:  # count each value once, and then price the values
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


MOST_CUT = 9 * 10**13
"""The largest divisor for which `cut_shares` does not exceed a 64-bit integer."""
_FIVE_DIGITS = np.int64(10**5)


@compiled
def cut_shares(parts: NDArray[np.int64], wholes: Whole) -> NDArray[np.float64]:
    """Divide the parts of each row by the row's whole, and truncate the shares to ten decimals."""
    found = np.empty(parts.shape, np.float64)
    for i in range(parts.shape[0]):
        whole = wholes[i]
        for j in range(parts.shape[1]):
            digits, left = parts[i, j] // whole, parts[i, j] % whole
            for _ in range(2):
                left *= _FIVE_DIGITS
                digits = digits * _FIVE_DIGITS + left // whole
                left %= whole
            found[i, j] = digits / 1e10
    return found
