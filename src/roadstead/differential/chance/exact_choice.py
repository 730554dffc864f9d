"""Compare uniform random numbers exactly, and choose intervals by the exponential mechanism.

Rounded floats can reveal the input (Mironov 2012, "On significance of the least significant bits
for differential privacy"). So a uniform number is a sequence of random bits. Each probability has a
lower and an upper bound, which are integers in units of 10**-digits. If a comparison is undecided,
the module draws more bits and doubles the number of digits. So rounding never changes a result.

The weight of an interval is length x exp(rate x score) (McSherry and Talwar 2007, "Mechanism design
via differential privacy"; Friedman and Schuster 2010, section 5.1). The intervals are side by side,
like the intervals of a ruler. A uniform number is a position on this ruler. Two rulers of floats
are the lower and the upper bound of the exact ruler. If the two rulers disagree about the interval
at the position, the module computes with decimals.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Source = Callable[[int], NDArray[np.uint64]]
"""A function that returns the given number of independent words of 64 random bits."""

Between = tuple[int, int]
"""A lower and an upper bound on an integer."""

Share = Callable[[int], tuple[Between, Between]]
"""A function that returns bounds on a part and on the whole in the same unit.

The argument is the number of decimal digits.
"""

WORD = 64
"""The number of bits in a word."""

_FIRST_DIGITS = 40
_BITS_PER_DIGIT = 4
"""Slightly more than log2(10), so that both sides of a comparison have the same precision."""


def system_words(size: int) -> NDArray[np.uint64]:
    """Return random words from the operating system's cryptographic generator."""
    return np.frombuffer(secrets.token_bytes(size * WORD // 8), dtype=np.uint64)


class Uniform:
    """A uniform number from ``known / 2**bits`` to ``(known + 1) / 2**bits``.

    At first, 64 bits are known.
    """

    def __init__(self, first: int, source: Source) -> None:
        self.known = first
        self.bits = WORD
        self._source = source

    def refine(self, bits: int) -> None:
        """Draw more bits until at least this many bits are known."""
        missing = -(-(bits - self.bits) // WORD)
        if missing <= 0:
            return
        for word in self._source(missing):
            self.known = self.known << WORD | int(word)
        self.bits += missing * WORD

    def is_below(self, share: Share) -> bool:
        """Return whether the uniform number is below a number of any precision."""
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
"""A lower and an upper bound on a number."""

Rate = Callable[[int], Bounds]
"""A function that returns bounds on a positive number, given a number of digits."""

_GUARD_DIGITS = 20
_VANISHES = Decimal("2.4")
"""A number above ln(10), so exp(-2.4 d) is less than 10**-d."""


def rational(value: Fraction) -> Rate:
    """Return a fraction as a rate."""

    def bounds(digits: int) -> Bounds:
        down, up = _contexts(digits)
        top, bottom = Decimal(value.numerator), Decimal(value.denominator)
        return down.divide(top, bottom), up.divide(top, bottom)

    return bounds


def decay(rate: Rate, times: int, digits: int) -> tuple[int, int]:
    """Return bounds on exp(-rate x times) in units of 10**-digits.

    `rate` is above 0, and `times` is at least 0.
    """
    one = 10**digits
    if times == 0:
        return one, one
    down, up = _contexts(digits)
    slow, fast = rate(digits + _GUARD_DIGITS)
    if down.multiply(slow, Decimal(times)) > _VANISHES * digits:
        return 0, 1
    # Do not write -x: the operator would round to the precision of the caller.
    low = down.next_minus(down.exp(up.multiply(fast, Decimal(times)).copy_negate()))
    high = up.next_plus(up.exp(down.multiply(slow, Decimal(times)).copy_negate()))
    return (
        max(0, int(low.scaleb(digits, down).to_integral_value(ROUND_FLOOR, down))),
        min(one, int(high.scaleb(digits, up).to_integral_value(ROUND_CEILING, up))),
    )


def minus_log_of_complement(low: int, high: int, digits: int) -> Bounds:
    """Return bounds on -ln(1 - p), for p below 1 from ``low`` to ``high`` units of 10**-digits."""
    down, up = _contexts(digits)
    one = 10**digits
    most_log = up.next_plus(up.ln(Decimal(one - low).scaleb(-digits, up)))
    least_log = down.next_minus(down.ln(Decimal(one - high).scaleb(-digits, down)))
    return max(Decimal(0), most_log.copy_negate()), least_log.copy_negate()


def below_decay(uniform: Uniform, rate: Rate, times: int) -> bool:
    """Return whether a uniform number is below exp(-rate x times)."""
    return uniform.is_below(
        lambda digits: (decay(rate, times, digits), (10**digits, 10**digits)),
    )


def _contexts(digits: int) -> tuple[Context, Context]:
    """Return two decimal contexts. The first rounds down, and the second rounds up."""
    precision = digits + _GUARD_DIGITS
    return (
        Context(precision, ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX),
        Context(precision, ROUND_CEILING, Emin=MIN_EMIN, Emax=MAX_EMAX),
    )


_MARGIN = 2.0**-40
"""A bound on the relative error of a float weight that is at least 2**-60 of the sum.

The exponent is at most 745 and is a product of three rounded numbers: 745 x 3 x 2**-53 is 2**-41.8.
The remaining margin is several thousand times the error of ``exp`` and two products.
"""
_RULER_BITS = 60
"""The number of bits in the length of a ruler. Sums up to this length are exact in 64 bits."""


def choose_weighted(
    lengths: NDArray[np.int64], scores: NDArray[np.int64], rate: Fraction, source: Source
) -> int:
    """Choose an interval with a probability proportional to length x exp(rate x score).

    `lengths` are at least 0, and their sum is from 1 to 2**62. `scores` are from -2**60 to 2**60.
    `rate` is above 0. Return the index of the interval.
    """
    possible = np.flatnonzero(lengths)
    ruler = Ruler(lengths[possible], scores[possible].max() - scores[possible], rate)
    uniform = Uniform(int(source(1)[0]), source)
    return int(possible[ruler.interval_at(uniform)])


class Ruler:
    """Adjacent intervals of positive length. The width of each interval is its weight."""

    def __init__(
        self, lengths: NDArray[np.int64], behind: NDArray[np.int64], rate: Fraction
    ) -> None:
        self._lengths = lengths
        self._behind = behind
        self._rate = rate

    def interval_at(self, uniform: Uniform) -> int:
        """Return the first interval that ends after the position."""
        return self.narrow(*self.candidates(uniform), uniform)

    def candidates(self, uniform: Uniform) -> tuple[int, int]:
        """Return the first and the last interval that the float rulers allow at the position."""
        weights = self._lengths * np.exp(-float(self._rate) * self._behind)
        _, exponent = np.frexp(weights.sum())
        units = np.ldexp(weights, _RULER_BITS - exponent)
        short = np.cumsum(np.floor(units * (1 - _MARGIN)).astype(np.int64))
        long = np.cumsum(np.floor(units * (1 + _MARGIN)).astype(np.int64) + 1)
        from_here = (uniform.known * int(short[-1])) >> uniform.bits
        to_here = ((uniform.known + 1) * int(long[-1]) >> uniform.bits) + 1
        first = int(np.searchsorted(long, from_here, side="right"))
        last = int(np.searchsorted(short, to_here, side="left"))
        return first, min(last, len(weights) - 1)

    def narrow(self, first: int, last: int, uniform: Uniform) -> int:
        """Use bisection to find which of a few intervals contains the position."""
        if first == last:
            return first
        ends = _ExactEnds(self._lengths, self._behind, self._rate)
        while first < last:
            middle = (first + last) // 2
            if ends.is_before_end(middle, uniform):
                last = middle
            else:
                first = middle + 1
        return first


class _ExactEnds:
    """Decimal bounds on the ends of intervals on the ruler.

    The end of an interval is the sum of length times decay over the distinct scores.
    """

    def __init__(
        self, lengths: NDArray[np.int64], behind: NDArray[np.int64], rate: Fraction
    ) -> None:
        self._order = np.argsort(behind, kind="stable")
        self._distinct, self._starts = np.unique(behind[self._order], return_index=True)
        self._lengths = lengths
        self._rate = rational(rate)
        self._all = self._by_score(len(lengths) - 1)
        self._decays: dict[int, list[Between]] = {}

    def is_before_end(self, interval: int, uniform: Uniform) -> bool:
        """Return whether the position is before the end of an interval that is not the last."""
        lengths = self._by_score(interval)

        def share(digits: int) -> tuple[Between, Between]:
            decays = self._decays.setdefault(digits, [])
            if not decays:
                decays += [decay(self._rate, int(behind), digits) for behind in self._distinct]
            return _added(lengths, decays), _added(self._all, decays)

        return uniform.is_below(share)

    def _by_score(self, last: int) -> list[int]:
        """For each distinct score, return the total length of the intervals up to `last`."""
        counted = np.where(np.arange(len(self._lengths)) <= last, self._lengths, 0)
        sums: list[int] = np.add.reduceat(counted[self._order], self._starts).tolist()
        return sums


def _added(lengths: list[int], decays: list[Between]) -> Between:
    """Return bounds on the sum of lengths times decays."""
    low = sum(length * low for length, (low, _) in zip(lengths, decays, strict=True))
    high = sum(length * high for length, (_, high) in zip(lengths, decays, strict=True))
    return low, high
