"""Store the policies that have an inherited property as antichains in prefix trees.

A property that all more general policies inherit is stored only for the most specific policies that
have the property. These policies form an antichain. The size of the store does not depend on the
size of the lattice (paper 003, Efficient management of predictive properties). A node of the prefix
tree is an attribute and a level, and a path from the root is a policy. A query for x follows the
children whose level is at most the level of x, and whose lowest rank is at most the rank of x.

If more specific policies inherit a property, the vectors of their levels are negated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import neg

from roadstead.policies.full_domain import Levels, rank


def inherited_up() -> Antichain:
    """Create a store for a property that all more general policies inherit."""
    return Antichain(mirrored=False)


def inherited_down() -> Antichain:
    """Create a store for a property that all more specific policies inherit."""
    return Antichain(mirrored=True)


class Antichain:
    """The policies that are known to have a property, directly or by inheritance.

    `inserts` counts added policies that were not implied, `queries` counts queries, and `hits`
    counts queries whose answer was yes. A query also follows equal ranks, so the query does not
    need the paper's second look-up for the vector.
    """

    def __init__(self, *, mirrored: bool) -> None:
        self.inserts = self.queries = self.hits = 0
        self._mirrored = mirrored
        self._root = PrefixNode(0, 0)
        self._size = 0

    def add(self, levels: Levels) -> None:
        """Store that a policy has the property, and remove the policies that it implies."""
        vector = self._vector(levels)
        if not self._implies(vector):
            self._size += 1 - remove_above(self._root, vector)
            insert(self._root, vector)
            self.inserts += 1

    def __contains__(self, levels: Levels) -> bool:
        found = self._implies(self._vector(levels))
        self.queries += 1
        self.hits += found
        return found

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Levels]:
        return map(self._vector, vectors(self._root)) if self._size else iter(())

    def _vector(self, levels: Levels) -> Levels:
        return tuple(map(neg, levels)) if self._mirrored else levels

    def _implies(self, vector: Levels) -> bool:
        return has_below(self._root, vector, 0, rank(vector))


@dataclass(slots=True)
class PrefixNode:
    """A prefix of stored vectors, with its last component and a lower bound on ranks below it."""

    level: int
    least: int
    children: list[PrefixNode] = field(default_factory=list)


def has_below(node: PrefixNode, vector: Levels, depth: int, most: int) -> bool:
    """Return whether a vector below a node is at most `vector`, whose rank is `most`."""
    if depth == len(vector):
        return True
    level = vector[depth]
    depth += 1
    for child in node.children:
        if child.level <= level and child.least <= most and has_below(child, vector, depth, most):
            return True
    return False


def insert(root: PrefixNode, vector: Levels) -> None:
    """Add the path of a vector to a tree, and lower the ranks along the path."""
    total = rank(vector)
    node = root
    for level in vector:
        for child in node.children:
            if child.level == level:
                child.least = min(child.least, total)
                break
        else:
            child = PrefixNode(level, total)
            node.children.append(child)
        node = child


def remove_above(node: PrefixNode, vector: Levels, depth: int = 0) -> int:
    """Remove the vectors below a node that are at least `vector`, and return their number."""
    if depth == len(vector):
        return 1
    removed = 0
    kept = []
    for child in node.children:
        if child.level >= vector[depth]:
            gone = remove_above(child, vector, depth + 1)
            removed += gone
            if gone and not child.children:
                continue
        kept.append(child)
    if removed:
        node.children = kept
    return removed


def vectors(node: PrefixNode, prefix: Levels = ()) -> Iterator[Levels]:
    """Yield every vector below a node."""
    if not node.children:
        yield prefix
    for child in node.children:
        yield from vectors(child, (*prefix, child.level))
