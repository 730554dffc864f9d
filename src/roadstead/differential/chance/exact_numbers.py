"""Uniform random numbers compared with exp(-rate x times), exactly, however many digits it takes.

A float is too coarse for privacy: it has 53 bits and gaps that depend on its size, and what it
rounds away can show what went in (Mironov 2012, "On significance of the least significant bits for
differential privacy"). Here a uniform number between 0 and 1 is a row of random bits of which only
the first were drawn. Most comparisons are settled by 64; one that is not draws more. So
an answer is that of a real number, and nobody has to write all of it down.

All probabilities of the mechanisms are made of decays. The ``decimal`` module of Python rounds
``exp`` and ``ln`` correctly at any precision, so that one unit in the last place to either side is
a proven bound. Bounds are whole numbers of units of 10**-digits, and comparing a uniform number
with them is exact integer arithmetic: when the bounds are too wide to decide, there are twice as
many digits. The chance that they still are not enough falls below any number; nothing is ever
rounded off, and no probability becomes 0.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Source = Callable[[int], NDArray[np.uint64]]
"""Given a size, that many independent words of 64 random bits."""

Between = tuple[int, int]
"""A number at least the first and at most the second."""

Share = Callable[[int], tuple[Between, Between]]
"""A part and the whole, given how many decimal digits they shall be known to, in any unit."""

WORD = 64
"""Bits in a word."""

_FIRST_DIGITS = 40
_BITS_PER_DIGIT = 4
"""A little more than log2(10): so both sides of a comparison are known as closely."""


def system_words(size: int) -> NDArray[np.uint64]:
    """Words from the operating system's cryptographic random numbers."""
    return np.frombuffer(secrets.token_bytes(size * WORD // 8), dtype=np.uint64)


class Uniform:
    """A uniform number, from ``known / 2**bits`` to ``(known + 1) / 2**bits``; first 64 bits."""

    def __init__(self, first: int, source: Source) -> None:
        self.known = first
        self.bits = WORD
        self._source = source

    def refine(self, bits: int) -> None:
        """Draw until at least so many bits are known."""
        missing = -(-(bits - self.bits) // WORD)
        if missing <= 0:
            return
        for word in self._source(missing):
            self.known = self.known << WORD | int(word)
        self.bits += missing * WORD

    def is_below(self, share: Share) -> bool:
        """Decide for certain whether it is below a number that can be had to any precision."""
        digits = _FIRST_DIGITS
        while True:
            (low, high), (low_whole, high_whole) = share(digits)
            self.refine(digits * _BITS_PER_DIGIT)
            if (self.known + 1) * high_whole <= low << self.bits:
                return True
            if self.known * low_whole >= high << self.bits:
                return False
            digits *= 2


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
    """Bound exp(-rate x times), `rate` above 0 and `times` at least 0, in units of 10**-digits."""
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
