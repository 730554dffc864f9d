"""Count the people in each class who have each value of a column.

Because the rows of a person are contiguous, the (class, value) pairs of each person can be sorted
separately, and repeated pairs are removed. The remaining pairs are counted like rows of a table.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.compiled import Codes, Members, Small, Whole, compiled
from roadstead.kernels.histograms import Entries, class_histogram

_HALF = np.uint64(32)
_CLASS = np.uint64(0xFFFFFFFF)


def values_of_persons(
    members: Members,
    numbers: Codes,
    classes: int,
    entries: tuple[Whole, Small],
    owners: Codes,
    values: int,
) -> Entries:
    """Return the entries of each class, with the number of people who have each value.

    `owners` gives the person of each row. `entries` contains two arrays: the index at which the
    values of each row begin, and the values.
    """
    pairs, codes = _values_once(members, numbers, *entries, owners, values)
    number = np.arange(classes, dtype=np.uint32)
    each = np.arange(codes.size + 1, dtype=np.int64), codes, np.ones(codes.size, dtype=np.int64)
    return class_histogram(pairs, number, classes, each, values)


@compiled
def _values_once(
    members: Members,
    numbers: Codes,
    starts: Whole,
    codes: Small,
    owners: Codes,
    values: int,
) -> tuple[Members, Small]:
    """Return the distinct values of each person in each class, as members with separate rows."""
    total = 0
    for j in range(members.size):
        row = members[j] >> _HALF
        total += starts[row + np.uint64(1)] - starts[row]
    width = np.uint64(values)
    keys = np.empty(total, np.uint64)
    begin, end = 0, 0
    for j in range(members.size):
        row = members[j] >> _HALF
        if j > 0 and owners[row] != owners[members[j - 1] >> _HALF]:
            begin = end = _once(keys, begin, end)
        first = np.uint64(numbers[members[j] & _CLASS]) * width
        for e in range(starts[row], starts[row + np.uint64(1)]):
            keys[end] = first + np.uint64(codes[e])
            end += 1
    end = _once(keys, begin, end)
    pairs, found = np.empty(end, np.uint64), np.empty(end, np.int32)
    for at in range(end):
        pairs[at] = (np.uint64(at) << _HALF) | (keys[at] // width)
        found[at] = keys[at] % width
    return pairs, found


@compiled
def _once(keys: NDArray[np.uint64], begin: int, end: int) -> int:
    """Sort a part of the keys, remove repeated keys, and return the new end."""
    keys[begin:end].sort()
    found = begin
    for at in range(begin, end):
        if at == begin or keys[at] != keys[found - 1]:
            keys[found] = keys[at]
            found += 1
    return found
