"""Boxes are improved by moving single rows between them, by simulated annealing.

A row moves to the box of a row near to it, changes places with a row there, begins a box of its
own, or is suppressed. A move that loses more is made too, at first often and in the end no more
(Kirkpatrick, Gelatt and Vecchi, Science 220, 1983). Boxes are always tight.

Two things that a release may not have are allowed on the way, for a price, as most good moves are
made of several: a box with too few records, and a row that a cheaper box holds as well (it would
have to be in that one). The second are looked for among the boxes of rows near to each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead.kernels.compiled import Members, Real, Small, Whole, compiled

_STEPS = 1024  # between two temperatures
_KINDS, _NEW = 128, 5  # of so many moves one suppresses, and the next up to this begin a box
_SAME = 1e-12  # widths that differ by less are equal: which box comes first is then uncertain


class BoxPrices(NamedTuple):
    """What states cost that a release may not have, in records lost."""

    least: int  # records of a box
    missing: float  # for each record that a box has too few
    conflict: float  # for each record that a cheaper box holds as well
    limit: int  # records that may be suppressed


class Boxes(NamedTuple):
    """Rows in boxes; a suppressed row is in box -1."""

    points: Real  # place of each row along each axis, times the axis's weight
    weights: Whole  # records of each row
    near: Small  # rows near each row; -1 behind the last
    box: Small  # of each row
    slot: Small  # which row of its box each row is
    members: Small  # rows of each box
    rows: Whole  # number of rows of each box
    records: Whole  # of each box
    low: Real  # by box and axis
    high: Real
    width: Real  # of each box, all axes together: what a record in it loses
    seen: Whole  # by box: when it was last looked at


@compiled
def boxes_of(
    points: Real, weights: Whole, near: Small, box: Small, number: int, most: int
) -> Boxes:
    """Build at most `number` boxes of at most `most` rows from the box of each row."""
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
    for one in range(number):
        tighten(boxes, one)
    return boxes


@compiled
def enter(boxes: Boxes, row: int, box: int) -> None:
    """Put a row into a box, or suppress it, from where it is not in any."""
    boxes.box[row] = box
    if box >= 0:
        boxes.members[box, boxes.rows[box]] = row
        boxes.slot[row] = boxes.rows[box]
        boxes.rows[box] += 1
        boxes.records[box] += boxes.weights[row]


@compiled
def leave(boxes: Boxes, row: int) -> None:
    """Take a row out of its box, if it is in one."""
    box = boxes.box[row]
    if box >= 0:
        boxes.rows[box] -= 1
        boxes.records[box] -= boxes.weights[row]
        last = boxes.members[box, boxes.rows[box]]
        boxes.members[box, boxes.slot[row]] = last
        boxes.slot[last] = boxes.slot[row]


@compiled
def tighten(boxes: Boxes, box: int) -> None:
    """Fit a box to its rows."""
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
    """What a box costs: a small one as if it were full, and for what it has too few."""
    if records >= prices.least:
        return records * width
    if records == 0:
        return 0.0
    return prices.least * width + prices.missing * float(np.sqrt(prices.least - records))


@compiled
def changed(boxes: Boxes, box: int, out: int, into: int) -> float:
    """Width of a box if one row left it and another entered; -1 for none."""
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
def covers(boxes: Boxes, box: int, row: int) -> bool:
    """Whether a box holds a row's values."""
    for axis in range(boxes.points.shape[1]):
        value = boxes.points[row, axis]
        if value < boxes.low[box, axis] or value > boxes.high[box, axis]:
            return False
    return True


@compiled
def conflicts_within(boxes: Boxes, box: int, clock: Whole) -> int:
    """Records of a box that are held by cheaper boxes, once for each of those."""
    found = 0
    for at in range(boxes.rows[box]):
        row = boxes.members[box, at]
        clock[0] += 1
        boxes.seen[box] = clock[0]
        for near in boxes.near[row]:
            if near < 0:
                break
            other = boxes.box[near]
            if other >= 0 and boxes.seen[other] != clock[0]:
                boxes.seen[other] = clock[0]
                if boxes.width[other] <= boxes.width[box] + _SAME and covers(boxes, other, row):
                    found += boxes.weights[row]
    return found


@compiled
def conflicts_near(boxes: Boxes, row: int, one: int, two: int) -> int:
    """Records near a row and in neither of two boxes that these hold, and are cheaper."""
    found = 0
    for near in boxes.near[row]:
        if near < 0:
            break
        own = boxes.box[near]
        if own != one and own != two:  # noqa: PLR1714 - of two types
            width = 1.0 if own < 0 else boxes.width[own] + _SAME
            if one >= 0 and boxes.width[one] <= width and covers(boxes, one, near):
                found += boxes.weights[near]
            if two >= 0 and boxes.width[two] <= width and covers(boxes, two, near):
                found += boxes.weights[near]
    return found


@compiled
def conflicts(boxes: Boxes, row: int, other: int, one: int, two: int, clock: Whole) -> int:
    """Conflicts that two boxes have a part in, between which one or two rows move."""
    found = conflicts_near(boxes, row, one, two)
    if other >= 0:
        found += conflicts_near(boxes, other, one, two)
    if one >= 0:
        found += conflicts_within(boxes, one, clock)
    if two >= 0:
        found += conflicts_within(boxes, two, clock)
    return found


@compiled
def drawn(state: Members) -> int:
    """Next of a sequence of numbers that look random, 0 to 2**53 - 1 (xorshift64*, Vigna 2016)."""
    word = state[0]
    word ^= word >> np.uint64(12)
    word ^= word << np.uint64(25)
    word ^= word >> np.uint64(27)
    state[0] = word
    return int(np.int64((word * np.uint64(2685821657736338717)) >> np.uint64(11)))


@compiled
def moved(boxes: Boxes, row: int, other: int, one: int, two: int) -> None:
    """Move a row from box `one` to box `two`, and another, if any, the other way."""
    leave(boxes, row)
    if other >= 0:
        leave(boxes, other)
        enter(boxes, other, one)
    enter(boxes, row, two)
    tighten(boxes, one)
    tighten(boxes, two)


@compiled
def anneal(  # noqa: C901, PLR0912, PLR0915 - one loop, whose parts share all that it knows
    boxes: Boxes, prices: BoxPrices, hot: float, cold: float, steps: int, seed: int
) -> int:
    """Try so many moves while the temperature falls from `hot` to `cold`; returns those made.

    A move by which d more is lost is made with probability exp(-d / temperature).
    """
    state = np.empty(1, dtype=np.uint64)
    state[0] = (np.uint64(seed) * np.uint64(2) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    scale = 1.0 / 9007199254740992.0  # 2**-53
    number, nearby = boxes.rows.size, boxes.near.shape[1]
    most = boxes.members.shape[1] - 1
    light = np.flatnonzero(boxes.weights < prices.least)
    empty = np.flatnonzero(boxes.rows == 0)
    free, unused = np.zeros(number, dtype=np.int64), empty.size
    free[:unused] = empty
    suppressed = boxes.weights[boxes.box < 0].sum()
    clock = np.array([boxes.seen.max()])
    falling = (cold / hot) ** (_STEPS / max(steps, _STEPS))
    heat, made = hot, 0
    if light.size == 0 or number == 0:
        return 0
    for step in range(steps):
        if step % _STEPS == 0:
            heat *= falling
        row = light[drawn(state) % light.size]
        weight, one, kind = boxes.weights[row], boxes.box[row], drawn(state) % _KINDS
        bar = -heat * np.log(drawn(state) * scale + 1e-300)
        chance = drawn(state) * scale
        other = -1
        if kind == 0:
            if one < 0 or suppressed + weight > prices.limit:
                continue
            two = -1
        elif kind < _NEW:
            if unused == 0 or (one >= 0 and boxes.rows[one] == 1):
                continue
            two = free[unused - 1]
        else:
            near = boxes.near[row, int(chance * chance * nearby)]
            if near < 0:
                continue
            two = boxes.box[near]
            if two < 0 or two == one:
                continue
            if one >= 0 and (boxes.rows[two] >= most or kind % 2 == 0):
                other = boxes.members[two, drawn(state) % boxes.rows[two]]
                if boxes.weights[other] >= prices.least:
                    continue
            elif boxes.rows[two] >= most:
                continue
        extra = weight - (boxes.weights[other] if other >= 0 else 0)
        loss = 0.0
        if one >= 0:
            loss -= price(prices, boxes.records[one], boxes.width[one])
        else:
            loss -= weight
        if two >= 0:
            loss -= price(prices, boxes.records[two], boxes.width[two])
            if loss >= bar:
                continue
            width = changed(boxes, two, other, row)
            loss += price(prices, boxes.records[two] + extra, width)
        else:
            loss += weight
        if loss >= bar:
            continue
        if one >= 0:
            width = changed(boxes, one, row, other)
            loss += price(prices, boxes.records[one] - extra, width)
        if loss >= bar:
            continue
        if prices.conflict > 0.0:
            before = conflicts(boxes, row, other, one, two, clock)
            moved(boxes, row, other, one, two)
            after = conflicts(boxes, row, other, one, two, clock)
            if loss + prices.conflict * (after - before) >= bar:
                if other >= 0:
                    moved(boxes, other, row, one, two)
                else:
                    moved(boxes, row, -1, two, one)
                continue
        else:
            moved(boxes, row, other, one, two)
        made += 1
        if one < 0:
            suppressed -= weight
        if two < 0:
            suppressed += weight
        if two >= 0 and unused > 0 and two == free[unused - 1]:
            unused -= 1
        if one >= 0 and boxes.rows[one] == 0:
            free[unused] = one
            unused += 1
    return made
