"""Local recoding improved a few classes at a time.

A few classes that lie near each other are dissolved, and their rows are divided anew: candidates
are the smallest cells around two rows or more that have enough records, and the best set of them is
sought by branch and bound. What comes of it is applied to the table as a policy would be: each row
goes to the cheapest open cell that shows it, cells left with too few records are closed, and their
rows go on. Where that does not lower the loss, it is undone.

Rows are given as paths: the node of each attribute at each level that may be used, one column a
level, attribute by attribute. A cell is what a row shows at one column of each attribute.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead.kernels.compiled import Flags, Members, Real, Small, Whole, compiled

NOBODY = -1
_ONE = np.uint64(1)
_NONE = np.uint64(0)
_LEAST = 1e-12  # a gain below is no gain but rounding
_STEP = 1e-7  # between keys
TINY = 1e-14  # so that no two keys are the same
_NO_CELL = 2.0  # what a cell that shows none would cost: no node is above both
MOST_ROWS = 64  # divided at once: their sets are the bits of a word
CANDIDATES = 512
NEAREST = 32


class Table(NamedTuple):
    """Rows of a part of a table and the nodes above them.

    `paths` has the number of the node of each row at each column; attribute `a` has the columns
    from `low[a]` to `top[a]`, of which new cells use those up to `high[a]`. `costs` are what each node loses, times the weight of
    its attribute; `weights` the records of each row; `shows` the rows of each node, as bits.
    """

    paths: Small
    low: Whole
    high: Whole
    top: Whole
    costs: Real
    weights: Whole
    shows: Members


class Cells(NamedTuple):
    """Cells, open ones and room for more, and the rows in each.

    Of each cell a row that it shows and the column of each attribute, what it costs, its records,
    how many it `needs` to be open, and whether it may be closed. `admits` has the open cells of
    each node, as bits. Rows have their cell and its cost, and are chained within it. `numbers` has
    the suppressed records, how many are allowed, and the number of free cells in `free`.
    """

    samples: Small
    columns: Small
    costs: Real
    keys: Real
    sizes: Whole
    needs: Whole
    open: Flags
    fixed: Flags
    heads: Small
    admits: Members
    cell_of: Small
    cost_of: Real
    key_of: Real
    after: Small
    before: Small
    free: Small
    numbers: Whole


class Work(NamedTuple):
    """Room to work in."""

    rows: Small  # the rows divided anew
    outside: Real  # what each would cost elsewhere, and the key of the cell it would be in
    outside_keys: Real
    gone: Small  # cells dissolved
    near: Small
    distances: Real
    masks: Members  # candidates
    costs: Real
    samples: Small
    columns: Small
    slots: Small  # hash table of masks
    best: Small  # the candidates chosen
    opened: Small
    closed: Small
    moved: Small  # rows moved, and the cell that each was in
    moved_from: Small
    column: Small
    other: Small
    marked: Flags  # cells to be dissolved


@compiled
def _join(table: Table, sample: int, columns: Small, row: int, into: Small) -> float:
    """Find the smallest cell around a cell and a row; its cost."""
    paths = table.paths
    cost = 0.0
    for at in range(table.low.size):
        column = columns[at]
        last = table.high[at]
        while paths[sample, column] != paths[row, column]:
            column += 1
            if column > last:
                return _NO_CELL
        into[at] = column
        cost += table.costs[paths[sample, column]]
    return cost


@compiled
def _is_in(table: Table, sample: int, columns: Small, row: int) -> bool:
    """Whether a cell shows a row."""
    for at in range(columns.size):
        if table.paths[sample, columns[at]] != table.paths[row, columns[at]]:
            return False
    return True


@compiled
def _first(table: Table, cells: Cells, row: int) -> int:
    """First open cell that shows a row, by key; -1 if none does."""
    admits, paths = cells.admits, table.paths
    found, least = NOBODY, _NO_CELL
    for word in range(admits.shape[1]):
        left = ~_NONE
        for at in range(table.low.size):
            any_level = _NONE
            for column in range(table.low[at], table.top[at] + 1):
                any_level |= admits[paths[row, column], word]
            left &= any_level
            if left == _NONE:
                break
        bit = 0
        while left != _NONE:
            while not left & np.uint64(255):
                left >>= np.uint64(8)
                bit += 8
            if left & _ONE:
                cell = word * 64 + bit
                if cells.keys[cell] < least:
                    found, least = cell, cells.keys[cell]
            left >>= _ONE
            bit += 1
    return found


@compiled
def _switch(table: Table, cells: Cells, cell: int, opened: bool) -> None:
    """Open or close a cell."""
    cells.open[cell] = opened
    bit = _ONE << np.uint64(cell % 64)
    for at in range(table.low.size):
        node = table.paths[cells.samples[cell], cells.columns[cell, at]]
        if opened:
            cells.admits[node, cell // 64] |= bit
        else:
            cells.admits[node, cell // 64] &= ~bit


@compiled
def _put(table: Table, cells: Cells, row: int, cell: int) -> None:
    """Take a row out of its cell and into another; -1 is none, which is suppression."""
    weight = table.weights[row]
    old = cells.cell_of[row]
    if old != NOBODY:
        cells.sizes[old] -= weight
        before, after = cells.before[row], cells.after[row]
        if before == NOBODY:
            cells.heads[old] = after
        else:
            cells.after[before] = after
        if after != NOBODY:
            cells.before[after] = before
    else:
        cells.numbers[0] -= weight
    cells.cell_of[row] = cell
    if cell != NOBODY:
        cells.sizes[cell] += weight
        head = cells.heads[cell]
        cells.after[row] = head
        cells.before[row] = NOBODY
        if head != NOBODY:
            cells.before[head] = row
        cells.heads[cell] = row
        cells.cost_of[row] = cells.costs[cell]
        cells.key_of[row] = cells.keys[cell]
    else:
        cells.numbers[0] += weight
        cells.cost_of[row] = 1.0
        cells.key_of[row] = _NO_CELL


@compiled
def relax(table: Table, cells: Cells, given: Small, number: int) -> None:
    """Give the first cells, which stand in an order, the largest keys that keep each row in its own.

    No key is more than what the cell costs.
    """
    order = np.argsort(given, kind="mergesort")
    at = given.size - 1
    for cell in range(number - 1, -1, -1):
        key = cells.costs[cell]
        while at >= 0 and given[order[at]] == cell:
            other = _first(table, cells, order[at])
            if other != NOBODY:
                key = min(key, cells.keys[other] - _STEP)
            at -= 1
        cells.keys[cell] = key + cells.numbers[3] * TINY
        cells.numbers[3] += 1
        _switch(table, cells, cell, True)


@compiled
def occupy(table: Table, cells: Cells, given: Small) -> None:
    """Open the first cells and put each row into its own; all rows are in none before."""
    for cell in range(cells.open.size):
        if cells.open[cell]:
            _switch(table, cells, cell, True)
    for row in range(given.size):
        if given[row] != NOBODY:
            _put(table, cells, row, given[row])


@compiled
def _find_near(table: Table, cells: Cells, work: Work, seed: int, start: int) -> int:
    """Find the rows nearest to one, by the cost of the smallest cell around both."""
    rows = table.weights.size
    near, distances, paths = work.near, work.distances, table.paths
    found, worst = 0, _NO_CELL
    for step in range(rows):
        row = start + step
        if row >= rows:
            row -= rows
        cell = cells.cell_of[row]
        if row == seed or (cell != NOBODY and cells.fixed[cell]):
            continue
        cost = 0.0
        for at in range(table.low.size):
            column = table.low[at]
            last = table.high[at]
            while column <= last and paths[seed, column] != paths[row, column]:
                column += 1
            if column > last:
                cost = _NO_CELL
            else:
                cost += table.costs[paths[seed, column]]
            if cost >= worst:
                break
        if cost >= worst:
            continue
        place = found if found < near.size else found - 1
        while place > 0 and distances[place - 1] > cost:
            near[place] = near[place - 1]
            distances[place] = distances[place - 1]
            place -= 1
        near[place] = row
        distances[place] = cost
        found = min(found + 1, near.size)
        if found == near.size:
            worst = distances[found - 1]
    return found


@compiled
def _gather(
    table: Table, cells: Cells, work: Work, seed: int, near: int, most_rows: int
) -> tuple[int, int]:
    """Dissolve the class of a row and classes near it; how many rows and classes these are.

    Nothing is changed yet but `marked`. Rows near that their own class can spare come along, and
    may stay where they are.
    """
    rows = gone = 0
    for step in range(-1, near):
        row = seed if step == -1 else work.near[step]
        cell = cells.cell_of[row]
        if cell == NOBODY:
            if rows < most_rows:
                work.rows[rows] = row
                rows += 1
            continue
        if work.marked[cell]:
            continue
        number = 0
        member = cells.heads[cell]
        while member != NOBODY:
            number += 1
            member = cells.after[member]
        if rows + number > most_rows:
            if step == -1:
                return 0, 0
            continue
        work.marked[cell] = True
        work.gone[gone] = cell
        gone += 1
        member = cells.heads[cell]
        while member != NOBODY:
            work.rows[rows] = member
            rows += 1
            member = cells.after[member]
    dissolved = rows
    for step in range(near):
        row = work.near[step]
        cell = cells.cell_of[row]
        if rows < most_rows and cell != NOBODY and not work.marked[cell]:
            if cells.sizes[cell] - table.weights[row] >= cells.needs[cell]:
                work.rows[rows] = row
                rows += 1
    for at in range(gone):  # so that rows are offered what remains
        _switch(table, cells, work.gone[at], False)
    for at in range(rows):
        if at < dissolved:
            cell = _first(table, cells, work.rows[at])
            work.outside[at] = 1.0 if cell == NOBODY else cells.costs[cell]
            work.outside_keys[at] = _NO_CELL if cell == NOBODY else cells.keys[cell]
        else:
            work.outside[at] = cells.cost_of[work.rows[at]]
            work.outside_keys[at] = cells.key_of[work.rows[at]]
    for at in range(gone):
        _switch(table, cells, work.gone[at], True)
        work.marked[work.gone[at]] = False
    return rows, gone


@compiled
def _note(work: Work, number: int, mask: np.uint64, cost: float, sample: int) -> int:
    """Note a candidate, if none with these rows is cheaper; how many there are."""
    slot = np.int64((mask * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(54))
    while work.slots[slot] != NOBODY and work.masks[work.slots[slot]] != mask:
        slot = (slot + 1) % work.slots.size
    at = work.slots[slot]
    if at == NOBODY:
        if number == work.masks.size:
            return number
        at = number
        number += 1
        work.slots[slot] = at
    elif work.costs[at] <= cost:
        return number
    work.masks[at] = mask
    work.costs[at] = cost
    work.samples[at] = sample
    work.columns[at] = work.column
    return number


@compiled
def _propose(table: Table, work: Work, rows: int, least: int) -> int:
    """Make candidates: the smallest cells around two rows, grown until they have enough.

    Once they grow by rows that gain from it, once by any.
    """
    number = 0
    lowest = table.low.astype(np.int32)
    work.slots[:] = NOBODY
    columns, other = work.column, work.other
    chosen = np.empty_like(columns)
    for one in range(rows):
        sample = work.rows[one]
        for two in range(one, rows):
            for fill in range(2):
                cost = _join(table, sample, lowest, work.rows[two], columns)
                while cost < work.outside[one] and (fill or cost < work.outside[two]):
                    all_rows, winners, size, won = _NONE, _NONE, 0, 0
                    for at in range(rows):
                        if _is_in(table, sample, columns, work.rows[at]):
                            bit = _ONE << np.uint64(at)
                            all_rows |= bit
                            size += table.weights[work.rows[at]]
                            if work.outside[at] > cost:
                                winners |= bit
                                won += table.weights[work.rows[at]]
                    if fill and size >= least:
                        number = _note(work, number, all_rows, cost, sample)
                        break
                    if won >= least:
                        number = _note(work, number, winners, cost, sample)
                        break
                    best, best_cost = NOBODY, _NO_CELL
                    for at in range(rows):
                        if (all_rows >> np.uint64(at)) & _ONE:
                            continue
                        grown = _join(table, sample, columns, work.rows[at], other)
                        if (fill or grown < work.outside[at]) and grown < best_cost:
                            best, best_cost = at, grown
                            chosen[:] = other
                    if best == NOBODY:
                        break
                    columns[:] = chosen
                    cost = best_cost
    return number


@compiled
def _weigh(table: Table, work: Work, mask: np.uint64) -> int:
    """Records of a set of the rows."""
    size, at = 0, 0
    while mask != _NONE:
        if mask & _ONE:
            size += table.weights[work.rows[at]]
        mask >>= _ONE
        at += 1
    return size


@compiled
def _divide(
    table: Table, work: Work, rows: int, number: int, least: int, before: float, budget: int
) -> tuple[int, float]:
    """Choose the candidates that cost less than `before`, by branch and bound; how many, the cost.

    A row that is not yet in one is tried in each that shows it, and outside; of the rows, the one
    whose best is worst. Nothing costs less than each row in its best.
    """
    bests = work.outside[:rows].copy()
    order = np.argsort(work.costs[:number], kind="mergesort")
    for at in range(number):
        for row in range(rows):
            if (work.masks[at] >> np.uint64(row)) & _ONE and work.costs[at] < bests[row]:
                bests[row] = work.costs[at]
    sequence = np.argsort(-bests, kind="mergesort")
    free = np.zeros(rows + 1, np.uint64)
    paid = np.zeros(rows + 1)
    pivot = np.full(rows + 1, NOBODY, np.int64)
    branch = np.zeros(rows + 1, np.int64)
    picked = np.full(rows + 1, NOBODY, np.int64)
    free[0] = ~_NONE if rows == 64 else (_ONE << np.uint64(rows)) - _ONE
    least_cost, chosen = before - _LEAST, 0
    depth, steps = 0, 0
    while depth >= 0 and steps < budget:
        if pivot[depth] == NOBODY:  # a new node
            steps += 1
            bound = paid[depth]
            first = NOBODY
            for at in range(rows):
                row = sequence[at]
                if (free[depth] >> np.uint64(row)) & _ONE:
                    if first == NOBODY:
                        first = row
                    bound += table.weights[work.rows[row]] * bests[row]
            if bound >= least_cost:
                depth -= 1
                continue
            if first == NOBODY:
                least_cost, chosen = bound, 0
                for at in range(depth):
                    if picked[at] != NOBODY:
                        work.best[chosen] = picked[at]
                        chosen += 1
                depth -= 1
                continue
            pivot[depth] = first
            branch[depth] = 0
        row = pivot[depth]
        bit = _ONE << np.uint64(row)
        went = False
        while branch[depth] <= number:
            turn = branch[depth]
            branch[depth] += 1
            if turn == number:
                picked[depth] = NOBODY
                free[depth + 1] = free[depth] & ~bit
                paid[depth + 1] = paid[depth] + table.weights[work.rows[row]] * work.outside[row]
                went = True
                break
            at = order[turn]
            taken = work.masks[at] & free[depth]
            if not taken & bit:
                continue
            size = _weigh(table, work, taken)
            if size < least:
                continue
            picked[depth] = at
            free[depth + 1] = free[depth] & ~taken
            paid[depth + 1] = paid[depth] + size * work.costs[at]
            went = True
            break
        if went:
            depth += 1
            pivot[depth] = NOBODY
        else:
            pivot[depth] = NOBODY
            depth -= 1
    return chosen, least_cost


@compiled
def _keys(work: Work, rows: int, chosen: int, into: Real) -> None:
    """Give the cells chosen keys by which each gets the rows that it was chosen for."""
    masks = np.empty(chosen, np.uint64)
    free = ~_NONE
    for at in range(chosen):
        masks[at] = work.masks[work.best[at]] & free
        free &= ~masks[at]
    for at in range(chosen - 1, -1, -1):
        key = work.costs[work.best[at]]
        for row in range(rows):
            if (masks[at] >> np.uint64(row)) & _ONE:
                key = min(key, work.outside_keys[row])
        for later in range(at + 1, chosen):
            if work.masks[work.best[later]] & masks[at]:
                key = min(key, into[later])
        into[at] = key - _STEP


@compiled
def _apply(table: Table, cells: Cells, work: Work, rows: int, gone: int, chosen: int) -> float:
    """Close and open cells, let rows follow, and say what it gains; 0 where it was undone."""
    opened = closed = moved = 0
    gain = 0.0
    keys = np.empty(chosen)
    _keys(work, rows, chosen, keys)
    allowed = max(cells.numbers[0], cells.numbers[1])
    possible = cells.numbers[2] >= chosen
    for at in range(gone):
        _switch(table, cells, work.gone[at], False)
        work.closed[closed] = work.gone[at]
        closed += 1
    if possible:
        for at in range(chosen):
            cells.numbers[2] -= 1
            cell = cells.free[cells.numbers[2]]
            pick = work.best[at]
            cells.samples[cell] = work.samples[pick]
            cells.columns[cell] = work.columns[pick]
            cells.costs[cell] = work.costs[pick]
            cells.keys[cell] = keys[at] + cells.numbers[3] * TINY
            cells.numbers[3] += 1
            cells.heads[cell] = NOBODY
            cells.sizes[cell] = 0
            _switch(table, cells, cell, True)
            work.opened[opened] = cell
            opened += 1
        for at in range(gone):
            member = cells.heads[work.gone[at]]
            while member != NOBODY:
                following = cells.after[member]
                work.moved[moved] = member
                work.moved_from[moved] = work.gone[at]
                moved += 1
                gain += table.weights[member] * cells.cost_of[member]
                cell = _first(table, cells, member)
                _put(table, cells, member, cell)
                gain -= table.weights[member] * cells.cost_of[member]
                member = following
        for at in range(opened):
            cell = work.opened[at]
            cost, key = cells.costs[cell], cells.keys[cell]
            sample = cells.samples[cell]
            for word in range(table.shows.shape[1]):
                left = ~_NONE
                for attribute in range(table.low.size):
                    left &= table.shows[table.paths[sample, cells.columns[cell, attribute]], word]
                    if left == _NONE:
                        break
                row = word * 64
                while left != _NONE:
                    if moved + 1 >= work.moved.size:
                        possible = False
                        break
                    if left & _ONE and cells.key_of[row] > key:
                        work.moved[moved] = row
                        work.moved_from[moved] = cells.cell_of[row]
                        moved += 1
                        gain += table.weights[row] * (cells.cost_of[row] - cost)
                        _put(table, cells, row, cell)
                    left >>= _ONE
                    row += 1
        at = 0
        while possible and at < opened + moved:  # cells that rows should have come to, or left
            cell = work.opened[at] if at < opened else work.moved_from[at - opened]
            at += 1
            if cell == NOBODY or not cells.open[cell] or cells.sizes[cell] >= cells.needs[cell]:
                continue
            if cells.fixed[cell]:
                possible = False
                break
            _switch(table, cells, cell, False)
            work.closed[closed] = cell
            closed += 1
            member = cells.heads[cell]
            while member != NOBODY:
                if moved + 1 >= work.moved.size:
                    possible = False
                    break
                following = cells.after[member]
                work.moved[moved] = member
                work.moved_from[moved] = cell
                moved += 1
                gain += table.weights[member] * cells.cost_of[member]
                _put(table, cells, member, _first(table, cells, member))
                gain -= table.weights[member] * cells.cost_of[member]
                member = following
        if cells.numbers[0] > allowed:
            possible = False
    if possible and gain > _LEAST:
        for at in range(closed):
            cells.free[cells.numbers[2]] = work.closed[at]
            cells.numbers[2] += 1
        return gain
    for at in range(closed):
        cell = work.closed[at]
        was_new = False
        for other in range(opened):
            was_new |= work.opened[other] == cell
        if not was_new:
            _switch(table, cells, cell, True)
    for at in range(moved - 1, -1, -1):
        _put(table, cells, work.moved[at], work.moved_from[at])
    for at in range(opened):
        cell = work.opened[at]
        if cells.open[cell]:
            _switch(table, cells, cell, False)
        cells.free[cells.numbers[2]] = cell
        cells.numbers[2] += 1
    return 0.0


@compiled
def improve(
    table: Table,
    cells: Cells,
    work: Work,
    seeds: Small,
    least: int,
    most_rows: int,
    budget: int,
) -> float:
    """Divide anew around each seed in turn; what that gains, in records times loss."""
    total = 0.0
    rows_of_table = table.weights.size
    for turn in range(seeds.size):
        seed = seeds[turn]
        cell = cells.cell_of[seed]
        if cell != NOBODY and (cells.fixed[cell] or cells.costs[cell] <= 0.0):
            continue
        start = (seed * 7919 + turn * 104729) % rows_of_table
        near = _find_near(table, cells, work, seed, start)
        rows, gone = _gather(table, cells, work, seed, near, most_rows)
        if rows == 0:
            continue
        before = 0.0
        for at in range(rows):
            row = work.rows[at]
            before += table.weights[row] * cells.cost_of[row]
        number = _propose(table, work, rows, least)
        chosen, cost = _divide(table, work, rows, number, least, before, budget)
        if cost < before - 2 * _LEAST:
            gain = _apply(table, cells, work, rows, gone, chosen)
            if gain > 0.0:
                total += gain
    return total


@compiled
def first_shown(shows: Members, nodes: Small) -> Small:
    """First row that each cell shows, a row of `nodes` each; -1 where there is none."""
    found = np.full(nodes.shape[0], NOBODY, dtype=np.int32)
    for cell in range(nodes.shape[0]):
        for word in range(shows.shape[1]):
            left = ~_NONE
            for at in range(nodes.shape[1]):
                left &= shows[nodes[cell, at], word]
                if left == _NONE:
                    break
            if left != _NONE:
                row = word * 64
                while not left & _ONE:
                    left >>= _ONE
                    row += 1
                found[cell] = row
                break
    return found
