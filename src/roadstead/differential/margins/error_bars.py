"""Compute how far a noisy count can be from the true count.

The results are a standard error and a confidence interval. The noise is discrete Laplace noise of
rate `e`. With ``a = exp(-e)``, its variance is ``2 a / (1 - a)**2``, and its absolute value exceeds
`w` with a probability of ``2 a**(w + 1) / (1 + a)``. An interval extends equally to both sides of
the noisy count. Each single interval misses the true count in at most one in twenty cases.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, expm1, log, sqrt

MISSED = Fraction(1, 20)
"""The probability that an interval misses the true count."""


def variance(rate: Fraction) -> float:
    """Return the variance of the noise."""
    one = float(rate)
    return 2 * exp(-one) / expm1(-one) ** 2


def standard_error(rate: Fraction) -> float:
    """Return the standard deviation of the noise."""
    return sqrt(variance(rate))


def half_width(rate: Fraction, missed: Fraction = MISSED) -> int:
    """Return the distance from the noisy count to each end of the interval."""
    one = float(rate)
    beyond = log(2 / float(missed)) - log(1 + exp(-one))
    width = max(ceil(beyond / one) - 1, 0)
    # Rounded logarithms can make the width too small by one.
    while 2 * exp(-one * (width + 1)) / (1 + exp(-one)) > float(missed):
        width += 1
    return width
