"""A uniform random number with as many bits as the question needs.

A float is too coarse for privacy: it has 53 bits and gaps that depend on its size, and what it
rounds away can show what went in (Mironov 2012, "On significance of the least significant bits for
differential privacy"). Here a uniform number between 0 and 1 is a row of random bits of which only
the first were drawn. Most comparisons are settled by 64; one that is not draws more. So
an answer is that of a real number, and nobody has to write all of it down.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

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
    """A uniform number of which some bits are known.

    It lies from ``known / 2**bits`` to ``(known + 1) / 2**bits``.

    `first`: its first 64 bits.
    """

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
