"""List the cells of a histogram that have a noisy count of at least a threshold.

Nearly all cells are empty, and there are far too many to list all of them. The module draws
directly which empty cells the noise raises to the threshold. Only the noisy counts decide which
cells are listed.

Not every listed count can be believed. With a low threshold, many listed cells do not have a record
at all. A threshold that excludes all such cells (`few_false`) also loses many cells with records,
including most rare values. There is a compromise, as in tests of many hypotheses (Benjamini and
Hochberg 1995, "Controlling the false discovery rate"): only a small share of the list may be false
(`believable`). Here the share refers to records instead of cells, because a false cell with a large
count does more harm. The noisy counts themselves show how many records are listed at each
threshold. So the choice does not use the table, and does not cost any budget.
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
"""Takes the epsilon of the counts and the number of counts. Returns the smallest count to keep."""


def one_deviation(epsilon: Fraction, tests: int) -> int:  # noqa: ARG001 - a threshold
    """Keep counts above one standard deviation of the noise, as the authors of paper 002 do."""
    return max(ceil(sqrt(2) / float(epsilon)), 1)


def few_false(epsilon: Fraction, tests: int) -> int:
    """Keep only large counts: on average, at most half a combination without a record is kept.

    A count that is only discrete Laplace noise reaches `t` with probability ``exp(-epsilon t) / (1
    + exp(-epsilon))``. This must be at most ``1 / (2 tests)``. If there are few combinations, one
    standard deviation is larger, and is used instead.
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

    `keys` are the cells with records, ascending, and `true` are their counts. The grant pays for
    all `cells`. Returns the listed cells, their noisy counts, and the threshold.
    """
    least = threshold(grant.each, cells)
    check_listable(grant, cells, least)
    noisy = mechanisms.count(grant, true)
    places, drawn = mechanisms.exceeding(grant, cells - keys.size, least)
    large = noisy >= least
    listed = np.concatenate((keys[large], skipping(keys, places)))
    return listed, np.concatenate((noisy[large], drawn)), least


def skipping(taken: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers at the given places, counted among the numbers that are not taken.

    `places`: ascending places, from 0, in the list 0, 1, 2, ... without the taken numbers.
    """
    free_before = taken - np.arange(taken.size)
    return places + np.searchsorted(free_before, places, side="right")


def believable(
    counts: NDArray[np.int64], cells: int, epsilon: float, false_share: float, least: int
) -> int:
    """Return the smallest threshold at which at most this share of the listed records is false.

    `counts`: the listed noisy counts, of any shape, with 0 for unlisted cells. `least`: the
    threshold of the list, at least 1. The result is not below it. If no count can be believed, the
    result is above all counts.
    """
    listed = np.sort(counts[counts >= least])[::-1]
    if not listed.size:
        return least
    # Take the first of equal counts in ascending order, so that all of them are included.
    thresholds, first_from_below = np.unique(listed[::-1], return_index=True)
    records = listed.sum() - np.concatenate(([0], np.cumsum(listed[::-1])))[first_from_below]
    false = expected_false_records(thresholds, cells, epsilon)
    good = np.flatnonzero(false <= false_share * records)
    return int(thresholds[good[0]]) if good.size else int(thresholds[-1]) + 1


def expected_false_records(
    thresholds: NDArray[np.int64], cells: int, epsilon: float
) -> NDArray[np.float64]:
    """Estimate the average number of records that noise alone would list if all cells were empty.

    At or above a threshold t of at least 1, noise lists ``cells x p`` cells with ``t + a / (1 -
    a)`` records each, where ``a = exp(-epsilon)`` and ``p = a**t / (1 + a)`` (discrete Laplace
    noise). This is an upper bound of the records that noise really lists falsely.
    """
    ratio = exp(-epsilon)
    at_least = np.exp(-epsilon * thresholds) / (1 + ratio)
    on_average = thresholds + ratio / -np.expm1(-epsilon)
    false: NDArray[np.float64] = cells * at_least * on_average
    return false
