"""List the cells of a histogram whose noisy counts reach a threshold.

Only the noisy counts decide which cells are listed. With a low threshold, many listed cells have no
record. With a high threshold (`few_false`), many cells that have records are not listed.
`believable` is a compromise: only a small share of the listed records may be false, as in tests of
many hypotheses (Benjamini and Hochberg 1995, "Controlling the false discovery rate").
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, exp, log, log1p, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Grant
from roadstead.differential.chance.mechanisms import Mechanisms, check_listable

Threshold: TypeAlias = Callable[[Fraction, int], int]
"""A function that returns the smallest count to keep.

The arguments are the epsilon of the counts and the number of counts.
"""


def one_deviation(epsilon: Fraction, tests: int) -> int:  # noqa: ARG001 - a threshold
    """Return a threshold of one standard deviation of the noise, as in paper 002."""
    return max(ceil(sqrt(2) / float(epsilon)), 1)


def few_false(epsilon: Fraction, tests: int) -> int:
    """Return a threshold at which, on average, at most 0.5 false combinations are kept.

    Discrete Laplace noise alone reaches the threshold `t` with probability ``exp(-epsilon t) / (1 +
    exp(-epsilon))``, which must be at most ``1 / (2 tests)``. The threshold is at least one
    standard deviation.
    """
    rate = float(epsilon)
    least = (log(2 * max(tests, 1)) - log1p(exp(-rate))) / rate
    return max(ceil(least), one_deviation(epsilon, tests))


def listed_cells(
    keys: NDArray[np.int64],
    true: NDArray[np.int64],
    cells: int,
    grant: Grant,
    threshold: Threshold,
    mechanisms: Mechanisms,
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Count all cells with noise, including cells without records, and list the large counts.

    `keys` lists the cells that have records, in ascending order, and `true` lists their counts. The
    grant pays for all `cells`. Return the listed cells, their noisy counts, and the threshold.
    """
    least = threshold(grant.each, cells)
    check_listable(grant, cells, least)
    noisy = mechanisms.count(grant, true)
    places, drawn = mechanisms.exceeding(grant, cells - keys.size, least)
    large = noisy >= least
    listed = np.concatenate((keys[large], skipping(keys, places)))
    return listed, np.concatenate((noisy[large], drawn)), least


def skipping(taken: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers at the given positions in the list of numbers that are not taken.

    `places` gives positions in ascending order, counted from 0, in the list 0, 1, 2, ... excluding
    the taken numbers.
    """
    free_before = taken - np.arange(taken.size)
    return places + np.searchsorted(free_before, places, side="right")


def believable(
    counts: NDArray[np.int64], cells: int, epsilon: float, false_share: float, least: int
) -> int:
    """Return the smallest threshold at which at most this share of the listed records is false.

    `counts` contains the listed noisy counts in any shape, and 0 for unlisted cells. `least` is the
    threshold of the list and is at least 1. The result is never below `least`. If no count is
    believable, the result exceeds all counts.
    """
    listed = np.sort(counts[counts >= least])[::-1]
    if not listed.size:
        return least
    # Use the first of equal counts in ascending order, so that all equal counts are included.
    thresholds, first_from_below = np.unique(listed[::-1], return_index=True)
    records = listed.sum() - np.concatenate(([0], np.cumsum(listed[::-1])))[first_from_below]
    false = expected_false_records(thresholds, cells, epsilon)
    good = np.flatnonzero(false <= false_share * records)
    return int(thresholds[good[0]]) if good.size else int(thresholds[-1]) + 1


def expected_false_records(
    thresholds: NDArray[np.int64], cells: int, epsilon: float
) -> NDArray[np.float64]:
    """Estimate the number of records that noise alone would list if all cells were empty.

    If the threshold t is at least 1, noise lists ``cells x p`` cells with ``t + a / (1 - a)``
    records each, where ``a = exp(-epsilon)`` and ``p = a**t / (1 + a)`` (discrete Laplace noise).
    The result is an upper bound on the number of false records.
    """
    ratio = exp(-epsilon)
    at_least = np.exp(-epsilon * thresholds) / (1 + ratio)
    on_average = thresholds + ratio / -np.expm1(-epsilon)
    false: NDArray[np.float64] = cells * at_least * on_average
    return false
