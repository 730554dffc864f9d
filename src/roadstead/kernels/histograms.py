"""Compute the distribution of a column within each class from its distribution within rows.

An entry consists of a value and the number of records with this value. `count_dense` uses a table
of all (class, value) pairs, which is small for general policies. `count_sorted` sorts the entries
by value, and then by class. Both return the same result in a time that is linear in the numbers of
entries, classes, and values.

Invariant: the entries of a class are in ascending order of values, and each value occurs once.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from roadstead.kernels import grouping
from roadstead.kernels.compiled import Codes, Members, Real, Small, Whole, compiled

_HALF = np.uint64(32)
_CLASS = np.uint64(0xFFFFFFFF)


Entries: TypeAlias = tuple[Whole, Small, Whole]
"""The index of the first entry of each row or class, and the value and records of each entry."""


def class_histogram(
    members: Members, numbers: Codes, classes: int, entries: Entries, values: int
) -> Entries:
    """Return the entries of each class, computed by the faster method.

    `numbers` gives the class of each key, and `entries` contains the entries of rows.
    """
    dense = grouping.fits_dense(classes * values, members.size)
    count = count_dense if dense else count_sorted
    return count(members, numbers, classes, entries, values)


@compiled
def count_dense(
    members: Members, numbers: Codes, classes: int, entries: Entries, values: int
) -> Entries:
    """Return the entries of each class, computed with a table of all (class, value) pairs."""
    starts, codes, counts = entries
    width = np.uint64(values)
    table = np.zeros(classes * values, np.int64)
    for j in range(members.size):
        row = members[j] >> _HALF
        first = np.uint64(numbers[members[j] & _CLASS]) * width
        for e in range(np.uint64(starts[row]), np.uint64(starts[row + np.uint64(1)])):
            table[first + np.uint64(codes[e])] += counts[e]
    found = np.count_nonzero(table)
    class_starts = np.zeros(classes + 1, np.int64)
    class_codes = np.empty(found, np.int32)
    class_counts = np.empty(found, np.int64)
    at = 0
    for c in range(classes):
        for value in range(values):
            records = table[c * values + value]
            if records > 0:
                class_codes[at] = value
                class_counts[at] = records
                at += 1
        class_starts[c + 1] = at
    return class_starts, class_codes, class_counts


@compiled
def count_sorted(
    members: Members, numbers: Codes, classes: int, entries: Entries, values: int
) -> Entries:
    """Return the entries of each class, computed by sorting the entries."""
    starts = entries[0]
    by_value = _by_value(members, numbers, entries, values)
    room = np.zeros(classes + 1, np.int64)
    for j in range(members.size):
        row = members[j] >> _HALF
        number = np.int64(numbers[members[j] & _CLASS])
        room[number + 1] += starts[row + np.uint64(1)] - starts[row]
    for c in range(classes):
        room[c + 1] += room[c]
    return _without_gaps(room, *_by_class(room, *by_value))


@compiled
def _by_value(
    members: Members, numbers: Codes, entries: Entries, values: int
) -> tuple[Whole, Codes, Whole]:
    """Sort the entries of members by value; return each value's end, classes, and counts."""
    starts, codes, counts = entries
    place = np.zeros(values + 1, np.int64)
    for j in range(members.size):
        row = members[j] >> _HALF
        for e in range(starts[row], starts[row + np.uint64(1)]):
            place[codes[e] + 1] += 1
    for value in range(values):
        place[value + 1] += place[value]
    entry_classes = np.empty(place[values], np.uint32)
    entry_counts = np.empty(place[values], np.int64)
    for j in range(members.size):
        row = members[j] >> _HALF
        number = numbers[members[j] & _CLASS]
        for e in range(starts[row], starts[row + np.uint64(1)]):
            at = place[codes[e]]
            entry_classes[at] = number
            entry_counts[at] = counts[e]
            place[codes[e]] = at + 1
    return place[:values], entry_classes, entry_counts


@compiled
def _by_class(room: Whole, ends: Whole, entry_classes: Codes, entry_counts: Whole) -> Entries:
    """Sort entries by class, merge entries of equal value, and return where each class ends."""
    filled = room[:-1].copy()
    codes = np.empty(entry_counts.size, np.int32)
    counts = np.empty(entry_counts.size, np.int64)
    e = 0
    for value in range(ends.size):
        while e < ends[value]:
            number = entry_classes[e]
            at = filled[number]
            if at > room[number] and codes[at - 1] == value:
                counts[at - 1] += entry_counts[e]
            else:
                codes[at] = value
                counts[at] = entry_counts[e]
                filled[number] = at + 1
            e += 1
    return filled, codes, counts


@compiled
def _without_gaps(room: Whole, filled: Whole, codes: Small, counts: Whole) -> Entries:
    """Remove the unused space between the entries of different classes."""
    starts = np.zeros(room.size, np.int64)
    at = 0
    for c in range(filled.size):
        for e in range(room[c], filled[c]):
            codes[at] = codes[e]
            counts[at] = counts[e]
            at += 1
        starts[c + 1] = at
    return starts, codes[:at], counts[:at]


@compiled
def entropies(starts: Whole, counts: Whole) -> Real:
    """Return the Shannon entropy of each class, in nats."""
    classes = starts.size - 1
    found = np.zeros(classes, np.float64)
    for c in range(classes):
        size = counts[starts[c] : starts[c + 1]].sum()
        total = 0.0
        for e in range(starts[c], starts[c + 1]):
            total += counts[e] * np.log(size / counts[e])
        if size > 0:
            found[c] = total / size
    return found


@compiled
def heads_and_tails(starts: Whole, counts: Whole, rank: int) -> tuple[Whole, Whole]:
    """Count each class's records with the top value, and with the `rank`-th or rarer values."""
    classes = starts.size - 1
    heads = np.zeros(classes, np.int64)
    tails = np.zeros(classes, np.int64)
    for c in range(classes):
        first, last = starts[c], starts[c + 1]
        for e in range(first, last):
            heads[c] = max(heads[c], counts[e])
        if last - first >= rank:
            ascending = np.sort(counts[first:last])
            for i in range(last - first - rank + 1):
                tails[c] += ascending[i]
    return heads, tails


@compiled
def fullest(starts: Whole, codes: Small, counts: Whole, caps: Real) -> Real:
    """For each class, return the largest ratio of a value's share to its cap."""
    classes = starts.size - 1
    found = np.zeros(classes, np.float64)
    for c in range(classes):
        size = counts[starts[c] : starts[c + 1]].sum()
        for e in range(starts[c], starts[c + 1]):
            found[c] = max(found[c], counts[e] / (caps[codes[e]] * size))
    return found


@compiled
def room_under_caps(starts: Whole, codes: Small, caps: Real) -> Real:
    """For each class, return the sum of the caps of its values."""
    classes = starts.size - 1
    sums = np.zeros(classes, np.float64)
    for c in range(classes):
        for e in range(starts[c], starts[c + 1]):
            sums[c] += caps[codes[e]]
    return sums
