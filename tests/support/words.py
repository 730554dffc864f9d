"""Random words that repeat themselves, or that say what a test wants to hear first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class Words:
    """A source of 64-bit words: first those given, then those of a seed.

    Attributes
    ----------
    given
        All words that were handed out, in order.
    """

    def __init__(self, seed: int, first: Sequence[int] = ()) -> None:
        self.given: list[int] = []
        self._first = list(first)
        self._random = np.random.default_rng(seed)

    def __call__(self, size: int) -> NDArray[np.uint64]:
        """Hand out so many words."""
        told, self._first = self._first[:size], self._first[size:]
        words = np.concatenate(
            [
                np.array(told, dtype=np.uint64),
                self._random.integers(0, 2**64, size - len(told), dtype=np.uint64),
            ]
        )
        self.given += words.tolist()
        return words


def from_number(numerator: int, denominator: int, words: int) -> list[int]:
    """Write the first words of a number from 0 to 1, cut off."""
    digits = (numerator << 64 * words) // denominator
    return [digits >> 64 * (words - 1 - place) & (2**64 - 1) for place in range(words)]
