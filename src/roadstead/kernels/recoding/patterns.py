"""Rows put into classes by a vector of levels and *patterns*: the attributes suppressed.

A row has a number for each attribute, that of its node, and one for the node it has when the
attribute is suppressed. The sum of its numbers, which wraps around, tells classes apart: random
numbers of 64 bits, so that two classes have one sum with a chance that can be neglected, and if two
had, a bound would only be lower, and a class found here is checked against the table later.
A pattern is a whole number whose bit j says that attribute j is suppressed.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Members, Real, Small, Whole, compiled

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: Fibonacci hashing
_ONE = np.uint64(1)
_WORD = 64
_NEAR = 64
"""Rows that are looked at as companions of one."""
_STARTS = 8
"""Of them, so many are begun with."""


@compiled
def merged(sums: Members, counts: Whole) -> tuple[Small, Small, Whole]:
    """Make rows of equal sums one; rows without a record are left out.

    Gives for each row its new one, or -1; of each new row the first old one, and its records.
    """
    bits = 4
    while (1 << bits) < 2 * sums.size:
        bits += 1
    shift = np.uint64(_WORD - bits)
    last = np.uint64((1 << bits) - 1)
    table = np.full(1 << bits, -1, np.int32)
    target = np.full(sums.size, -1, np.int32)
    first = np.empty(sums.size, np.int32)
    records = np.zeros(sums.size, np.int64)
    found = 0
    for row in range(sums.size):
        if counts[row] == 0:
            continue
        slot = (sums[row] * _GOLDEN) >> shift
        while table[slot] >= 0 and sums[first[table[slot]]] != sums[row]:
            slot = (slot + _ONE) & last
        if table[slot] < 0:
            table[slot] = found
            first[found] = row
            found += 1
        target[row] = table[slot]
        records[table[slot]] += counts[row]
    return target, first[:found].copy(), records[:found].copy()


@compiled
def _sums(
    rows: Small, number: int, full: Members, change: Members, pattern: int, sums: Members
) -> None:
    """Sums of the first so many `rows` under a pattern."""
    for i in range(number):
        sums[i] = full[rows[i]]
    for at in range(change.shape[0]):
        if (pattern >> at) & 1:
            for i in range(number):
                sums[i] += change[at, rows[i]]


@compiled
def _grouped(
    rows: Small,
    number: int,
    sums: Members,
    counts: Whole,
    slots: Small,
    keys: Members,
    records: Whole,
) -> int:
    """Count the records of each class in a table of slots; gives how many slots are in use."""
    bits = 4
    while (1 << bits) < 2 * number:
        bits += 1
    shift = np.uint64(_WORD - bits)
    last = np.uint64((1 << bits) - 1)
    records[: 1 << bits] = 0
    for i in range(number):
        slot = (sums[i] * _GOLDEN) >> shift
        while records[slot] > 0 and keys[slot] != sums[i]:
            slot = (slot + _ONE) & last
        keys[slot] = sums[i]
        records[slot] += counts[rows[i]]
        slots[i] = slot
    return 1 << bits


@compiled
def _places(rows: int) -> tuple[Members, Whole, Small, Members]:
    """Give room to group rows: keys and records of classes, the place and the sum of each row."""
    room = 16
    while room < 2 * rows:
        room *= 2
    return (
        np.empty(room, np.uint64),
        np.zeros(room, np.int64),
        np.empty(rows, np.int32),
        np.empty(rows, np.uint64),
    )


@compiled
def _cost(plain: Real, more: Real, pattern: int, row: int) -> float:
    """What a row loses where the attributes of a pattern are suppressed."""
    cost = plain[row]
    for j in range(more.shape[0]):
        if (pattern >> j) & 1:
            cost += more[j, row]
    return float(cost)


@compiled
def first_fit(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    full: Members,
    change: Members,
    plain: Real,
    more: Real,
    counts: Whole,
    patterns: Whole,
    least: Real,
    k: int,
    most: float,
) -> tuple[Small, float, int]:
    """Walk patterns; at each, rows not yet placed that make a class of k records are placed.

    `full` has each row's sum and `plain` its loss where nothing is suppressed; `change` and `more`,
    shape ``(attributes, rows)``, what suppressing an attribute adds to them. `least` has for each
    pattern what it and all after it add at least. Ends early where the loss must be `most` or more.
    Gives for each row the index of its pattern, or -1; the sum of losses over records, that of rows
    in no class being 1 a record, or infinite; and the row-patterns looked at.
    """
    rows = plain.size
    left = np.arange(rows).astype(np.int32)
    number = rows
    keys, records, slots, sums = _places(rows)
    found = np.full(rows, -1, np.int32)
    loss = 0.0
    waiting = 0.0
    people = 0
    steps = 0
    for row in range(rows):
        waiting += counts[row] * plain[row]
        people += counts[row]
    for at in range(patterns.size):
        if number == 0 or people < k:
            break
        if loss + waiting + people * least[at] >= most:
            return found, np.inf, steps
        steps += number
        _sums(left, number, full, change, patterns[at], sums)
        _grouped(left, number, sums, counts, slots, keys, records)
        stay = 0
        for i in range(number):
            row = left[i]
            if records[slots[i]] >= k:
                cost = _cost(plain, more, patterns[at], row)
                found[row] = at
                loss += counts[row] * cost
                waiting -= counts[row] * plain[row]
                people -= counts[row]
            else:
                left[stay] = row
                stay += 1
        number = stay
    return found, loss + people, steps


@compiled
def least_losses(  # noqa: PLR0917 - one compiled loop over arrays
    full: Members,
    change: Members,
    plain: Real,
    more: Real,
    counts: Whole,
    patterns: Whole,
    least: Real,
    k: int,
) -> tuple[Real, int]:
    """What each row loses at least: the minimum over patterns that put it among k records.

    Arguments as of `first_fit`, `least` with one entry more, for the patterns that are left out.
    Gives the losses, at most 1, and the row-patterns looked at.
    """
    rows = plain.size
    everyone = np.arange(rows).astype(np.int32)
    waiting = np.arange(rows).astype(np.int32)
    number = rows
    keys, records, slots, sums = _places(rows)
    losses = np.ones(rows, np.float64)
    steps = 0
    for at in range(patterns.size):
        stay = 0
        for i in range(number):  # those that a pattern from here on can still be better for
            if plain[waiting[i]] + least[at] < losses[waiting[i]]:
                waiting[stay] = waiting[i]
                stay += 1
        number = stay
        if number == 0:
            break
        steps += rows
        _sums(everyone, rows, full, change, patterns[at], sums)
        _grouped(everyone, rows, sums, counts, slots, keys, records)
        for i in range(number):
            row = waiting[i]
            if records[slots[row]] >= k:
                cost = _cost(plain, more, patterns[at], row)
                losses[row] = min(losses[row], cost)
    for i in range(number):
        losses[waiting[i]] = min(losses[waiting[i]], plain[waiting[i]] + least[patterns.size])
    return losses, steps


@compiled
def cells_of_patterns(  # noqa: C901 - one compiled loop
    full: Members, change: Members, counts: Whole, patterns: Whole, below: Small, k: int
) -> tuple[Small, Small, Small]:
    """Number the classes of all rows under each pattern that have k records: the cells.

    A cell that has the same rows as one of a pattern with an attribute less is that one; `below`,
    shape ``(patterns, attributes)``, has the indices of those patterns, all earlier, or -1. Gives
    the cell of each row, shape ``(rows, patterns)``, -1 where there is none; and the pattern and a
    row of each cell.
    """
    rows = full.size
    everyone = np.arange(rows).astype(np.int32)
    room = 16
    while room < 2 * rows:
        room *= 2
    keys = np.empty(room, np.uint64)
    records = np.zeros(room, np.int64)
    numbers = np.empty(room, np.int32)
    slots = np.empty(rows, np.int32)
    sums = np.empty(rows, np.uint64)
    cells = np.full((rows, patterns.size), -1, np.int32)
    some = 1024
    sizes = np.empty(some, np.int64)
    owner = np.empty(some, np.int32)
    first = np.empty(some, np.int32)
    found = 0
    for at in range(patterns.size):
        _sums(everyone, rows, full, change, patterns[at], sums)
        used = _grouped(everyone, rows, sums, counts, slots, keys, records)
        numbers[:used] = -1
        for row in range(rows):
            slot = slots[row]
            if records[slot] < k:
                continue
            if numbers[slot] < 0:
                for j in range(change.shape[0]):
                    if below[at, j] >= 0:
                        same = cells[row, below[at, j]]
                        if same >= 0 and sizes[same] == records[slot]:
                            numbers[slot] = same
                            break
            if numbers[slot] < 0:
                if found == some:
                    some *= 2
                    sizes = np.concatenate((sizes, sizes))
                    owner = np.concatenate((owner, owner))
                    first = np.concatenate((first, first))
                numbers[slot] = found
                sizes[found] = records[slot]
                owner[found] = at
                first[found] = row
                found += 1
            cells[row, at] = numbers[slot]
    return cells, owner[:found].copy(), first[:found].copy()


@compiled
def lists_of_rows(cells: Small, owner: Small, losses: Real) -> tuple[Whole, Small, Real]:
    """List the cells of each row, the one that loses least first, of equals the first.

    Gives where each row's list begins and the end, the cells, and what they lose.
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
def masks_of(numbers: Members, row: int) -> Whole:
    """Attributes in which each row differs from one of them, as patterns.

    `numbers`, shape ``(attributes, rows)``, tell the nodes of an attribute apart.
    """
    masks = np.zeros(numbers.shape[1], np.int64)
    for at in range(numbers.shape[0]):
        for other in range(masks.size):
            if numbers[at, other] != numbers[at, row]:
                masks[other] |= 1 << at
    return masks


@compiled
def cheap_pattern(  # noqa: C901, PLR0912 - one compiled loop
    numbers: Members, counts: Whole, row: int, prices: Real, k: int
) -> int:
    """A pattern of low price that puts a row among k records, -1 where there is none.

    The price of a pattern is the sum of those of its attributes. From each of a few near rows on,
    the row is added that makes it cheapest, until there are k records.
    """
    masks = masks_of(numbers, row)
    costs = np.zeros(masks.size, np.float64)
    for at in range(prices.size):
        for other in range(masks.size):
            if (masks[other] >> at) & 1:
                costs[other] += prices[at]
    number = min(_NEAR, masks.size)
    near = np.empty(number, np.int64)  # the nearest rows, by insertion
    held = 0
    for other in range(masks.size):
        if held < number or costs[other] < costs[near[held - 1]]:
            at = held if held < number else held - 1
            while at > 0 and costs[near[at - 1]] > costs[other]:
                near[at] = near[at - 1]
                at -= 1
            near[at] = other
            if held < number:
                held += 1
    best = -1
    least = np.inf
    for start in range(min(_STARTS, held)):
        pattern = masks[near[start]]
        while True:
            people = 0
            more = -1
            price = np.inf
            own = 0.0
            for at in range(prices.size):
                if (pattern >> at) & 1:
                    own += prices[at]
            if own >= least:
                break
            for i in range(held):
                mask = masks[near[i]]
                if mask | pattern == pattern:
                    people += counts[near[i]]
                    continue
                extra = 0.0
                for at in range(prices.size):
                    if ((mask & ~pattern) >> at) & 1:
                        extra += prices[at]
                if extra < price:
                    price = extra
                    more = i
            if people >= k:
                least = own
                best = pattern
                break
            if more < 0:
                break
            pattern |= masks[near[more]]
    return best
