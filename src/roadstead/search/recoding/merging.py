"""Merge proposed classes that a privacy model of sensitive values rejects.

Suppose that a search applied the model to each possible class. Then an attacker could run the
search again and see which classes were rejected (the minimality attack of Wong, Fu, Wang, and Pei,
VLDB 2007). Therefore, the quasi-identifiers alone determine the proposed classes, and also a tree
of possible merges. A class that the model rejects is merged with its sibling in the tree, whether
or not the sibling was also rejected. An attacker can conclude that one of the two siblings was
rejected, but not which one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roadstead.search.recoding.protocol import (
    OUT,
    Parts,
    Recoded,
    RecodingProblem,
    classes_of,
)

NONE = -1
"""The number that represents a missing node."""
_ALL_PAIRS = 1200
"""Up to this many nodes, any two may merge; with more, only neighbors in some order may."""
_NEAR = 12
_ROUNDS = 60

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class MergeTree:
    """The tree of possible merges. Its nodes are classes, and proposed classes come first.

    `parts` contains the parts of the nodes, and `sizes` contains their numbers of records.
    `children` gives the two children of each node, or `NONE` for proposed classes. `parents` is
    `NONE` for nodes that are not merged any further.
    """

    parts: Parts = field(repr=False)
    sizes: Numbers = field(repr=False)
    children: Numbers = field(repr=False)

    @cached_property
    def parents(self) -> Numbers:
        """The node into which each node is merged."""
        found = np.full(self.sizes.size, NONE, dtype=np.int64)
        merged = np.flatnonzero(self.children[:, 0] != NONE)
        for side in range(2):
            found[self.children[merged, side]] = merged
        return found

    def leaves(self, node: int) -> list[int]:
        """Return the proposed classes that were merged into a node."""
        waiting, found = [node], []
        while waiting:
            one = waiting.pop()
            if self.children[one, 0] == NONE:
                found.append(one)
            else:
                waiting += self.children[one].tolist()
        return found


def merge_tree(problem: RecodingProblem, recoded: Recoded) -> MergeTree:
    """Return the tree of possible merges, which depends on the quasi-identifiers alone."""
    joins = _Joins(problem, recoded)
    inside = recoded.rows != OUT
    sizes = [
        np.bincount(
            recoded.rows[inside], problem.encoding.counts[inside], recoded.parts.shape[0]
        ).astype(np.int64)
    ]
    parts, first = [recoded.parts], [joins.first]
    children = [np.full((recoded.parts.shape[0], 2), NONE, dtype=np.int64)]
    active, number = np.arange(recoded.parts.shape[0]), recoded.parts.shape[0]
    while active.size > 1:
        state = _Nodes(np.concatenate(parts), np.concatenate(sizes), np.concatenate(first))
        pairs = _matched(problem, joins, state, active)
        if not pairs.size:
            break
        joined, _ = joins.of(state, pairs)
        parts.append(joined)
        sizes.append(state.sizes[pairs].sum(axis=1))
        first.append(state.first[pairs[:, 0]])
        children.append(pairs)
        new = np.arange(number, number + len(pairs))
        active = np.concatenate([np.setdiff1d(active, pairs), new])
        number += len(pairs)
    return MergeTree(np.concatenate(parts), np.concatenate(sizes), np.concatenate(children))


def merged(problem: RecodingProblem, recoded: Recoded) -> Recoded:
    """Merge rejected classes along the tree until the model does not reject any class.

    If a class cannot be merged any further, its records are suppressed.
    """
    tree = merge_tree(problem, recoded)
    stays = np.zeros(tree.sizes.size, dtype=np.bool_)
    stays[: recoded.parts.shape[0]] = True
    costs, counts = problem.costs(tree.parts), problem.encoding.counts
    while True:
        nodes = np.flatnonzero(stays)
        # Merged classes come last, so that a proposed class does not lose a record that it needs.
        found_first = np.where(tree.children[nodes, 0] == NONE, -1.0, costs[nodes])
        nodes = nodes[np.argsort(found_first, kind="stable")]
        rows = problem.place(np.ascontiguousarray(tree.parts[nodes]))
        used, inverse = np.unique(rows[rows != OUT], return_inverse=True)
        numbers = np.full(rows.size, OUT, dtype=np.int32)
        numbers[rows != OUT] = inverse.reshape(-1)
        found = Recoded(np.ascontiguousarray(tree.parts[nodes[used]]), numbers)
        if not used.size:
            return found
        kept = problem.privacy.satisfied(classes_of(numbers, counts, used.size))
        if kept.all():
            return found
        refused = nodes[used[~kept]]
        parents = np.unique(tree.parents[refused])
        stays[refused] = False
        for node in parents[parents != NONE].tolist():
            _replace_below(tree, stays, node)


def _replace_below(tree: MergeTree, stays: NDArray[np.bool_], node: int) -> None:
    """Replace all nodes below a node with this node, unless a node above it is already in use."""
    above = node
    while above != NONE:
        if stays[above]:
            return
        above = int(tree.parents[above])
    waiting = tree.children[node].tolist()
    while waiting:
        one = waiting.pop()
        stays[one] = False
        if tree.children[one, 0] != NONE:
            waiting += tree.children[one].tolist()
    stays[node] = True


@dataclass(frozen=True)
class _Nodes:
    """Nodes with their parts, their numbers of records, and one row of each node."""

    parts: Parts
    sizes: Numbers
    first: Numbers


class _Joins:
    """A function that computes the most specific class that includes two classes."""

    def __init__(self, problem: RecodingProblem, recoded: Recoded) -> None:
        self.problem = problem
        rows = np.arange(recoded.rows.size)
        self.first = np.full(recoded.parts.shape[0], NONE, dtype=np.int64)
        inside = recoded.rows != OUT
        self.first[recoded.rows[inside][::-1]] = rows[inside][::-1]
        # The levels in use, and the highest level, because cells use only these two per column.
        self.levels = [
            sorted({*np.unique(recoded.parts[:, at, 0]).tolist(), top})
            for at, top in enumerate(problem.space.top)
        ]

    def of(self, nodes: _Nodes, pairs: Numbers) -> tuple[Parts, NDArray[np.bool_]]:
        """Join pairs of nodes, and return whether each pair can be joined."""
        one, other = nodes.parts[pairs[:, 0]], nodes.parts[pairs[:, 1]]
        possible = np.ones(len(pairs), dtype=np.bool_)
        if self.problem.axes:
            low = np.minimum(one[:, :, 0], other[:, :, 0])
            high = np.maximum(one[:, :, 1], other[:, :, 1])
            for at, axis in enumerate(self.problem.axes):
                low[:, at], high[:, at] = axis.around(low[:, at], high[:, at])
            return np.stack([low, high], axis=2), possible
        found = np.empty_like(one)
        encoding = self.problem.encoding
        for at, codes in enumerate(encoding.codes):
            values = codes[nodes.first[pairs]]
            least = np.maximum(one[:, at, 0], other[:, at, 0])
            open_ = np.ones(len(pairs), dtype=np.bool_)
            for level in self.levels[at]:
                labels = encoding.lookups[at][level][values]
                fits = open_ & (level >= least) & (labels[:, 0] == labels[:, 1])
                found[fits, at, 0], found[fits, at, 1] = level, labels[fits, 0]
                open_ &= ~fits
            possible &= ~open_
        return found, possible

    def keys(self, nodes: _Nodes, chosen: Numbers) -> list[NDArray[np.float64]]:
        """Return sort keys for nodes, so that nodes with similar values are neighbors."""
        if self.problem.axes:
            return list(nodes.parts[chosen].mean(axis=2).T)
        encoding, found = self.problem.encoding, []
        for at, codes in enumerate(encoding.codes):
            place = np.lexsort(encoding.lookups[at]).argsort()  # the highest level counts first
            found.append(place[codes[nodes.first[chosen]]].astype(np.float64))
        return found


def _matched(problem: RecodingProblem, joins: _Joins, nodes: _Nodes, active: Numbers) -> Numbers:
    """Pair nodes, starting with the lowest added loss, and return the ``(pairs, 2)`` indices."""
    pairs = _candidates(joins, nodes, active)
    joined, possible = joins.of(nodes, pairs)
    pairs, joined = pairs[possible], joined[possible]
    if not len(pairs):
        return pairs
    own = problem.costs(nodes.parts) * nodes.sizes
    added = nodes.sizes[pairs].sum(axis=1) * problem.costs(joined) - own[pairs].sum(axis=1)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], added))
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size)
    found, free = [], np.ones(nodes.sizes.size, dtype=np.bool_)
    for _ in range(_ROUNDS):  # a pair is taken if it is the best pair for both of its nodes
        best = np.full(nodes.sizes.size, order.size)
        for side in range(2):
            np.minimum.at(best, pairs[:, side], rank)
        taken = (best[pairs[:, 0]] == rank) & (best[pairs[:, 1]] == rank)
        found.append(pairs[taken])
        free[pairs[taken]] = False
        left = free[pairs].all(axis=1)
        pairs, rank = pairs[left], rank[left]
        if not len(pairs):
            break
    return np.concatenate(found)


def _candidates(joins: _Joins, nodes: _Nodes, active: Numbers) -> Numbers:
    """Return all pairs of nodes that may be joined, each pair once."""
    if active.size <= _ALL_PAIRS:
        one, other = np.triu_indices(active.size, 1)
        return np.stack([active[one], active[other]], axis=1)
    keys = joins.keys(nodes, active)
    found = []
    for at in range(len(keys)):
        order = active[np.lexsort([*keys[:at][::-1], *keys[at:][::-1]])]
        found += [np.stack([order[:-by], order[by:]], axis=1) for by in range(1, _NEAR + 1)]
    pairs = np.sort(np.concatenate(found), axis=1)
    return np.asarray(np.unique(pairs, axis=0))
