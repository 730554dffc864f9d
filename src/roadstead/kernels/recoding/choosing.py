"""A few rows divided into cells anew: which cells there could be, and the best of them.

Sets of the rows are the bits of a word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead.kernels.compiled import Flags, Members, Real, Small, Whole, compiled
from roadstead.kernels.recoding.open_cells import NO_CELL, NOBODY, NONE, ONE, Table, join, shows_row

LEAST = 1e-12  # a gain below is no gain but rounding
MOST_ROWS = 64  # divided at once
CANDIDATES = 512
NEAREST = 32


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
    counts: Whole  # cells opened, cells closed, rows moved
    column: Small
    other: Small
    marked: Flags  # cells to be dissolved


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
def propose(  # noqa: C901, PLR0912 - one loop that is compiled as a whole
    table: Table, work: Work, rows: int, least: int
) -> int:
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
def _weigh(table: Table, work: Work, mask: np.uint64) -> int:
    """Records of a set of the rows."""
    size, at = 0, 0
    while mask != NONE:
        if mask & ONE:
            size += table.weights[work.rows[at]]
        mask >>= ONE
        at += 1
    return size


@compiled
def divide(  # noqa: C901, PLR0912, PLR0915 - one loop that is compiled as a whole
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
            if (work.masks[at] >> np.uint64(row)) & ONE and work.costs[at] < bests[row]:
                bests[row] = work.costs[at]
    sequence = np.argsort(-bests, kind="mergesort")
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
            bound = paid[depth]
            first = NOBODY
            for at in range(rows):
                row = sequence[at]
                if (free[depth] >> np.uint64(row)) & ONE:
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
        bit = ONE << np.uint64(row)
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
