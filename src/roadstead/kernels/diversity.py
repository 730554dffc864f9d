"""What l-diversity and beta-likeness ask of the values of each class.

Classes come as `histograms.class_histogram` gives them: the entries of class c are those from
``starts[c]`` up to ``starts[c + 1]``, each a value that occurs and its records.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Real, Small, Whole, compiled


@compiled
def entropies(starts: Whole, counts: Whole) -> Real:
    """Shannon entropy of each class, in nats; terms are all positive, so nothing cancels."""
    classes = starts.size - 1
    found = np.zeros(classes, np.float64)
    for c in range(classes):
        size = counts[starts[c] : starts[c + 1]].sum()
        total = 0.0
        for e in range(starts[c], starts[c + 1]):
            total += counts[e] * np.log(size / counts[e])
        if size > 0:
            found[c] = total / size
    return found


@compiled
def heads_and_tails(starts: Whole, counts: Whole, rank: int) -> tuple[Whole, Whole]:
    """Records of each class's most frequent value, and of the `rank`-th (from 1) and rarer ones."""
    classes = starts.size - 1
    heads = np.zeros(classes, np.int64)
    tails = np.zeros(classes, np.int64)
    for c in range(classes):
        first, last = starts[c], starts[c + 1]
        for e in range(first, last):
            heads[c] = max(heads[c], counts[e])
        if last - first >= rank:
            ascending = np.sort(counts[first:last])
            for i in range(last - first - rank + 1):
                tails[c] += ascending[i]
    return heads, tails


@compiled
def fullest(starts: Whole, codes: Small, counts: Whole, caps: Real) -> Real:
    """Fill of the value nearest to its cap on shares, in each class: share / cap, at most."""
    classes = starts.size - 1
    found = np.zeros(classes, np.float64)
    for c in range(classes):
        size = counts[starts[c] : starts[c + 1]].sum()
        for e in range(starts[c], starts[c + 1]):
            found[c] = max(found[c], counts[e] / (caps[codes[e]] * size))
    return found


@compiled
def room_under_caps(starts: Whole, codes: Small, caps: Real) -> Real:
    """Sum of the caps of the values that occur in each class."""
    classes = starts.size - 1
    sums = np.zeros(classes, np.float64)
    for c in range(classes):
        for e in range(starts[c], starts[c + 1]):
            sums[c] += caps[codes[e]]
    return sums
