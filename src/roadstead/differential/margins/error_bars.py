"""Compute how far a noisy count can be from the true count: standard error, and interval.

The noise is discrete Laplace noise of rate `e`. With ``a = exp(-e)``, it equals `k` with a
probability of ``(1 - a) / (1 + a) * a**|k|``. Its variance is ``2 a / (1 - a)**2``. Its absolute
value exceeds `w` with a probability of ``2 a**(w + 1) / (1 + a)``. The interval reaches `w` to both
sides of the noisy count. `w` is the smallest number that the noise exceeds in at most one of twenty
cases. This probability applies to each single interval: fifty of a thousand intervals can miss the
true count. This can only help.

This probability applies to each interval separately. Of a thousand intervals, fifty may miss the
true count.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, expm1, log, sqrt

MISSED = Fraction(1, 20)
"""How often an interval may miss the true count."""


def variance(rate: Fraction) -> float:
    """Return the variance of the noise."""
    one = float(rate)
    return 2 * exp(-one) / expm1(-one) ** 2


def standard_error(rate: Fraction) -> float:
    """Return the standard deviation of the noise."""
    return sqrt(variance(rate))


def half_width(rate: Fraction, missed: Fraction = MISSED) -> int:
    """Return how far an interval reaches to each side."""
    one = float(rate)
    beyond = log(2 / float(missed)) - log(1 + exp(-one))
    width = max(ceil(beyond / one) - 1, 0)
    # A rounded logarithm can be off by one, but the interval must not be too short.
    while 2 * exp(-one * (width + 1)) / (1 + exp(-one)) > float(missed):
        width += 1
    return width
