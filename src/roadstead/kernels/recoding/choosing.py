"""Divide a few rows into cells again by proposing candidate cells and choosing the best.

There are at most 64 rows, so that a 64-bit word can represent a set of rows. Costs are the loss of
a record, from 0 to 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead.kernels.compiled import Flags, Members, Real, Small, Whole, compiled
from roadstead.kernels.hash_table import find, table_of
from roadstead.kernels.recoding.open_cells import (
    NO_CELL,
    NOBODY,
    NONE,
    ONE,
    NodeRows,
    join,
    shows_row,
)

LEAST = 1e-12  # a smaller gain may be a rounding error
MOST_ROWS = 64  # rows that are divided at once
CANDIDATES = 512
NEAREST = 32


class ChoosingRoom(NamedTuple):
    """The working memory, and the changes made by one step of `redivision`."""

    rows: Small  # the rows to divide
    outside: Real  # cost of each of these rows outside all candidates
    outside_keys: Real  # key of the cell that the row would then be in
    gone: Small  # cells to dissolve
    near: Small  # rows near the seed of the step
    distances: Real  # cost of the smallest cell around the seed and each nearby row
    masks: Members  # rows of each candidate, as bits
    costs: Real  # cost of each candidate
    samples: Small  # a row that each candidate matches
    columns: Small  # (candidates, attributes) columns of `NodeRows.paths`
    slots: Small  # for the hash table of masks
    best: Small  # chosen candidates
    opened: Small  # cells that were opened
    closed: Small  # cells that were closed
    moved: Small  # rows that were moved
    moved_from: Small  # cell from which each of these rows was moved
    counts: Whole  # numbers of opened cells, closed cells, and moved rows
    column: Small  # columns of the candidate that grows
    other: Small  # columns of the candidate after one more row
    marked: Flags  # cells to dissolve, by cell


@compiled
def _note(work: ChoosingRoom, number: int, mask: np.uint64, cost: float, sample: int) -> int:
    """Keep only the cheapest candidate with the same rows, and return the number of candidates."""
    slot = find(table_of(work.slots, work.masks), mask)
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
def propose(  # noqa: C901, PLR0912 - one loop that is compiled as a whole
    table: NodeRows, work: ChoosingRoom, rows: int, least: int
) -> int:
    """Propose the smallest cells around pairs of rows and also larger cells; return their number.

    A cell grows by adding the row that increases its cost the least, until the cell has `least`
    records. Each cell is grown twice: once with only the rows that gain from the cell, and once
    with any rows.
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
                cost = join(table, sample, lowest, work.rows[two], columns)
                while cost < work.outside[one] and (fill or cost < work.outside[two]):
                    all_rows, winners, size, won = NONE, NONE, 0, 0
                    for at in range(rows):
                        if shows_row(table, sample, columns, work.rows[at]):
                            bit = ONE << np.uint64(at)
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
                    best, best_cost = NOBODY, NO_CELL
                    for at in range(rows):
                        if (all_rows >> np.uint64(at)) & ONE:
                            continue
                        grown = join(table, sample, columns, work.rows[at], other)
                        if (fill or grown < work.outside[at]) and grown < best_cost:
                            best, best_cost = at, grown
                            chosen[:] = other
                    if best == NOBODY:
                        break
                    columns[:] = chosen
                    cost = best_cost
    return number


@compiled
def _weigh(table: NodeRows, work: ChoosingRoom, mask: np.uint64) -> int:
    size, at = 0, 0
    while mask != NONE:
        if mask & ONE:
            size += table.weights[work.rows[at]]
        mask >>= ONE
        at += 1
    return size


@compiled
def _least_costs(work: ChoosingRoom, rows: int, number: int) -> Real:
    """Return the cost of each row in its cheapest candidate, or its cost outside all candidates."""
    least = work.outside[:rows].copy()
    for at in range(number):
        for row in range(rows):
            if (work.masks[at] >> np.uint64(row)) & ONE and work.costs[at] < least[row]:
                least[row] = work.costs[at]
    return least


@compiled
def _bound(
    table: NodeRows, work: ChoosingRoom, sequence: Whole, costs: Real, free: np.uint64, paid: float
) -> tuple[float, int]:
    """Add the lowest cost of free rows to the cost paid; also return the first free row, or -1."""
    bound, first = paid, NOBODY
    for row in sequence:
        if (free >> np.uint64(row)) & ONE:
            if first == NOBODY:
                first = row
            bound += table.weights[work.rows[row]] * costs[row]
    return bound, first


@compiled
def _next_candidate(
    table: NodeRows,
    work: ChoosingRoom,
    order: Whole,
    turn: int,
    row: int,
    free: np.uint64,
    least: int,
) -> tuple[int, np.uint64, int]:
    """Find the next candidate that contains a row and has enough free rows.

    The function returns the index of the candidate in the order, or the end of the order. It also
    returns the free rows of the candidate, and the number of their records.
    """
    while turn < order.size:
        inside = work.masks[order[turn]] & free
        if inside & (ONE << np.uint64(row)):
            size = _weigh(table, work, inside)
            if size >= least:
                return turn, inside, size
        turn += 1
    return turn, ONE << np.uint64(row), 0


@compiled
def divide(
    table: NodeRows,
    work: ChoosingRoom,
    rows: int,
    number: int,
    least: int,
    before: float,
    budget: int,
) -> tuple[int, float]:
    """Choose the candidates with the lowest total cost by depth-first branch and bound.

    At each node of the search tree, some rows are free, which means that they are not yet in a
    candidate. The bound of the node is the cost paid so far, plus the cost of all free rows in
    their cheapest candidates. The node takes the free row with the highest of these costs. It
    branches over all candidates that contain this row, starting with the cheapest, and finally
    leaves the row outside. Costs are losses times records.

    Only a choice with a lower cost than `before` is returned. `budget` is the largest number of
    nodes to visit. The function writes the chosen candidates to ``work.best``, and returns their
    number and the cost.
    """
    costs = _least_costs(work, rows, number)
    order = np.argsort(work.costs[:number], kind="mergesort")
    sequence = np.argsort(-costs, kind="mergesort")
    free = np.zeros(rows + 1, np.uint64)
    paid = np.zeros(rows + 1)
    pivot = np.full(rows + 1, NOBODY, np.int64)
    branch = np.zeros(rows + 1, np.int64)
    picked = np.full(rows + 1, NOBODY, np.int64)
    free[0] = ~NONE if rows == MOST_ROWS else (ONE << np.uint64(rows)) - ONE
    least_cost, chosen = before - LEAST, 0
    depth, steps = 0, 0
    while depth >= 0 and steps < budget:
        if pivot[depth] == NOBODY:  # a new node
            steps += 1
            bound, first = _bound(table, work, sequence, costs, free[depth], paid[depth])
            if bound < least_cost and first == NOBODY:
                least_cost, chosen = bound, 0
                for at in range(depth):
                    if picked[at] != NOBODY:
                        work.best[chosen] = picked[at]
                        chosen += 1
            elif bound < least_cost:
                pivot[depth] = first
                branch[depth] = 0
        row = pivot[depth]
        if row == NOBODY or branch[depth] > number:
            pivot[depth] = NOBODY
            depth -= 1
            continue
        turn, inside, size = _next_candidate(
            table, work, order, branch[depth], row, free[depth], least
        )
        branch[depth] = turn + 1
        free[depth + 1] = free[depth] & ~inside
        if turn == number:  # the row stays outside
            picked[depth] = NOBODY
            cost = table.weights[work.rows[row]] * work.outside[row]
        else:
            picked[depth] = order[turn]
            cost = size * work.costs[order[turn]]
        paid[depth + 1] = paid[depth] + cost
        depth += 1
        pivot[depth] = NOBODY
    return chosen, least_cost
