"""Cells of a table that are open, in an order, and the rows in each.

Rows are given as paths: the node of each attribute at each level that may be used, one column a
level, attribute by attribute. A cell is what a row shows at one column of each attribute. The order
is that of the cells' keys, and a row is in the first open cell that shows it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead.kernels.compiled import Flags, Members, Real, Small, Whole, compiled

NOBODY = -1
ONE = np.uint64(1)
NONE = np.uint64(0)
STEP = 1e-7  # between keys
TINY = 1e-14  # so that no two keys are the same
NO_CELL = 2.0  # what a cell that shows none would cost: no node is above both


class Table(NamedTuple):
    """Rows of a part of a table and the nodes above them.

    `paths` has the number of the node of each row at each column; attribute `a` has the columns
    from `low[a]` to `top[a]`, of which new cells use those up to `high[a]`. `costs` are what each
    node loses, times the weight of its attribute; `weights` the records of each row; `shows` the
    rows of each node, as bits.
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


@compiled
def join(table: Table, sample: int, columns: Small, row: int, into: Small) -> float:
    """Find the smallest cell around a cell and a row; its cost."""
    paths = table.paths
    cost = 0.0
    for at in range(table.low.size):
        column = columns[at]
        last = table.high[at]
        while paths[sample, column] != paths[row, column]:
            column += 1
            if column > last:
                return NO_CELL
        into[at] = column
        cost += table.costs[paths[sample, column]]
    return cost


@compiled
def shows_row(table: Table, sample: int, columns: Small, row: int) -> bool:
    """Whether a cell shows a row."""
    for at in range(columns.size):
        if table.paths[sample, columns[at]] != table.paths[row, columns[at]]:
            return False
    return True


@compiled
def first_open(table: Table, cells: Cells, row: int) -> int:
    """First open cell that shows a row, by key; -1 if none does."""
    admits, paths = cells.admits, table.paths
    found, least = NOBODY, NO_CELL
    for word in range(admits.shape[1]):
        left = ~NONE
        for at in range(table.low.size):
            any_level = NONE
            for column in range(table.low[at], table.top[at] + 1):
                any_level |= admits[paths[row, column], word]
            left &= any_level
            if left == NONE:
                break
        bit = 0
        while left != NONE:
            while not left & np.uint64(255):
                left >>= np.uint64(8)
                bit += 8
            if left & ONE:
                cell = word * 64 + bit
                if cells.keys[cell] < least:
                    found, least = cell, cells.keys[cell]
            left >>= ONE
            bit += 1
    return found


@compiled
def switch(table: Table, cells: Cells, cell: int, opened: bool) -> None:  # noqa: FBT001 - compiled
    """Open or close a cell."""
    cells.open[cell] = opened
    bit = ONE << np.uint64(cell % 64)
    for at in range(table.low.size):
        node = table.paths[cells.samples[cell], cells.columns[cell, at]]
        if opened:
            cells.admits[node, cell // 64] |= bit
        else:
            cells.admits[node, cell // 64] &= ~bit


@compiled
def put(table: Table, cells: Cells, row: int, cell: int) -> None:
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
        cells.key_of[row] = NO_CELL


@compiled
def relax(table: Table, cells: Cells, given: Small, number: int) -> None:
    """Give the first cells the largest keys that keep each row in its own.

    They stand in an order. No key is more than what the cell costs.
    """
    order = np.argsort(given, kind="mergesort")
    at = given.size - 1
    for cell in range(number - 1, -1, -1):
        key = cells.costs[cell]
        while at >= 0 and given[order[at]] == cell:
            other = first_open(table, cells, order[at])
            if other != NOBODY:
                key = min(key, cells.keys[other] - STEP)
            at -= 1
        cells.keys[cell] = key + cells.numbers[3] * TINY
        cells.numbers[3] += 1
        switch(table, cells, cell, True)


@compiled
def occupy(table: Table, cells: Cells, given: Small) -> None:
    """Open the first cells and put each row into its own; all rows are in none before."""
    for cell in range(cells.open.size):
        if cells.open[cell]:
            switch(table, cells, cell, True)
    for row in range(given.size):
        if given[row] != NOBODY:
            put(table, cells, row, given[row])


@compiled
def first_shown(shows: Members, nodes: Small) -> Small:
    """First row that each cell shows, a row of `nodes` each; -1 where there is none."""
    found = np.full(nodes.shape[0], NOBODY, dtype=np.int32)
    for cell in range(nodes.shape[0]):
        for word in range(shows.shape[1]):
            left = ~NONE
            for at in range(nodes.shape[1]):
                left &= shows[nodes[cell, at], word]
                if left == NONE:
                    break
            if left != NONE:
                row = word * 64
                while not left & ONE:
                    left >>= ONE
                    row += 1
                found[cell] = row
                break
    return found
