"""How far noise alone moves a sum of noisy counts, in 95 of 100 cases.

Each count has discrete Laplace noise of its own: an integer z with a probability proportional to
``a**abs(z)``, where ``a = exp(-epsilon)`` (Canonne, Kamath and Steinke 2020). Its variance is
``2 a / (1 - a)**2``, and variances add up. So the noise of a sum grows with the root of
the number of counts in it.

While that noise is small, its distribution is worked out to the end: the characteristic function of
one count's noise to the power of how many there are, transformed back. Beyond, it is taken for
normal but for its heavier tails (Cornish and Fisher 1938, one term), which for a single count errs
by 3% to the safe side, and for more of them by less.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import ceil, exp, expm1, sqrt

import numpy as np

COVERAGE = 0.95
"""How often the noise is within the margin, at least."""

_NORMAL = 1.959963984540054
"""The normal distribution's quantile for this coverage."""
_WORKED_OUT = 1_000.0
"""Standard deviations up to which the distribution is worked out."""
_DEVIATIONS = 40
"""Noise of a single count is beyond so many with a probability of 1e-24."""
_SHORTEST = 64


@cache
def noise_margin(cells: int, epsilon: Fraction) -> int:
    """Tell the least number that the noise of a sum exceeds, either way, in at most 5% of cases.

    So many noisy counts are summed as there are cells; `epsilon` is what their noise cost, above 0.
    """
    rate = float(epsilon)
    ratio = exp(-rate)
    of_one = ratio / expm1(-rate) ** 2
    deviation = sqrt(2 * cells * of_one)
    if deviation > _WORKED_OUT:
        heavier = (1 + 6 * of_one) / (2 * cells * of_one)
        return ceil(deviation * (_NORMAL + heavier * (_NORMAL**3 - 3 * _NORMAL) / 24))
    length = 1 << max(_SHORTEST, 2 * ceil(_DEVIATIONS * deviation)).bit_length()
    # 1 - 2 a cos(t) + a**2, written so that nothing cancels where a is near 1.
    waves = 4 * ratio * np.sin(np.pi * np.arange(length // 2 + 1) / length) ** 2
    of_sum = (expm1(-rate) ** 2 / (expm1(-rate) ** 2 + waves)) ** cells
    chances = np.fft.irfft(of_sum, length)
    within = np.cumsum(chances[: length // 2] * 2) - chances[0]
    return int(np.searchsorted(within, COVERAGE - 1e-12))
