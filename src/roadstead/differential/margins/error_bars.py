"""How far a noisy count can be from the true count: standard error, and an interval.

The noise is discrete Laplace of rate `e`: with ``a = exp(-e)``, it is `k` with a probability of
``(1 - a) / (1 + a) * a**|k|``. Its variance is ``2 a / (1 - a)**2``. Its absolute value exceeds `w`
with a probability of ``2 a**(w + 1) / (1 + a)``. The interval reaches to both sides of the noisy
count, by the smallest `w` that is exceeded in at most one of twenty cases. So it has the true count
with a probability of at least .95, for any table. A true count is never below 0, so the interval
does not go below 0 either; this can only help.

Each interval has this probability alone. Of a thousand intervals, fifty may miss.
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
    """Return how far an interval reaches on each side."""
    one = float(rate)
    beyond = log(2 / float(missed)) - log(1 + exp(-one))
    width = max(ceil(beyond / one) - 1, 0)
    # A rounded logarithm may be off by one; the interval must not be too short.
    while 2 * exp(-one * (width + 1)) / (1 + exp(-one)) > float(missed):
        width += 1
    return width
