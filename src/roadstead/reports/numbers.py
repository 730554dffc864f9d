"""Shares for readers: one function writes all percentages that users see.

A bound is rounded outwards, so that its sentence stays true: an "at most" is rounded up, and an "at
least" is rounded down. Any other share is rounded to the nearest. Percentages have three
significant digits. Only 0 is written "0%", and only 1 is written "100%".
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, isfinite
from typing import Literal

Share = float | Fraction | Decimal
Bound = Literal["upper", "lower"]

_DIGITS = 3
_LEAST_PLAIN = Decimal("0.0001")
"""Smaller percentages are written with a power of ten."""
_NOISE = Fraction(1, 10**9)
"""Rounding error of sums of floats near 100%; measured differences are larger."""


def percent(share: Share, *, bound: Bound | None = None) -> str:
    """Write a share as a percentage with three significant digits.

    A float means the shortest decimal that reads back as the same float: 0.05 is 5% as a bound too,
    and not 5.01%. Just below 100%, there are as many digits as necessary to stay below. A share
    that differs from 1 by no more than the error of a sum of floats is 100%, but not as a lower
    bound.

    The share can have any sign and size. "upper" marks an upper bound, which is rounded up; "lower"
    marks a lower bound, which is rounded down; None marks a measured figure.
    """
    if isinstance(share, float) and not isfinite(share):
        return f"{float(share)}%"
    # A float means its shortest decimal, which is the intended number.
    exact = 100 * Fraction(repr(float(share)) if isinstance(share, float) else share)
    if isinstance(share, float) and bound != "lower" and 0 < 100 - exact < _NOISE:
        exact = Fraction(100)
    if exact in {0, 100}:
        return f"{exact}%"
    number = _rounded(exact, bound)
    if abs(number) < _LEAST_PLAIN:
        return f"{number.normalize():e}%"
    text = f"{number:f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}%"


def _rounded(exact: Fraction, bound: Bound | None) -> Decimal:
    """Round to three significant digits, or to as many as needed to avoid 0 and 100."""
    places = max(_DIGITS - 1 - _magnitude(abs(exact)), 0)
    while True:
        scaled = exact * 10**places
        whole = ceil(scaled) if bound == "upper" else floor(scaled) if bound else round(scaled)
        if whole not in {0, 100 * 10**places}:
            return Decimal(f"{whole}E-{places}")  # exact with any number of digits
        places += 1


def _magnitude(number: Fraction) -> int:
    """Give the power of ten of the first digit: 0 for 1 to 9.99, -1 for 0.1 to 0.999."""
    power = len(str(number.numerator)) - len(str(number.denominator))
    return power if number >= Fraction(10) ** power else power - 1
