"""A taxonomy: a tree of ever finer groups of values that is the same for every reader.

A hierarchy gives every value of an attribute the same level. A taxonomy lets one branch be shown in
detail and another not: heart failure by its code, injuries as one chapter. Differentially private
release needs a *public* taxonomy: it is made from a code book, never from the protected table.

Nodes are numbered in preorder, so each node covers an interval of the leaves. Whether a value lies
under a node, and under which of its children, is then a comparison of integers.

If the order of items has a meaning, such as the order of visits, an item and its place together,
such as ``1:401.9``, are treated as the item (paper 002, Discussion). The taxonomy of the pairs
begins with the place: below its root is one node for each position, and below each position is a
copy of the taxonomy of items. So the order is shown first, and then what happened at each position.
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
"""The place of a value that the taxonomy does not have."""

Branch: TypeAlias = "Mapping[str, Branch] | Sequence[str]"
"""A tree as it is written down: groups by label, and at the bottom the values."""

Find: TypeAlias = Callable[[Mapping[str, int], str], int]
"""From the leaves by label, and a value, to the leaf it belongs to, or `NOT_LISTED`."""


def exactly(leaves: Mapping[str, int], value: str) -> int:
    """Find the leaf with the name of the value."""
    return leaves.get(value, NOT_LISTED)


def by_longest_prefix(leaves: Mapping[str, int], value: str) -> int:
    """Find the leaf whose label is the longest beginning of a code; dots do not count.

    The code is tried as it is written and without its dots, so a list of codes may have dots
    (``401.9``) or not (``4019``); capitals it must have.
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
    """A tree of groups of values: the names of its nodes, and which node is above each.

    Every leaf has a unique name.
    """

    attribute: str  # the column or the kind of items it is for
    labels: tuple[str, ...]  # a name for each node, in preorder; the first is the root's
    # Shape ``(nodes,)``: the node above; -1 for the root.
    parents: NDArray[np.int32] = field(repr=False)
    origin: str  # the origin, for messages
    find: Find = field(default=exactly, repr=False)  # how a value is found among the leaves

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.labels)

    @property
    def size(self) -> int:
        """How many leaves there are."""
        return len(self.leaves)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each node the nodes right below, in order; none below a leaf."""
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
        """The leaf after the last leaf that each node covers; shape ``(nodes,)``."""
        last: NDArray[np.int32] = self.first + 1
        for node in range(self.nodes - 1, -1, -1):
            if self.children[node]:
                last[node] = last[self.children[node][-1]]
        return last

    @cached_property
    def leaf_labels(self) -> tuple[str, ...]:
        """The label of each leaf, in order."""
        return tuple(
            label for label, below in zip(self.labels, self.children, strict=True) if not below
        )

    @cached_property
    def leaves(self) -> Mapping[str, int]:
        """The leaf of each label that a value can be found by."""
        return {label: at for at, label in enumerate(self.leaf_labels)}

    @property
    def paths(self) -> Iterator[tuple[str, ...]]:
        """The labels on the way to each leaf, in order; the root's own is left out."""
        ways: list[tuple[str, ...]] = [()]
        for node in range(1, self.nodes):
            ways.append((*ways[self.parents[node]], self.labels[node]))
            if not self.children[node]:
                yield ways[node]

    def locate(self, values: Sequence[str]) -> NDArray[np.int32]:
        """Find the leaf of each value, or `NOT_LISTED`; shape ``(len(values),)``."""
        return np.array([self.find(self.leaves, value) for value in values], dtype=np.int32)

    def under(self, node: int) -> tuple[str, ...]:
        """Return the labels of the leaves that a node covers."""
        return self.leaf_labels[int(self.first[node]) : int(self.last[node])]


@dataclass(frozen=True)
class _Node:
    """A node while the tree is built."""

    label: str
    below: tuple[_Node, ...] = ()


_Tree: TypeAlias = "dict[tuple[str, bool], _Tree]"
"""The children of a node, by label, with whether each is a value; a group may have a value's name.
"""


def from_branches(
    attribute: str, root: str, branches: Branch, *, origin: str, find: Find = exactly
) -> Taxonomy:
    """Build a taxonomy from groups within groups, at the bottom sequences of values.

    A group with one member is that member, and a label with nothing below it is a value.
    """
    return from_paths(attribute, _ways(branches, ()), root=root, origin=origin, find=find)


def _ways(branches: Branch, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(branches, Mapping):
        for label, below in branches.items():
            yield from _ways(below, (*above, label)) if below else [(*above, label)]
    else:
        values = [branches] if isinstance(branches, str) else branches  # one value, not its letters
        yield from ((*above, value) for value in values)


def from_hierarchy(hierarchy: Hierarchy, *, root: str | None = None) -> Taxonomy:
    """Read a hierarchy's levels as a tree; a label that covers one label is not repeated."""
    *groups, top = (np.array(level.labels)[level.codes] for level in hierarchy.levels[1:])
    return from_paths(
        hierarchy.attribute,
        zip(*(own.tolist() for own in reversed(groups)), hierarchy.values, strict=True),
        root=root or str(top[0]),
        origin=hierarchy.origin,
    )


def with_every_level(hierarchy: Hierarchy) -> Taxonomy:
    """Read a hierarchy's levels as a tree in which each level is a depth, also of single groups."""
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
    """Build a taxonomy from the way down to each value: its groups, and the value last."""
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
    """Put groups of neighbors between a node and its children if there are more than `most`.

    A method that specializes a set-valued attribute has to distinguish all combinations of a node's
    children: 19 chapters have half a million combinations, 4 groups have 15. The leaves are the
    same, in the same order. The name of a new group consists of its first and its last leaf.

    Parameters
    ----------
    taxonomy
        The tree; its children are in an order in which neighbors are similar.
    most
        The most children that a node may have, at least 2.
    """
    if most < _FEWEST:
        raise SettingError(
            f"{most} is not a possible number of children per node",
            where=f"taxonomy of {taxonomy.attribute!r}",
            fix="allow at least 2",
        )

    def rebuilt(node: int) -> _Node:
        below = tuple(rebuilt(child) for child in taxonomy.children[node])
        while len(below) > most:
            # Divide evenly: each part has at most `most`, in as few parts as possible.
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
    """Replace a group with one member by the member: it could not be made finer."""
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
    """How a pair of position and item is found: the item as the items' own taxonomy finds it."""

    find: Find  # how an item is found among `items`
    items: Mapping[str, int]  # the leaves of the taxonomy of items
    positions: int  # how many positions there are; a pair beyond them is not listed

    def __call__(self, leaves: Mapping[str, int], value: str) -> int:
        """Find the leaf of a pair, or `NOT_LISTED`."""
        position, colon, item = value.partition(":")
        number = int(position) if position.isascii() and position.isdigit() else 0
        place = self.find(self.items, item)
        if not colon or not 1 <= number <= self.positions or place == NOT_LISTED:
            return NOT_LISTED
        # Copies follow one another, so leaves are found by counting.
        return (number - 1) * (len(leaves) // self.positions) + place


def ordered(taxonomy: Taxonomy, positions: int) -> Taxonomy:
    """Build the taxonomy of item-order pairs from the taxonomy of items: root, position, tree.

    The labels of groups stay; leaves have names such as ``1:401``. A value that the taxonomy of
    items does not list is not listed at any position.

    Parameters
    ----------
    taxonomy
        The tree of the items.
    positions
        How many positions there are: a public number, the same as the set's `longest`.
    """
    if positions < 1:
        raise SettingError(
            f"{positions} is not a possible number of positions in a sequence",
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
