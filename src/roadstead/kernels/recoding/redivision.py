"""Large neighborhood search for local recoding, which repeatedly divides a few classes again.

A step dissolves a few neighboring classes, and divides their rows again (`choosing`). The step then
changes the whole table in the same way as a release would. Each row moves to the first open cell
that matches it. Cells with too few records are closed, and their rows move to other cells. A step
that does not lower the loss is undone. Between two steps, all open cells therefore have enough
records. Gains are in records times loss.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Real, Small, compiled
from roadstead.kernels.recoding.choosing import LEAST, ChoosingRoom, divide, propose
from roadstead.kernels.recoding.open_cells import (
    NO_CELL,
    NOBODY,
    NONE,
    ONE,
    STEP,
    TINY,
    NodeRows,
    OpenCells,
    first_open,
    put,
    switch,
)
from roadstead.kernels.shortlist import shortlist


@compiled
def _find_near(table: NodeRows, cells: OpenCells, work: ChoosingRoom, seed: int, start: int) -> int:
    """Find the rows nearest to a seed, by the cost of the smallest cell around both.

    The function returns the number of rows found. Rows in cells that cannot be closed do not count.
    """
    rows = table.weights.size
    near, distances, paths = work.near, work.distances, table.paths
    found, worst = 0, NO_CELL
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
                cost = NO_CELL
            else:
                cost += table.costs[paths[seed, column]]
            if cost >= worst:
                break
        if cost >= worst:
            continue
        found = shortlist(distances, near, found, near.size, cost, row)
        if found == near.size:
            worst = distances[found - 1]
    return found


@compiled
def _gather(  # noqa: C901, PLR0912 - as above
    table: NodeRows, cells: OpenCells, work: ChoosingRoom, seed: int, near: int, most_rows: int
) -> tuple[int, int]:
    """Choose a row's class and nearby classes to dissolve, and list the rows of these classes.

    The list also contains nearby rows that their classes do not need. These rows may stay in their
    classes. The function returns the numbers of rows and of classes. The cells do not change.
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
        if rows == most_rows or cell == NOBODY or work.marked[cell]:
            continue
        if cells.sizes[cell] - table.weights[row] >= cells.needs[cell]:
            work.rows[rows] = row
            rows += 1
    for at in range(gone):  # close the cells temporarily, to find where the rows would go
        switch(table, cells, work.gone[at], False)
    for at in range(rows):
        if at < dissolved:
            cell = first_open(table, cells, work.rows[at])
            work.outside[at] = 1.0 if cell == NOBODY else cells.costs[cell]
            work.outside_keys[at] = NO_CELL if cell == NOBODY else cells.keys[cell]
        else:
            work.outside[at] = cells.cost_of[work.rows[at]]
            work.outside_keys[at] = cells.key_of[work.rows[at]]
    for at in range(gone):
        switch(table, cells, work.gone[at], True)
        work.marked[work.gone[at]] = False
    return rows, gone


@compiled
def _set_keys(work: ChoosingRoom, rows: int, chosen: int, into: Real) -> None:
    """Set the keys of the chosen cells so that each cell gets the rows for which it was chosen.

    Rows are assigned to cells in ascending order of key. Therefore, the key of a cell must be less
    than the keys of all other cells that match one of its rows.
    """
    masks = np.empty(chosen, np.uint64)
    free = ~NONE
    for at in range(chosen):
        masks[at] = work.masks[work.best[at]] & free
        free &= ~masks[at]
    for at in range(chosen - 1, -1, -1):
        key = work.costs[work.best[at]]
        for row in range(rows):
            if (masks[at] >> np.uint64(row)) & ONE:
                key = min(key, work.outside_keys[row])
        for later in range(at + 1, chosen):
            if work.masks[work.best[later]] & masks[at]:
                key = min(key, into[later])
        into[at] = key - STEP


@compiled
def _move(table: NodeRows, cells: OpenCells, work: ChoosingRoom, row: int, cell: int) -> float:
    """Move a row to a cell, record its old cell, and return the gain, which may be negative."""
    moved = work.counts[2]
    work.moved[moved] = row
    work.moved_from[moved] = cells.cell_of[row]
    work.counts[2] = moved + 1
    before = cells.cost_of[row]
    put(table, cells, row, cell)
    return float(table.weights[row] * (before - cells.cost_of[row]))


@compiled
def _empty(table: NodeRows, cells: OpenCells, work: ChoosingRoom, cell: int) -> float:
    """Move each row of a closed cell to the first cell that matches the row; return the gain."""
    gain = 0.0
    member = cells.heads[cell]
    while member != NOBODY and work.counts[2] < work.moved.size:
        following = cells.after[member]
        gain += _move(table, cells, work, member, first_open(table, cells, member))
        member = following
    return gain


@compiled
def _open(table: NodeRows, cells: OpenCells, work: ChoosingRoom, pick: int, key: float) -> None:
    cells.numbers[2] -= 1
    cell = cells.free[cells.numbers[2]]
    cells.samples[cell] = work.samples[pick]
    cells.columns[cell] = work.columns[pick]
    cells.costs[cell] = work.costs[pick]
    cells.keys[cell] = key + cells.numbers[3] * TINY
    cells.numbers[3] += 1
    cells.heads[cell] = NOBODY
    cells.sizes[cell] = 0
    switch(table, cells, cell, True)
    work.opened[work.counts[0]] = cell
    work.counts[0] += 1


@compiled
def _draw(table: NodeRows, cells: OpenCells, work: ChoosingRoom, cell: int) -> float:
    """Move rows to a new cell if its key is less than the key of their cell; return the gain."""
    gain, key, sample = 0.0, cells.keys[cell], cells.samples[cell]
    for word in range(table.shows.shape[1]):
        left = ~NONE
        for at in range(table.low.size):
            left &= table.shows[table.paths[sample, cells.columns[cell, at]], word]
            if left == NONE:
                break
        row = word * 64
        while left != NONE and work.counts[2] < work.moved.size:
            if left & ONE and cells.key_of[row] > key:
                gain += _move(table, cells, work, row, cell)
            left >>= ONE
            row += 1
    return gain


@compiled
def _close(table: NodeRows, cells: OpenCells, work: ChoosingRoom, cell: int) -> None:
    switch(table, cells, cell, False)
    work.closed[work.counts[1]] = cell
    work.counts[1] += 1


@compiled
def _follow(table: NodeRows, cells: OpenCells, work: ChoosingRoom) -> tuple[bool, float]:
    """Close all cells with too few records; return whether the closing is allowed, and the gain.

    Only cells that were opened, and cells that rows left, can have too few records.
    """
    gain, at = 0.0, 0
    while at < work.counts[0] + work.counts[2]:
        opened = work.counts[0]
        cell = work.opened[at] if at < opened else work.moved_from[at - opened]
        at += 1
        if cell == NOBODY or not cells.open[cell] or cells.sizes[cell] >= cells.needs[cell]:
            continue
        if cells.fixed[cell]:
            return False, 0.0
        _close(table, cells, work, cell)
        gain += _empty(table, cells, work, cell)
    return work.counts[2] < work.moved.size, gain


@compiled
def _undo(table: NodeRows, cells: OpenCells, work: ChoosingRoom) -> None:
    opened, closed, moved = work.counts
    for at in range(closed):
        switch(table, cells, work.closed[at], True)
    for at in range(moved - 1, -1, -1):
        put(table, cells, work.moved[at], work.moved_from[at])
    for at in range(opened):
        switch(table, cells, work.opened[at], False)
        cells.free[cells.numbers[2]] = work.opened[at]
        cells.numbers[2] += 1


@compiled
def _apply(
    table: NodeRows, cells: OpenCells, work: ChoosingRoom, rows: int, gone: int, chosen: int
) -> float:
    """Close and open cells, move rows, and return the gain, or 0 if the step was undone.

    The step is undone if it does not reduce the loss, if it would close a cell that must stay open,
    if it would suppress too many records, or if there is no more space for cells or moves.
    """
    if cells.numbers[2] < chosen:
        return 0.0
    allowed = max(cells.numbers[0], cells.numbers[1])
    keys = np.empty(chosen)
    _set_keys(work, rows, chosen, keys)
    work.counts[:] = 0
    gain = 0.0
    for at in range(gone):
        _close(table, cells, work, work.gone[at])
    for at in range(chosen):
        _open(table, cells, work, work.best[at], keys[at])
    for at in range(gone):
        gain += _empty(table, cells, work, work.gone[at])
    for at in range(chosen):
        gain += _draw(table, cells, work, work.opened[at])
    possible, further = _follow(table, cells, work)
    gain += further
    if not possible or gain <= LEAST or cells.numbers[0] > allowed:
        _undo(table, cells, work)
        return 0.0
    for at in range(work.counts[1]):
        cells.free[cells.numbers[2]] = work.closed[at]
        cells.numbers[2] += 1
    return gain


@compiled
def improve(
    table: NodeRows,
    cells: OpenCells,
    work: ChoosingRoom,
    seeds: Small,
    least: int,
    most_rows: int,
    budget: int,
) -> float:
    """Divide the classes around each seed in turn, and return the gain.

    `most_rows` is the largest number of rows to divide at once, up to 64. `budget` is the largest
    number of nodes of the search tree of each division.
    """
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
        number = propose(table, work, rows, least)
        chosen, cost = divide(table, work, rows, number, least, before, budget)
        if cost < before - 2 * LEAST:
            gain = _apply(table, cells, work, rows, gone, chosen)
            if gain > 0.0:
                total += gain
    return total
