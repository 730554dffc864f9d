"""The exponential mechanism over intervals: exact, however many and however unlikely.

A split point of a number line is chosen with density proportional to exp(rate x score), and the
score is the same all over an interval between two neighboring values. So an interval is chosen with
probability proportional to its length times exp(rate x score), and then a point in it (McSherry and
Talwar 2007, "Mechanism design via differential privacy"; Friedman and Schuster 2010, section 5.1).

A uniform number is put on a ruler on which every interval has its weight as its width. Two rulers
made with floats, one surely too short and one surely too long everywhere, mostly agree on where it
falls. If they do not, decimals with growing precision decide. The floats make the choice fast, and
cannot change it: every interval has exactly its probability, be it 1 in 10**1000.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.chance.exact_numbers import Between, Source, Uniform, decay, rational

_MARGIN = 2.0**-40
"""Bound of the relative error of a weight in floats that is not below 2**-60 of all.

Its exponent, at most 745, is a product of three rounded numbers: 745 x 3 x 2**-53 is 2**-41.8. The
rest is several thousand times what ``exp`` and two products add.
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
    """Intervals of lengths above 0 side by side, each as wide as its weight."""

    def __init__(
        self, lengths: NDArray[np.int64], behind: NDArray[np.int64], rate: Fraction
    ) -> None:
        self._lengths = lengths
        self._behind = behind
        self._rate = rate

    def interval_at(self, uniform: Uniform) -> int:
        """Find the interval at a place: the first that ends behind it."""
        return self.narrow(*self.candidates(uniform), uniform)

    def candidates(self, uniform: Uniform) -> tuple[int, int]:
        """Find by floats the first and the last interval that can be at the place."""
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
        """Find the interval at the place among a few, by halves."""
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
