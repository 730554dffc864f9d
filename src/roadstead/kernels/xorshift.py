"""Random numbers for kernels: xorshift64* (Vigna, ACM Trans. Math. Software 2016)."""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Members, compiled


@compiled
def random_word(state: Members) -> np.uint64:
    """Return 64 bits and advance the state, which is one word. Only the high bits are random."""
    word = state[0]
    word ^= word >> np.uint64(12)
    word ^= word << np.uint64(25)
    word ^= word >> np.uint64(27)
    state[0] = word
    return np.uint64(word * np.uint64(2685821657736338717))
