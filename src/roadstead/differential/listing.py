"""Which cells of a histogram are listed: those whose noisy count reaches a threshold.

Nearly all cells are empty, and far too many to list. The empty cells that the noise raises to the
threshold are drawn directly. Which cells are listed follows from noisy counts alone.

Which of the listed counts should be believed? With a low threshold, many listed cells have no
record at all. A threshold that excludes all of them (`few_false`) also loses many cells with
records, and with them most rare values. A compromise comes from tests of many hypotheses (Benjamini
and Hochberg 1995, "Controlling the false discovery rate"): only a small share of the list may be
false (`believable`). Here the share counts records instead of cells, because a false cell with a
large count does more harm. The noisy counts themselves show how many records are listed at each
threshold. So the table is not used, and the choice costs no budget.
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
"""Maps the epsilon of the counts, and their number, to the smallest count that is kept."""


def one_deviation(epsilon: Fraction, tests: int) -> int:  # noqa: ARG001 - a threshold
    """Keep what exceeds one standard deviation of the noise, as the authors of paper 002 do."""
    return max(ceil(sqrt(2) / float(epsilon)), 1)


def few_false(epsilon: Fraction, tests: int) -> int:
    """Keep counts so large that, on average, at most half a combination without a record is kept.

    A count of only discrete Laplace noise reaches `t` with probability ``exp(-epsilon t) / (1 +
    exp(-epsilon))``, which must be at most ``1 / (2 tests)``. With few combinations, one deviation
    is larger and applies.
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
    """Count all cells with noise, including those without records, and list the large counts.

    `keys` are the cells with records, ascending, and `true` their counts; the grant pays for all
    `cells`. Returns the listed cells, their noisy counts, and the smallest count that is listed.
    """
    least = threshold(grant.each, cells)
    check_listable(grant, cells, least)
    noisy = mechanisms.count(grant, true)
    places, drawn = mechanisms.exceeding(grant, cells - keys.size, least)
    large = noisy >= least
    listed = np.concatenate((keys[large], skipping(keys, places)))
    return listed, np.concatenate((noisy[large], drawn)), least


def skipping(taken: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers at some places among the numbers that are not taken.

    `places`: ascending places, from 0, among 0, 1, 2, ... without the taken numbers.
    """
    free_before = taken - np.arange(taken.size)
    return places + np.searchsorted(free_before, places, side="right")


def believable(
    counts: NDArray[np.int64], cells: int, epsilon: float, false_share: float, least: int
) -> int:
    """Return the smallest threshold at which at most a share of the listed records is false.

    `counts`: the listed noisy counts, of any shape; 0 for unlisted cells. `least`: the threshold by
    which they were listed, at least 1; the result is not below it. The result is above all counts
    if none can be believed.
    """
    listed = np.sort(counts[counts >= least])[::-1]
    if not listed.size:
        return least
    # Among equal counts, the last one has all of them after it.
    thresholds, first_from_below = np.unique(listed[::-1], return_index=True)
    records = listed.sum() - np.concatenate(([0], np.cumsum(listed[::-1])))[first_from_below]
    false = expected_false_records(thresholds, cells, epsilon)
    good = np.flatnonzero(false <= false_share * records)
    return int(thresholds[good[0]]) if good.size else int(thresholds[-1]) + 1


def expected_false_records(
    thresholds: NDArray[np.int64], cells: int, epsilon: float
) -> NDArray[np.float64]:
    """Estimate how many records noise alone would list on average, if all cells were empty.

    At or above a threshold t of at least 1 they are ``cells x p`` cells with ``t + a / (1 - a)``
    records each, where ``a = exp(-epsilon)`` and ``p = a**t / (1 + a)`` (discrete Laplace noise).
    This is an upper bound of what noise really lists falsely.
    """
    ratio = exp(-epsilon)
    at_least = np.exp(-epsilon * thresholds) / (1 + ratio)
    on_average = thresholds + ratio / -np.expm1(-epsilon)
    false: NDArray[np.float64] = cells * at_least * on_average
    return false
