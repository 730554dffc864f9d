"""Which cells of a histogram are listed: those whose noisy count reaches a threshold.

Nearly all cells are empty and there are far too many to list, so those among them that the noise
lifts to the threshold are drawn directly. Which cells are listed follows from noisy counts alone.

Which of the listed counts should be believed? With a low threshold many cells are listed that have
no record at all. With one that keeps all of those out (`few_false`) many cells with records are
lost too, and with them most of what is rare. In between one can ask, as in tests of many hypotheses
(Benjamini and Hochberg 1995, "Controlling the false discovery rate"), that only a small share of
what is listed be false (`believable`). Here records are counted and not cells: a false cell with a
large count does more harm. How many records are listed at each threshold is known from the noisy
counts themselves. So nothing is read off the table, and it costs no budget.
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
"""From the epsilon of the counts, and how many there are, to the least count that is kept."""


def one_deviation(epsilon: Fraction, tests: int) -> int:  # noqa: ARG001 - a threshold
    """Keep what exceeds one standard deviation of the noise, as the authors of paper 002 do."""
    return max(ceil(sqrt(2) / float(epsilon)), 1)


def few_false(epsilon: Fraction, tests: int) -> int:
    """Keep so much that half a combination without a record is kept, on the average, or less.

    A count of nothing but discrete Laplace noise reaches `t` with probability
    ``exp(-epsilon t) / (1 + exp(-epsilon))``, which is to be ``1 / (2 tests)`` or less. With few
    combinations one deviation is the larger.
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
    """Count all cells with noise, those without records too, and list the large ones.

    `keys` are the cells with records, ascending, and `true` their counts; the grant pays for all
    `cells`. Returns the listed cells, their noisy counts, and the least count that is listed.
    """
    least = threshold(grant.each, cells)
    check_listable(grant, cells, least)
    noisy = mechanisms.count(grant, true)
    places, drawn = mechanisms.exceeding(grant, cells - keys.size, least)
    large = noisy >= least
    listed = np.concatenate((keys[large], skipping(keys, places)))
    return listed, np.concatenate((noisy[large], drawn)), least


def skipping(taken: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the numbers at some places among the numbers that are not taken.

    `places`: ascending places, from 0, among 0, 1, 2, ... without the taken ones.
    """
    free_before = taken - np.arange(taken.size)
    return places + np.searchsorted(free_before, places, side="right")


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
    """Estimate how many records noise alone would list, were all cells empty, on the average.

    At or above a threshold t of at least 1 they are ``cells x p`` cells with ``t + a / (1 - a)``
    records each, where ``a = exp(-epsilon)`` and ``p = a**t / (1 + a)`` (discrete Laplace noise).
    That is at most what noise lists falsely in truth.
    """
    ratio = exp(-epsilon)
    at_least = np.exp(-epsilon * thresholds) / (1 + ratio)
    on_average = thresholds + ratio / -np.expm1(-epsilon)
    false: NDArray[np.float64] = cells * at_least * on_average
    return false
