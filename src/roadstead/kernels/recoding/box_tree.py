"""Build a k-d tree over the rows of a table.

A row is a point with one coordinate per attribute. Coordinates are scaled so that the cost of a box
(the loss of a record in the box) is the sum of the sides. The cost of the box around two points is
therefore their Manhattan distance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from roadstead.kernels.compiled import Real, Whole, compiled

_LEAF = 16
"""The largest number of points in a leaf."""


class PointTree(NamedTuple):
    """Points and their tree. Node 0 is the root, and children have larger numbers."""

    points: Real  # (points, attributes)
    counts: Whole  # (points,) number of records at each point
    first: Whole  # (nodes,) the first point of each node
    last: Whole  # (nodes,) the end of the points of each node
    left: Whole  # (nodes,) left child of each node, followed by the right child, or 0 for a leaf
    lows: Real  # (nodes, attributes) lower corner of the node's points
    highs: Real  # (nodes, attributes) upper corner of the node's points


def point_tree(points: Real, counts: Whole) -> PointTree:
    """Return the tree over distinct points, split at the median of the widest attribute."""
    order = np.arange(counts.size)
    first, last, left = [0], [counts.size], [0]
    lows, highs = [points.min(axis=0)], [points.max(axis=0)]
    node = 0
    while node < len(first):
        begin, end = first[node], last[node]
        if end - begin > _LEAF:
            widest = int(np.argmax(highs[node] - lows[node]))
            own = order[begin:end]
            values = points[own, widest]
            ranks = np.argsort(values, kind="stable")
            values = values[ranks]
            own[:] = own[ranks]
            steps = np.flatnonzero(values[1:] > values[:-1]) + 1  # where a part may begin
            cut = begin + int(steps[np.argmin(np.abs(steps - values.size / 2))])
            left[node] = len(first)
            for start, stop in ((begin, cut), (cut, end)):
                first.append(start)
                last.append(stop)
                left.append(0)
                lows.append(points[order[start:stop]].min(axis=0))
                highs.append(points[order[start:stop]].max(axis=0))
        node += 1
    return PointTree(
        np.ascontiguousarray(points[order]),
        np.ascontiguousarray(counts[order]),
        np.array(first),
        np.array(last),
        np.array(left),
        np.array(lows),
        np.array(highs),
    )


@compiled
def node_distance(tree: PointTree, node: int, row: int) -> float:
    """Return the lowest cost of a box around a point and any place in a node."""
    found = 0.0
    for at in range(tree.points.shape[1]):
        own = tree.points[row, at]
        if own < tree.lows[node, at]:
            found += tree.lows[node, at] - own
        elif own > tree.highs[node, at]:
            found += own - tree.highs[node, at]
    return found


@compiled
def distance(tree: PointTree, row: int, other: int) -> float:
    """Return the cost of the smallest box around two points."""
    found = 0.0
    for at in range(tree.points.shape[1]):
        found += abs(tree.points[row, at] - tree.points[other, at])
    return found


@compiled
def neighbor_costs(tree: PointTree, k: int, rows: Whole) -> Real:
    """Return the cost of the box around each row and its (k - 1)-th nearest other record.

    The cost is infinite if there are fewer records.
    """
    found = np.empty(rows.size)
    nearest, records = np.empty(k + 1), np.empty(k + 1, np.int64)
    stack = np.empty(tree.first.size + 1, np.int64)
    for index in range(rows.size):
        row = rows[index]
        size, held, reach = 0, 0, np.inf
        stack[0], depth = 0, 1
        while depth:
            depth -= 1
            node = stack[depth]
            if node_distance(tree, node, row) >= reach:
                continue
            left = tree.left[node]
            if left:
                near = node_distance(tree, left, row) <= node_distance(tree, left + 1, row)
                stack[depth], stack[depth + 1] = (left + 1, left) if near else (left, left + 1)
                depth += 2
                continue
            for other in range(tree.first[node], tree.last[node]):
                far = distance(tree, row, other)
                if far >= reach:
                    continue
                at = size
                while at and nearest[at - 1] > far:
                    nearest[at], records[at] = nearest[at - 1], records[at - 1]
                    at -= 1
                nearest[at], records[at] = far, tree.counts[other]
                size, held = size + 1, held + tree.counts[other]
                while held - records[size - 1] >= k:
                    size -= 1
                    held -= records[size]
                if held >= k:
                    reach = nearest[size - 1]
        found[index] = reach
    return found


@compiled
def highest_in_nodes(tree: PointTree, prices: Real) -> Real:
    """Return the highest price of a point in each node."""
    highest = np.empty(tree.first.size)
    for node in range(tree.first.size - 1, -1, -1):  # children have larger numbers
        left = tree.left[node]
        if left:
            highest[node] = max(highest[left], highest[left + 1])
        else:
            highest[node] = prices[tree.first[node] : tree.last[node]].max()
    return highest
