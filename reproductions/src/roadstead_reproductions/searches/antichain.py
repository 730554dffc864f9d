"""Facts about policies that were not evaluated: antichains in prefix trees.

A property that passes to every more general policy is only stored where it was found. Of two
comparable policies one is superfluous, so the stored policies are an antichain. Its size depends on
what was found, not on the size of the lattice (paper 003, Efficient management of predictive
properties). It is a tree of prefixes: a node is an attribute and level, and a path from the root is
a policy. A query for x follows the children whose level is at most that of x, and whose least rank
is not above that of x.

A property that passes to every more specific policy is the mirror image: its vectors are negated at
entry, which reverses the order and the ranks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import neg

from roadstead.policies.full_domain import Levels, rank


def inherited_up() -> Antichain:
    """Make the store of a property that passes from a policy to every more general one."""
    return Antichain(mirrored=False)


def inherited_down() -> Antichain:
    """Make the store of a property that passes from a policy to every more specific one."""
    return Antichain(mirrored=True)


class Antichain:
    """The policies known to have a property: those it was found at and those that inherit it.

    `inserts` counts policies put in that were not implied already, `queries` questions asked from
    outside, `hits` those answered with yes. Ties of rank are followed, where the paper's strict
    comparison needs a second look-up for the vector itself.
    """

    def __init__(self, *, mirrored: bool) -> None:
        self.inserts = self.queries = self.hits = 0
        self._mirrored = mirrored
        self._root = PrefixNode(0, 0)
        self._size = 0

    def add(self, levels: Levels) -> None:
        """Note that a policy has the property, and forget those kept that it implies."""
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
    """A prefix of the vectors kept: its last component, and at most the least rank below it."""

    level: int
    least: int
    children: list[PrefixNode] = field(default_factory=list)


def has_below(node: PrefixNode, vector: Levels, depth: int, most: int) -> bool:
    """Whether a vector kept below a node, a prefix of `depth`, is at most one of rank `most`."""
    if depth == len(vector):
        return True
    level = vector[depth]
    depth += 1
    for child in node.children:
        if child.level <= level and child.least <= most and has_below(child, vector, depth, most):
            return True
    return False


def insert(root: PrefixNode, vector: Levels) -> None:
    """Add the path of a vector to a tree, and lower the ranks along it."""
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
    """Remove the vectors below a node that are at least one given, and say how many they were."""
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
    """Every vector kept below a node."""
    if not node.children:
        yield prefix
    for child in node.children:
        yield from vectors(child, (*prefix, child.level))
