"""Write shares as percentages for readers.

One function writes all percentages that users see.

Upper bounds are rounded up and lower bounds are rounded down, so that sentences about them stay
true. All other shares are rounded to the nearest value. Percentages have three significant digits.
Only 0 is written "0%", and only 1 is written "100%".
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
"""The rounding error of sums of floats near 100%. Differences between real shares are larger."""


def percent(share: Share, *, bound: Bound | None = None) -> str:
    """Write a share as a percentage with three significant digits.

    A float is treated as the shortest decimal number that is read as the same float. So 0.05 is
    written as 5% even if it is an upper bound, and not as 5.01%. Just below 100%, a share has as
    many digits as necessary to stay below 100%. If a share differs from 1 only by the rounding
    error of a sum, it is written as 100%, unless it is a lower bound. An "upper" `bound` is rounded
    up, and a "lower" `bound` is rounded down.
    """
    if isinstance(share, float) and not isfinite(share):
        return f"{float(share)}%"
    # A float represents its shortest decimal, which is the intended number.
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
    """Round to three significant digits, or to more digits if the result would be 0 or 100."""
    places = max(_DIGITS - 1 - _magnitude(abs(exact)), 0)
    while True:
        scaled = exact * 10**places
        whole = ceil(scaled) if bound == "upper" else floor(scaled) if bound else round(scaled)
        if whole not in {0, 100 * 10**places}:
            return Decimal(f"{whole}E-{places}")  # The value is exact with any number of digits.
        places += 1


def _magnitude(number: Fraction) -> int:
    """Return the exponent of the first digit. Examples: 0 for 2.5, -1 for 0.25, and 1 for 25."""
    power = len(str(number.numerator)) - len(str(number.denominator))
    return power if number >= Fraction(10) ** power else power - 1
