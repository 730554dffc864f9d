"""How far a noisy count can be from the true one: standard error, and an interval.

The noise is discrete Laplace of rate `e`: with ``a = exp(-e)``, it is `k` with a probability of
``(1 - a) / (1 + a) * a**|k|``. Its variance is ``2 a / (1 - a)**2``, and it is beyond `w`, either
way, with a probability of ``2 a**(w + 1) / (1 + a)``. So the interval that reaches the smallest `w`
with at most one in twenty beyond it, on either side of the noisy count, has the true count with a
probability of at least .95, whatever the table is. A true count is not below 0, so neither is the
interval's end; that can only help.

Each interval keeps its promise by itself. Of a thousand intervals fifty may miss.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, expm1, log, sqrt

MISSED = Fraction(1, 20)
"""How often an interval may miss the true count."""


def variance(rate: Fraction) -> float:
    """Give the variance of the noise."""
    one = float(rate)
    return 2 * exp(-one) / expm1(-one) ** 2


def standard_error(rate: Fraction) -> float:
    """Give the standard deviation of the noise."""
    return sqrt(variance(rate))


def half_width(rate: Fraction, missed: Fraction = MISSED) -> int:
    """Give how far an interval reaches on either side."""
    one = float(rate)
    beyond = log(2 / float(missed)) - log(1 + exp(-one))
    width = max(ceil(beyond / one) - 1, 0)
    # A rounded logarithm may be one off; the interval must not be too short.
    while 2 * exp(-one * (width + 1)) / (1 + exp(-one)) > float(missed):
        width += 1
    return width
