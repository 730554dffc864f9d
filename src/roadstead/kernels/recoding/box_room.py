"""The search nodes of `box_sets`: a box, its records, further points that may join, and bounds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead.kernels.compiled import Real, Small, Whole, compiled

_MANY = 48
"""The largest number of points that are sorted by insertion sort."""


_DEEPEST = 40
"""The largest depth of a search, to limit memory."""


class SearchRoom(NamedTuple):
    """The working memory of a search, with the points near a row and the node at each depth."""

    near: Whole  # (points,) the points, in ascending order of cost
    spots: Real  # (points, attributes) coordinates of each point
    prices: Real  # (points,) price of a record at each point
    counts: Whole  # (points,) number of records at each point
    low: Real  # (depths, attributes) lower corner of the box
    high: Real  # (depths, attributes) upper corner of the box
    who: Small  # (depths, points) points that may join, as indices into `near`
    cost: Real  # (depths, points) cost of the box with each of these points
    bound: Real  # (depths, points) bound of the branch that takes each point as the farthest
    size: Whole  # (depths,) number of points that may join
    taken: Small  # (depths,) point that the branch to this node takes
    dues: Real  # (depths,) sum of the prices of the row and of all taken points
    paid: Real  # (depths, k - 1) highest prices of other records inside, descending
    payer: Small  # (depths, k - 1) points with these prices
    inside: Whole  # (depths,) number of these prices, at most k - 1 - depth
    looked: Whole  # (1,) number of visited points, a measure of the work


@compiled
def search_room(points: int, attributes: int, k: int) -> SearchRoom:
    """Return space for a search, with a limited depth if k is large, to save memory."""
    depths = min(k, _DEEPEST) + 1
    return SearchRoom(
        np.empty(points, np.int64),
        np.empty((points, attributes)),
        np.empty(points),
        np.empty(points, np.int64),
        np.empty((depths, attributes)),
        np.empty((depths, attributes)),
        np.empty((depths, points), np.int32),
        np.empty((depths, points)),
        np.empty((depths, points)),
        np.empty(depths, np.int64),
        np.empty(depths, np.int32),
        np.empty(depths),
        np.empty((depths, k - 1)),
        np.empty((depths, k - 1), np.int32),
        np.empty(depths, np.int64),
        np.zeros(1, np.int64),
    )


@compiled
def pay(room: SearchRoom, depth: int, seats: int, price: float, who: int, records: int) -> None:
    """Add records of one price to the box; the list keeps the `seats` highest prices."""
    for _ in range(min(records, seats)):
        held = room.inside[depth]
        if held == seats:
            if room.paid[depth, seats - 1] >= price:
                return
            held -= 1
        at = held
        while at and room.paid[depth, at - 1] < price:
            room.paid[depth, at] = room.paid[depth, at - 1]
            room.payer[depth, at] = room.payer[depth, at - 1]
            at -= 1
        room.paid[depth, at], room.payer[depth, at] = price, who
        room.inside[depth] = held + 1


@compiled
def sort(cost: Real, who: Small) -> None:
    """Sort points by cost in place; the sort is stable."""
    if who.size > _MANY:
        order = np.argsort(cost, kind="mergesort")
        cost[:] = cost[order]
        who[:] = who[order]
        return
    for end in range(1, who.size):
        own, point = cost[end], who[end]
        at = end
        while at and cost[at - 1] > own:
            cost[at], who[at] = cost[at - 1], who[at - 1]
            at -= 1
        cost[at], who[at] = own, point


@compiled
def bound_by_farthest(room: SearchRoom, depth: int, ceiling: float) -> None:
    """Find bounds for the branches, each with a different point as the farthest point.

    Points at the end with bounds of at least `ceiling` are dropped.
    """
    k = room.paid.shape[1] + 1
    seats, spare, last = k - 1 - depth, depth + 1, 0
    room.inside[spare] = room.inside[depth]
    total = room.dues[depth]
    for at in range(room.inside[depth]):
        room.paid[spare, at] = room.paid[depth, at]
        total += room.paid[depth, at]
    for at in range(room.size[depth] if seats else 0):
        price, bound = room.prices[room.who[depth, at]], np.inf
        if room.inside[spare] < seats or price > room.paid[spare, seats - 1]:
            pay(room, spare, seats, price, 0, room.counts[room.who[depth, at]])
            total = room.dues[depth]
            for one in range(room.inside[spare]):
                total += room.paid[spare, one]
            if room.inside[spare] == seats:
                bound = k * room.cost[depth, at] - total
        else:  # the price of the point replaces the lowest of the highest prices
            bound = k * room.cost[depth, at] - total + room.paid[spare, seats - 1] - price
        room.bound[depth, at] = bound
        if bound < ceiling:
            last = at + 1
    room.size[depth] = last


@compiled
def bound_by_price(room: SearchRoom, depth: int) -> None:
    """Find bounds for the branches, each with a different point as the point of highest price."""
    k, size = room.paid.shape[1] + 1, room.size[depth]
    seats, spare = k - 1 - depth, depth + 1
    for at in range(size):
        room.who[spare, at] = at
        room.cost[spare, at] = -room.prices[room.who[depth, at]]
    order, falling = room.who[spare, :size], room.cost[spare, :size]
    sort(falling, order)
    for rank in range(size):
        at = order[rank]
        who = room.who[depth, at]
        total = room.dues[depth] + room.prices[who]
        left, inside, copies, after = seats - 1, 0, room.counts[who] - 1, rank
        while left:
            price = -np.inf
            if after < size:
                if copies == 0:
                    after += 1
                    if after < size:
                        copies = room.counts[room.who[depth, order[after]]]
                if after < size:
                    price = -falling[after]
            if inside < room.inside[depth] and room.paid[depth, inside] >= price:
                total += room.paid[depth, inside]
                inside += 1
                left -= 1
            elif after < size:
                taken = min(left, copies)
                total += taken * price
                left -= taken
                copies -= taken
            else:
                break
        room.bound[depth, at] = np.inf if left else k * room.cost[depth, at] - total


@compiled
def enter(  # noqa: C901 - one loop, compiled as a whole
    room: SearchRoom,
    depth: int,
    branch: int,
    spare: float,
    by_price: bool,  # noqa: FBT001 - the compiler does not support keyword arguments
) -> float:
    """Create the child node that takes the point of a branch, and return the cost of its box.

    Points that would increase the cost of the box by `spare` or more are excluded. With `by_price`,
    points with higher prices are also excluded, because other branches include them.
    """
    attributes = room.low.shape[1]
    child, taken = depth + 1, room.who[depth, branch]
    cost, size, seats = 0.0, 0, room.paid.shape[1] - child
    for at in range(attributes):
        own = room.spots[taken, at]
        room.low[child, at] = min(room.low[depth, at], own)
        room.high[child, at] = max(room.high[depth, at], own)
        cost += room.high[child, at] - room.low[child, at]
    price = room.prices[taken]
    room.taken[child], room.dues[child] = taken, room.dues[depth] + price
    room.inside[child] = min(room.inside[depth], seats)
    for at in range(room.inside[child]):
        room.paid[child, at], room.payer[child, at] = room.paid[depth, at], room.payer[depth, at]
    pay(room, child, seats, price, taken, room.counts[taken] - 1)
    looked = 0
    for one in range(room.size[depth] if by_price else branch):
        if by_price:
            if room.cost[depth, one] >= cost + spare:
                break
            other = room.prices[room.who[depth, one]]
            if other > price or (other == price and one <= branch):
                continue
        looked += 1
        who, more = room.who[depth, one], 0.0
        for at in range(attributes):
            own = room.spots[who, at]
            more += max(room.low[child, at] - own, 0.0) + max(own - room.high[child, at], 0.0)
            if more >= spare:
                break
        if more == 0.0:
            pay(room, child, seats, room.prices[who], who, room.counts[who])
        elif more < spare:
            room.who[child, size], room.cost[child, size] = who, cost + more
            size += 1
    room.size[child] = size
    room.looked[0] += looked
    return cost
