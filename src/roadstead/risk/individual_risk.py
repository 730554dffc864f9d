"""Individual risk: the risk of a record if the people in the population are not known.

Every person in the population is in the sample with probability p. For a class of f records in the
sample, the number of people F in the population is negative binomial (Benedetti and Franconi 1998).
If an attacker links a record to one of the F people at random, the link is correct with probability
1/F. The expected value is

    r(f, p) = E[1/F | f] = (p / f) 2F1(1, 1; f + 1; 1 - p)        (paper 001, method D2)

With q = 1 - p, Euler's integral gives r = p I(f), where I(f) is the integral over s from 0 to 1 of
(1 - s)^(f-1) / (1 - q s). I(f) can be computed in two ways:

    series      f I(f) = 1 + q/(f+1) + 2! q^2/((f+1)(f+2)) + 3! q^3/((f+1)(f+2)(f+3)) + ...
    recurrence  I(1) = -ln(p) / q,  q I(f + 1) = 1/f - p I(f)

The terms of the series are positive, so there is no cancellation. A hundred terms are enough unless
p and f are small. If p and f are small, Roadstead uses the recurrence, in which each step
multiplies the error by p/q < 1.
"""

from __future__ import annotations

from math import isfinite, log

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError

_MANY = 20
"""The smallest number of records at which the series converges fast for every q."""
_EVEN = 0.5
_ENOUGH = 1e-18


def individual_risk(sizes: NDArray[np.int64], fraction: float) -> NDArray[np.float64]:
    """Return E[1/F | f] for each class of f records, accurate to about 13 digits.

    `fraction` is the share p of the population that is in the sample, above 0 and at most 1. The
    risk is 0 for a class without records.
    """
    check_fraction(fraction)
    distinct, places = np.unique(sizes, return_inverse=True)
    if distinct.size and distinct[0] < 0:
        raise SettingError(
            "a group has a negative number of records", fix="give the sizes of groups"
        )
    risks = np.zeros(distinct.size)
    by_recurrence = (distinct > 0) & (distinct < _MANY) & (fraction < _EVEN)
    by_series = (distinct > 0) & ~by_recurrence
    if by_recurrence.any():
        risks[by_recurrence] = fraction * _recurrence(fraction)[distinct[by_recurrence]]
    if by_series.any():
        many = distinct[by_series].astype(np.float64)
        risks[by_series] = fraction * (_series(many, 1.0 - fraction) / many)
    return risks[places].reshape(np.shape(sizes))


def check_fraction(fraction: float) -> None:
    """Reject a sampling fraction that is not above 0 and at most 1."""
    if not (isfinite(fraction) and 0.0 < fraction <= 1.0):
        raise SettingError(
            f"the sampling fraction is {fraction:g}, but must be above 0 and at most 1",
            fix="divide the number of records by the number of people they were sampled from",
        )


def _recurrence(fraction: float) -> NDArray[np.float64]:
    """Return I(f) for all f below `_MANY`. The fraction must be below 1/2. I(0) is not used."""
    rest = 1.0 - fraction
    found = np.zeros(_MANY)
    found[1] = -log(fraction) / rest
    for f in range(1, _MANY - 1):
        found[f + 1] = (1.0 / f - fraction * found[f]) / rest
    return found


def _series(sizes: NDArray[np.float64], rest: float) -> NDArray[np.float64]:
    """Return f I(f), which is 2F1(1, 1; f + 1; q)."""
    term = np.ones_like(sizes)
    total = term.copy()
    n = 0
    # The smallest class has the largest terms.
    while term.max() > _ENOUGH:
        n += 1
        term = term * (rest * n / (sizes + n))
        total += term
    return total
