"""Loops over the cells of a table whose attributes are cut into intervals.

A *cell* is a combination of intervals that occurs, with its records by target class. A value is
known by its *place*: the first place of its attribute plus its code. An interval is known by the
code of its first value, so codes stay as they are while other intervals merge.

Two loops are the heart of the searches over partitions: `weigh_cuts` tells what each cut would
change if it alone were added, `weigh_merges` if it alone were removed. Each takes about as long as
working out one partition, however many cuts there are (Bayardo and Agrawal 2005, section 5; for
the second see docs/methods/k-optimize.md). Costs are whole numbers, by
`roadstead.quality.partition_costs.Prices`.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Codes, Flags, Members, Whole, compiled

SPLITS, COST, BOUND, GONE, WORTH = range(5)
"""Rows of what `weigh_cuts` returns."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(31)


@compiled
def _multiplier(attribute: int) -> np.uint64:
    """Odd, fixed, and unlike those of other attributes; keys are linear in the codes."""
    z = np.uint64(attribute + 1) * _GOLDEN
    z = (z ^ (z >> _SHIFT)) * _MIX
    return z | np.uint64(1)


@compiled
def _slot(key: np.uint64, last: np.uint64) -> np.uint64:
    mixed = (key ^ (key >> _SHIFT)) * _MIX
    return (mixed ^ (mixed >> _SHIFT)) & last


@compiled
def _free_slots(entries: int) -> Whole:
    """Make an open-addressing table of which at least half stays free."""
    slots = 16
    while slots < 2 * entries:
        slots *= 2
    return np.full(slots, -1, np.int64)


@compiled
def group_cells(
    codes: Codes, counts: Whole, classes: Codes, starts: Codes, offsets: Whole
) -> tuple[Codes, Whole, Codes]:
    """Put cells into the intervals that begin at `starts`, and equal ones together.

    `codes` are ``(attributes, cells)``, `counts` ``(cells, target classes)``; `classes` are carried
    along. `starts` has the first code of each place's interval, `offsets` each attribute's first
    place. New cells are in the order of first appearance.
    """
    attributes, cells = codes.shape
    targets = counts.shape[1]
    table = _free_slots(cells)
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
            key += np.uint64(code) * _multiplier(i)
        slot = _slot(key, last)
        at = table[slot]
        while at >= 0 and not _agree(new, found, at, 0, new[0, found]):
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
    """Split every class by its cells' labels: new classes by first appearance, and their number."""
    table = _free_slots(classes.size)
    last = np.uint64(table.size - 1)
    new = np.empty(classes.size, np.uint32)
    found = 0
    for j in range(classes.size):
        key = np.uint64(classes[j]) * np.uint64(1 << 32) + np.uint64(labels[j])
        slot = _slot(key, last)
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
    """Records of each class by target class, shape ``(classes, targets)``."""
    totals = np.zeros((number, counts.shape[1]), np.int64)
    for j in range(classes.size):
        for t in range(counts.shape[1]):
            totals[classes[j], t] += counts[j, t]
    return totals


@compiled
def _cost(size: int, largest: int, k: int, prices: Whole) -> int:
    """Cost of a class: `prices` are those of squares, of the minority and of suppression."""
    if size < k:
        return int(prices[2] * size)
    return int(prices[0] * size * size + prices[1] * (size - largest))


@compiled
def _floor(size: int, largest: int, k: int, prices: Whole) -> int:
    """Least that the records of a cell cost in any class that holds the cell."""
    return int(prices[0] * size * max(size, k) + prices[1] * (size - largest))


@compiled
def _sizes(counts: Whole) -> tuple[Whole, Whole]:
    """Records of each cell, and those of its largest target class."""
    sizes = np.zeros(counts.shape[0], np.int64)
    largest = np.zeros(counts.shape[0], np.int64)
    for j in range(counts.shape[0]):
        for t in range(counts.shape[1]):
            sizes[j] += counts[j, t]
            largest[j] = max(largest[j], counts[j, t])
    return sizes, largest


@compiled
def sum_costs(totals: Whole, k: int, prices: Whole) -> tuple[int, int, int]:
    """Cost of classes, least cost of what may become of them, and records suppressed."""
    cost = 0
    least = 0
    gone = 0
    sizes, largest = _sizes(totals)
    for c in range(sizes.size):
        cost += _cost(sizes[c], largest[c], k, prices)
        least += _floor(sizes[c], largest[c], k, prices)
        if sizes[c] < k:
            gone += int(sizes[c])
    return cost, least, gone


@compiled
def _sorted_cells(column: Codes, values: int, classes: Codes, begins: Whole) -> Whole:
    """Cells by class, and within a class by code; `begins` tells where each class begins."""
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
    """Whether a cut that leaves such parts of a class may be good for something.

    Where one part is too small, merging it back costs no more if a suppressed record is dear.
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
    """Write into `change` what a cut of one class does; its cost is that of both parts."""
    sizes = (left.sum(), whole.sum() - left.sum())
    largest = (left.max(), 0)
    for t in range(left.size):
        largest = (largest[0], max(largest[1], whole[t] - left[t]))
    change[:] = 0
    change[SPLITS] = 1
    change[WORTH] = _is_worth_a_cut(sizes[0], sizes[1], k, prices)
    for part in range(2):
        change[COST] += _cost(sizes[part], largest[part], k, prices)
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
    """Tell what each cut changes if it alone is added to the partition of the classes.

    Shape ``(5, places)``, for the cut before each place between intervals: how many classes it
    splits; what it adds to the cost, and to the bound; records it suppresses; and how many of the
    splits forbid to call it useless. Every class has at least `k` records.
    """
    attributes, cells = codes.shape
    number, targets = totals.shape
    places = offsets[attributes]
    steps = np.zeros((5, places + 1), np.int64)  # what changes from a place to the next
    sizes, largest = _sizes(counts)
    class_sizes, class_largest = _sizes(totals)
    floors = np.empty(cells, np.int64)
    class_floors = np.zeros(number, np.int64)
    begins = np.zeros(number + 1, np.int64)
    for j in range(cells):
        floors[j] = _floor(sizes[j], largest[j], k, prices)
        class_floors[classes[j]] += floors[j]
        begins[classes[j] + 1] += 1
    begins = np.cumsum(begins)
    left = np.zeros(targets, np.int64)
    change = np.zeros(5, np.int64)
    for i in range(attributes):
        column = codes[i]
        order = _sorted_cells(column, offsets[i + 1] - offsets[i], classes, begins)
        for c in range(number):
            whole = _cost(class_sizes[c], class_largest[c], k, prices)
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
    """Put cells into an open-addressing table; return it and the key of each cell."""
    attributes, cells = codes.shape
    table = _free_slots(cells)
    last = np.uint64(table.size - 1)
    keys = np.zeros(cells, np.uint64)
    for j in range(cells):
        for i in range(attributes):
            keys[j] += np.uint64(codes[i, j]) * _multiplier(i)
        slot = _slot(keys[j], last)
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & last
        table[slot] = j
    return table, keys


@compiled
def _agree(codes: Codes, one: int, other: int, attribute: int, code: int) -> bool:
    """Whether a cell has `code` in one attribute and agrees with another cell in all others."""
    for i in range(codes.shape[0]):
        if i == attribute:
            if codes[i, other] != code:
                return False
        elif codes[i, other] != codes[i, one]:
            return False
    return True


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
    """Tell what each cut in `tail` changes if it alone is removed from the partition of the cells.

    Shape ``(4, places)``, for the cut before each place: what its removal adds to the cost, to the
    records suppressed, to the bound by squares, and to that by minorities. `following` has the code
    where each place's next interval begins.
    """
    attributes, cells = codes.shape
    found = np.zeros((4, offsets[attributes]), np.int64)
    table, keys = _index_cells(codes)
    last = np.uint64(table.size - 1)
    sizes, largest = _sizes(counts)
    for i in range(attributes):
        for j in range(cells):
            code = np.int64(codes[i, j])
            after = following[offsets[i] + code]
            w = offsets[i] + after
            if w >= offsets[i + 1] or not tail[w]:
                continue
            key = keys[j] + np.uint64(after - code) * _multiplier(i)
            slot = _slot(key, last)
            at = table[slot]
            while at >= 0 and not _agree(codes, j, at, i, after):
                slot = (slot + np.uint64(1)) & last
                at = table[slot]
            if at < 0:
                continue
            one, other = sizes[j], sizes[at]
            both = one + other
            top = 0
            for t in range(counts.shape[1]):
                top = max(top, counts[j, t] + counts[at, t])
            found[0, w] += _cost(both, top, k, prices)
            found[0, w] -= _cost(one, largest[j], k, prices)
            found[0, w] -= _cost(other, largest[at], k, prices)
            found[1, w] += both * (both < k) - one * (one < k) - other * (other < k)
            squares = both * max(both, k) - one * max(one, k) - other * max(other, k)
            found[2, w] += prices[0] * squares
            found[3, w] += prices[1] * (largest[j] + largest[at] - top)
    return found


@compiled
def _cuts_alongside(
    codes: Codes, cell: int, following: Whole, offsets: Whole, tail: Flags, cuts: Whole
) -> int:
    """Write the removable cuts on the sides of a cell into `cuts`; return how many they are."""
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
    """Add to the lower bound what it costs to rescue or to lose the small cells, which have prizes.

    A cell that is too small is suppressed, and costs its prize, unless a cut next to it is removed,
    which costs at least its slack. Each cell takes what the poorest of its cuts can pay, and all of
    its cuts pay it (dual ascent for set covering). Gives what all take, and what is left of the
    slack.
    """
    attributes, cells = codes.shape
    left = slack.copy()
    cuts = np.empty(2 * attributes, np.int64)
    total = 0
    for most in range(1, 2 * attributes + 1):  # cells with few cuts have the least choice
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
