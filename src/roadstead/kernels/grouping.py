"""Compute equivalence classes by refinement, which splits each class by one more column.

Rows are the distinct combinations of a frequency table. `lookup` gives the label of each value
code, so that one matrix of codes serves all policies. A *member* packs a row and its class into one
word, with the row in the upper half. The word is unsigned, because Numba checks indices that could
be negative.

Invariants: members keep their order, and classes are numbered from 0 without gaps, in the order of
their first members. Sizes are numbers of records.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.compiled import Codes, Few, Flags, Members, Whole, compiled
from roadstead.kernels.hash_table import number_of, slots_for, table_of

_HALF = np.uint64(32)
_CLASS = np.uint64(0xFFFFFFFF)
_UNSEEN = np.uint32(0xFFFFFFFF)
_MOST_PAIRS_A_ROW = 4


@compiled
def refine_dense(
    members: Members, column: Codes, lookup: Codes, labels: int, pairs: int
) -> tuple[Members, int]:
    """Split classes by a column, and return the members with new classes and the class count.

    `pairs` is the number of possible (class, label) pairs, which is classes times labels.
    """
    numbers = np.full(pairs, _UNSEEN, np.uint32)
    width = np.uint64(labels)
    found = np.uint32(0)
    new = np.empty(members.size, np.uint64)
    for j in range(members.size):
        row = members[j] >> _HALF
        pair = (members[j] & _CLASS) * width + lookup[column[row]]
        if numbers[pair] == _UNSEEN:
            numbers[pair] = found
            found += np.uint32(1)
        new[j] = (row << _HALF) | np.uint64(numbers[pair])
    return new, int(found)


@compiled
def refine_twice(
    members: Members,
    first: Codes,
    first_lookup: Codes,
    second: Codes,
    second_lookup: Codes,
    labels: tuple[int, int, int],
) -> tuple[Members, int]:
    """Split classes by two columns in one pass, which takes only slightly longer than one column.

    `labels` contains the number of labels in the first column, the number of labels in the second
    column, and the product of both with the number of classes.
    """
    numbers = np.full(labels[2], _UNSEEN, np.uint32)
    width, narrow = np.uint64(labels[0]), np.uint64(labels[1])
    found = np.uint32(0)
    new = np.empty(members.size, np.uint64)
    for j in range(members.size):
        row = members[j] >> _HALF
        pair = (members[j] & _CLASS) * width + first_lookup[first[row]]
        pair = pair * narrow + second_lookup[second[row]]
        if numbers[pair] == _UNSEEN:
            numbers[pair] = found
            found += np.uint32(1)
        new[j] = (row << _HALF) | np.uint64(numbers[pair])
    return new, int(found)


@compiled
def refine_hashed(members: Members, column: Codes, lookup: Codes) -> tuple[Members, int]:
    """Return the result of `refine_dense`, but use a hash table to number the pairs."""
    table = table_of(slots_for(members.size), np.empty(members.size, np.uint64))
    found = 0
    new = np.empty(members.size, np.uint64)
    for j in range(members.size):
        row = members[j] >> _HALF
        pair = ((members[j] & _CLASS) << _HALF) | np.uint64(lookup[column[row]])
        number = number_of(table, pair, found)
        found += number == found
        new[j] = (row << _HALF) | np.uint64(number)
    return new, int(found)


@compiled
def _numbered(totals: Whole) -> tuple[Codes, Whole]:
    """Number the pairs that have records, and return the number of records in each pair.

    A pair without records gets the number of the next pair with records.
    """
    numbers = np.empty(totals.size, np.uint32)
    found = 0
    for pair in range(totals.size):
        numbers[pair] = found
        found += totals[pair] > 0
    sizes = np.empty(found, np.int64)
    for pair in range(totals.size):
        if totals[pair] > 0:
            sizes[numbers[pair]] = totals[pair]
    return numbers, sizes


@compiled
def size_pairs(
    members: Members, column: Codes, lookup: Codes, labels: int, pairs: int, counts: Whole
) -> tuple[Members, Codes, Whole]:
    """Split classes by one column, and count the records in each class, in a single pass.

    The function returns the members, in which the index of a (class, label) pair replaces the
    class. It also returns the class of each pair, as numbered by `_numbered`, and the number of
    records in each class.
    """
    width = np.uint64(labels)
    new = np.empty(members.size, np.uint64)
    totals = np.zeros(pairs, np.int64)
    for j in range(members.size):
        row = members[j] >> _HALF
        pair = (members[j] & _CLASS) * width + lookup[column[row]]
        new[j] = (row << _HALF) | pair
        totals[pair] += counts[row]
    return new, *_numbered(totals)


@compiled
def size_twice(
    members: Members,
    first: Codes,
    first_lookup: Codes,
    second: Codes,
    second_lookup: Codes,
    labels: tuple[int, int, int],
    counts: Whole,
) -> tuple[Members, Codes, Whole]:
    """Return the result of `size_pairs` for two columns, with `labels` as in `refine_twice`."""
    width, narrow = np.uint64(labels[0]), np.uint64(labels[1])
    new = np.empty(members.size, np.uint64)
    totals = np.zeros(labels[2], np.int64)
    for j in range(members.size):
        row = members[j] >> _HALF
        pair = (members[j] & _CLASS) * width + first_lookup[first[row]]
        pair = pair * narrow + second_lookup[second[row]]
        new[j] = (row << _HALF) | pair
        totals[pair] += counts[row]
    return new, *_numbered(totals)


@compiled
def records_in_small(
    members: Members, column: Codes, lookup: Codes, labels: int, pairs: int, few: Few, least: int
) -> int:
    """Count the records in (class, label) pairs that have fewer than `least` records.

    `few` gives the number of records in each row. Because the function writes nothing per row, it
    is much faster than splitting classes.
    """
    width = np.uint64(labels)
    totals = np.zeros(pairs, np.uint32)
    for j in range(members.size):
        row = members[j] >> _HALF
        totals[(members[j] & _CLASS) * width + lookup[column[row]]] += few[row]
    found = 0
    for pair in range(pairs):
        if totals[pair] < least:
            found += totals[pair]
    return found


@compiled
def class_sizes(members: Members, classes: int, counts: Whole) -> Whole:
    """Return the number of records in each class."""
    sizes = np.zeros(classes, np.int64)
    for j in range(members.size):
        sizes[members[j] & _CLASS] += counts[members[j] >> _HALF]
    return sizes


@compiled
def class_totals(members: Members, numbers: Codes, classes: int, values: Whole) -> Whole:
    """For each class, sum a value of its rows; `numbers` gives the class of each key."""
    totals = np.zeros(classes, np.int64)
    for j in range(members.size):
        totals[numbers[members[j] & _CLASS]] += values[members[j] >> _HALF]
    return totals


@compiled
def with_records(members: Members, numbers: Codes, classes: int) -> Members:
    """Remove the rows of pairs without records; `classes` is the number of pairs with records."""
    stays = np.empty(numbers.size, np.uint64)
    for pair in range(numbers.size):
        after = numbers[pair + 1] if pair + 1 < numbers.size else classes
        stays[pair] = numbers[pair] < after
    inside = np.empty(members.size, np.uint64)
    found = np.uint64(0)
    for j in range(members.size):
        inside[found] = members[j]
        found += stays[members[j] & _CLASS]
    return inside[:found].copy()


@compiled
def split_members(members: Members, numbers: Codes, kept: Flags) -> tuple[Members, Codes]:
    """Separate the rows of kept classes from all other rows, and renumber the kept classes."""
    renumbered = np.empty(kept.size, np.uint32)
    found = 0
    for c in range(kept.size):
        renumbered[c] = found
        found += kept[c]
    target = np.empty(numbers.size, np.uint64)
    stays = np.empty(numbers.size, np.uint64)
    for key in range(numbers.size):
        number = min(int(numbers[key]), kept.size - 1)  # keys after the last class do not occur
        target[key] = renumbered[number]
        stays[key] = kept[number]
    inside = np.empty(members.size, np.uint64)
    outside = np.empty(members.size, np.uint32)
    stay = np.uint64(0)
    for j in range(members.size):  # without a branch, because the processor could not predict it
        key = members[j] & _CLASS
        row = members[j] >> _HALF
        inside[stay] = (row << _HALF) | target[key]
        outside[np.uint64(j) - stay] = np.uint32(row)
        stay += stays[key]
    return inside[:stay], outside[: np.uint64(members.size) - stay].copy()


@compiled
def pack_members(members: Members, numbers: Codes, rows: int, outside: int) -> NDArray[np.uint16]:
    """Return the class of each row in two bytes, or `outside` for rows without a class."""
    packed = np.full(rows, outside, np.uint16)
    for j in range(members.size):
        packed[members[j] >> _HALF] = numbers[members[j] & _CLASS]
    return packed


@compiled
def unpack_members(packed: NDArray[np.uint16], outside: int) -> Members:
    """Return the members that were packed by `pack_members`."""
    members = np.empty(packed.size, np.uint64)
    found = np.uint64(0)
    for row in range(packed.size):
        members[found] = (np.uint64(row) << _HALF) | np.uint64(packed[row])
        found += np.uint64(packed[row] != outside)
    return members[:found].copy()


def fits_dense(pairs: int, rows: int) -> bool:
    """Return whether a table of all (class, label) pairs is small compared to the rows."""
    return pairs <= _MOST_PAIRS_A_ROW * rows + 1024


def refine(
    members: Members, classes: int, column: Codes, lookup: Codes, labels: int
) -> tuple[Members, int]:
    """Split classes by a column, with the method that uses less memory."""
    if fits_dense(classes * labels, members.size):
        return refine_dense(members, column, lookup, labels, classes * labels)
    return refine_hashed(members, column, lookup)


def pack(rows: int) -> Members:
    """Return the members of a single class that contains every row of a table."""
    return np.arange(rows, dtype=np.uint64) << _HALF


def rows_of(members: Members) -> Codes:
    """Return the rows of members."""
    return (members >> _HALF).astype(np.uint32)


def keys_of(members: Members) -> Codes:
    """Return the classes, or keys, of members."""
    return (members & _CLASS).astype(np.uint32)
