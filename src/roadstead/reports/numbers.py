"""Shares as a reader meets them: one function writes the percentages that users are told.

A bound is rounded outwards, so that the sentence it stands in holds: what is "at most" is rounded
up, what is "at least" is rounded down. Any other share is rounded to the nearest. Three digits
count. Rounding never turns something into nothing or into everything: only 0 is written "0%", and
only 1 is written "100%".
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
"""So near to 100% is what sums of floats miss 1 by, and no measured difference."""


def percent(share: Share, *, bound: Bound | None = None) -> str:
    """Write a share as a percentage with three digits that count.

    A float stands for the shortest decimal that reads back as it: 0.05 is 5% as a bound too, and
    not 5.01%. Just below 100% there are as many digits as it takes to stay below; what is nearer
    than sums of floats can tell is 100%, but not as a lower bound.

    The share is of any sign and size. It bounds "upper" where it is said to be the most, and is
    rounded up; "lower" where it is said to be the least; None where it is a measured figure.
    """
    if isinstance(share, float) and not isfinite(share):
        return f"{float(share)}%"
    # A float is taken by its shortest decimal, which is the number that was meant.
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
    """Round to three digits that count, or to as many more as keep it off 0 and 100."""
    places = max(_DIGITS - 1 - _magnitude(abs(exact)), 0)
    while True:
        scaled = exact * 10**places
        whole = ceil(scaled) if bound == "upper" else floor(scaled) if bound else round(scaled)
        if whole not in {0, 100 * 10**places}:
            return Decimal(f"{whole}E-{places}")  # exact, however many digits
        places += 1


def _magnitude(number: Fraction) -> int:
    """Give the power of ten of the first digit: 0 for 1 to 9.99, -1 for 0.1 to 0.999."""
    power = len(str(number.numerator)) - len(str(number.denominator))
    return power if number >= Fraction(10) ** power else power - 1
