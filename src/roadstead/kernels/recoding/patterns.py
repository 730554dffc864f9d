"""Compute classes under one vector of levels and *patterns* of suppressed attributes.

A pattern is an integer. If its bit j is set, attribute j is suppressed. Each node of a hierarchy
has a random 64-bit number. The key of a class is the sum of the numbers of a row's nodes, modulo
2**64. The probability that two classes have the same key is negligible. Such a collision could only
lower a bound, and the classes found here are later checked against the table. Losses are given per
record, from 0 to 1. The loss of a suppressed record is 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead.kernels.compiled import Members, Real, Small, Whole, compiled
from roadstead.kernels.hash_table import FREE, number_of, slots_for, table_of
from roadstead.kernels.shortlist import shortlist

_NEAR = 64
"""The largest number of nearby rows that may be grouped with a row."""
_STARTS = 8
"""The number of nearest rows to start from. A pattern is grown from each of these rows."""


class PatternRows(NamedTuple):
    """The distinct rows of a table under one vector of levels."""

    full: Members  # key of each row's class if nothing is suppressed
    change: Members  # (attributes, rows) added to the key if the attribute is suppressed
    plain: Real  # loss of each row if nothing is suppressed
    more: Real  # (attributes, rows) added to the loss if the attribute is suppressed
    counts: Whole  # number of records in each row


class ClassRoom(NamedTuple):
    """Space for the classes of a list of rows, and for the result of `_classify`."""

    slots: Small
    keys: Members  # for each class
    records: Whole  # for each class
    sums: Members  # key of each listed row
    class_of: Small  # class of each listed row


@compiled
def merged(sums: Members, counts: Whole) -> tuple[Small, Small, Whole]:
    """Merge rows with equal keys, and omit rows without records.

    The function returns the merged row of each row, or -1 if the row is omitted. It also returns
    the first row and the number of records of each merged row.
    """
    table = table_of(slots_for(sums.size), np.empty(sums.size, np.uint64))
    target = np.full(sums.size, -1, np.int32)
    first = np.empty(sums.size, np.int32)
    records = np.zeros(sums.size, np.int64)
    found = 0
    for row in range(sums.size):
        if counts[row] == 0:
            continue
        number = number_of(table, sums[row], found)
        if number == found:
            first[found] = row
            found += 1
        target[row] = number
        records[number] += counts[row]
    return target, first[:found].copy(), records[:found].copy()


@compiled
def _class_room(rows: int) -> ClassRoom:
    return ClassRoom(
        slots_for(rows),
        np.empty(rows, np.uint64),
        np.zeros(rows, np.int64),
        np.empty(rows, np.uint64),
        np.empty(rows, np.int32),
    )


@compiled
def _classify(table: PatternRows, rows: Small, number: int, pattern: int, room: ClassRoom) -> int:
    """Classify the first `number` listed rows under a pattern, and return the number of classes."""
    sums = room.sums
    for i in range(number):
        sums[i] = table.full[rows[i]]
    for at in range(table.change.shape[0]):
        if (pattern >> at) & 1:
            for i in range(number):
                sums[i] += table.change[at, rows[i]]
    size = 16
    while size < 2 * number:  # a small table of slots fits in the processor's cache
        size *= 2
    slots = room.slots[:size]
    slots[:] = FREE
    hashed = table_of(slots, room.keys)
    found = 0
    for i in range(number):
        one = number_of(hashed, sums[i], found)
        if one == found:
            room.records[one] = 0
            found += 1
        room.records[one] += table.counts[rows[i]]
        room.class_of[i] = one
    return found


@compiled
def _cost(table: PatternRows, pattern: int, row: int) -> float:
    cost = table.plain[row]
    for j in range(table.more.shape[0]):
        if (pattern >> j) & 1:
            cost += table.more[j, row]
    return float(cost)


@compiled
def first_fit(
    table: PatternRows, patterns: Whole, least: Real, k: int, most: float
) -> tuple[Small, float, int]:
    """Assign each row to the first pattern that puts it into a class of k remaining records.

    Parameters
    ----------
    table
        The rows.
    patterns
        Patterns in the order in which they are tried.
    least
        The lowest loss that each pattern or any later pattern adds to a record.
    k
        The minimum number of records in a class.
    most
        The search ends as soon as the loss is certain to be at least this number.

    Returns
    -------
    tuple
        The index of the pattern of each row (or -1), the sum of losses over records, and the number
        of (row, pattern) pairs that were examined. A record without a pattern loses 1. The sum is
        infinite if the search ended early.
    """
    rows = table.plain.size
    counts = table.counts
    left = np.arange(rows).astype(np.int32)
    number = rows
    room = _class_room(rows)
    found = np.full(rows, -1, np.int32)
    loss = 0.0
    waiting = 0.0
    people = 0
    steps = 0
    for row in range(rows):
        waiting += counts[row] * table.plain[row]
        people += counts[row]
    for at in range(patterns.size):
        if number == 0 or people < k:
            break
        if loss + waiting + people * least[at] >= most:
            return found, np.inf, steps
        steps += number
        _classify(table, left, number, patterns[at], room)
        stay = 0
        for i in range(number):
            row = left[i]
            if room.records[room.class_of[i]] >= k:
                found[row] = at
                loss += counts[row] * _cost(table, patterns[at], row)
                waiting -= counts[row] * table.plain[row]
                people -= counts[row]
            else:
                left[stay] = row
                stay += 1
        number = stay
    return found, loss + people, steps


@compiled
def least_losses(table: PatternRows, patterns: Whole, least: Real, k: int) -> tuple[Real, int]:
    """Return the lowest loss of each row over all patterns that give it a class of k records.

    The last entry of `least` applies to the patterns that are not in `patterns`. If there are such
    patterns, the returned losses are lower bounds. No loss exceeds 1. The function also returns the
    number of (row, pattern) pairs that were examined.
    """
    rows = table.plain.size
    everyone = np.arange(rows).astype(np.int32)
    waiting = np.arange(rows).astype(np.int32)
    number = rows
    room = _class_room(rows)
    losses = np.ones(rows, np.float64)
    steps = 0
    for at in range(patterns.size):
        stay = 0
        for i in range(number):  # drop rows that no later pattern can improve
            if table.plain[waiting[i]] + least[at] < losses[waiting[i]]:
                waiting[stay] = waiting[i]
                stay += 1
        number = stay
        if number == 0:
            break
        steps += rows
        _classify(table, everyone, rows, patterns[at], room)
        for i in range(number):
            row = waiting[i]
            if room.records[room.class_of[row]] >= k:
                losses[row] = min(losses[row], _cost(table, patterns[at], row))
    for i in range(number):
        row = waiting[i]
        losses[row] = min(losses[row], table.plain[row] + least[patterns.size])
    return losses, steps


@compiled
def cells_of_patterns(
    table: PatternRows, patterns: Whole, below: Small, k: int
) -> tuple[Small, Small, Small]:
    """Assign numbers to the *cells*: the classes of at least k records under all patterns.

    If a pattern that suppresses one attribute fewer gives a class with the same rows, both classes
    are the same cell, which belongs to the earlier pattern.

    For each pattern and attribute, `below` gives the index of the earlier pattern that is the same
    except that it does not suppress the attribute. The index is -1 if there is no such pattern. The
    function returns the cell of each row under each pattern, or -1 if there is none, with the shape
    ``(rows, patterns)``. It also returns the pattern and one row of each cell.
    """
    rows = table.full.size
    everyone = np.arange(rows).astype(np.int32)
    room = _class_room(rows)
    numbers = np.empty(rows, np.int32)  # cell of each class under the current pattern
    cells = np.full((rows, patterns.size), -1, np.int32)
    some = 1024
    sizes = np.empty(some, np.int64)
    owner = np.empty(some, np.int32)
    first = np.empty(some, np.int32)
    found = 0
    for at in range(patterns.size):
        numbers[: _classify(table, everyone, rows, patterns[at], room)] = -1
        for row in range(rows):
            one = room.class_of[row]
            if room.records[one] < k:
                continue
            if numbers[one] < 0:
                for j in range(table.change.shape[0]):
                    if below[at, j] >= 0:
                        same = cells[row, below[at, j]]
                        # Equal numbers of records mean the same rows, because suppressing only
                        # adds rows.
                        if same >= 0 and sizes[same] == room.records[one]:
                            numbers[one] = same
                            break
            if numbers[one] < 0:
                if found == some:
                    some *= 2
                    sizes = np.concatenate((sizes, sizes))
                    owner = np.concatenate((owner, owner))
                    first = np.concatenate((first, first))
                numbers[one] = found
                sizes[found] = room.records[one]
                owner[found] = at
                first[found] = row
                found += 1
            cells[row, at] = numbers[one]
    return cells, owner[:found].copy(), first[:found].copy()


@compiled
def lists_of_rows(cells: Small, owner: Small, losses: Real) -> tuple[Whole, Small, Real]:
    """Return the cells of each row in ascending order of loss, and then in order of pattern.

    `cells` and `owner` are the results of `cells_of_patterns`, and `losses` contains the loss of
    each cell. The function returns the index at which the list of each row begins, followed by the
    end. It also returns the cells and their losses.
    """
    rows, patterns = cells.shape
    starts = np.zeros(rows + 1, np.int64)
    for row in range(rows):
        number = 0
        for at in range(patterns):
            if cells[row, at] >= 0 and owner[cells[row, at]] == at:
                number += 1
        starts[row + 1] = starts[row] + number
    listed = np.empty(starts[rows], np.int32)
    own = np.empty(starts[rows], np.float64)
    for row in range(rows):
        place = starts[row]
        for at in range(patterns):
            if cells[row, at] >= 0 and owner[cells[row, at]] == at:
                listed[place] = cells[row, at]
                own[place] = losses[cells[row, at]]
                place += 1
        order = np.argsort(own[starts[row] : place], kind="mergesort")
        listed[starts[row] : place] = listed[starts[row] : place][order]
        own[starts[row] : place] = own[starts[row] : place][order]
    return starts, listed, own


@compiled
def _price(prices: Real, pattern: int) -> float:
    price = 0.0
    for at in range(prices.size):
        if (pattern >> at) & 1:
            price += prices[at]
    return price


@compiled
def _nearest_patterns(numbers: Members, row: int, prices: Real) -> tuple[Whole, Whole]:
    """Return which attributes of each row differ from `row` (as patterns), and the nearest rows."""
    masks = np.zeros(numbers.shape[1], np.int64)
    for at in range(numbers.shape[0]):
        for other in range(masks.size):
            if numbers[at, other] != numbers[at, row]:
                masks[other] |= 1 << at
    most = min(_NEAR, masks.size)
    costs, near = np.empty(most), np.empty(most, np.int64)
    held = 0
    for other in range(masks.size):
        cost = _price(prices, masks[other])
        if held < most or cost < costs[held - 1]:
            held = shortlist(costs, near, held, most, cost, other)
    return masks, near


@compiled
def cheap_pattern(numbers: Members, counts: Whole, row: int, prices: Real, k: int) -> int:
    """Return a low-priced pattern under which a row is in a class of k records, or -1.

    The method is greedy. It starts from each of a few nearby rows in turn. It then repeatedly adds
    the row that increases the price of the pattern the least. It stops when the rows that the
    pattern makes identical have k records. For each attribute and row, `numbers` contains the
    random number of the node. `prices` contains the cost of suppressing each attribute.
    """
    masks, near = _nearest_patterns(numbers, row, prices)
    best = -1
    least = np.inf
    for start in near[:_STARTS]:
        pattern = masks[start]
        own = _price(prices, pattern)
        while own < least:
            people = 0
            more = -1
            price = np.inf
            for other in near:
                if masks[other] | pattern == pattern:
                    people += counts[other]
                    continue
                extra = _price(prices, masks[other] & ~pattern)
                if extra < price:
                    price = extra
                    more = other
            if people >= k:
                least = own
                best = pattern
            if people >= k or more < 0:
                break
            pattern |= masks[more]
            own = _price(prices, pattern)
    return best
