"""Pitman's model describes how new classes occur when more people are counted.

The first person is in a new class. When n people are in u classes, the next person joins a class of
f people with probability (f - alpha) / (theta + n), and a new class with probability (theta + u
alpha) / (theta + n). A simple random sample follows the same model as its population. So theta and
alpha are estimated from the sample by maximum likelihood (Pitman 1995; Hoshino 2001):

    L = sum over i < u of ln(theta + i alpha) - sum over i < n of ln(theta + i)
        + sum over classes of the sum over j < f of ln(j - alpha)

The expected number of unique people among N people is

    N Gamma(theta + 1) Gamma(theta + alpha + N - 1) / (Gamma(theta + alpha) Gamma(theta + N))

If N is far above theta, this expectation is approximately N^alpha Gamma(theta + 1) / Gamma(theta +
alpha), the formula of Hoshino and other implementations. Otherwise, the approximation is too large
and may even exceed the number of people. `pitman_exact_uniques` returns the exact expectation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import exp, log1p

import numpy as np

from roadstead.risk.population_uniques import Sample, estimated

_FIRST = 64
_LOWEST, _HIGHEST = -60.0, 80.0
"""The range in which the search looks for a maximum, as logarithms of theta + alpha."""
_ALL_ALONE = "every record is unique, so the size of larger groups cannot be estimated"


@dataclass(frozen=True)
class PitmanLaw:
    """The two parameters of the model, theta > -alpha and 0 <= alpha < 1."""

    theta: float
    alpha: float

    def limit_uniques(self, people: int) -> float:
        """Return the number of uniques in a population much larger than theta (Hoshino 2001)."""
        return float(_ratio(self.theta + self.alpha, self.alpha) * people**self.alpha)

    def expected_uniques(self, people: int) -> float:
        """Return the expected number of uniques in a population of any size."""
        others = self.theta + self.alpha + people - 1
        share = _ratio(self.theta + self.alpha, self.alpha) / _ratio(others, self.alpha)
        return people * share


def _limit_uniques(drawn: Sample) -> float | str:
    """Return the number of uniques by the formula for large populations (Hoshino 2001)."""
    law = fit(drawn)
    if law is None:
        return _ALL_ALONE
    found = law.limit_uniques(drawn.people)
    too_many = "the formula for large populations gives more people than the population has"
    return too_many if found > drawn.people else found


def _expected_uniques(drawn: Sample) -> float | str:
    """Return the expected number of uniques."""
    law = fit(drawn)
    return _ALL_ALONE if law is None else law.expected_uniques(drawn.people)


pitman_uniques = partial(estimated, "pitman", _limit_uniques)
pitman_exact_uniques = partial(estimated, "pitman-exact", _expected_uniques)


def fit(drawn: Sample) -> PitmanLaw | None:
    """Return the parameters with 0 <= alpha < 1 that have the maximum likelihood for a sample.

    The function returns None if every record is unique or all records are in one class, because the
    likelihood then has no maximum. For every alpha, there is one theta at which the derivative with
    respect to theta is 0. For these pairs of alpha and theta, the derivative with respect to alpha
    changes from positive to negative at the maximum.
    """
    from scipy.optimize import brentq  # noqa: PLC0415 - heavy
    from scipy.special import digamma  # noqa: PLC0415 - heavy

    classes = drawn.classes
    if not 1 < classes < drawn.records:
        return None
    several = drawn.sizes > 1
    sizes, numbers = drawn.sizes[several], drawn.classes_of[several]
    places = np.arange(classes - 1, dtype=np.float64)

    def best(alpha: float) -> float:
        """Return the value of theta + alpha that has the maximum likelihood for this alpha."""

        def slope(logarithm: float) -> float:
            shifted = exp(logarithm)
            theta = shifted - alpha
            # To avoid cancellation, each class except the first is paired with the term of one
            # record.
            gains = (places + 1.0) / ((shifted + places * alpha) * (theta + 1.0 + places))
            rest = _reciprocals(theta + classes, drawn.records - classes)
            return shifted * ((1.0 - alpha) * float(gains.sum()) - rest)

        return exp(float(brentq(slope, _LOWEST, _HIGHEST, xtol=1e-14)))

    def slope(alpha: float) -> float:
        shifted = best(alpha)
        grown = numbers @ (digamma(sizes - alpha) - digamma(1.0 - alpha))
        return float(((places + 1.0) / (shifted + places * alpha)).sum() - grown)

    if slope(0.0) <= 0.0:
        return PitmanLaw(best(0.0), 0.0)
    # Above this alpha, each class with several records outweighs all terms of the first sum.
    highest = 1.0 - float(numbers.sum()) / (2.0 * classes)
    alpha = float(brentq(slope, 0.0, highest, xtol=1e-15, rtol=1e-14))
    return PitmanLaw(best(alpha) - alpha, alpha)


def _reciprocals(start: float, count: int) -> float:
    """Return the sum of `count` terms 1/start + 1/(start + 1) + ....

    The first terms are added directly. The Euler-Maclaurin formula gives the sum of the other
    terms. The form of this formula is accurate even if `start` is large.
    """
    direct = min(count, _FIRST)
    total = float((1.0 / (start + np.arange(direct, dtype=np.float64))).sum())
    low, more = start + direct, count - direct
    high = low + more
    return (
        total
        + log1p(more / low)
        + more / (2.0 * low * high)
        + more * (low + high) / (12.0 * (low * high) ** 2)
        - (low**-4 - high**-4) / 120.0
    )


def _ratio(shifted: float, alpha: float) -> float:
    """Return Gamma(shifted + 1 - alpha) / Gamma(shifted), even if both values overflow."""
    from scipy.special import poch  # noqa: PLC0415 - heavy

    return float(poch(shifted, 1.0 - alpha))
