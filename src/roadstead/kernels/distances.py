"""Compute the earth mover's distance between each class and the whole table.

The distance compares the distribution of values in a class with the distribution in the whole
table. Classes are given in the form that `histograms.class_histogram` returns. Differences of
shares are computed exactly, as whole numbers (up to 3e9 records), and only numbers of the same sign
are added as floats. As a result, the distance of equal distributions is exactly 0. Each distance
has a lower bound that depends only on the values in the class.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Real, Small, Whole, compiled


@compiled
def tree_distances(
    starts: Whole, codes: Small, counts: Whole, labels: Small, masses: Whole
) -> Real:
    """For each class, return the total variation of labels (mean over the levels below the top).

    The result is between 0 and 1. `labels` gives the label of every value, with the shape ``(levels
    below the top, values)``. `masses` has the shape ``(levels below the top, labels)``, and counts
    the records of the whole table with each label. Shorter rows of `masses` are padded with zeros.
    """
    classes, levels = starts.size - 1, labels.shape[0]
    found = np.zeros(classes, np.float64)
    if levels == 0 or classes == 0:
        return found
    whole = masses[0].sum()
    share = np.zeros(masses.shape[1], np.int64)
    for c in range(classes):
        size = counts[starts[c] : starts[c + 1]].sum()
        total = 0.0
        for level in range(levels):
            for e in range(starts[c], starts[c + 1]):
                share[labels[level, codes[e]]] += counts[e]
            for e in range(starts[c], starts[c + 1]):
                label = labels[level, codes[e]]
                excess = share[label] * whole - masses[level, label] * size
                if share[label] > 0 and excess > 0:
                    total += excess
                share[label] = 0
        if size > 0:
            found[c] = total / (float(levels) * size * whole)
    return found


@compiled
def tree_lower_bounds(starts: Whole, codes: Small, labels: Small, masses: Whole) -> Real:
    """For each class, return the share of the table with other labels, as a mean over levels."""
    classes, levels = starts.size - 1, labels.shape[0]
    found = np.zeros(classes, np.float64)
    if levels == 0 or classes == 0:
        return found
    whole = masses[0].sum()
    seen = np.full(masses.shape[1], -1, np.int64)
    for c in range(classes):
        missing = levels * whole
        for level in range(levels):
            stamp = np.int64(c) * levels + level
            for e in range(starts[c], starts[c + 1]):
                label = labels[level, codes[e]]
                if seen[label] != stamp:
                    seen[label] = stamp
                    missing -= masses[level, label]
        found[c] = missing / (float(levels) * whole)
    return found


@compiled
def line_distances(starts: Whole, codes: Small, counts: Whole, below: Whole, sums: Whole) -> Real:
    """Return the area, from 0 to 1, between the cumulative distributions of a class and the table.

    Neighboring values are one step apart. `below` counts the records of the whole table with each
    value or a lower value. `sums` contains the cumulative sums of these counts before each value.
    Between two values of a class, the cumulative count of the class is constant. Therefore,
    bisection finds the point where the curves cross, and `sums` gives the area on each side.
    """
    classes, steps = starts.size - 1, below.size - 1
    found = np.zeros(classes, np.float64)
    if steps < 1:
        return found
    whole = below[steps]
    for c in range(classes):
        size = counts[starts[c] : starts[c + 1]].sum()
        total, have, a = 0.0, np.int64(0), 0
        for e in range(starts[c], starts[c + 1] + 1):
            b = codes[e] if e < starts[c + 1] else steps
            level = have * whole
            low, high = a, b
            while low < high:  # find the first place where the whole table is ahead
                middle = (low + high) // 2
                if below[middle] * size > level:
                    high = middle
                else:
                    low = middle + 1
            # Both products are whole numbers that are rounded once, so equal products cancel to 0.
            ahead = float((low - a) * have) * whole - float(sums[low] - sums[a]) * size
            behind = float(sums[b] - sums[low]) * size - float((b - low) * have) * whole
            total += max(ahead, 0.0) + max(behind, 0.0)
            if e < starts[c + 1]:
                have += counts[e]
                a = b
        if size > 0:
            found[c] = total / (float(steps) * size * whole)
    return found


@compiled
def line_lower_bounds(starts: Whole, codes: Small, masses: Whole, moments: Whole) -> Real:
    """Return the mean distance from the table's records to the nearest value in each class.

    `masses` counts the records of the whole table before each value, and `moments` contains the
    sums of the positions of these records. The last entry of each array is the total.
    """
    classes, steps = starts.size - 1, masses.size - 2
    found = np.zeros(classes, np.float64)
    if steps < 1:
        return found
    whole = masses[steps + 1]
    for c in range(classes):
        first, last = starts[c], starts[c + 1]
        if first == last:
            continue
        a = np.int64(codes[first])
        way = a * masses[a] - moments[a]
        for e in range(first + 1, last):
            b = np.int64(codes[e])
            half = (a + b) // 2 + 1
            way += moments[half] - moments[a] - a * (masses[half] - masses[a])
            way += b * (masses[b] - masses[half]) - (moments[b] - moments[half])
            a = b
        way += moments[steps + 1] - moments[a] - a * (whole - masses[a])
        found[c] = way / (float(steps) * whole)
    return found
