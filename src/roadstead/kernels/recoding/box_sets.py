"""Find the k records, including a given record, with the lowest box cost minus prices.

The box of k records costs k times the sum of its sides, and each record has a *price*. The search
is branch and bound. A node consists of a box, the records inside the box, and further points that
may join. A branch takes one of these points as the farthest point, so that nearer points may still
join, and farther points may not. The box of the branch therefore costs at least as much as the box
with this point. If there are prices, branches in the first half of the depths take the point with
the highest price instead. Larger sets are searched by the sides of their box (`box_sides`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead.kernels.compiled import Real, Whole, compiled
from roadstead.kernels.recoding.box_room import (
    SearchRoom,
    bound_by_farthest,
    bound_by_price,
    enter,
    pay,
    search_room,
    sort,
)
from roadstead.kernels.recoding.box_sides import search_sides, side_room
from roadstead.kernels.recoding.box_tree import PointTree, distance, node_distance

_MANY = 10
"""With prices, sets of at least this many records are searched by the sides of their box."""
_NEARER = 0.95
"""A radius is recomputed as long as it shrinks to less than this share of the previous radius."""


_ROUNDING = 1e-12
"""The largest difference between two ways to add up the cost of a box."""


class Cheapest(NamedTuple):
    """Results for each row, in which values are costs minus prices."""

    least: Real  # lower bound on the value of all sets with the row, or the row's ceiling
    value: Real  # value of the best set found, or infinity if no set is below the ceiling
    sets: Whole  # (rows, k) points of this set, one per record, or -1 for a missing point
    steps: Whole  # number of points visited


@compiled
def _highest(
    tree: PointTree, prices: Real, tops: Real, row: int, radius: float, room: SearchRoom
) -> None:
    """Find the highest prices of points within a radius, up to the price of the row itself."""
    seats, own = room.paid.shape[1], prices[row]
    stack = np.empty(64 + tree.first.size // 2, np.int64)
    stack[0], depth = 0, 1
    room.inside[0] = 0
    pay(room, 0, seats, own, 0, tree.counts[row] - 1)
    while depth:
        depth -= 1
        node = stack[depth]
        full = room.inside[0] == seats
        if full and min(tops[node], own) <= room.paid[0, seats - 1]:
            continue
        if node_distance(tree, node, row) >= radius:
            continue
        left = tree.left[node]
        if left:
            first = tops[left] > tops[left + 1]
            stack[depth], stack[depth + 1] = (left + 1, left) if first else (left, left + 1)
            depth += 2
            continue
        for other in range(tree.first[node], tree.last[node]):
            price = prices[other]
            if other != row and price <= own and distance(tree, row, other) < radius:
                pay(room, 0, seats, price, 0, tree.counts[other])


@compiled
def _collect(  # noqa: C901 - one loop, compiled as a whole
    tree: PointTree,
    prices: Real,
    tops: Real,
    row: int,
    ceiling: float,
    room: SearchRoom,
    every: bool,  # noqa: FBT001 - the compiler does not support keyword arguments
) -> None:
    """Collect all points that may be in a set with the row and with a value below the ceiling.

    `tops` gives the highest price in each node. Unless `every` is true, the row must have the
    highest price in the set, and must be the last row with this price.
    """
    k = room.paid.shape[1] + 1
    own, highest = prices[row], prices[row]
    rest = ceiling + own  # plus the highest prices of others, without the current point
    if every:
        highest = tops[0]
        rest += (k - 2) * highest
    else:
        radius, before = own + ceiling / k, np.inf
        while radius < _NEARER * before:
            _highest(tree, prices, tops, row, radius, room)
            total = rest
            for at in range(room.inside[0]):
                total += room.paid[0, at]
            before, radius = radius, total / k
        for at in range(min(room.inside[0], k - 2)):
            rest += room.paid[0, at]
    stack = np.empty(64 + tree.first.size // 2, np.int64)
    stack[0], depth, size = 0, 1, 0
    while depth:
        depth -= 1
        node = stack[depth]
        if k * node_distance(tree, node, row) >= rest + min(highest, tops[node]):
            continue
        left = tree.left[node]
        if left:
            stack[depth], stack[depth + 1] = left, left + 1
            depth += 2
            continue
        for other in range(tree.first[node], tree.last[node]):
            price = prices[other]
            if other == row or not (every or price < own or (price == own and other < row)):
                continue
            far = distance(tree, row, other)
            if k * far < rest + price:
                room.who[1, size], room.cost[0, size] = other, far
                size += 1
    room.size[0] = size
    sort(room.cost[0, :size], room.who[1, :size])
    for at in range(size):
        who = room.who[1, at]
        room.near[at], room.who[0, at] = who, at
        room.spots[at, :] = tree.points[who]
        room.prices[at], room.counts[at] = prices[who], tree.counts[who]


@compiled
def _next(room: SearchRoom, depth: int) -> int:
    """Return the branch with the lowest bound at a depth, or -1 if no branch is left."""
    found, least = -1, np.inf
    for at in range(room.size[depth]):
        if room.bound[depth, at] < least:
            found, least = at, room.bound[depth, at]
    return found


@compiled
def _search(  # noqa: C901, PLR0917 - one loop, compiled as a whole
    tree: PointTree,
    price: float,
    row: int,
    room: SearchRoom,
    ceiling: float,
    budget: int,
    best: Whole,
    levels: int,
) -> tuple[float, float, int]:
    """Search the collected points; return a lower bound, the best set's value, and the steps.

    The first `levels` depths branch by price, and all other depths by the farthest point.
    """
    k = room.paid.shape[1] + 1
    best[:] = -1
    value = floor = np.inf
    room.looked[0] = room.size[0]
    room.low[0, :] = tree.points[row]
    room.high[0, :] = tree.points[row]
    room.inside[0], room.dues[0] = 0, price
    pay(room, 0, k - 1, price, -1, tree.counts[row] - 1)
    depth, cost, new = 0, 0.0, True
    while depth >= 0:
        if new:
            seats = k - 1 - depth
            if depth:
                sort(room.cost[depth, : room.size[depth]], room.who[depth, : room.size[depth]])
            if room.inside[depth] == seats:
                here = k * cost - room.dues[depth] - room.paid[depth, :seats].sum()
                if here < ceiling:
                    ceiling = value = here
                    best[0] = row
                    for at in range(1, k):
                        who = room.taken[at] if at <= depth else room.payer[depth, at - depth - 1]
                        best[at] = room.near[who] if who >= 0 else row
            bound_by_farthest(room, depth, ceiling)
            if depth < levels:
                bound_by_price(room, depth)
        branch = _next(room, depth)
        bound = room.bound[depth, branch] if branch >= 0 else np.inf
        new = bound < ceiling
        if not new:
            depth -= 1
            continue
        if room.looked[0] > budget:
            break
        if depth + 2 == room.size.size:  # too deep, so the bound is used for the rest of the branch
            floor = min(floor, bound)
            depth, new = depth - 1, False
            continue
        room.bound[depth, branch] = np.inf
        spare = (ceiling - bound) / k
        cost = enter(room, depth, branch, spare + _ROUNDING, depth < levels)
        depth += 1
    least = min(ceiling, floor)
    while depth >= 0:
        branch = _next(room, depth)
        if branch >= 0:
            least = min(least, room.bound[depth, branch])
        depth -= 1
    return least, value, room.looked[0]


@compiled
def cheapest_sets(  # noqa: PLR0917 - the compiler does not support keyword arguments
    tree: PointTree,
    prices: Real,
    tops: Real,
    ceilings: Real,
    k: int,
    rows: Whole,
    budget: int,
    every: bool,  # noqa: FBT001 - as above
) -> Cheapest:
    """For each row, return a lower bound on all sets with the row, and the best set found.

    Parameters
    ----------
    tree
        The points.
    prices
        The price of each point.
    tops
        The highest price in each node of the tree.
    ceilings
        The ceiling of each row. Only sets whose values are below the ceiling are considered.
    k
        The number of records in a set.
    rows
        The points to search around.
    budget
        The largest number of points to visit for each row. A smaller budget gives a weaker bound.
    every
        Whether all sets with the row are considered. Otherwise, the row must have the highest price
        in the set, and must be the last row with this price.
    """
    found = Cheapest(
        np.empty(rows.size),
        np.empty(rows.size),
        np.empty((rows.size, k), np.int64),
        np.empty(rows.size, np.int64),
    )
    room = search_room(tree.points.shape[0], tree.points.shape[1], k)
    by_sides = k >= _MANY and not every
    sides = side_room(tree.points.shape[0], tree.points.shape[1], budget if by_sides else 0)
    levels = 0 if every else k // 2
    for at in range(rows.size):
        row = rows[at]
        _collect(tree, prices, tops, row, ceilings[at], room, every)
        if by_sides:
            found.least[at], found.value[at], found.steps[at] = search_sides(
                tree, prices[row], row, room, sides, ceilings[at], budget, found.sets[at]
            )
            continue
        found.least[at], found.value[at], found.steps[at] = _search(
            tree, prices[row], row, room, ceilings[at], budget, found.sets[at], levels
        )
    return found


@compiled
def _grown(tree: PointTree, room: SearchRoom, row: int) -> float:
    """Return the cost of a box with k records that is grown greedily from a row."""
    k, attributes = room.paid.shape[1] + 1, tree.points.shape[1]
    room.low[0, :] = tree.points[row]
    room.high[0, :] = tree.points[row]
    held, size, cost = tree.counts[row], room.size[0], 0.0
    while held < k:
        if size == 0:
            return np.inf
        best, least = -1, np.inf
        for one in range(size):
            who, more = room.who[0, one], 0.0
            for at in range(attributes):
                own = room.spots[who, at]
                more += max(room.low[0, at] - own, 0.0) + max(own - room.high[0, at], 0.0)
            if more < least:
                best, least = one, more
        who = room.who[0, best]
        for at in range(attributes):
            own = room.spots[who, at]
            room.low[0, at] = min(room.low[0, at], own)
            room.high[0, at] = max(room.high[0, at], own)
        held += room.counts[who]
        size -= 1
        room.who[0, best] = room.who[0, size]
    for at in range(attributes):
        cost += room.high[0, at] - room.low[0, at]
    return cost


@compiled
def grown_boxes(tree: PointTree, k: int, radii: Real, rows: Whole) -> Real:
    """Return the cost of a box of k records around each row, or infinity if none was found.

    The box is grown from the row among the points within the row's radius.
    """
    found = np.empty(rows.size)
    room = search_room(tree.points.shape[0], tree.points.shape[1], k)
    prices, tops = np.zeros(tree.counts.size), np.zeros(tree.first.size)
    for at in range(rows.size):
        _collect(tree, prices, tops, rows[at], k * radii[at], room, True)
        found[at] = _grown(tree, room, rows[at])
    return found
