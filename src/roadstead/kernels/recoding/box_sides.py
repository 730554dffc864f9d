"""Search for larger sets than `box_sets` by branch and bound over the sides of the box.

A node consists of an inner box and an outer box. The box of a set must contain the inner box, and
must lie inside the outer box. Suppose that a given point is the farthest point of a set. Then the
set costs at least as much as the box around the inner box and this point. The sum of the set's
prices is at most the sum of the highest prices of points that are not farther. The bound of the
node is the smallest difference between this cost and these prices, over all points. To split a
node, a side of the box and a place on this side are chosen. In one child, the box reaches the
place, so the inner box grows. In the other child, the box does not reach the place, so the outer
box shrinks. The search always continues with the node that has the lowest bound, so an interrupted
search gives the best bound so far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead.kernels.compiled import Real, Small, Whole, compiled
from roadstead.kernels.recoding.box_room import SearchRoom, pay, sort
from roadstead.kernels.recoding.box_tree import PointTree

_LOOK = 10
"""The number of steps that each node costs, in addition to its points."""
_SAME = 1e-12
"""The largest difference between two ways to add up the cost of a box."""
_NODES, _ARENA, _HEAP, _STEPS = 0, 1, 2, 3


class SideRoom(NamedTuple):
    """The nodes of a search, in which a point is an index into the collected points."""

    low: Real  # (nodes, attributes) lower corner of the inner box
    high: Real  # (nodes, attributes) upper corner of the inner box
    least: Real  # (nodes, attributes) lower corner of the outer box
    most: Real  # (nodes, attributes) upper corner of the outer box
    bound: Real  # (nodes,)
    paid: Real  # (nodes,) upper limit on the prices of a set of the node
    first: Whole  # (nodes,) where the points of the node begin in `arena`
    size: Whole  # (nodes,) number of points of the node
    axis: Small  # (nodes,) attribute of the chosen side, or -1 if a set attains the bound
    upper: Small  # (nodes,) whether the upper side is chosen
    place: Real  # (nodes,) the chosen place on the side
    heap: Small  # nodes to visit, starting with the lowest bound
    arena: Small  # points of all nodes
    cost: Real  # (points,) cost of the smallest box around inner box and point, ascending
    order: Small  # (points,) the points in the order of `cost`
    used: Whole  # (4,) numbers of nodes, entries of `arena` and `heap`, and steps


@compiled
def side_room(points: int, attributes: int, budget: int) -> SideRoom:
    """Return space for a search of `budget` steps."""
    nodes = budget // _LOOK + 8
    return SideRoom(
        np.empty((nodes, attributes)),
        np.empty((nodes, attributes)),
        np.empty((nodes, attributes)),
        np.empty((nodes, attributes)),
        np.empty(nodes),
        np.empty(nodes),
        np.empty(nodes, np.int64),
        np.empty(nodes, np.int64),
        np.empty(nodes, np.int32),
        np.empty(nodes, np.int32),
        np.empty(nodes),
        np.empty(nodes, np.int32),
        np.empty(budget + 4 * points + 8, np.int32),
        np.empty(points),
        np.empty(points, np.int32),
        np.zeros(4, np.int64),
    )


@compiled
def _push(sides: SideRoom, node: int) -> None:
    at = sides.used[_HEAP]
    sides.used[_HEAP] += 1
    while at:
        above = (at - 1) // 2
        if sides.bound[sides.heap[above]] <= sides.bound[node]:
            break
        sides.heap[at] = sides.heap[above]
        at = above
    sides.heap[at] = node


@compiled
def _pop(sides: SideRoom) -> int:
    top, size = sides.heap[0], sides.used[_HEAP] - 1
    sides.used[_HEAP] = size
    last, at = sides.heap[size], 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size:
            left, right = sides.heap[below], sides.heap[below + 1]
            below += sides.bound[right] < sides.bound[left]
        if sides.bound[sides.heap[below]] >= sides.bound[last]:
            break
        sides.heap[at] = sides.heap[below]
        at = below
    sides.heap[at] = last
    return int(top)


@compiled
def _total(room: SearchRoom, price: float) -> float:
    """Return the sum of the highest prices, including the price of the row."""
    total = price
    for at in range(room.inside[0]):
        total += room.paid[0, at]
    return total


@compiled
def _gather(room: SearchRoom, sides: SideRoom, node: int, spare: float) -> tuple[float, int]:
    """List the points of a node that may be in a set, and return the inner cost and the count.

    The points are within the outer box. If any one of the points is added to the inner box, the box
    costs less than `spare`.
    """
    inner, number = 0.0, 0
    first, size = sides.first[node], sides.size[node]
    for axis in range(room.low.shape[1]):
        inner += sides.high[node, axis] - sides.low[node, axis]
    for at in range(first, first + size):
        who, cost = sides.arena[at], inner
        for axis in range(room.low.shape[1]):
            own = room.spots[who, axis]
            if own < sides.low[node, axis]:
                cost += sides.low[node, axis] - own
                if own < sides.least[node, axis]:
                    cost = np.inf
            elif own > sides.high[node, axis]:
                cost += own - sides.high[node, axis]
                if own > sides.most[node, axis]:
                    cost = np.inf
            if cost >= spare:
                break
        if cost < spare:
            sides.cost[number], sides.order[number] = cost, who
            number += 1
    sides.used[_STEPS] += size + _LOOK
    sort(sides.cost[:number], sides.order[:number])
    return inner, number


@compiled
def _seat(room: SearchRoom, sides: SideRoom, price: float, more: int, number: int) -> None:
    """Find the highest prices of records among the first `number` points."""
    seats = room.paid.shape[1]
    room.inside[0] = 0
    pay(room, 0, seats, price, -1, more)
    for at in range(number):
        who = sides.order[at]
        pay(room, 0, seats, room.prices[who], who, room.counts[who])


@compiled
def _bounded(
    room: SearchRoom, sides: SideRoom, inner: float, number: int, price: float, more: int
) -> tuple[float, int]:
    """Return the bound of a node, and the number of points up to the farthest point."""
    k, farthest = room.paid.shape[1] + 1, 0
    seats, bound = k - 1, np.inf
    _seat(room, sides, price, more, 0)
    if room.inside[0] == seats:
        bound = k * inner - _total(room, price)
    for at in range(number):
        who = sides.order[at]
        if room.inside[0] < seats or room.prices[who] > room.paid[0, seats - 1]:
            pay(room, 0, seats, room.prices[who], who, room.counts[who])
            if room.inside[0] == seats:
                here = k * sides.cost[at] - _total(room, price)
                if here < bound:
                    bound, farthest = here, at + 1
    return bound, farthest


@compiled
def _choose_side(room: SearchRoom, sides: SideRoom, node: int) -> None:
    """Choose a side, and a place on it that only some of the highest-priced records reach.

    The best place has the largest product of two factors: the growth of the box if the box reaches
    the place, and the prices that are lost if the box does not reach the place.
    """
    seats, best = room.paid.shape[1], -1.0
    for axis in range(room.low.shape[1]):
        for upper in range(2):
            sign = 1.0 if upper else -1.0
            edge = sides.high[node, axis] if upper else sides.low[node, axis]
            for at in range(seats):
                who = room.payer[0, at]
                wider = sign * (room.spots[who, axis] - edge) if who >= 0 else 0.0
                if wider <= 0.0:
                    continue
                lost = 0.0
                for one in range(seats):
                    other = room.payer[0, one]
                    if other >= 0 and sign * (room.spots[other, axis] - edge) >= wider:
                        lost += room.paid[0, one]
                if wider * lost > best:
                    best = wider * lost
                    sides.axis[node], sides.upper[node] = axis, upper
                    sides.place[node] = room.spots[who, axis]


@compiled
def _look(
    room: SearchRoom, sides: SideRoom, node: int, price: float, more: int, ceiling: float
) -> float:
    """Find a node's bound, choose its side, and return the value of the set that attains the bound.

    Afterwards, `room` contains the records of this set. The value and the bound are infinite if no
    set of the node has a value below the ceiling.
    """
    k = room.paid.shape[1] + 1
    inner, number = _gather(room, sides, node, (ceiling + sides.paid[node]) / k + _SAME)
    bound, farthest = _bounded(room, sides, inner, number, price, more)
    sides.bound[node] = np.inf
    if bound >= ceiling:
        return np.inf
    sides.bound[node], sides.paid[node] = bound, _total(room, price) + _SAME
    _seat(room, sides, price, more, farthest)
    cost = 0.0
    for axis in range(room.low.shape[1]):
        low, high = sides.low[node, axis], sides.high[node, axis]
        for at in range(k - 1):
            who = room.payer[0, at]
            if who >= 0:
                low, high = min(low, room.spots[who, axis]), max(high, room.spots[who, axis])
        cost += high - low
    value = k * cost - _total(room, price)
    sides.axis[node] = -1
    if value > bound + _SAME:
        _choose_side(room, sides, node)
    sides.first[node], sides.size[node] = sides.used[_ARENA], number
    for at in range(number):
        sides.arena[sides.used[_ARENA] + at] = sides.order[at]
    sides.used[_ARENA] += number
    return float(value)


@compiled
def _note(room: SearchRoom, row: int, best: Whole) -> None:
    """Write the set that consists of the row and the highest-priced records to `best`."""
    best[0] = row
    for at in range(room.paid.shape[1]):
        who = room.payer[0, at]
        best[at + 1] = room.near[who] if who >= 0 else row


@compiled
def _halve(
    sides: SideRoom,
    node: int,
    reaches: bool,  # noqa: FBT001 - the compiler does not support keyword arguments
) -> int:
    """Create the child node in which boxes reach the chosen place, or the other child node."""
    child = sides.used[_NODES]
    sides.used[_NODES] += 1
    sides.low[child], sides.high[child] = sides.low[node], sides.high[node]
    sides.least[child], sides.most[child] = sides.least[node], sides.most[node]
    sides.first[child], sides.size[child] = sides.first[node], sides.size[node]
    sides.paid[child] = sides.paid[node]
    axis, place = sides.axis[node], sides.place[node]
    if sides.upper[node]:
        if reaches:
            sides.high[child, axis] = place
        else:
            sides.most[child, axis] = np.nextafter(place, -np.inf)
    elif reaches:
        sides.low[child, axis] = place
    else:
        sides.least[child, axis] = np.nextafter(place, np.inf)
    return int(child)


@compiled
def search_sides(  # noqa: PLR0917 - as above
    tree: PointTree,
    price: float,
    row: int,
    room: SearchRoom,
    sides: SideRoom,
    ceiling: float,
    budget: int,
    best: Whole,
) -> tuple[float, float, int]:
    """Search the collected points; return a lower bound, the best set's value, and the steps."""
    more, points = tree.counts[row] - 1, room.size[0]
    best[:] = -1
    value = least = np.inf
    sides.used[:] = 0
    sides.used[_NODES], sides.used[_ARENA] = 1, points
    for at in range(points):
        sides.arena[at] = at
    sides.low[0], sides.high[0] = tree.points[row], tree.points[row]
    sides.least[0], sides.most[0] = -np.inf, np.inf
    sides.first[0], sides.size[0], sides.paid[0] = 0, points, np.inf
    found = _look(room, sides, 0, price, more, ceiling)
    if found < ceiling:
        ceiling = value = found
        _note(room, row, best)
    if sides.bound[0] < ceiling:
        _push(sides, 0)
    while sides.used[_HEAP] and sides.bound[sides.heap[0]] < ceiling:
        if sides.used[_STEPS] > budget:
            least = sides.bound[sides.heap[0]]
            break
        node = _pop(sides)
        if sides.axis[node] < 0:  # the set that attains its bound is known
            continue
        for reaches in (True, False):
            child = _halve(sides, node, reaches)
            found = _look(room, sides, child, price, more, ceiling)
            if found < ceiling:
                ceiling = value = found
                _note(room, row, best)
            sides.bound[child] = max(sides.bound[child], sides.bound[node])
            if sides.bound[child] < ceiling:
                _push(sides, child)
    return min(ceiling, least), value, sides.used[_STEPS]
