"""Use the method MDAV to form groups of nearby points with at least k owners each.

The method is maximum distance to average vector (Domingo-Ferrer and Torra, DMKD 2005, as
``MDAV-generic``). A point is a distinct combination of values. Its *owners* are its records, or the
people with these records. A point is never divided, so equal values stay equal, and the order of
records does not matter. If several points are equally far away, the first of them is taken. All
distances are squared.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Real, Whole, compiled
from roadstead.kernels.shortlist import shortlist


@compiled
def owners_left(left: Whole, starts: Whole, owners: Whole, number: int) -> Whole:
    """Return the number of remaining points of each owner."""
    found = np.zeros(number, np.int64)
    for at in left:
        for e in range(starts[at], starts[at + 1]):
            found[owners[e]] += 1
    return found


@compiled
def distances_from(points: Real, left: Whole, place: Real) -> Real:
    """Return the squared distance from each remaining point to a place."""
    found = np.zeros(left.size, np.float64)
    for i in range(left.size):
        for d in range(place.size):
            way = points[left[i], d] - place[d]
            found[i] += way * way
    return found


@compiled
def mean_of(points: Real, weights: Whole, left: Whole) -> Real:
    """Return the weighted mean of the remaining points."""
    found = np.zeros(points.shape[1], np.float64)
    whole = 0.0
    for at in left:
        whole += weights[at]
        for d in range(found.size):
            found[d] += weights[at] * points[at, d]
    return found / whole


@compiled
def farthest(far: Real) -> int:
    """Return the index of the largest number, or of the first such number if there are several."""
    best = 0
    for i in range(1, far.size):
        if far[i] > far[best]:
            best = i
    return best


@compiled
def nearest(far: Real, most: int) -> Whole:
    """Return the indices of the `most` smallest numbers, from the smallest to the largest."""
    found = np.empty(min(most, far.size), np.int64)
    least = np.empty(found.size)
    have = 0
    for i in range(far.size):
        if have == found.size and far[i] >= least[have - 1]:
            continue
        have = shortlist(least, found, have, found.size, far[i], i)
    return found


@compiled
def taken_around(
    points: Real, left: Whole, center: int, starts: Whole, owners: Whole, seen: Whole, k: int
) -> Whole:
    """Return the points nearest to a point that together have k owners, as indices in `left`.

    For each owner, `seen` contains the number of the last pass that counted the owner. The last
    entry of `seen` is the number of the current pass.
    """
    far = distances_from(points, left, points[left[center]])
    most = k
    while True:
        near = nearest(far, most)
        seen[-1] += 1
        have = 0
        for i in range(near.size):
            at = left[near[i]]
            for e in range(starts[at], starts[at + 1]):
                if seen[owners[e]] != seen[-1]:
                    seen[owners[e]] = seen[-1]
                    have += 1
            if have >= k:
                return near[: i + 1]
        if near.size == left.size:
            return near
        most *= 2


@compiled
def let_go(point: int, starts: Whole, owners: Whole, has: Whole) -> int:
    """Remove a point from its owners, and return the number of owners that have no points left."""
    gone = 0
    for e in range(starts[point], starts[point + 1]):
        has[owners[e]] -= 1
        if has[owners[e]] == 0:
            gone += 1
    return gone


@compiled
def join_nearest(points: Real, weights: Whole, left: Whole, group: Whole, groups: int) -> None:
    """Assign each remaining point to the group with the nearest mean."""
    means = np.zeros((groups, points.shape[1]), np.float64)
    sizes = np.zeros(groups, np.float64)
    waiting = np.zeros(points.shape[0], np.bool_)
    waiting[left] = True
    for at in range(points.shape[0]):
        if not waiting[at]:
            sizes[group[at]] += weights[at]
            for d in range(points.shape[1]):
                means[group[at], d] += weights[at] * points[at, d]
    for g in range(groups):
        for d in range(points.shape[1]):
            means[g, d] /= sizes[g]
    for at in left:
        best, way = 0, np.inf
        for g in range(groups):
            own = 0.0
            for d in range(points.shape[1]):
                own += (points[at, d] - means[g, d]) ** 2
            if own < way:
                best, way = g, own
        group[at] = best


@compiled
def grouped_by_mdav(
    points: Real, weights: Whole, starts: Whole, owners: Whole, number: int, k: int
) -> Whole:
    """Return the group of each point, formed by MDAV.

    If there are fewer than k owners, all points are one group. If a point has so many owners that
    fewer than k owners are left, the points of these owners join the nearest groups.

    `weights` gives the number of records at each point. The owners of point p are
    ``owners[starts[p]:starts[p + 1]]``, in which each owner occurs once. Owners are numbered from 0
    to ``number - 1``.
    """
    group = np.zeros(points.shape[0], np.int64)
    left = np.arange(points.shape[0])
    has = owners_left(left, starts, owners, number)
    people = int(np.count_nonzero(has))
    seen = np.zeros(number + 1, np.int64)
    groups = 0
    opposite = False  # whether the next group is opposite the last group
    last = points[0].copy()
    while people >= 2 * k:
        place = last if opposite else mean_of(points, weights, left)
        center = farthest(distances_from(points, left, place))
        last = points[left[center]].copy()
        opposite = not opposite and people >= 3 * k
        stays = np.ones(left.size, np.bool_)
        for i in taken_around(points, left, center, starts, owners, seen, k):
            stays[i] = False
            group[left[i]] = groups
            people -= let_go(left[i], starts, owners, has)
        left = left[stays]
        groups += 1
    if people >= k or groups == 0:
        for at in left:
            group[at] = groups
    else:
        join_nearest(points, weights, left, group, groups)
    return group


@compiled
def grouped_on_a_line(
    values: Real, weights: Whole, starts: Whole, owners: Whole, number: int, k: int
) -> Whole:
    """Return the result of `grouped_by_mdav` for ascending points on a line, in one pass.

    The farthest point is at one of the two ends, and the points next to it are the nearest points.
    """
    group = np.zeros(values.size, np.int64)
    has = owners_left(np.arange(values.size), starts, owners, number)
    people = int(np.count_nonzero(has))
    seen = np.full(number, -1, np.int64)
    weight, total = 0.0, 0.0
    for at in range(values.size):
        weight += weights[at]
        total += weights[at] * values[at]
    low, high, groups = 0, values.size - 1, 0
    opposite, below = False, False
    while people >= 2 * k:
        mean = total / weight
        below = not below if opposite else mean - values[low] >= values[high] - mean
        opposite = not opposite and people >= 3 * k
        have = 0
        while have < k:
            at = low if below else high
            for e in range(starts[at], starts[at + 1]):
                if seen[owners[e]] != groups:
                    seen[owners[e]] = groups
                    have += 1
            group[at] = groups
            people -= let_go(at, starts, owners, has)
            weight -= weights[at]
            total -= weights[at] * values[at]
            if below:
                low += 1
            else:
                high -= 1
        groups += 1
    if people >= k or groups == 0:
        group[low : high + 1] = groups
    else:
        column = values.reshape(-1, 1)
        join_nearest(column, weights, np.arange(low, high + 1), group, groups)
    return group
