"""Generate random numbers in kernels with xorshift64* (Vigna, ACM Trans. Math. Software 2016)."""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Members, compiled


@compiled
def random_word(state: Members) -> np.uint64:
    """Return 64 bits, of which only the high bits are random, and advance the one-word state."""
    word = state[0]
    word ^= word >> np.uint64(12)
    word ^= word << np.uint64(25)
    word ^= word >> np.uint64(27)
    state[0] = word
    return np.uint64(word * np.uint64(2685821657736338717))
