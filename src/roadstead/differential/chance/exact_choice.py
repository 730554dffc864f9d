"""Compare uniform random numbers exactly, and choose intervals by the exponential mechanism.

Floats are too coarse for privacy. A float has 53 bits, and the gaps between floats depend on their
size. Rounding can reveal the input (Mironov 2012, "On significance of the least significant bits
for differential privacy"). In this module, a uniform number between 0 and 1 is a sequence of random
bits. Only the first bits are drawn at once. Most comparisons are decided by 64 bits; if they are
not enough, more bits are drawn.

All probabilities of the mechanisms are computed from decays, exp(-rate x times). The ``decimal``
module rounds ``exp`` and ``ln`` correctly at any precision. So the true value is certainly within
one unit of the last digit. Bounds are whole numbers in units of 10**-digits. A uniform number is
compared with them in exact integer arithmetic. If the bounds are too wide for a decision, the
number of digits is doubled. So rounding never changes a result, and no probability becomes 0.

A split point of a number line is chosen with density proportional to exp(rate x score). The score
is constant on the interval between two neighboring values. So the mechanism first chooses an
interval, with probability proportional to its length times exp(rate x score). Then it chooses a
point in the interval (McSherry and Talwar 2007, "Mechanism design via differential privacy";
Friedman and Schuster 2010, section 5.1). To choose an interval, think of a ruler that is divided
into the intervals, each as wide as its weight. A uniform number is a place on this ruler. Two
rulers are computed with floats: one is certainly too short everywhere, the other is certainly too
long. Usually both rulers have the same interval at the place. If they differ, decimals decide. So
every interval has exactly its probability, even if the probability is 1 in 10**1000.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Source = Callable[[int], NDArray[np.uint64]]
"""Takes a size, and returns this many independent words of 64 random bits."""

Between = tuple[int, int]
"""Bounds of a number: the number is at least the first and at most the second."""

Share = Callable[[int], tuple[Between, Between]]
"""Takes a number of decimal digits. Returns bounds of a part and of the whole, in the same unit."""

WORD = 64
"""The number of bits in a word."""

_FIRST_DIGITS = 40
_BITS_PER_DIGIT = 4
"""A little more than log2(10). So both sides of a comparison are known with equal precision."""


def system_words(size: int) -> NDArray[np.uint64]:
    """Return random words from the operating system's cryptographic generator."""
    return np.frombuffer(secrets.token_bytes(size * WORD // 8), dtype=np.uint64)


class Uniform:
    """A uniform number between ``known / 2**bits`` and ``(known + 1) / 2**bits``.

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
        """Decide with certainty whether the uniform number is below a number of any precision."""
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
"""Bounds of a number: the number is at least the first and at most the second."""

Rate = Callable[[int], Bounds]
"""A positive number: takes a number of digits, and returns bounds of the number."""

_GUARD_DIGITS = 20
_VANISHES = Decimal("2.4")
"""Above ln(10): exp(-2.4 d) is less than 10**-d."""


def rational(value: Fraction) -> Rate:
    """Return a fraction as a rate."""

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
    # Do not write -x: the operator would round to the precision of the caller.
    low = down.next_minus(down.exp(up.multiply(fast, Decimal(times)).copy_negate()))
    high = up.next_plus(up.exp(down.multiply(slow, Decimal(times)).copy_negate()))
    return (
        max(0, int(low.scaleb(digits, down).to_integral_value(ROUND_FLOOR, down))),
        min(one, int(high.scaleb(digits, up).to_integral_value(ROUND_CEILING, up))),
    )


def minus_log_of_complement(low: int, high: int, digits: int) -> Bounds:
    """Bound -ln(1 - p), where p is from ``low`` to ``high`` units of 10**-digits and below 1."""
    down, up = _contexts(digits)
    one = 10**digits
    most_log = up.next_plus(up.ln(Decimal(one - low).scaleb(-digits, up)))
    least_log = down.next_minus(down.ln(Decimal(one - high).scaleb(-digits, down)))
    return max(Decimal(0), most_log.copy_negate()), least_log.copy_negate()


def below_decay(uniform: Uniform, rate: Rate, times: int) -> bool:
    """Decide with certainty whether a uniform number is below exp(-rate x times)."""
    return uniform.is_below(
        lambda digits: (decay(rate, times, digits), (10**digits, 10**digits)),
    )


def _contexts(digits: int) -> tuple[Context, Context]:
    """Return two contexts for decimals: one rounds down, the other rounds up."""
    precision = digits + _GUARD_DIGITS
    return (
        Context(precision, ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX),
        Context(precision, ROUND_CEILING, Emin=MIN_EMIN, Emax=MAX_EMAX),
    )


_MARGIN = 2.0**-40
"""Bounds the relative error of a weight in floats, if the weight is at least 2**-60 of the sum.

The exponent is at most 745 and is a product of three rounded numbers: 745 x 3 x 2**-53 is 2**-41.8.
The remaining margin is several thousand times the error of ``exp`` and two products.
"""
_RULER_BITS = 60
"""A ruler is about 2**60 units long. So its sums fit in 64 bits and are exact."""


def choose_weighted(
    lengths: NDArray[np.int64], scores: NDArray[np.int64], rate: Fraction, source: Source
) -> int:
    """Choose an interval, with probability proportional to length x exp(rate x score).

    `lengths`: at least 0, not all 0, with a sum of at most 2**62. `scores`: one per length, from
    -2**60 to 2**60. `rate`: above 0. Returns the index of the interval.
    """
    possible = np.flatnonzero(lengths)
    ruler = Ruler(lengths[possible], scores[possible].max() - scores[possible], rate)
    uniform = Uniform(int(source(1)[0]), source)
    return int(possible[ruler.interval_at(uniform)])


class Ruler:
    """A ruler: intervals with lengths above 0 next to each other, each as wide as its weight."""

    def __init__(
        self, lengths: NDArray[np.int64], behind: NDArray[np.int64], rate: Fraction
    ) -> None:
        self._lengths = lengths
        self._behind = behind
        self._rate = rate

    def interval_at(self, uniform: Uniform) -> int:
        """Return the interval at a place. This is the first interval that ends after the place."""
        return self.narrow(*self.candidates(uniform), uniform)

    def candidates(self, uniform: Uniform) -> tuple[int, int]:
        """Return the first and the last interval that can be at the place, computed with floats."""
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
        """Return the interval at the place among a few intervals, by bisection."""
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
    """Compute the ends of intervals on the ruler in decimals.

    An end is a sum over the distinct scores: length times decay.
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
        """Decide with certainty whether the place is before the end of an interval.

        It must not be the last interval.
        """
        lengths = self._by_score(interval)

        def share(digits: int) -> tuple[Between, Between]:
            decays = self._decays.setdefault(digits, [])
            if not decays:
                decays += [decay(self._rate, int(behind), digits) for behind in self._distinct]
            return _added(lengths, decays), _added(self._all, decays)

        return uniform.is_below(share)

    def _by_score(self, last: int) -> list[int]:
        """Add up the lengths of the intervals up to one of them, per distinct score."""
        counted = np.where(np.arange(len(self._lengths)) <= last, self._lengths, 0)
        sums: list[int] = np.add.reduceat(counted[self._order], self._starts).tolist()
        return sums


def _added(lengths: list[int], decays: list[Between]) -> Between:
    """Add up lengths times decays, as bounds."""
    low = sum(length * low for length, (low, _) in zip(lengths, decays, strict=True))
    high = sum(length * high for length, (_, high) in zip(lengths, decays, strict=True))
    return low, high
