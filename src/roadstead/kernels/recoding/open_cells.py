"""Maintain an ordered list of open cells, and the rows in each cell.

A row is represented by a path, which contains the node of each attribute at each allowed level,
with one column per level. A cell is represented by a row and by one column of each attribute. The
cell *matches* all rows that have the same nodes as this row in these columns.

Invariant: A row is in the matching open cell with the lowest key. If there is no such cell, the row
is suppressed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead.kernels.compiled import Flags, Members, Real, Small, Whole, compiled

NOBODY = -1
ONE = np.uint64(1)
NONE = np.uint64(0)
STEP = 1e-7  # distance between keys
TINY = 1e-14  # added to keys so that all keys are different
NO_CELL = 2.0  # cost if no cell matches both rows; more than the cost of any cell


class NodeRows(NamedTuple):
    """The rows in a part of a table and the nodes above them, with numbered columns and nodes."""

    paths: Small  # (rows, columns) node of each row
    low: Whole  # first column of each attribute
    high: Whole  # last column of each attribute that new cells may use
    top: Whole  # last column of each attribute
    costs: Real  # loss of each node, times the weight of its attribute
    weights: Whole  # number of records in each row
    shows: Members  # (nodes, words) rows below each node, as bits


class OpenCells(NamedTuple):
    """Open cells, space for further cells, and the rows in each cell, all changed in place."""

    samples: Small  # a row that each cell matches
    columns: Small  # (cells, attributes) columns of each cell
    costs: Real  # loss of a record in each cell
    keys: Real  # keys of cells, which determine the order in which rows are assigned to cells
    sizes: Whole  # number of records in each cell
    needs: Whole  # minimum number of records with which each cell stays open
    open: Flags
    fixed: Flags  # whether a cell must stay open because it has rows outside this part
    heads: Small  # first row in the list of each cell
    admits: Members  # (nodes, words) open cells with each node, as bits
    cell_of: Small  # cell of each row, or -1 if the row is suppressed
    cost_of: Real  # cost of this cell, or 1 if the row is suppressed
    key_of: Real  # key of this cell
    after: Small  # next row in the same cell
    before: Small  # previous row in the same cell
    free: Small  # numbers of cells that are not in use
    numbers: Whole  # suppressed records, their limit, free cells, and keys used so far


@compiled
def join(table: NodeRows, sample: int, columns: Small, row: int, into: Small) -> float:
    """Write the columns of the smallest cell around a cell and a row, and return its cost."""
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
def shows_row(table: NodeRows, sample: int, columns: Small, row: int) -> bool:
    """Return whether a cell matches a row."""
    for at in range(columns.size):
        if table.paths[sample, columns[at]] != table.paths[row, columns[at]]:
            return False
    return True


@compiled
def first_open(table: NodeRows, cells: OpenCells, row: int) -> int:
    """Return the matching open cell with the lowest key for a row, or -1 if there is none."""
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
def switch(table: NodeRows, cells: OpenCells, cell: int, opened: bool) -> None:  # noqa: FBT001 - compiled
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
def put(table: NodeRows, cells: OpenCells, row: int, cell: int) -> None:
    """Move a row to another cell, or suppress the row if the other cell is -1."""
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
def relax(table: NodeRows, cells: OpenCells, given: Small, number: int) -> None:
    """Open the first cells in order, with the largest keys that keep each row in its own cell.

    A key is at most the cost of the cell. The keys are set from the last cell to the first.
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
def occupy(table: NodeRows, cells: OpenCells, given: Small) -> None:
    """Open the first cells, and put each row (which has no cell yet) into its given cell."""
    for cell in range(cells.open.size):
        if cells.open[cell]:
            switch(table, cells, cell, True)
    for row in range(given.size):
        if given[row] != NOBODY:
            put(table, cells, row, given[row])


@compiled
def first_shown(shows: Members, nodes: Small) -> Small:
    """Return the first row that each cell matches, or -1; `nodes` has one row per cell."""
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
