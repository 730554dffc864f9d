"""Loop over the cells of a table whose attributes are divided into intervals.

A *cell* is a combination of intervals that occurs in the table, with its number of records in each
target class. The *place* of a value is the first place of its attribute plus the value's code. An
interval has the code of its first value, so codes do not change when other intervals are merged.
Costs are whole numbers, from `roadstead.quality.partition_costs.Prices`.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Codes, Whole, compiled

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(31)


@compiled
def key_multiplier(attribute: int) -> np.uint64:
    """Return a fixed odd number that differs for each attribute; keys are linear in the codes."""
    z = np.uint64(attribute + 1) * _GOLDEN
    z = (z ^ (z >> _SHIFT)) * _MIX
    return z | np.uint64(1)


@compiled
def slot_of(key: np.uint64, last: np.uint64) -> np.uint64:
    """Return the slot at which the search for a key begins, where `last` is the last slot."""
    mixed = (key ^ (key >> _SHIFT)) * _MIX
    return (mixed ^ (mixed >> _SHIFT)) & last


@compiled
def free_slots(entries: int) -> Whole:
    """Return an open-addressing hash table in which at least half of the slots are free."""
    slots = 16
    while slots < 2 * entries:
        slots *= 2
    return np.full(slots, -1, np.int64)


@compiled
def group_cells(
    codes: Codes, counts: Whole, classes: Codes, starts: Codes, offsets: Whole
) -> tuple[Codes, Whole, Codes]:
    """Group cells into the intervals that begin at `starts`, and merge equal cells.

    `codes` has the shape ``(attributes, cells)``, and `counts` has the shape ``(cells, target
    classes)``. `starts` gives the first code of each place's interval, and `offsets` gives each
    attribute's first place. The new cells are in the order of first appearance, and each new cell
    takes the entry in `classes` of its first original cell.
    """
    attributes, cells = codes.shape
    targets = counts.shape[1]
    table = free_slots(cells)
    last = np.uint64(table.size - 1)
    new = np.empty((attributes, cells), np.uint32)
    sums = np.zeros((cells, targets), np.int64)
    kept = np.empty(cells, np.uint32)
    found = 0
    for j in range(cells):
        key = np.uint64(0)
        for i in range(attributes):
            code = starts[offsets[i] + codes[i, j]]
            new[i, found] = code
            key += np.uint64(code) * key_multiplier(i)
        slot = slot_of(key, last)
        at = table[slot]
        while at >= 0 and not cells_agree(new, found, at, 0, new[0, found]):
            slot = (slot + np.uint64(1)) & last
            at = table[slot]
        if at < 0:
            at = found
            table[slot] = at
            kept[at] = classes[j]
            found += 1
        for t in range(targets):
            sums[at, t] += counts[j, t]
    return new[:, :found].copy(), sums[:found].copy(), kept[:found].copy()


@compiled
def refine_classes(classes: Codes, labels: Codes) -> tuple[Codes, int]:
    """Split classes by labels; return the new classes in order of appearance, and their number."""
    table = free_slots(classes.size)
    last = np.uint64(table.size - 1)
    new = np.empty(classes.size, np.uint32)
    found = 0
    for j in range(classes.size):
        key = np.uint64(classes[j]) * np.uint64(1 << 32) + np.uint64(labels[j])
        slot = slot_of(key, last)
        while table[slot] >= 0 and not (
            classes[table[slot]] == classes[j] and labels[table[slot]] == labels[j]
        ):
            slot = (slot + np.uint64(1)) & last
        if table[slot] < 0:
            table[slot] = j
            new[j] = found
            found += 1
        else:
            new[j] = new[table[slot]]
    return new, found


@compiled
def class_totals(classes: Codes, number: int, counts: Whole) -> Whole:
    """Return the number of records in each class by target class, as ``(classes, targets)``."""
    totals = np.zeros((number, counts.shape[1]), np.int64)
    for j in range(classes.size):
        for t in range(counts.shape[1]):
            totals[classes[j], t] += counts[j, t]
    return totals


@compiled
def class_cost(size: int, largest: int, k: int, prices: Whole) -> int:
    """Return the cost of a class, given prices for squares, the minority, and suppression."""
    if size < k:
        return int(prices[2] * size)
    return int(prices[0] * size * size + prices[1] * (size - largest))


@compiled
def cost_floor(size: int, largest: int, k: int, prices: Whole) -> int:
    """Return the lowest cost that a cell's records have in any class that includes the cell."""
    return int(prices[0] * size * max(size, k) + prices[1] * (size - largest))


@compiled
def sizes_and_largest(counts: Whole) -> tuple[Whole, Whole]:
    """Return the number of records in each cell, and in its largest target class."""
    sizes = np.zeros(counts.shape[0], np.int64)
    largest = np.zeros(counts.shape[0], np.int64)
    for j in range(counts.shape[0]):
        for t in range(counts.shape[1]):
            sizes[j] += counts[j, t]
            largest[j] = max(largest[j], counts[j, t])
    return sizes, largest


@compiled
def sum_costs(totals: Whole, k: int, prices: Whole) -> tuple[int, int, int]:
    """Return the cost of classes, the lowest cost after any merges, and the suppressed records."""
    cost = 0
    least = 0
    gone = 0
    sizes, largest = sizes_and_largest(totals)
    for c in range(sizes.size):
        cost += class_cost(sizes[c], largest[c], k, prices)
        least += cost_floor(sizes[c], largest[c], k, prices)
        if sizes[c] < k:
            gone += int(sizes[c])
    return cost, least, gone


@compiled
def cells_agree(codes: Codes, one: int, other: int, attribute: int, code: int) -> bool:
    """Return whether `other` contains `code` in one attribute, and equals `one` in all others."""
    for i in range(codes.shape[0]):
        if i == attribute:
            if codes[i, other] != code:
                return False
        elif codes[i, other] != codes[i, one]:
            return False
    return True
