"""Every cell of a table that is large enough, without walking every vector of levels.

A *cell* is a vector of nodes, one of each hierarchy, with the rows below all of them. Attribute by
attribute a set of rows is split into the nodes of each level, and a set of too few records is left
at once, since its parts are no larger: an iceberg cube from the bottom up (Beyer and Ramakrishnan,
SIGMOD 1999). Where all rows of a set are in one child of a node, the node itself is passed over:
the child holds the same rows and costs no more.

Each row has a *price*, and a cell is of interest only where its `take` highest prices, a row's as
often as it has records, add up to more than `take` times what the cell costs. Splitting a set
lowers its highest prices and choosing a node only adds to its cost, so sets are left that cannot
get there. Rows enter in descending order of price and each split keeps their order: the highest
prices of any set are its first.

The walk is a loop over a stack that lies in arrays of the caller, so it can stop after any number
of steps and go on later.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.compiled import Codes, Real, Small, Whole, compiled

DEPTH, ENTERED, STEPS, FOUND, FILLED = range(5)
"""What a walk counts: frames on the stack, sets that came to the attribute at which the work is
shared out, rows read, columns noted, and entries of them."""
COUNTS = 5
FRAME = 5
"""Whole numbers of a frame of the stack: all of `Frame` but its cost."""


class NumberedNodes(NamedTuple):
    """A table and its hierarchies.

    `codes` are value codes, shape ``(attributes, rows)``, and `counts` the records of each row.
    `lookup[starts[a, level] + code]` is a node, all nodes of all attributes numbered together, and
    `losses` what each adds to the cost of a cell. `levels` has of each attribute the lowest and the
    highest level that may be used, and the highest of all, where there is one node.
    """

    codes: Codes
    counts: Whole
    lookup: Codes
    starts: NDArray[np.int64]
    losses: Real
    levels: NDArray[np.int64]


class Task(NamedTuple):
    """What cells are of interest, and which part of them is walked.

    Cells of at least `least` records whose `take` highest prices, `least` at most, exceed by more
    than `tolerance`. The sets that come to the attribute `shared` are dealt out to `parts`.
    """

    least: int
    take: int
    tolerance: float
    shared: int
    part: int
    parts: int


class Walk(NamedTuple):
    """Where a walk stands, and its room.

    `lowered` are the prices after they were lowered at all cells walked so far. `records`, `places`
    and `seen` are room for the nodes of a split, `chosen` for the rows of the highest prices.
    """

    counted: Whole
    stack: NDArray[np.int64]
    spent: Real
    arena: Small
    prices: Real
    lowered: Real
    records: Whole
    places: Whole
    seen: Small
    chosen: Small


class Columns(NamedTuple):
    """Sets of rows that exceed: where each ends, what its cell costs, rows and how many of each.

    `excess` is the most by which a noted set of each row exceeds.
    """

    ends: Whole
    costs: Real
    rows: Small
    many: Small
    excess: Real


@compiled
def highest(arena: Small, first: int, end: int, prices: Real, counts: Whole, take: int) -> float:
    """Sum of the `take` highest prices of rows that lie in descending order of price."""
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
    """Put the rows of the `take` highest lowered prices into `chosen`; gives how many rows."""
    chosen, number, records = walk.chosen, 0, 0
    for at in range(first, end):
        row = walk.arena[at]
        # Rows lie in descending order of what prices were before: none that follows is higher.
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
    """Lower a cell's prices until the `take` highest do not exceed `take` times its cost.

    What is above the cost shrinks in proportion, to what those below it make up for.
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
    if below <= 0.0:  # more than `take` may be above the cost
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
    """Note the set of a cell's highest prices, if it exceeds by more than all before for a row."""
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
    """A set of rows on the stack: all are below one node of an attribute that is split next."""

    attribute: int
    level: int  # of the node
    first: int  # where the rows lie
    end: int
    free: int  # from where on there is room
    cost: float  # of the nodes chosen so far, of the attributes before


@compiled
def _push(walk: Walk, frame: Frame) -> None:
    """Put a set of rows on the stack."""
    deep = walk.counted[DEPTH]
    slot = walk.stack[deep]
    slot[0], slot[1] = frame.attribute, frame.level
    slot[2], slot[3], slot[4] = frame.first, frame.end, frame.free
    walk.spent[deep] = frame.cost
    walk.counted[DEPTH] = deep + 1


@compiled
def _pop(walk: Walk) -> Frame:
    """Take the set that was put on the stack last."""
    walk.counted[DEPTH] -= 1
    deep = walk.counted[DEPTH]
    slot = walk.stack[deep]
    return Frame(slot[0], slot[1], slot[2], slot[3], slot[4], walk.spent[deep])


@compiled
def _children(walk: Walk, nodes: NumberedNodes, frame: Frame) -> tuple[int, int]:
    """Find the lowest node that all rows are below: its level, and how many children they are in.

    The children are listed in `seen`, with their rows in `places` and their records.
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
    """Put the rows of each child that has enough of them together, and on the stack.

    The children are at the level below; gives where there is room afterwards.
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
    """Walk on for about `quota` steps: lower prices at cells of interest, and note columns.

    The walk is over when no frame is left on the stack. Then no cell of its part is of interest at
    the lowered prices, nor at any that are lower still.
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
