"""Compute how adding or removing a single cut changes a partition.

`weigh_cuts` returns the changes that result from adding each cut, and `weigh_merges` returns the
changes that result from removing each cut. Each function takes about as long as one partition, for
any number of cuts (Bayardo and Agrawal 2005, section 5; for `weigh_merges`,
docs/methods/k-optimize.md). Cells and places are defined as in `roadstead.kernels.partitions`.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Codes, Flags, Members, Whole, compiled
from roadstead.kernels.partitions import (
    cells_agree,
    class_cost,
    cost_floor,
    free_slots,
    key_multiplier,
    sizes_and_largest,
    slot_of,
)

SPLITS, COST, BOUND, GONE, WORTH = range(5)
"""The rows of the array that `weigh_cuts` returns."""


@compiled
def _sorted_cells(column: Codes, values: int, classes: Codes, begins: Whole) -> Whole:
    """Return the cells sorted by class and then by code. `begins` is the start of each class."""
    firsts = np.zeros(values + 1, np.int64)
    for j in range(column.size):
        firsts[column[j] + 1] += 1
    firsts = np.cumsum(firsts)
    by_code = np.empty(column.size, np.int64)
    for j in range(column.size):
        by_code[firsts[column[j]]] = j
        firsts[column[j]] += 1
    fill = begins.copy()
    order = np.empty(column.size, np.int64)
    for at in range(column.size):
        j = by_code[at]
        order[fill[classes[j]]] = j
        fill[classes[j]] += 1
    return order


@compiled
def _is_worth_a_cut(left: int, right: int, k: int, prices: Whole) -> bool:
    """Return whether a cut of a class into parts of these sizes may be useful.

    If one part is too small and suppression is expensive, merging this part back does not raise the
    cost.
    """
    if left >= k and right >= k:
        return True
    if left < k and right < k:
        return False
    small, large = min(left, right), max(left, right)
    return bool(prices[0] * (small + 2 * large) + prices[1] > prices[2])


@compiled
def _weigh_cut(
    left: Whole, whole: Whole, floors: tuple[int, int], k: int, prices: Whole, change: Whole
) -> None:
    """Write to `change` the effect of cutting one class. The cost is the cost of both parts."""
    sizes = (left.sum(), whole.sum() - left.sum())
    largest = (left.max(), 0)
    for t in range(left.size):
        largest = (largest[0], max(largest[1], whole[t] - left[t]))
    change[:] = 0
    change[SPLITS] = 1
    change[WORTH] = _is_worth_a_cut(sizes[0], sizes[1], k, prices)
    for part in range(2):
        change[COST] += class_cost(sizes[part], largest[part], k, prices)
        if sizes[part] < k:
            change[BOUND] += prices[2] * sizes[part] - floors[part]
            change[GONE] += sizes[part]


@compiled
def weigh_cuts(
    codes: Codes,
    counts: Whole,
    classes: Codes,
    totals: Whole,
    offsets: Whole,
    k: int,
    prices: Whole,
) -> Whole:
    """Return the changes that result from adding each cut to the partition of the classes.

    The result has the shape ``(5, places)``. For the cut before each place, the rows are: the
    number of classes that the cut splits, the increases in the cost and in the bound, the number of
    records that the cut suppresses, and the number of splits that may be useful. Every class has at
    least `k` records.
    """
    attributes, cells = codes.shape
    number, targets = totals.shape
    places = offsets[attributes]
    steps = np.zeros((5, places + 1), np.int64)  # values that change from one place to the next
    sizes, largest = sizes_and_largest(counts)
    class_sizes, class_largest = sizes_and_largest(totals)
    floors = np.empty(cells, np.int64)
    class_floors = np.zeros(number, np.int64)
    begins = np.zeros(number + 1, np.int64)
    for j in range(cells):
        floors[j] = cost_floor(sizes[j], largest[j], k, prices)
        class_floors[classes[j]] += floors[j]
        begins[classes[j] + 1] += 1
    begins = np.cumsum(begins)
    left = np.zeros(targets, np.int64)
    change = np.zeros(5, np.int64)
    for i in range(attributes):
        column = codes[i]
        order = _sorted_cells(column, offsets[i + 1] - offsets[i], classes, begins)
        for c in range(number):
            whole = class_cost(class_sizes[c], class_largest[c], k, prices)
            left_floor = 0
            left[:] = 0
            for at in range(begins[c], begins[c + 1] - 1):
                left_floor += floors[order[at]]
                left += counts[order[at]]
                low, high = column[order[at]], column[order[at + 1]]
                if low == high:
                    continue
                both = (left_floor, class_floors[c] - left_floor)
                _weigh_cut(left, totals[c], both, k, prices, change)
                change[COST] -= whole
                for row in range(5):
                    steps[row, offsets[i] + low + 1] += change[row]
                    steps[row, offsets[i] + high + 1] -= change[row]
    for w in range(1, places):
        for row in range(5):
            steps[row, w] += steps[row, w - 1]
    return steps[:, :places]


@compiled
def _index_cells(codes: Codes) -> tuple[Whole, Members]:
    """Put cells into an open-addressing table, and return the table and the key of each cell."""
    attributes, cells = codes.shape
    table = free_slots(cells)
    last = np.uint64(table.size - 1)
    keys = np.zeros(cells, np.uint64)
    for j in range(cells):
        for i in range(attributes):
            keys[j] += np.uint64(codes[i, j]) * key_multiplier(i)
        slot = slot_of(keys[j], last)
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & last
        table[slot] = j
    return table, keys


@compiled
def weigh_merges(
    codes: Codes,
    counts: Whole,
    following: Whole,
    offsets: Whole,
    tail: Flags,
    k: int,
    prices: Whole,
) -> Whole:
    """Return the changes that result from removing each cut in `tail` from the partition.

    The result has the shape ``(4, places)``. For the cut before each place, the rows are the
    increases in the cost, in the suppressed records, in the bound by squares, and in the bound by
    minorities. `following` contains the start of the next interval after each place.
    """
    attributes, cells = codes.shape
    found = np.zeros((4, offsets[attributes]), np.int64)
    table, keys = _index_cells(codes)
    last = np.uint64(table.size - 1)
    sizes, largest = sizes_and_largest(counts)
    for i in range(attributes):
        for j in range(cells):
            code = np.int64(codes[i, j])
            after = following[offsets[i] + code]
            w = offsets[i] + after
            if w >= offsets[i + 1] or not tail[w]:
                continue
            key = keys[j] + np.uint64(after - code) * key_multiplier(i)
            slot = slot_of(key, last)
            at = table[slot]
            while at >= 0 and not cells_agree(codes, j, at, i, after):
                slot = (slot + np.uint64(1)) & last
                at = table[slot]
            if at < 0:
                continue
            one, other = sizes[j], sizes[at]
            both = one + other
            top = 0
            for t in range(counts.shape[1]):
                top = max(top, counts[j, t] + counts[at, t])
            found[0, w] += class_cost(both, top, k, prices)
            found[0, w] -= class_cost(one, largest[j], k, prices)
            found[0, w] -= class_cost(other, largest[at], k, prices)
            found[1, w] += both * (both < k) - one * (one < k) - other * (other < k)
            squares = both * max(both, k) - one * max(one, k) - other * max(other, k)
            found[2, w] += prices[0] * squares
            found[3, w] += prices[1] * (largest[j] + largest[at] - top)
    return found


@compiled
def _cuts_alongside(
    codes: Codes, cell: int, following: Whole, offsets: Whole, tail: Flags, cuts: Whole
) -> int:
    """Write the removable cuts next to a cell into `cuts`, and return their number."""
    found = 0
    for i in range(codes.shape[0]):
        here = offsets[i] + codes[i, cell]
        after = offsets[i] + following[here]
        if here > offsets[i] and tail[here]:
            cuts[found] = here
            found += 1
        if after < offsets[i + 1] and tail[after]:
            cuts[found] = after
            found += 1
    return found


@compiled
def ascend(
    codes: Codes, prizes: Whole, following: Whole, offsets: Whole, tail: Flags, slack: Whole
) -> tuple[int, Whole]:
    """Compute the amount that the cost of rescuing or losing small cells adds to the lower bound.

    A cell that is too small is suppressed at the cost of its prize, unless a cut next to the cell
    is removed. Removing a cut costs at least the slack of the cut. Each cell takes the smallest
    slack of its cuts, and all of its cuts pay this amount (dual ascent for set covering). The
    function returns the total and the remaining slack.
    """
    attributes, cells = codes.shape
    left = slack.copy()
    cuts = np.empty(2 * attributes, np.int64)
    total = 0
    for most in range(1, 2 * attributes + 1):  # cells with few cuts come first
        for j in range(cells):
            if prizes[j] <= 0:
                continue
            number = _cuts_alongside(codes, j, following, offsets, tail, cuts)
            if number != most:
                continue
            pay = prizes[j]
            for w in cuts[:number]:
                pay = min(pay, left[w])
            total += pay
            for w in cuts[:number]:
                left[w] -= pay
    return total, left
