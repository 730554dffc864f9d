"""Improve boxes by simulated annealing, in which single rows move between boxes.

A row moves to the box of a nearby row, changes places with a row there, begins a new box, or is
suppressed. Moves that increase the loss are accepted as well, often at first and rarely at the end
(Kirkpatrick, Gelatt, and Vecchi, Science 220, 1983). A box is always the smallest box around its
rows. Losses are sums over records. Each record loses the width of its box, from 0 to 1.

Many good moves lead through states that are not allowed in a release. Two kinds of these states are
allowed at a price. One is a box with too few records. The other is a *conflict*, which is a record
that a cheaper box also covers. A release would have to assign this record to the cheaper box. The
search checks only the boxes of nearby rows for conflicts.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from roadstead.kernels.compiled import Members, Real, Small, Whole, compiled
from roadstead.kernels.xorshift import random_word

Number: TypeAlias = int | np.int64
_NOBODY = np.int64(-1)
_STEPS = 1024  # between two temperatures
_KINDS, _NEW = 128, 5  # of these kinds of moves, 0 suppresses a row, and 1 to 4 start a new box
_SAME = 1e-12  # smaller differences of widths count as equal, so the order of boxes is uncertain


class BoxPrices(NamedTuple):
    """The prices, in records lost, of states that are not allowed in a release."""

    least: int  # minimum number of records in a box
    missing: float  # for a box with too few records, times the square root of the missing number
    conflict: float  # for each conflict
    limit: int  # number of records that may be suppressed


class Boxes(NamedTuple):
    """Rows in boxes, which are changed in place; a suppressed row is in box -1."""

    points: Real  # (rows, axes) position of each row, times the weight of the axis
    weights: Whole  # number of records in each row
    near: Small  # (rows, neighbors) rows near each row; -1 after the last
    box: Small  # box of each row
    slot: Small  # index of each row among the members of its box
    members: Small  # (boxes, rows) the rows of each box
    rows: Whole  # rows in each box
    records: Whole  # records in each box
    low: Real  # (boxes, axes)
    high: Real
    width: Real  # for each box, summed over axes: the loss of a record in it
    seen: Whole  # time when a search for conflicts last examined each box


@compiled
def boxes_of(
    points: Real, weights: Whole, near: Small, box: Small, number: int, most: int
) -> Boxes:
    """Build the state, given the box of each row, with space for `number` boxes of `most` rows."""
    rows, axes = points.shape
    boxes = Boxes(
        points,
        weights,
        near,
        box,
        np.zeros(rows, dtype=np.int32),
        np.empty((number, most + 1), dtype=np.int32),
        np.zeros(number, dtype=np.int64),
        np.zeros(number, dtype=np.int64),
        np.zeros((number, axes)),
        np.zeros((number, axes)),
        np.zeros(number),
        np.zeros(number, dtype=np.int64),
    )
    for row in range(rows):
        if box[row] >= 0:
            enter(boxes, row, box[row])
    for own in range(number):
        tighten(boxes, own)
    return boxes


@compiled
def enter(boxes: Boxes, row: Number, box: Number) -> None:
    """Put a row that is not in any box into a box, or suppress it."""
    boxes.box[row] = box
    if box >= 0:
        boxes.members[box, boxes.rows[box]] = row
        boxes.slot[row] = boxes.rows[box]
        boxes.rows[box] += 1
        boxes.records[box] += boxes.weights[row]


@compiled
def leave(boxes: Boxes, row: Number) -> None:
    """Remove a row from its box, if it is in a box."""
    box = boxes.box[row]
    if box >= 0:
        boxes.rows[box] -= 1
        boxes.records[box] -= boxes.weights[row]
        last = boxes.members[box, boxes.rows[box]]
        boxes.members[box, boxes.slot[row]] = last
        boxes.slot[last] = boxes.slot[row]


@compiled
def tighten(boxes: Boxes, box: Number) -> None:
    """Shrink a box to the smallest box around its rows."""
    if box < 0:
        return
    width = 0.0
    for axis in range(boxes.points.shape[1]):
        low, high = np.inf, -np.inf
        for at in range(boxes.rows[box]):
            value = boxes.points[boxes.members[box, at], axis]
            low, high = min(low, value), max(high, value)
        boxes.low[box, axis], boxes.high[box, axis] = low, high
        if high > low:
            width += high - low
    boxes.width[box] = width


@compiled
def price(prices: BoxPrices, records: int, width: float) -> float:
    """Return the cost of a box; a box with too few records counts as full, plus a penalty."""
    if records >= prices.least:
        return records * width
    if records == 0:
        return 0.0
    return prices.least * width + prices.missing * float(np.sqrt(prices.least - records))


@compiled
def changed(boxes: Boxes, box: Number, out: Number, into: Number) -> float:
    """Return the width of a box if one row left it and another row entered; -1 means no row."""
    width = 0.0
    for axis in range(boxes.points.shape[1]):
        low, high = boxes.low[box, axis], boxes.high[box, axis]
        if out >= 0:
            value = boxes.points[out, axis]
            if boxes.rows[box] == 1 or (low < high and (value in (low, high))):
                low, high = np.inf, -np.inf
                for at in range(boxes.rows[box]):
                    row = boxes.members[box, at]
                    if row != out:
                        value = boxes.points[row, axis]
                        low, high = min(low, value), max(high, value)
        if into >= 0:
            value = boxes.points[into, axis]
            low, high = min(low, value), max(high, value)
        if high > low:
            width += high - low
    return width


@compiled
def covers(boxes: Boxes, box: Number, row: Number) -> bool:
    """Return whether a box covers the values of a row."""
    for axis in range(boxes.points.shape[1]):
        value = boxes.points[row, axis]
        if value < boxes.low[box, axis] or value > boxes.high[box, axis]:
            return False
    return True


class Move(NamedTuple):
    """A move of a row to another box, while its partner moves in the opposite direction."""

    row: Number
    partner: Number  # -1 without a partner
    source: Number  # box of the row, or -1 if the row is suppressed
    target: Number  # -1 to suppress the row


@compiled
def conflicts_within(boxes: Boxes, box: Number, clock: Whole) -> int:
    """Count a box's records that cheaper boxes also cover, once for each cheaper box."""
    count = 0
    for at in range(boxes.rows[box]):
        row = boxes.members[box, at]
        clock[0] += 1  # a new time stamp ensures that no box is counted twice for a row
        boxes.seen[box] = clock[0]
        for near in boxes.near[row]:
            if near < 0:
                break
            other = boxes.box[near]
            if other >= 0 and boxes.seen[other] != clock[0]:
                boxes.seen[other] = clock[0]
                if boxes.width[other] <= boxes.width[box] + _SAME and covers(boxes, other, row):
                    count += boxes.weights[row]
    return count


@compiled
def conflicts_near(boxes: Boxes, row: Number, move: Move) -> int:
    """Count records of nearby rows that a move's box covers at a lower cost than their own box."""
    count = 0
    for near in boxes.near[row]:
        if near < 0:
            break
        current = np.int64(boxes.box[near])
        if current not in (move.source, move.target):
            width = 1.0 if current < 0 else boxes.width[current] + _SAME
            for box in (move.source, move.target):
                if box >= 0 and boxes.width[box] <= width and covers(boxes, box, near):
                    count += boxes.weights[near]
    return count


@compiled
def conflicts(boxes: Boxes, move: Move, clock: Whole) -> int:
    """Count the conflicts that a move may change, in both boxes and near the moved rows."""
    count = conflicts_near(boxes, move.row, move)
    if move.partner >= 0:
        count += conflicts_near(boxes, move.partner, move)
    for box in (move.source, move.target):
        if box >= 0:
            count += conflicts_within(boxes, box, clock)
    return count


@compiled
def drawn(state: Members) -> int:
    """Return a random number from 0 to 2**53 - 1, and advance the state."""
    return int(np.int64(random_word(state) >> np.uint64(11)))


@compiled
def make(boxes: Boxes, move: Move) -> None:
    """Make a move, and shrink both boxes to their rows."""
    leave(boxes, move.row)
    if move.partner >= 0:
        leave(boxes, move.partner)
        enter(boxes, move.partner, move.source)
    enter(boxes, move.row, move.target)
    tighten(boxes, move.source)
    tighten(boxes, move.target)


@compiled
def _loss_of(boxes: Boxes, prices: BoxPrices, move: Move, most: float) -> float:
    """Return the loss that a move adds, in records lost; a loss from `most` up may be inexact."""
    weight = boxes.weights[move.row]
    extra = weight - (boxes.weights[move.partner] if move.partner >= 0 else 0)
    source, target, loss = move.source, move.target, 0.0
    if source >= 0:
        loss -= price(prices, boxes.records[source], boxes.width[source])
    else:
        loss -= weight
    if target < 0:
        loss += weight
    else:
        loss -= price(prices, boxes.records[target], boxes.width[target])
        if loss < most:  # not yet certainly too expensive
            width = changed(boxes, target, move.partner, move.row)
            loss += price(prices, boxes.records[target] + extra, width)
    if loss < most and source >= 0:
        width = changed(boxes, source, move.row, move.partner)
        loss += price(prices, boxes.records[source] - extra, width)
    return loss


@compiled
def _made(boxes: Boxes, prices: BoxPrices, move: Move, most: float, clock: Whole) -> bool:
    """Make a move if it adds less than `most` to the loss, and return whether it was made."""
    loss = _loss_of(boxes, prices, move, most)
    if loss >= most:
        return False
    if prices.conflict == 0.0:
        make(boxes, move)
        return True
    before = conflicts(boxes, move, clock)
    make(boxes, move)
    if loss + prices.conflict * (conflicts(boxes, move, clock) - before) < most:
        return True
    if move.partner >= 0:  # undo the move: both rows change places again
        make(boxes, Move(move.partner, move.row, move.source, move.target))
    else:
        make(boxes, Move(move.row, _NOBODY, move.target, move.source))
    return False


@compiled
def _to_box_nearby(
    boxes: Boxes,
    prices: BoxPrices,
    row: Number,
    swap: bool,  # noqa: FBT001 - the compiler knows no names
    chance: float,
    state: Members,
) -> tuple[Move, bool]:
    """Propose a move to the box of a nearby row, and return whether the move is possible.

    Nearer rows are chosen with a higher probability. If `swap` is set, or if that box is full, the
    row changes places with a row of that box.
    """
    source, most = np.int64(boxes.box[row]), boxes.members.shape[1] - 1
    near, partner = boxes.near[row, int(chance * chance * boxes.near.shape[1])], _NOBODY
    target = np.int64(boxes.box[near]) if near >= 0 else _NOBODY
    possible = bool(target >= 0 and target != source)
    if possible:
        if source >= 0 and (boxes.rows[target] >= most or swap):
            partner = np.int64(boxes.members[target, drawn(state) % boxes.rows[target]])
            possible = bool(boxes.weights[partner] < prices.least)
        else:
            possible = bool(boxes.rows[target] < most)
    return Move(row, partner, source, target), possible


@compiled
def anneal(  # noqa: C901 - one loop with three kinds of moves
    boxes: Boxes, prices: BoxPrices, hot: float, cold: float, steps: int, seed: int
) -> int:
    """Try moves while the temperature falls, and change the boxes in place.

    A move that adds d to the loss is made with probability exp(-d / temperature). Moves depend only
    on the seed, so the result is the same on every machine. Before and after each move, each box is
    as small as its rows allow. `hot` and `cold` are the first and the last temperature, in records
    lost. `steps` is the number of moves to try. The function returns the number of moves that were
    made.
    """
    state = np.empty(1, dtype=np.uint64)
    state[0] = (np.uint64(seed) * np.uint64(2) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    scale = 1.0 / 9007199254740992.0  # 2**-53
    light = np.flatnonzero(boxes.weights < prices.least)  # heavier rows are classes by themselves
    empty = np.flatnonzero(boxes.rows == 0)
    free, unused = np.zeros(boxes.rows.size, dtype=np.int64), empty.size
    free[:unused] = empty
    suppressed = boxes.weights[boxes.box < 0].sum()
    clock = np.array([boxes.seen.max()])
    falling = (cold / hot) ** (_STEPS / max(steps, _STEPS))
    heat, made = hot, 0
    if light.size == 0 or boxes.rows.size == 0:
        return 0
    for step in range(steps):
        if step % _STEPS == 0:
            heat *= falling
        row = light[drawn(state) % light.size]
        weight, source, kind = boxes.weights[row], np.int64(boxes.box[row]), drawn(state) % _KINDS
        bar = -heat * np.log(drawn(state) * scale + 1e-300)
        chance = drawn(state) * scale
        if kind == 0:
            move = Move(row, _NOBODY, source, _NOBODY)
            possible = bool(source >= 0 and suppressed + weight <= prices.limit)
        elif kind < _NEW:
            possible = bool(unused > 0 and (source < 0 or boxes.rows[source] > 1))
            move = Move(row, _NOBODY, source, free[max(unused - 1, 0)])
        else:
            move, possible = _to_box_nearby(boxes, prices, row, kind % 2 == 0, chance, state)
        if not possible or not _made(boxes, prices, move, bar, clock):
            continue
        made += 1
        if source < 0:
            suppressed -= weight
        if move.target < 0:
            suppressed += weight
        elif unused > 0 and move.target == free[unused - 1]:
            unused -= 1
        if source >= 0 and boxes.rows[source] == 0:
            free[unused] = source
            unused += 1
    return made
