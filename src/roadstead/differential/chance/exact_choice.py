"""Uniform random numbers compared exactly, and the exponential mechanism over intervals.

A float is too coarse for privacy. It has 53 bits and gaps that depend on its size, and its rounding
can reveal the input (Mironov 2012, "On significance of the least significant bits for differential
privacy"). Here a uniform number between 0 and 1 is a sequence of random bits, of which only the
first were drawn. Most comparisons are settled by 64 bits; otherwise more bits are drawn.

All probabilities of the mechanisms are made from decays, exp(-rate x times). The ``decimal`` module
rounds ``exp`` and ``ln`` correctly at any precision, so one unit in the last place to either side
is a proven bound. Bounds are whole numbers of units of 10**-digits, and comparing a uniform number
with them is exact integer arithmetic. If the bounds are too wide to decide, the number of digits is
doubled. So nothing is ever rounded off, and no probability becomes 0.

A split point of a number line is chosen with density proportional to exp(rate x score). The score
is constant on an interval between two neighboring values. So an interval is chosen with probability
proportional to its length times exp(rate x score), and then a point in it (McSherry and Talwar
2007, "Mechanism design via differential privacy"; Friedman and Schuster 2010, section 5.1). A
uniform number is a place on a ruler on which the width of every interval is its weight. There are
two rulers made with floats: one is certainly too short everywhere, the other certainly too long.
They usually agree on the interval at the place; if they do not, decimals decide. So every interval
has exactly its probability, even 1 in 10**1000.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Source = Callable[[int], NDArray[np.uint64]]
"""Given a size, returns this many independent words of 64 random bits."""

Between = tuple[int, int]
"""A number at least the first and at most the second."""

Share = Callable[[int], tuple[Between, Between]]
"""Given a number of decimal digits, returns a part and the whole with these digits, in any unit."""

WORD = 64
"""Bits in a word."""

_FIRST_DIGITS = 40
_BITS_PER_DIGIT = 4
"""A little more than log2(10), so that both sides of a comparison are known with equal precision.
"""


def system_words(size: int) -> NDArray[np.uint64]:
    """Return words from the operating system's cryptographic random numbers."""
    return np.frombuffer(secrets.token_bytes(size * WORD // 8), dtype=np.uint64)


class Uniform:
    """A uniform number, from ``known / 2**bits`` to ``(known + 1) / 2**bits``; first 64 bits."""

    def __init__(self, first: int, source: Source) -> None:
        self.known = first
        self.bits = WORD
        self._source = source

    def refine(self, bits: int) -> None:
        """Draw until at least this many bits are known."""
        missing = -(-(bits - self.bits) // WORD)
        if missing <= 0:
            return
        for word in self._source(missing):
            self.known = self.known << WORD | int(word)
        self.bits += missing * WORD

    def is_below(self, share: Share) -> bool:
        """Decide for certain whether it is below a number that is available to any precision."""
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
"""A positive number: given a number of digits, returns its bounds."""

_GUARD_DIGITS = 20
_VANISHES = Decimal("2.4")
"""Above ln(10): exp(-2.4 d) is less than 10**-d."""


def rational(value: Fraction) -> Rate:
    """Return the rate of a fraction."""

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
    # Not -x, which would round to the precision of the caller.
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
    """Return arithmetic that rounds down, and arithmetic that rounds up."""
    precision = digits + _GUARD_DIGITS
    return (
        Context(precision, ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX),
        Context(precision, ROUND_CEILING, Emin=MIN_EMIN, Emax=MAX_EMAX),
    )


_MARGIN = 2.0**-40
"""Bound of the relative error of a weight in floats that is not below 2**-60 of all.

Its exponent, at most 745, is a product of three rounded numbers: 745 x 3 x 2**-53 is 2**-41.8. The
margin exceeds this by several thousand times what ``exp`` and two products add.
"""
_RULER_BITS = 60
"""A ruler is about 2**60 units long: its sums fit in 64 bits and are exact."""


def choose_weighted(
    lengths: NDArray[np.int64], scores: NDArray[np.int64], rate: Fraction, source: Source
) -> int:
    """Choose an interval, with probability proportional to length x exp(rate x score).

    `lengths`: at least 0 and not all 0; their sum at most 2**62. `scores`: as many, from -2**60 to
    2**60. `rate`: above 0. Returns the index of the interval.
    """
    possible = np.flatnonzero(lengths)
    ruler = Ruler(lengths[possible], scores[possible].max() - scores[possible], rate)
    uniform = Uniform(int(source(1)[0]), source)
    return int(possible[ruler.interval_at(uniform)])


class Ruler:
    """Intervals of lengths above 0 next to each other, each as wide as its weight."""

    def __init__(
        self, lengths: NDArray[np.int64], behind: NDArray[np.int64], rate: Fraction
    ) -> None:
        self._lengths = lengths
        self._behind = behind
        self._rate = rate

    def interval_at(self, uniform: Uniform) -> int:
        """Return the interval at a place: the first that ends after it."""
        return self.narrow(*self.candidates(uniform), uniform)

    def candidates(self, uniform: Uniform) -> tuple[int, int]:
        """Return the first and the last interval that can be at the place, by floats."""
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
        """Return the interval at the place among a few, by bisection."""
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
    """Where intervals end on the ruler, in decimals: length by distinct score, times its decay."""

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
        """Decide for certain whether the place is before the end of any interval but the last."""
        lengths = self._by_score(interval)

        def share(digits: int) -> tuple[Between, Between]:
            decays = self._decays.setdefault(digits, [])
            if not decays:
                decays += [decay(self._rate, int(behind), digits) for behind in self._distinct]
            return _added(lengths, decays), _added(self._all, decays)

        return uniform.is_below(share)

    def _by_score(self, last: int) -> list[int]:
        """Add up the lengths up to an interval, by distinct score."""
        counted = np.where(np.arange(len(self._lengths)) <= last, self._lengths, 0)
        sums: list[int] = np.add.reduceat(counted[self._order], self._starts).tolist()
        return sums


def _added(lengths: list[int], decays: list[Between]) -> Between:
    """Add up lengths times decays."""
    low = sum(length * low for length, (low, _) in zip(lengths, decays, strict=True))
    high = sum(length * high for length, (_, high) in zip(lengths, decays, strict=True))
    return low, high
