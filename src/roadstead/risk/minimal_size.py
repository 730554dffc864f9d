"""The smallest class of a sample that represents at least k people of the population.

Only a sample is released. An attacker who looks for any person must choose among the F people of
the population, not among the f people of the sample. F is not known. Paper 001 has three rules that
decide from f and the sampling fraction p if F is at least k. With one fraction for all classes,
each rule reduces to a smallest class k':

- *d2*: the individual risk E[1/F | f] is at most 1/k (Benedetti and Franconi, `individual_risk`).
- *d3*: a statistical test. A sample has about Poisson(p k) records of a class of k people. If the
  probability of at least f records is at most the significance, the class has more people: k' is
  the smallest c with Pr(Poisson(p k) >= c) <= significance.
- *d4*: the same test, with the distribution of the classes that have at least one record, because a
  class without sampled people is never seen. This test is stricter, and never treats a record that
  is unique in the sample as safe. The paper recommends it.

None of the rules shows how many of the passing classes have fewer than k people. This number
depends on how many small classes exist (`below_k`).

If each of f records belongs to a different person, there are at least f people, so k' is never
above k. The paper's formulas for d3 and d4 are not readable. These formulas follow its description,
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
"""The rule that decides if a class of a sample has at least k people."""

_SMALLEST_K = 2
_MOST_SIGNIFICANCE = 0.5
"""Above this, the tests would accept statements that are more likely wrong than right."""


def minimal_size(k: int, fraction: float, estimator: Estimator, significance: float = 0.1) -> int:
    """Return the smallest class, k', that the estimator accepts as a class of at least k people.

    For d3 and d4, the significance is the largest accepted probability that a class of k people has
    so many records by chance: above 0 and at most 0.5.
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
    """Return the smallest safe size from 1 to k; k and all sizes above a safe size are safe."""
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
