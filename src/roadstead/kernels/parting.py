"""Split contiguous equivalence classes, and drop classes that become too small.

This module is faster than `grouping` if only the sizes of classes matter. Small classes are split
first, because they lose the largest share of their records. As a result, most policies that
suppress too many records are rejected after the module has read only a fifth of the rows. A class
needs only a few counters, which fit in the processor's cache. Indices are unsigned, because Numba
checks indices that could be negative.

Invariant: The members of a class are contiguous before and after each split. Sizes are numbers of
records.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.compiled import Codes, Few, Members, Whole, compiled

_HALF = np.uint64(32)
_CLASS = np.uint64(0xFFFFFFFF)
_RECORDS = _CLASS
_RECORD = np.uint64(1 << 32)
"""One row in the upper half of a counter, whose lower half counts records."""
_NONE, _ONE = np.uint64(0), np.uint64(1)
_BITS = 64


@compiled
def smallest_first(sizes: Whole) -> Codes:
    """Return the classes, stably sorted by the number of binary digits of their sizes."""
    places = np.zeros(_BITS + 2, np.int64)
    digits = np.empty(sizes.size, np.int64)
    for c in range(sizes.size):
        digits[c] = 0
        left = sizes[c]
        while left > 0:
            left >>= 1
            digits[c] += 1
        places[digits[c] + 1] += 1
    for b in range(_BITS + 1):
        places[b + 1] += places[b]
    order = np.empty(sizes.size, np.uint32)
    for c in range(sizes.size):
        order[places[digits[c]]] = c
        places[digits[c]] += 1
    return order


@compiled
def make_contiguous(members: Members, numbers: Codes, classes: int) -> tuple[Members, Whole]:
    """Sort members by class, and also return the index at which each class begins.

    `numbers` contains the class of each key.
    """
    begins = np.zeros(classes + 1, np.int64)
    for j in range(members.size):
        begins[numbers[members[j] & _CLASS] + 1] += 1
    for c in range(classes):
        begins[c + 1] += begins[c]
    places = begins.copy()
    found = np.empty(members.size, np.uint64)
    for j in range(members.size):
        number = numbers[members[j] & _CLASS]
        found[places[number]] = (members[j] & ~_CLASS) | np.uint64(number)
        places[number] += 1
    return found, begins


@compiled
def part(  # noqa: C901, PLR0912, PLR0913, PLR0915, PLR0917 - one compiled loop over arrays
    members: Members,
    begins: Whole,
    order: Codes,
    codes: NDArray[np.uint32],
    lookups: Codes,
    columns: Whole,
    few: Few,
    least: int,
    most: int,
) -> tuple[int, Members, Whole, Whole, Codes]:
    """Split classes by some columns, and drop classes of fewer than `least` records.

    Parameters
    ----------
    members, begins
        The members of class c are ``members[begins[c]:begins[c + 1]]``.
    order
        The order in which classes are split.
    codes
        The value code of each column and row, with the shape ``(columns, rows)``.
    lookups
        The labels of the value codes of all columns, one column after another.
    columns
        For each column of the split, its row in `codes`, the index at which its labels begin in
        `lookups`, and the number of its labels.
    few
        The number of records in each row.
    least
        The smallest allowed number of records in a class.
    most
        The function stops after dropping more records than this number.

    Returns
    -------
    tuple
        The number of dropped records, the members, begins, and sizes of the remaining classes, and
        the dropped rows. If the function stopped early, all results except the first are empty.
    """
    rows = members.size
    longest = 0
    for c in range(order.size):
        longest = max(longest, begins[c + 1] - begins[c])
    labels = 1
    for x in range(columns.shape[0]):
        labels *= columns[x, 2]
    # Two counters per label, used for alternating rows, avoid waiting for the previous write.
    tallies = np.zeros(2 * labels, np.uint64)
    places = np.empty(2 * labels, np.uint64)
    number = np.zeros(labels, np.uint64)
    own = np.empty(longest, np.uint32)
    room = min(order.size * labels, rows)
    sizes, starts = np.empty(room, np.int64), np.empty(room + 1, np.int64)
    found = np.empty(rows, np.uint64)
    classes, none = 0, np.int64(0)
    dropped, front, back = none, none, none + rows
    last = columns.shape[0] - 1
    for c in order:
        inside = members[begins[c] : begins[c + 1]]
        for x in range(last):
            column, first = codes[columns[x, 0]], np.uint64(columns[x, 1])
            width = np.uint64(columns[x, 2]) if x else _NONE
            for j in range(inside.size):
                label = np.uint64(lookups[first + column[inside[j] >> _HALF]])
                own[j] = np.uint64(own[j]) * width + label
        column, first = codes[columns[last, 0]], np.uint64(columns[last, 1])
        width = np.uint64(columns[last, 2])
        for j in range(inside.size):
            row = inside[j] >> _HALF
            label = np.uint64(lookups[first + column[row]])
            if last:
                label += np.uint64(own[j]) * width
            own[j] = label
            tallies[(label << _ONE) | (np.uint64(j) & _ONE)] += _RECORD | few[row]
        for j in range(min(inside.size, labels)):
            label = np.uint64(j) if labels <= inside.size else np.uint64(own[j])
            even, odd = label << _ONE, (label << _ONE) | _ONE
            both = tallies[even] + tallies[odd]
            if not both:
                continue
            size = np.int64(both & _RECORDS)
            if size < least:
                dropped += size
                back -= np.int64(both >> _HALF)
                place = back
            else:
                place = front
                sizes[classes], starts[classes] = size, front
                number[label] = classes
                classes += 1
                front += np.int64(both >> _HALF)
            places[even] = place
            places[odd] = np.uint64(place) + (tallies[even] >> _HALF)
            tallies[even] = tallies[odd] = _NONE
        if dropped > most:
            return int(dropped), found[:0], starts[:0], sizes[:0], few[:0]
        for j in range(inside.size):
            label = np.uint64(own[j])
            at = (label << _ONE) | (np.uint64(j) & _ONE)
            place = places[at]
            found[place] = (inside[j] & ~_CLASS) | number[label]
            places[at] = place + _ONE
    starts[classes] = front
    gone = np.empty(rows - front, np.uint32)
    for j in range(gone.size):
        gone[j] = found[front + j] >> _HALF
    return int(dropped), found[:front], starts[: classes + 1].copy(), sizes[:classes].copy(), gone
