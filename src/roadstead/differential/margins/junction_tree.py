"""Compute the exact distribution of a product of factors with one or two variables each.

The method is a junction tree.

The factors form a graph: two variables are neighbors if a factor contains both. The cliques of a
triangulated graph form a tree, and pass sums over their cells to each other (Lauritzen and
Spiegelhalter 1988, "Local computations with probabilities on graphical structures"). The module
repeatedly eliminates the variable with the smallest next clique, and chooses the tree with the
largest separators. Cliques of different components pass only a single number to each other. All
computations use logarithms, because the weights differ greatly in size.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Pair = tuple[int, int]
Clique = tuple[int, ...]
"""Variables in ascending order."""


def cliques_of(sizes: Sequence[int], pairs: Iterable[Pair]) -> tuple[Clique, ...]:
    """Triangulate a graph, and return its maximal cliques."""
    near: dict[int, set[int]] = {variable: set() for variable in range(len(sizes))}
    for one, other in pairs:
        near[one].add(other)
        near[other].add(one)
    costs = {one: _cost(one, near, sizes) for one in near}
    found: list[Clique] = []
    while near:
        one = min(costs, key=lambda variable: (costs[variable], variable))
        around = near.pop(one)
        del costs[one]
        members = around | {one}
        if not any(members <= set(other) for other in found):
            found.append(tuple(sorted(members)))
        for other in around:
            near[other] |= around - {other}
            near[other].discard(one)
        for other in around:
            costs[other] = _cost(other, near, sizes)
    return tuple(found)


def _cost(one: int, near: dict[int, set[int]], sizes: Sequence[int]) -> int:
    return prod((sizes[other] for other in near[one]), start=sizes[one])


def cells_of(sizes: Sequence[int], cliques: Iterable[Clique]) -> int:
    """Count the cells of all cliques."""
    return sum(prod(sizes[variable] for variable in clique) for clique in cliques)


@dataclass(frozen=True)
class JunctionTree:
    """A tree of cliques, in order from the root, and the parent of each clique."""

    sizes: tuple[int, ...]  # the sizes of the variables
    cliques: tuple[Clique, ...]
    parents: tuple[int, ...]  # the index of each clique's parent, before its own; -1 for the root

    @cached_property
    def separators(self) -> tuple[Clique, ...]:
        """The variables that each clique shares with its parent."""
        return tuple(
            () if parent < 0 else tuple(sorted({*clique} & {*self.cliques[parent]}))
            for clique, parent in zip(self.cliques, self.parents, strict=True)
        )

    @cached_property
    def home(self) -> dict[Clique, int]:
        """The first clique that contains each variable, and each pair within a clique."""
        found: dict[Clique, int] = {}
        for place, clique in enumerate(self.cliques):
            for variable in clique:
                found.setdefault((variable,), place)
            for pair in combinations(clique, 2):
                found.setdefault(pair, place)
        return found

    def shape(self, place: int) -> tuple[int, ...]:
        """Return the shape of a clique's table."""
        return tuple(self.sizes[variable] for variable in self.cliques[place])

    def spread(self, values: Floats, variables: Clique, place: int) -> Floats:
        """Reshape a table of the given variables so that it broadcasts to the clique's table."""
        clique = self.cliques[place]
        return values.reshape([self.sizes[one] if one in variables else 1 for one in clique])

    def others(self, place: int, variables: Iterable[int]) -> tuple[int, ...]:
        """Return the axes of a clique's table that do not belong to the given variables."""
        kept = set(variables)
        return tuple(at for at, one in enumerate(self.cliques[place]) if one not in kept)


def junction_tree(sizes: Sequence[int], pairs: Iterable[Pair]) -> JunctionTree:
    """Return a junction tree in which each pair is in a clique."""
    waiting = list(cliques_of(sizes, pairs))
    cliques, parents = [waiting.pop(0)], [-1]
    while waiting:
        _, at, parent = max(
            (len({*one} & {*other}), -at, -place)
            for at, one in enumerate(waiting)
            for place, other in enumerate(cliques)
        )
        cliques.append(waiting.pop(-at))
        parents.append(-parent)
    return JunctionTree(tuple(sizes), tuple(cliques), tuple(parents))


@dataclass(frozen=True, eq=False)
class Beliefs:
    """The distribution that is defined by the log-weights of all cells in the cliques."""

    tree: JunctionTree
    log_total: float  # the logarithm of the sum of all weights
    tables: tuple[Floats, ...] = field(repr=False)  # the distribution of each clique

    def margin(self, variables: Clique) -> Floats:
        """Return the distribution of a variable, or of an ascending pair in one clique."""
        place = self.tree.home[variables]
        found: Floats = self.tables[place].sum(axis=self.tree.others(place, variables))
        return found

    def pairs_with(self, one: int) -> dict[int, Floats]:
        """Return the joint distribution of a variable and each later variable.

        The arrays have shape ``(of one, of other)``. A clique that contains the variable passes its
        distribution to all other cliques, through the separators.
        """
        tree, found = self.tree, dict[int, Floats]()
        start = tree.home[one,]
        waiting = [(start, -1, np.zeros(0))]
        while waiting:
            place, before, weights = waiting.pop()
            joint = self._joint(one, place, weights)
            for at, other in enumerate(tree.cliques[place], start=1):
                if other > one and other not in found:
                    axes = tuple(axis for axis in range(1, joint.ndim) if axis != at)
                    found[other] = joint.sum(axis=axes)
            for following in self._neighbors[place]:
                if following != before:
                    shared = self._shared(place, following)
                    axes = tuple(axis + 1 for axis in tree.others(place, shared))
                    waiting.append((following, place, self._given(joint, place, following, axes)))
        return found

    @cached_property
    def _neighbors(self) -> tuple[tuple[int, ...], ...]:
        near: list[list[int]] = [[] for _ in self.tree.cliques]
        for place, parent in enumerate(self.tree.parents):
            if parent >= 0:
                near[place].append(parent)
                near[parent].append(place)
        return tuple(map(tuple, near))

    def _shared(self, place: int, other: int) -> Clique:
        child = place if self.tree.parents[place] == other else other
        return self.tree.separators[child]

    def _joint(self, one: int, place: int, weights: Floats) -> Floats:
        """Return the joint distribution of a variable (first axis) and the cells of a clique."""
        table = self.tables[place]
        if weights.size:
            return np.asarray(table[None] * weights)
        size = self.tree.sizes[one]
        at = self.tree.cliques[place].index(one)
        own = np.arange(size).reshape([-1 if axis == at else 1 for axis in range(table.ndim)])
        return np.stack([np.where(own == value, table, 0.0) for value in range(size)])

    def _given(self, joint: Floats, place: int, following: int, axes: tuple[int, ...]) -> Floats:
        """Return the distribution of a variable, given the separator to the next clique."""
        tree, shared = self.tree, self._shared(place, following)
        sums = joint.sum(axis=axes)
        whole = sums.sum(axis=0, keepdims=True)
        shares = np.divide(sums, whole, out=np.zeros_like(sums), where=whole > 0)
        return np.stack([tree.spread(share, shared, following) for share in shares])


def calibrated(tree: JunctionTree, weights: Sequence[Floats]) -> Beliefs:
    """Pass messages toward the root and back. `weights` are logarithms, one table per clique."""
    collected, messages = list(weights), dict[int, Floats]()
    for place in range(len(tree.cliques) - 1, 0, -1):
        parent, shared = tree.parents[place], tree.separators[place]
        messages[place] = _log_sum(collected[place], tree.others(place, shared))
        message = tree.spread(messages[place], shared, parent)
        collected[parent] = collected[parent] + message
    total = float(_log_sum(collected[0], tuple(range(collected[0].ndim))))
    tables = [np.exp(collected[0] - total)]
    for place in range(1, len(tree.cliques)):
        parent, shared = tree.parents[place], tree.separators[place]
        outer = tables[parent].sum(axis=tree.others(parent, shared))
        given = np.exp(collected[place] - tree.spread(messages[place], shared, place))
        tables.append(given * tree.spread(outer, shared, place))
    return Beliefs(tree, total, tuple(tables))


def _log_sum(values: Floats, axes: tuple[int, ...]) -> Floats:
    if not axes:
        return values
    largest = values.max(axis=axes, keepdims=True)
    sums = np.log(np.exp(values - largest).sum(axis=axes, keepdims=True)) + largest
    return np.asarray(np.squeeze(sums, axis=axes))
