"""Pearson's chi-square test of counts against probabilities, with a tiny rate of false alarms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chisquare

HARDLY_EVER = 1e-7
"""How often a right sampler is called wrong."""

_ENOUGH = 50
"""Expected hits from which the distribution of chi-square is near enough."""


def fits(counts: Sequence[int] | NDArray[np.int64], probabilities: Sequence[float]) -> bool:
    """Say whether counts of outcomes are plausible under these probabilities.

    Rare outcomes are combined.

    Parameters
    ----------
    counts
        Number of occurrences of each outcome.
    probabilities
        Probabilities of the same outcomes; they add up to 1.
    """
    assert len(counts) == len(probabilities)
    assert abs(sum(probabilities) - 1) < 1e-9
    runs = int(np.sum(counts))
    bins: list[tuple[float, int]] = []
    expected, observed = 0.0, 0
    for probability, count in sorted(zip(probabilities, counts, strict=True)):
        expected += probability * runs
        observed += int(count)
        if expected >= _ENOUGH:
            bins.append((expected, observed))
            expected, observed = 0.0, 0
    assert len(bins) > 1
    bins[-1] = (bins[-1][0] + expected, bins[-1][1] + observed)
    return bool(chisquare([b for _, b in bins], [a for a, _ in bins]).pvalue > HARDLY_EVER)


def geometric_probabilities(base: float, terms: int) -> list[float]:
    """Give the probabilities of 0 to ``terms`` - 1, and of more, with Pr(n or more) = base**n."""
    return [base**n * (1 - base) for n in range(terms)] + [base**terms]


def tally(numbers: NDArray[np.int64], terms: int) -> NDArray[np.int64]:
    """Count the numbers 0 to ``terms`` - 1, and all larger ones together."""
    return np.bincount(np.minimum(numbers, terms), minlength=terms + 1)
