"""The value of exp(-rate x times), between two bounds as narrow as needed.

All probabilities of the mechanisms are made of such values. The ``decimal`` module of Python rounds
``exp`` and ``ln`` correctly at any precision, so that one unit in the last place to either side is
a proven bound. Bounds are whole numbers of units of 10**-digits, and comparing a uniform number
with them is exact integer arithmetic: when the bounds are too wide to decide, there are twice as
many digits. The chance that they still are not enough falls below any number; nothing is ever
rounded off, and no probability becomes 0.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from roadstead.differential.chance.exact_uniform import Uniform

Bounds = tuple[Decimal, Decimal]
"""A number at least the first and at most the second."""

Rate = Callable[[int], Bounds]
"""A positive number: given how many digits, its bounds."""

_GUARD_DIGITS = 20
_VANISHES = Decimal("2.4")
"""Above ln(10): exp(-2.4 d) is less than 10**-d."""


def rational(value: Fraction) -> Rate:
    """Make a rate of a fraction."""

    def bounds(digits: int) -> Bounds:
        down, up = _contexts(digits)
        top, bottom = Decimal(value.numerator), Decimal(value.denominator)
        return down.divide(top, bottom), up.divide(top, bottom)

    return bounds


def decay(rate: Rate, times: int, digits: int) -> tuple[int, int]:
    """Bound exp(-rate x times).

    `rate`: above 0. `times`: at least 0. Returns the largest known lower and the smallest known
    upper bound, in units of 10**-digits.
    """
    one = 10**digits
    if times == 0:
        return one, one
    down, up = _contexts(digits)
    slow, fast = rate(digits + _GUARD_DIGITS)
    if down.multiply(slow, Decimal(times)) > _VANISHES * digits:
        return 0, 1
    # Not -x: that would round to the precision of whoever calls.
    low = down.next_minus(down.exp(up.multiply(fast, Decimal(times)).copy_negate()))
    high = up.next_plus(up.exp(down.multiply(slow, Decimal(times)).copy_negate()))
    return (
        max(0, int(low.scaleb(digits, down).to_integral_value(ROUND_FLOOR, down))),
        min(one, int(high.scaleb(digits, up).to_integral_value(ROUND_CEILING, up))),
    )


def minus_log_of_complement(low: int, high: int, digits: int) -> Bounds:
    """Bound -ln(1 - p) for a p from ``low`` to ``high`` units of 10**-digits, p below 1."""
    down, up = _contexts(digits)
    one = 10**digits
    most_log = up.next_plus(up.ln(Decimal(one - low).scaleb(-digits, up)))
    least_log = down.next_minus(down.ln(Decimal(one - high).scaleb(-digits, down)))
    return max(Decimal(0), most_log.copy_negate()), least_log.copy_negate()


def below_decay(uniform: Uniform, rate: Rate, times: int) -> bool:
    """Decide for certain whether a uniform number is below exp(-rate x times)."""
    return uniform.is_below(
        lambda digits: (decay(rate, times, digits), (10**digits, 10**digits)),
    )


def _contexts(digits: int) -> tuple[Context, Context]:
    """Arithmetic that rounds down, and arithmetic that rounds up."""
    precision = digits + _GUARD_DIGITS
    return (
        Context(precision, ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX),
        Context(precision, ROUND_CEILING, Emin=MIN_EMIN, Emax=MAX_EMAX),
    )
