"""What l-diversity and beta-likeness ask of the values of each class.

Classes come as `histograms.class_histogram` gives them: the entries of class c are those from
``starts[c]`` up to ``starts[c + 1]``, each a value that occurs and its records.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.compiled import compiled


@compiled
def entropies(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Shannon entropy of each class, in nats; terms are all positive, so nothing cancels."""
    classes = starts.size - 1
    found = np.zeros(classes, np.float64)
    for c in range(classes):
        size = np.int64(0)
        for e in range(starts[c], starts[c + 1]):
            size += counts[e]
        total = 0.0
        for e in range(starts[c], starts[c + 1]):
            total += counts[e] * np.log(size / counts[e])
        if size > 0:
            found[c] = total / size
    return found


@compiled
def heads_and_tails(
    starts: NDArray[np.int64], counts: NDArray[np.int64], rank: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Records with the most frequent value of each class, and with the `rank`-th and all rarer.

    Ranks count from 1, by descending frequency.
    """
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
def fullest(
    starts: NDArray[np.int64],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    caps: NDArray[np.float64],
) -> NDArray[np.float64]:
    """How far the value nearest to its cap fills it, in each class: share / cap, at most.

    `caps` bound the share of each value.
    """
    classes = starts.size - 1
    found = np.zeros(classes, np.float64)
    for c in range(classes):
        size = np.int64(0)
        for e in range(starts[c], starts[c + 1]):
            size += counts[e]
        for e in range(starts[c], starts[c + 1]):
            found[c] = max(found[c], counts[e] / (caps[codes[e]] * size))
    return found


@compiled
def room_under_caps(
    starts: NDArray[np.int64], codes: NDArray[np.int32], caps: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sum of the caps of the values that occur in each class."""
    classes = starts.size - 1
    sums = np.zeros(classes, np.float64)
    for c in range(classes):
        for e in range(starts[c], starts[c + 1]):
            sums[c] += caps[codes[e]]
    return sums
