"""Assign profiles to people, so that people with the same rows share a profile.

People have the same rows only if they have each row equally often. Each person's sorted run of rows
has a hash. Runs with equal hashes are compared in full, so a collision never merges two profiles.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Whole, compiled
from roadstead.kernels.hash_table import GOLDEN, find, find_next, slots_for, table_of

_OTHER = np.uint64(0xC2B2AE3D27D4EB4F)


@compiled
def number_profiles(starts: Whole, keys: Whole, times: Whole) -> tuple[Whole, Whole]:
    """Return the profile of each person, and the first person with each profile.

    The run of person p begins at ``starts[p]``. `keys` identifies each row, with the shape
    ``(parts, rows)``. `times` counts how often the person has each row.
    """
    persons = starts.size - 1
    table = table_of(slots_for(persons), np.empty(persons, np.uint64))
    profiles = np.empty(persons, np.int64)
    first = np.empty(persons, np.int64)
    found = 0
    for person in range(persons):
        mixed = np.uint64(starts[person + 1] - starts[person])
        for j in range(starts[person], starts[person + 1]):
            for part in range(keys.shape[0]):
                mixed = (mixed ^ np.uint64(keys[part, j])) * GOLDEN
                mixed ^= mixed >> np.uint64(29)
            mixed = (mixed ^ np.uint64(times[j])) * _OTHER
            mixed ^= mixed >> np.uint64(32)
        slot = find(table, mixed)
        while table.slots[slot] >= 0:
            if _same(starts, keys, times, first[table.slots[slot]], person):
                break
            slot = find_next(table, mixed, slot)
        if table.slots[slot] < 0:
            table.slots[slot] = found
            table.keys[found], first[found] = mixed, person
            found += 1
        profiles[person] = table.slots[slot]
    return profiles, first[:found].copy()


@compiled
def _same(starts: Whole, keys: Whole, times: Whole, one: int, other: int) -> bool:
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
