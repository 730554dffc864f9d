"""How large a noisy count must be so that few of the listed records are nothing but noise.

Which noisy counts of a histogram should be believed? With a low threshold many cells are listed
that have no record at all. With one that keeps all of those out (`few_false`) many cells with
records are lost too, and with them most of what is rare. In between one can ask, as in tests of
many hypotheses (Benjamini and Hochberg 1995, "Controlling the false discovery rate"), that only a
small share of what is listed be false. Here records are counted and not cells: a false cell with a
large count does more harm.

If all cells were empty, noise would list, at or above a threshold t, ``cells x p`` of them with
``t + a / (1 - a)`` records each on the average, where ``a = exp(-epsilon)`` and
``p = a**t / (1 + a)`` (discrete Laplace noise). That is at most what it lists falsely in truth. How
many records are listed at each threshold is known from the noisy counts themselves. So nothing is
read off the table, and it costs no budget.
"""

from __future__ import annotations

from math import exp

import numpy as np
from numpy.typing import NDArray


def believable(
    counts: NDArray[np.int64], cells: int, epsilon: float, false_share: float, least: int
) -> int:
    """Find the least threshold at which at most a share of the listed records is false.

    `counts`: the noisy counts that were listed, of any shape; 0 where a cell was not. `least`: the
    threshold they were listed by, at least 1; the result is not below. Returns the threshold. It
    lies above all counts if none can be believed.
    """
    listed = np.sort(counts[counts >= least])[::-1]
    if not listed.size:
        return least
    # Of equal counts the last one has all of them behind it.
    thresholds, first_from_below = np.unique(listed[::-1], return_index=True)
    records = listed.sum() - np.concatenate(([0], np.cumsum(listed[::-1])))[first_from_below]
    false = expected_false_records(thresholds, cells, epsilon)
    good = np.flatnonzero(false <= false_share * records)
    return int(thresholds[good[0]]) if good.size else int(thresholds[-1]) + 1


def expected_false_records(
    thresholds: NDArray[np.int64], cells: int, epsilon: float
) -> NDArray[np.float64]:
    """Estimate how many records noise alone would list in empty cells, on the average.

    `thresholds`: least counts that are listed, at least 1. Returns one for each threshold.
    """
    ratio = exp(-epsilon)
    at_least = np.exp(-epsilon * thresholds) / (1 + ratio)
    on_average = thresholds + ratio / -np.expm1(-epsilon)
    false: NDArray[np.float64] = cells * at_least * on_average
    return false
