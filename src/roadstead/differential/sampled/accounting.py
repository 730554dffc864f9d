"""Compute the class sizes that (epsilon, delta) requires for a generalized random sample.

Each record is drawn with probability beta, and classes of fewer than k drawn records are omitted
(Li, Qardaji and Su 2012; Bild, Kuhn and Prasser 2018, SafePub). An additional record changes the
distribution of one class of n records from Q = Binomial(n - 1, beta) to P = Binomial(n, beta):

    delta(n, k) = sum over j >= k, j > gamma n of P(j) - exp(epsilon) Q(j)

with gamma = 1 - (1 - beta) exp(-epsilon), and exp(epsilon) >= 1 / (1 - beta). k is the smallest
number for which delta(n, k) is at most delta, for all n. SafePub adds up P(j) alone; if `published`
is true, this module does the same. Chernoff's bound excludes large n.
docs/methods/generalized-samples.md has the derivation.

The module increases sums of floats by one part in 10**9, which exceeds any rounding error. The
probability beta is an integer multiple of 2**-64, so it is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, expm1, floor, isfinite, log

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError

_WORD = 1 << 64
_RAISED = 1.0 + 1e-9
_LESS = 1.0 - 1e-12
_FAR_BELOW = 1e-3
_LEAST_DELTA = 1e-200
"""The smallest allowed delta. Far below it, floats lose digits, and sums could be too small."""
_MOST_RECORDS = 20_000
"""The largest class size to check. An epsilon that requires a larger size is rejected."""


@dataclass(frozen=True)
class SamplingBudget:
    """An epsilon and a delta, with the resulting chance of a draw and the resulting class size.

    `drawn` is the chance in units of 2**-64.
    """

    epsilon: float
    delta: float
    drawn: int
    least: int

    @property
    def chance(self) -> Fraction:
        """The chance that a record is drawn."""
        return Fraction(self.drawn, _WORD)


@lru_cache(maxsize=64)
def sampling_budget(epsilon: float, delta: float, *, published: bool = False) -> SamplingBudget:
    """Return the budget with the largest chance and the smallest class size.

    If `published` is true, delta is computed in the same way as in SafePub. Raise a `SettingError`
    if epsilon or delta is invalid, or requires classes that are too large.
    """
    if not isfinite(epsilon) or epsilon <= 0.0:
        raise SettingError(f"epsilon is {epsilon}, but must be above 0", fix="a usual value is 1")
    if not _LEAST_DELTA <= delta < 1.0:
        raise SettingError(
            f"delta is {delta}, but must be at least {_LEAST_DELTA} and below 1",
            fix="use a number much smaller than 1 divided by the number of records, such as 1e-6",
        )
    drawn = largest_chance(epsilon)
    exceeded = deltas(epsilon, drawn / _WORD, delta, published=published)
    fits = np.flatnonzero(exceeded <= delta)
    return SamplingBudget(epsilon, delta, drawn, max(int(fits[0]), 2))


def largest_chance(epsilon: float | Fraction) -> int:
    """Return the largest chance for an epsilon, at most 1 - exp(-epsilon), in units of 2**-64."""
    return min(floor(-expm1(-float(epsilon)) * _LESS * _WORD), _WORD - 1)


def deltas(
    epsilon: float, chance: float, least: float, *, published: bool = False
) -> NDArray[np.float64]:
    """For each k from 0, return an upper bound on delta for classes of k or more records.

    The bounds are at most 1. The function checks classes up to the size above which delta is below
    a thousandth of `least`.
    """
    from scipy.stats import binom  # noqa: PLC0415 - heavy

    most = _largest_that_matters(epsilon, chance, least * _FAR_BELOW)
    found = np.full(most + 2, least * _FAR_BELOW)
    gamma = 1.0 - (1.0 - chance) * exp(-epsilon)
    for n in range(1, most + 1):
        first = max(floor(gamma * n * _LESS), 0)  # Starting too early adds nothing, or about 0.
        j = np.arange(first, n + 1)
        exceeds = binom.pmf(j, n, chance)
        if published:
            exceeds = np.where(j > gamma * n * _LESS, exceeds, 0.0)
        else:
            exceeds = np.maximum(exceeds - exp(epsilon) * binom.pmf(j, n - 1, chance), 0.0)
        from_k = np.cumsum(exceeds[::-1])[::-1] * _RAISED
        found[first : n + 1] = np.maximum(found[first : n + 1], from_k)
        found[:first] = np.maximum(found[:first], from_k[0])
    bounded: NDArray[np.float64] = np.minimum(found, 1.0)
    return bounded


def _largest_that_matters(epsilon: float, chance: float, least: float) -> int:
    """Return the class size above which Chernoff's bound is below `least`."""
    gamma = 1.0 - (1.0 - chance) * exp(-epsilon)
    rate = gamma * log(gamma / chance)
    if gamma < 1.0:
        rate += (1.0 - gamma) * log((1.0 - gamma) / (1.0 - chance))
    size = ceil(-log(least) / rate) + 1
    if size > _MOST_RECORDS:
        raise SettingError(
            f"epsilon {epsilon:g} requires groups of many thousands of records",
            fix=f"use a {'larger' if epsilon < 1.0 else 'smaller'} epsilon, for example, 1",
        )
    return size
