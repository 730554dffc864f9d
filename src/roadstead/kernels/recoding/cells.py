"""Visit all sufficiently large cells of a table, without listing all vectors of levels.

A *cell* is a vector of nodes, one from each hierarchy, and contains the rows below all of these
nodes. The walk computes a bottom-up iceberg cube (Beyer and Ramakrishnan, SIGMOD 1999). If all rows
of a set are below one child of a node, the node itself is skipped, because the child has the same
rows and does not cost more.

Each record has a price, and the cost of a cell is the loss of a record in it, from 0 to 1. A cell
is *of interest* only if the sum of its `take` highest prices is more than `take` times its cost. A
set is skipped if none of its cells can be of interest. The caller provides the arrays of the stack,
so the walk can stop after any number of steps and continue later.

Invariant: The rows of each set are in descending order of price.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.compiled import Codes, Real, Small, Whole, compiled

DEPTH, ENTERED, STEPS, FOUND, FILLED = range(5)
"""The counters of a walk.

They count the frames on the stack, the sets that reached the attribute at which the work is split,
the rows read, the columns kept, and the entries of the columns.
"""
COUNTS = 5
FRAME = 5
"""The number of integers in a frame of the stack: all fields of `Frame` except the cost."""


class NumberedNodes(NamedTuple):
    """A table and its hierarchies, whose nodes are numbered consecutively across all attributes."""

    codes: Codes  # (attributes, rows) value codes
    counts: Whole  # number of records in each row
    lookup: Codes  # node of each value code, levels and attributes one after another
    starts: NDArray[np.int64]  # (attributes, levels) index at which a level begins in `lookup`
    losses: Real  # the cost that each node adds to a cell
    levels: NDArray[np.int64]  # (attributes, 3) lowest and highest level in use, and the top level


class Task(NamedTuple):
    """The conditions for cells of interest, and the share of the cells that a walk visits."""

    least: int  # the minimum number of records in a cell
    take: int  # the number of highest prices that count, at most `least`
    tolerance: float  # the amount by which the sum of prices may exceed the cost
    shared: int  # attribute at which sets are assigned to parts in turn
    part: int  # the part of this walk
    parts: int  # the number of parts


class Walk(NamedTuple):
    """The state of a walk and its working memory."""

    counted: Whole  # counters, indexed by DEPTH, ENTERED, STEPS, FOUND, and FILLED
    stack: NDArray[np.int64]  # (frames, 5) whole numbers of each frame
    spent: Real  # cost of each frame
    arena: Small  # rows of all sets on the stack
    prices: Real  # price of each row at the start of the walk
    lowered: Real  # price of each row, lowered so that no visited cell is of interest
    records: Whole  # records in each node of a split
    places: Whole  # number of rows in each node of a split, then the index of its next row
    seen: Small  # nodes of a split
    chosen: Small  # rows with the highest lowered prices in a cell


class Columns(NamedTuple):
    """The columns of the linear program: record sets with prices above their cost."""

    ends: Whole  # the end of each column's entries
    costs: Real  # cost of each column's cell
    rows: Small  # rows of all columns, one column after another
    many: Small  # number of the row's records in the column
    excess: Real  # for each row, the largest excess of a column with this row


@compiled
def highest(arena: Small, first: int, end: int, prices: Real, counts: Whole, take: int) -> float:
    """Return the sum of the `take` highest prices of rows that are sorted by descending price."""
    left, total = take, 0.0
    for at in range(first, end):
        row = arena[at]
        many = min(left, counts[row])
        total += many * prices[row]
        left -= many
        if left == 0:
            break
    return total


@compiled
def _choose(walk: Walk, counts: Whole, first: int, end: int, take: int) -> int:
    """Write the rows with the `take` highest lowered prices to `chosen`; return the count."""
    chosen, number, records = walk.chosen, 0, 0
    for at in range(first, end):
        row = walk.arena[at]
        # Rows are in descending order of their original prices, so no later row has a higher price.
        if records >= take and walk.prices[row] <= walk.lowered[chosen[number - 1]]:
            break
        place = number
        while place > 0 and walk.lowered[chosen[place - 1]] < walk.lowered[row]:
            place -= 1
        if place == number and records >= take:
            continue
        for later in range(number, place, -1):
            chosen[later] = chosen[later - 1]
        chosen[place] = row
        number += 1
        records += counts[row]
        while records - counts[chosen[number - 1]] >= take:
            number -= 1
            records -= counts[chosen[number]]
    return number


@compiled
def _lower(walk: Walk, counts: Whole, first: int, end: int, take: int, cost: float) -> None:
    """Lower a cell's prices until the `take` highest add up to at most `take` times its cost.

    Some prices are above the cost, and others are below. The amounts above the cost are multiplied
    by one factor, so that their sum equals the sum of the amounts below the cost.
    """
    number = _choose(walk, counts, first, end, take)
    chosen, lowered = walk.chosen, walk.lowered
    left, above, below = take, 0.0, 0.0
    for at in range(number):
        many = min(left, counts[chosen[at]])
        left -= many
        difference = lowered[chosen[at]] - cost
        if difference > 0.0:
            above += many * difference
        else:
            below -= many * difference
    if above <= below:
        return
    if below <= 0.0:  # more than `take` records may be above the cost
        for at in range(first, end):
            row = walk.arena[at]
            lowered[row] = min(lowered[row], cost)
        return
    for at in range(number):
        if lowered[chosen[at]] > cost:
            lowered[chosen[at]] = cost + (lowered[chosen[at]] - cost) * (below / above)


@compiled
def _note(
    walk: Walk, columns: Columns, counts: Whole, first: int, take: int, cost: float, over: float
) -> None:
    """Keep the column of a cell's highest prices if it has the largest excess for some row."""
    found, begin = walk.counted[FOUND], walk.counted[FILLED]
    if found == columns.costs.size or begin + take > columns.rows.size:
        return
    left, at, filled, better = take, first, begin, False
    while left > 0:
        row = walk.arena[at]
        many = min(left, counts[row])
        better |= columns.excess[row] < over
        columns.rows[filled], columns.many[filled] = row, many
        filled += 1
        left -= many
        at += 1
    if better:
        for entry in range(begin, filled):
            row = columns.rows[entry]
            columns.excess[row] = max(columns.excess[row], over)
        columns.ends[found], columns.costs[found] = filled, cost
        walk.counted[FOUND], walk.counted[FILLED] = found + 1, filled


class Frame(NamedTuple):
    """A set of rows on the stack, all below one node of the attribute to split next."""

    attribute: int
    level: int  # level of the node
    first: int  # index at which the rows begin
    end: int
    free: int  # index at which the free space begins
    cost: float  # cost of the nodes chosen in earlier attributes


@compiled
def _push(walk: Walk, frame: Frame) -> None:
    deep = walk.counted[DEPTH]
    slot = walk.stack[deep]
    slot[0], slot[1] = frame.attribute, frame.level
    slot[2], slot[3], slot[4] = frame.first, frame.end, frame.free
    walk.spent[deep] = frame.cost
    walk.counted[DEPTH] = deep + 1


@compiled
def _pop(walk: Walk) -> Frame:
    walk.counted[DEPTH] -= 1
    deep = walk.counted[DEPTH]
    slot = walk.stack[deep]
    return Frame(slot[0], slot[1], slot[2], slot[3], slot[4], walk.spent[deep])


@compiled
def _children(walk: Walk, nodes: NumberedNodes, frame: Frame) -> tuple[int, int]:
    """Find the lowest node above all rows, and return its level and its number of children.

    Only children with rows are counted, and `seen` lists them. `places` counts the rows of each
    child, and `records` counts the records of each child.
    """
    level, column = frame.level, nodes.codes[frame.attribute]
    while level > nodes.levels[frame.attribute, 0]:
        children, base = 0, nodes.starts[frame.attribute, level - 1]
        walk.counted[STEPS] += frame.end - frame.first
        for at in range(frame.first, frame.end):
            row = walk.arena[at]
            node = nodes.lookup[base + column[row]]
            if walk.places[node] == 0:
                walk.seen[children] = node
                children += 1
            walk.places[node] += 1
            walk.records[node] += nodes.counts[row]
        if children > 1:
            return level, children
        walk.places[walk.seen[0]] = 0
        walk.records[walk.seen[0]] = 0
        level -= 1
    return level, 0


@compiled
def _split(
    walk: Walk, nodes: NumberedNodes, task: Task, frame: Frame, level: int, children: int
) -> int:
    """Push the children that have enough records onto the stack, each with contiguous rows.

    The children are one level below. The function returns the index at which the free space after
    the children begins.
    """
    column, base = nodes.codes[frame.attribute], nodes.starts[frame.attribute, level - 1]
    after = frame.free
    for child in range(children):
        node = walk.seen[child]
        size = walk.places[node]
        walk.places[node] = -1
        if walk.records[node] >= task.least:
            walk.places[node] = after
            after += size
        walk.records[node] = 0
    for at in range(frame.first, frame.end):
        row = walk.arena[at]
        node = nodes.lookup[base + column[row]]
        if walk.places[node] >= 0:
            walk.arena[walk.places[node]] = row
            walk.places[node] += 1
    begin = frame.free
    for child in range(children):
        node = walk.seen[child]
        until = walk.places[node]
        walk.places[node] = 0
        if until >= 0:
            most = highest(walk.arena, begin, until, walk.prices, nodes.counts, task.take)
            if most > task.take * frame.cost + task.tolerance:
                _push(walk, Frame(frame.attribute, level - 1, begin, until, after, frame.cost))
            begin = until
    return after


@compiled
def go_on(walk: Walk, nodes: NumberedNodes, task: Task, columns: Columns, quota: int) -> None:
    """Continue the walk for about `quota` steps; lower prices and keep columns where needed.

    The walk is complete when the stack is empty. Then no cell of its part is of interest at the
    lowered prices, or at any lower prices.
    """
    counted, last = walk.counted, nodes.codes.shape[0] - 1
    stop = counted[STEPS] + quota
    while counted[DEPTH] > 0 and counted[STEPS] < stop:
        frame = _pop(walk)
        attribute, first, end = frame.attribute, frame.first, frame.end
        if attribute == task.shared and frame.level == nodes.levels[attribute, 2]:
            counted[ENTERED] += 1
            if counted[ENTERED] % task.parts != task.part:
                continue
        level, children = _children(walk, nodes, frame)
        free = frame.free
        if children > 0:
            free = _split(walk, nodes, task, frame, level, children)
        if level > nodes.levels[attribute, 1]:
            continue
        node = nodes.starts[attribute, level] + nodes.codes[attribute, walk.arena[first]]
        cost = frame.cost + nodes.losses[nodes.lookup[node]]
        most = highest(walk.arena, first, end, walk.prices, nodes.counts, task.take)
        over = most - task.take * cost
        if over > task.tolerance:
            if attribute < last:
                top = nodes.levels[attribute + 1, 2]
                _push(walk, Frame(attribute + 1, top, first, end, free, cost))
            else:
                counted[STEPS] += task.take
                _lower(walk, nodes.counts, first, end, task.take, cost)
                _note(walk, columns, nodes.counts, first, task.take, cost, over)
