"""Persons who have the same rows, each equally often: profiles, told apart in one pass.

Each person's run of rows, which stand in order, gets a hash; where two hashes agree the runs are
compared in full, so no two persons are taken for alike who are not.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Whole, compiled

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: Fibonacci hashing
_OTHER = np.uint64(0xC2B2AE3D27D4EB4F)
_FREE = np.int64(-1)


@compiled
def number_profiles(starts: Whole, keys: Whole, times: Whole) -> tuple[Whole, Whole]:
    """Number the runs of rows: alike ones alike, and the first person with each.

    `starts` says where the run of each person begins, and last where all end; `keys` what each row
    is, shape ``(parts, rows)``; `times` how often the person has it.
    """
    persons = starts.size - 1
    bits = 4
    while (1 << bits) < 2 * persons:
        bits += 1
    slots = np.full(1 << bits, _FREE, np.int64)
    shift, last = np.uint64(64 - bits), np.uint64((1 << bits) - 1)
    profiles, hashes = np.empty(persons, np.int64), np.empty(persons, np.uint64)
    first = np.empty(persons, np.int64)
    found = 0
    for person in range(persons):
        mixed = np.uint64(starts[person + 1] - starts[person])
        for j in range(starts[person], starts[person + 1]):
            for part in range(keys.shape[0]):
                mixed = (mixed ^ np.uint64(keys[part, j])) * _GOLDEN
                mixed ^= mixed >> np.uint64(29)
            mixed = (mixed ^ np.uint64(times[j])) * _OTHER
            mixed ^= mixed >> np.uint64(32)
        slot = (mixed * _GOLDEN) >> shift
        while slots[slot] != _FREE and not (
            hashes[slots[slot]] == mixed and _same(starts, keys, times, first[slots[slot]], person)
        ):
            slot = (slot + np.uint64(1)) & last
        if slots[slot] == _FREE:
            slots[slot] = found
            hashes[found], first[found] = mixed, person
            found += 1
        profiles[person] = slots[slot]
    return profiles, first[:found].copy()


@compiled
def _same(starts: Whole, keys: Whole, times: Whole, one: int, other: int) -> bool:
    """Whether two persons have the same rows, each equally often."""
    length = starts[one + 1] - starts[one]
    if length != starts[other + 1] - starts[other]:
        return False
    for i in range(length):
        a, b = starts[one] + i, starts[other] + i
        if times[a] != times[b]:
            return False
        for part in range(keys.shape[0]):
            if keys[part, a] != keys[part, b]:
                return False
    return True
