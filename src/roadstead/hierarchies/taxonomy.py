"""Define taxonomies: public trees in which values are grouped (docs/taxonomies.md).

A differentially private release needs a *public* taxonomy, which comes from a code book and never
from the protected table. Nodes are numbered in preorder, so each node covers an interval of the
leaves.

If items are ordered, for example by visit, the pair of a position and an item, such as ``1:401.9``,
is treated as one item (paper 002, Discussion). The taxonomy of pairs has one node for each position
below its root. Below each of these nodes is a copy of the taxonomy of items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import HierarchyError, SettingError, quoted
from roadstead.hierarchies.hierarchy import Hierarchy

_FEWEST = 2

NOT_LISTED = -1
"""The result for a value that has no leaf."""

Branch: TypeAlias = "Mapping[str, Branch] | Sequence[str]"
"""A tree as nested groups by label, with the values at the lowest depth."""

Find: TypeAlias = Callable[[Mapping[str, int], str], int]
"""A function that finds the leaf of a value, given the leaves by label."""


def exactly(leaves: Mapping[str, int], value: str) -> int:
    """Find the leaf that has the value as its name."""
    return leaves.get(value, NOT_LISTED)


def by_longest_prefix(leaves: Mapping[str, int], value: str) -> int:
    """Find the leaf whose label is the longest beginning of a code. Dots are ignored.

    The function tries the code with and without its dots, so the listed codes may be written with
    dots (``401.9``) or without dots (``4019``). The listed codes must be in capitals.
    """
    written = value.strip().upper()
    plain = written.replace(".", "")
    known = [
        begin
        for code in (written, plain)
        for end in range(1, len(code) + 1)
        if (begin := code[:end]) in leaves
    ]
    if not known:
        return NOT_LISTED
    return leaves[max(known, key=lambda begin: len(begin.replace(".", "")))]


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """A tree of groups of values. It stores the name and the parent of each node.

    Every leaf has a unique name.
    """

    attribute: str  # the column or the kind of items to which the taxonomy applies
    labels: tuple[str, ...]  # the names of the nodes in preorder, the root first
    # The parent of each node; -1 for the root. Shape ``(nodes,)``.
    parents: NDArray[np.int32] = field(repr=False)
    origin: str  # for messages
    find: Find = field(default=exactly, repr=False)  # finds a value among the leaves

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self.labels)

    @property
    def size(self) -> int:
        """The number of leaves."""
        return len(self.leaves)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each node, in order."""
        below: list[list[int]] = [[] for _ in self.labels]
        for node, parent in enumerate(self.parents[1:].tolist(), start=1):
            below[parent].append(node)
        return tuple(map(tuple, below))

    @cached_property
    def first(self) -> NDArray[np.int32]:
        """The first leaf that each node covers; shape ``(nodes,)``."""
        leaf = np.array([not below for below in self.children], dtype=np.int32)
        return np.cumsum(leaf, dtype=np.int32) - leaf

    @cached_property
    def last(self) -> NDArray[np.int32]:
        """Return the index after the last leaf that each node covers; shape ``(nodes,)``."""
        last: NDArray[np.int32] = self.first + 1
        for node in range(self.nodes - 1, -1, -1):
            if self.children[node]:
                last[node] = last[self.children[node][-1]]
        return last

    @cached_property
    def leaf_labels(self) -> tuple[str, ...]:
        """The labels of the leaves, in order."""
        return tuple(
            label for label, below in zip(self.labels, self.children, strict=True) if not below
        )

    @cached_property
    def leaves(self) -> Mapping[str, int]:
        """Map each label of a leaf to the leaf."""
        return {label: at for at, label in enumerate(self.leaf_labels)}

    @property
    def paths(self) -> Iterator[tuple[str, ...]]:
        """Return the labels on the path to each leaf, except the label of the root."""
        ways: list[tuple[str, ...]] = [()]
        for node in range(1, self.nodes):
            ways.append((*ways[self.parents[node]], self.labels[node]))
            if not self.children[node]:
                yield ways[node]

    def locate(self, values: Sequence[str]) -> NDArray[np.int32]:
        """Return the leaf of each value, or `NOT_LISTED` for a value without a leaf."""
        return np.array([self.find(self.leaves, value) for value in values], dtype=np.int32)

    def under(self, node: int) -> tuple[str, ...]:
        """Return the labels of the leaves that a node covers."""
        return self.leaf_labels[int(self.first[node]) : int(self.last[node])]


@dataclass(frozen=True)
class _Node:
    label: str
    below: tuple[_Node, ...] = ()


_Tree: TypeAlias = "dict[tuple[str, bool], _Tree]"
"""The children of a node. A key is a pair: a label, and whether the label is a value."""


def from_branches(
    attribute: str, root: str, branches: Branch, *, origin: str, find: Find = exactly
) -> Taxonomy:
    """Build a taxonomy from nested groups. The innermost groups are sequences of values.

    A group with a single member is replaced by the member. A label without members is a value.
    """
    return from_paths(attribute, _ways(branches, ()), root=root, origin=origin, find=find)


def _ways(branches: Branch, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(branches, Mapping):
        for label, below in branches.items():
            yield from _ways(below, (*above, label)) if below else [(*above, label)]
    else:
        values = [branches] if isinstance(branches, str) else branches  # a string is one value
        yield from ((*above, value) for value in values)


def from_hierarchy(hierarchy: Hierarchy, *, root: str | None = None) -> Taxonomy:
    """Convert the levels of a hierarchy to a tree. A group with a single member is not a node."""
    *groups, top = (np.array(level.labels)[level.codes] for level in hierarchy.levels[1:])
    return from_paths(
        hierarchy.attribute,
        zip(*(own.tolist() for own in reversed(groups)), hierarchy.values, strict=True),
        root=root or str(top[0]),
        origin=hierarchy.origin,
    )


def with_every_level(hierarchy: Hierarchy) -> Taxonomy:
    """Convert a hierarchy to a tree in which each level of the hierarchy has its own depth."""
    *groups, top = (np.array(level.labels)[level.codes].tolist() for level in hierarchy.levels[1:])
    tree: _Tree = {}
    for *path, value in zip(*reversed(groups), hierarchy.values, strict=True):
        place = tree
        for group in path:
            place = place.setdefault((group, False), {})
        place[value, True] = {}

    def grown(below: _Tree) -> tuple[_Node, ...]:
        return tuple(_Node(label, grown(own)) for (label, _), own in below.items())

    root = _Node(str(top[0]), grown(tree))
    return _numbered(hierarchy.attribute, root, hierarchy.origin, exactly)


def from_paths(
    attribute: str,
    paths: Iterable[Sequence[str]],
    *,
    root: str,
    origin: str,
    find: Find = exactly,
) -> Taxonomy:
    """Build a taxonomy from the path to each value. A path lists groups and then the value."""
    tree: _Tree = {}
    for *groups, value in paths:
        place = tree
        for group in groups:
            place = place.setdefault((group, False), {})
        if (value, True) in place:
            raise _twice(attribute, value, origin)
        place[value, True] = {}
    return _numbered(attribute, _Node(root, _grown(tree)), origin, find)


def with_fanout(taxonomy: Taxonomy, most: int) -> Taxonomy:
    """Group the neighboring children of each node that has more than `most` children.

    `most` is at least 2. A method that specializes an attribute whose values are sets must
    distinguish all combinations of a node's children. There are half a million combinations of 19
    chapters, but only 15 combinations of 4 groups. The children of each node must be ordered so
    that neighbors are similar. The leaves and their order do not change. The name of a new group
    consists of its first and its last leaf.
    """
    if most < _FEWEST:
        raise SettingError(
            f"{most} is not a valid number of children per node",
            where=f"taxonomy of {taxonomy.attribute!r}",
            fix="allow at least 2",
        )

    def rebuilt(node: int) -> _Node:
        below = tuple(rebuilt(child) for child in taxonomy.children[node])
        while len(below) > most:
            # Divide the nodes evenly into as few parts as possible, each with at most `most` nodes.
            parts = max(-(-len(below) // most), min(most, len(below) - 1))
            cuts = [round(len(below) * at / parts) for at in range(parts + 1)]
            below = tuple(_joined(below[begin:end]) for begin, end in pairwise(cuts))
        return _Node(taxonomy.labels[node], below)

    return _numbered(taxonomy.attribute, rebuilt(0), taxonomy.origin, taxonomy.find)


def _joined(nodes: tuple[_Node, ...]) -> _Node:
    if len(nodes) == 1:
        return nodes[0]
    return _Node(f"{_outermost(nodes[0], 0)} to {_outermost(nodes[-1], -1)}", nodes)


def _outermost(node: _Node, side: int) -> str:
    """Return the label of the first (0) or the last (-1) leaf below a node."""
    while node.below:
        node = node.below[side]
    return node.label


def _grown(tree: _Tree) -> tuple[_Node, ...]:
    return tuple(_simplified(_Node(label, _grown(below))) for (label, _), below in tree.items())


def _simplified(node: _Node) -> _Node:
    """Replace each group that has a single member with the member."""
    return node.below[0] if len(node.below) == 1 else node


def _numbered(attribute: str, root: _Node, origin: str, find: Find) -> Taxonomy:
    if not root.below:
        what = f"the taxonomy of {attribute!r} has no values"
        raise HierarchyError(what, where=origin, fix="list its values")
    labels: list[str] = []
    parents: list[int] = []
    leaves: set[str] = set()

    def visit(node: _Node, parent: int) -> None:
        place = len(labels)
        labels.append(node.label)
        parents.append(parent)
        if not node.below:
            if node.label in leaves:
                raise _twice(attribute, node.label, origin)
            leaves.add(node.label)
        for below in node.below:
            visit(below, place)

    visit(_Node(root.label, _simplified(root).below or root.below), -1)
    return Taxonomy(attribute, tuple(labels), np.array(parents, dtype=np.int32), origin, find)


def _twice(attribute: str, value: str, origin: str) -> HierarchyError:
    return HierarchyError(
        f"value {quoted(value)} of {attribute!r} is listed twice",
        where=origin,
        fix="list each value once",
    )


@dataclass(frozen=True)
class AtPosition:
    """A function object that finds the leaf for a position and an item."""

    find: Find  # finds an item among `items`
    items: Mapping[str, int]  # the leaves of the taxonomy of items
    positions: int  # the number of positions; a pair with a later position has no leaf

    def __call__(self, leaves: Mapping[str, int], value: str) -> int:
        """Return the leaf of a pair, or `NOT_LISTED`."""
        position, colon, item = value.partition(":")
        number = int(position) if position.isascii() and position.isdigit() else 0
        place = self.find(self.items, item)
        if not colon or not 1 <= number <= self.positions or place == NOT_LISTED:
            return NOT_LISTED
        # The copies are consecutive, so the index of a leaf can be computed.
        return (number - 1) * (len(leaves) // self.positions) + place


def ordered(taxonomy: Taxonomy, positions: int) -> Taxonomy:
    """Build a taxonomy of (position, item) pairs from a taxonomy of items.

    Below the root, each position has its own copy of the taxonomy of items. The labels of groups do
    not change. Leaves get names such as ``1:401``. If the taxonomy of items does not list a value,
    the value is not listed at any position. The number of `positions` is public, and equals the
    `longest` of the set.
    """
    if positions < 1:
        raise SettingError(
            f"{positions} is not a valid number of positions in a sequence",
            where=f"taxonomy of {taxonomy.attribute!r}",
            fix="give at least 1",
        )
    below = list(taxonomy.paths)
    return from_paths(
        taxonomy.attribute,
        (
            (f"position {position}", *groups, f"{position}:{item}")
            for position in range(1, positions + 1)
            for *groups, item in below
        ),
        root=taxonomy.labels[0],
        origin=taxonomy.origin,
        find=AtPosition(taxonomy.find, taxonomy.leaves, positions),
    )
