"""Which cells of a histogram are listed: those whose noisy count reaches a threshold.

Nearly all cells are empty and there are far too many to list, so those among them that the noise
lifts to the threshold are drawn directly. Which cells are listed follows from noisy counts alone.
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
    least = threshold(grant.epsilon, cells)
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
    skipped: NDArray[np.int64] = places + np.searchsorted(free_before, places, side="right")
    return skipped
