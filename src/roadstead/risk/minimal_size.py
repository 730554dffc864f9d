"""The smallest class in a sample that represents at least k people in the population.

An attacker who searches for any person must choose among the F people in the population, not among
the f people in the sample. Paper 001 has three rules that decide from f and the sampling fraction p
whether F is at least k. Each rule reduces to a minimum class size k':

- *d2* requires that the individual risk E[1/F | f] is at most 1/k (Benedetti and Franconi,
  `individual_risk`).
- *d3* tests the hypothesis that the class has k people. The number of sampled records in such a
  class is approximately Poisson(p k). So k' is the smallest c with Pr(Poisson(p k) >= c) <=
  significance.
- *d4* is the same test for classes with at least one record. This test is stricter and never
  accepts a record that is unique in the sample. The paper recommends this rule.

None of the rules shows how many of the classes that pass have fewer than k people; see `below_k`.
The size k' is never above k, because f records of different people come from at least f people. The
paper's formulas for d3 and d4 are not legible. The formulas here follow the paper's description,
and d4 agrees with another implementation.
"""

from __future__ import annotations

from collections.abc import Callable
from math import expm1
from typing import Literal, TypeAlias

import numpy as np

from roadstead.errors import SettingError
from roadstead.risk.individual_risk import check_fraction, individual_risk

Estimator: TypeAlias = Literal["d2", "d3", "d4"]
"""The rule that decides whether a class in a sample has at least k people."""

_SMALLEST_K = 2
_MOST_SIGNIFICANCE = 0.5
"""The largest significance. Above this value, a test would more likely be wrong than right."""


def minimal_size(k: int, fraction: float, estimator: Estimator, significance: float = 0.1) -> int:
    """Return k', the smallest class size for which the estimator accepts at least k people.

    For d3 and d4, the significance is the largest accepted probability that a class of k people has
    k' or more records by chance. The significance must be above 0 and at most 0.5.
    """
    check_fraction(fraction)
    if k < _SMALLEST_K:
        raise SettingError(f"k is {k}, but must be at least {_SMALLEST_K}", fix="5 is usual")
    if not 0.0 < significance <= _MOST_SIGNIFICANCE:
        raise SettingError(
            f"the significance is {significance:g}, but must be above 0 and at most 0.5",
            fix="0.1 is usual",
        )
    if estimator == "d2":
        return _smallest(k, lambda c: _risk(c, fraction) <= 1.0 / k)
    if estimator == "d3":
        return _smallest(k, lambda c: _at_least(c, fraction * k) <= significance)
    if estimator == "d4":
        seen = -expm1(-fraction * k)
        return _smallest(k, lambda c: _at_least(c, fraction * k) <= significance * seen)
    raise SettingError(
        f"there is no estimator {estimator!r}", fix="use d2, d3, or d4; d4 is recommended"
    )


def _smallest(k: int, safe: Callable[[int], bool]) -> int:
    """Return the smallest safe size from 1 to k. All sizes above a safe size must be safe."""
    low, high = 1, k
    while low < high:
        middle = (low + high) // 2
        if safe(middle):
            high = middle
        else:
            low = middle + 1
    return high


def _risk(size: int, fraction: float) -> float:
    return float(individual_risk(np.array([size], dtype=np.int64), fraction)[0])


def _at_least(count: int, mean: float) -> float:
    """Return the probability of at least `count` events in a Poisson distribution."""
    from scipy.special import gammainc  # noqa: PLC0415 - heavy

    return float(gammainc(count, mean))
