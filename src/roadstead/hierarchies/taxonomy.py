"""A taxonomy: a tree of ever finer groups of values, the same for whoever looks at it.

A hierarchy gives every value of an attribute the same level. A taxonomy lets one branch be shown in
detail and another not: heart failure by its code, injuries as one chapter. Differentially private
release needs it to be *public*: made from a code book, never from the table that is protected.

Nodes are numbered in preorder, and so each node covers an interval of the leaves. Whether a value
lies under a node, and under which of its children, is then a comparison of integers.
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
"""Where a value lies that the taxonomy does not have."""

Branch: TypeAlias = "Mapping[str, Branch] | Sequence[str]"
"""A tree as it is written down: groups by label, and at the bottom the values."""

Find: TypeAlias = Callable[[Mapping[str, int], str], int]
"""From the leaves by label, and a value, to the leaf it belongs to, or `NOT_LISTED`."""


def exactly(leaves: Mapping[str, int], value: str) -> int:
    """Find the leaf that is called like the value."""
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
    """A tree of groups of values."""

    attribute: str  # the column or the kind of items it is for
    labels: tuple[str, ...]  # a name for each node, in preorder; the first is the root's
    # Shape ``(nodes,)``: the node above; -1 for the root.
    parents: NDArray[np.int32] = field(repr=False)
    # For each node the nodes right below, in order; none below a leaf.
    children: tuple[tuple[int, ...], ...] = field(repr=False)
    # first, last: shape ``(nodes,)``: node `v` covers the leaves ``first[v]`` up to, not with,
    # ``last[v]``.
    first: NDArray[np.int32] = field(repr=False)
    last: NDArray[np.int32] = field(repr=False)
    # The leaf of each label that a value can be found by.
    leaves: Mapping[str, int] = field(repr=False)
    origin: str  # where it came from, for messages
    find: Find = field(default=exactly, repr=False)  # how a value is found among the leaves

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.labels)

    @property
    def size(self) -> int:
        """How many leaves there are."""
        return int(self.last[0])

    @cached_property
    def leaf_labels(self) -> tuple[str, ...]:
        """The label of each leaf, in order."""
        return tuple(
            label for label, below in zip(self.labels, self.children, strict=True) if not below
        )

    def locate(self, values: Sequence[str]) -> NDArray[np.int32]:
        """Find the leaf of each value, `NOT_LISTED` where there is none; ``(len(values),)``."""
        return np.array([self.find(self.leaves, value) for value in values], dtype=np.int32)

    def under(self, node: int) -> tuple[str, ...]:
        """Give the labels of the leaves that a node covers."""
        return self.leaf_labels[int(self.first[node]) : int(self.last[node])]


@dataclass(frozen=True)
class _Node:
    """A node while the tree is built."""

    label: str
    below: tuple[_Node, ...] = ()


def from_branches(
    attribute: str, root: str, branches: Branch, *, origin: str, find: Find = exactly
) -> Taxonomy:
    """Build a taxonomy from groups within groups, at the bottom sequences of values.

    A group of one thing is that thing, and a label with nothing below it is a value.
    """
    return _numbered(attribute, _Node(root, _grown(branches)), origin, find)


def from_hierarchy(hierarchy: Hierarchy, *, root: str | None = None) -> Taxonomy:
    """Read a hierarchy's levels as a tree; a label that stands for one label is not repeated."""
    paths = (
        [hierarchy.levels[level].labels[hierarchy.levels[level].codes[at]] for level in levels]
        for levels in [range(hierarchy.height - 2, 0, -1)]
        for at in range(len(hierarchy.values))
    )
    return from_paths(
        hierarchy.attribute,
        ((*path, value) for path, value in zip(paths, hierarchy.values, strict=True)),
        root=root or hierarchy.levels[-1].labels[0],
        origin=hierarchy.origin,
    )


def from_paths(
    attribute: str,
    paths: Iterable[Sequence[str]],
    *,
    root: str,
    origin: str,
    find: Find = exactly,
) -> Taxonomy:
    """Build a taxonomy from the way down to each value: its groups, and the value last."""
    tree: dict[str, object] = {}
    for *groups, value in paths:
        place = tree
        for group in groups:
            # Under the name of a group there is always a tree.
            place = place.setdefault(f"group {group}", {})  # type: ignore[assignment] # leaves come later
        if f"value {value}" in place:
            raise _twice(attribute, value, origin)
        place[f"value {value}"] = None
    return _numbered(attribute, _Node(root, _of_paths(tree)), origin, find)


def with_fanout(taxonomy: Taxonomy, most: int) -> Taxonomy:
    """Put groups of neighbors between a node and its children where there are more than `most`.

    Who specializes a set-valued attribute has to distinguish all combinations of a node's children:
    with 19 chapters there are half a million, with 4 groups 15.

    Parameters
    ----------
    taxonomy
        The tree; its children stand in an order in which neighbors are alike.
    most
        The most children that a node may have, at least 2.

    Returns
    -------
    Taxonomy
        The same leaves in the same order. A new group is called by its first and its last leaf.

    Raises
    ------
    SettingError
        `most` is below 2: a node of one child could not be made finer.
    """
    if most < _FEWEST:
        raise SettingError(
            f"a node cannot have at most {most} children",
            where=f"taxonomy of {taxonomy.attribute!r}",
            fix="allow at least 2",
        )

    def rebuilt(node: int) -> _Node:
        below = tuple(rebuilt(child) for child in taxonomy.children[node])
        while len(below) > most:
            below = tuple(_joined(part) for part in _parts(below, most))
        return _Node(taxonomy.labels[node], below)

    return _numbered(taxonomy.attribute, rebuilt(0), taxonomy.origin, taxonomy.find)


def _parts(nodes: tuple[_Node, ...], most: int) -> Iterator[tuple[_Node, ...]]:
    """Part nodes evenly, each part with at most so many, in as few parts as that needs."""
    parts = max(-(-len(nodes) // most), min(most, len(nodes) - 1))
    cuts = [round(len(nodes) * at / parts) for at in range(parts + 1)]
    for begin, end in pairwise(cuts):
        yield nodes[begin:end]


def _joined(nodes: tuple[_Node, ...]) -> _Node:
    if len(nodes) == 1:
        return nodes[0]
    return _Node(f"{_outermost(nodes[0], 0)} to {_outermost(nodes[-1], -1)}", nodes)


def _outermost(node: _Node, side: int) -> str:
    """Give the label of the first (0) or the last (-1) leaf below a node."""
    while node.below:
        node = node.below[side]
    return node.label


def _grown(branches: Branch) -> tuple[_Node, ...]:
    if isinstance(branches, Mapping):
        return tuple(
            _simplified(_Node(label, _grown(below))) if below else _Node(label)
            for label, below in branches.items()
        )
    if isinstance(branches, str):
        return (_Node(branches),)  # one value, not its letters
    return tuple(_Node(value) for value in branches)


def _of_paths(tree: Mapping[str, object]) -> tuple[_Node, ...]:
    grown = []
    for key, below in tree.items():
        kind, _, label = key.partition(" ")
        if kind == "value":
            grown.append(_Node(label))
        else:
            assert isinstance(below, dict)  # noqa: S101 - groups hold groups
            grown.append(_simplified(_Node(label, _of_paths(below))))
    return tuple(grown)


def _simplified(node: _Node) -> _Node:
    """Take a group of one thing for that thing: it could not be made finer."""
    return node.below[0] if len(node.below) == 1 else node


def _numbered(attribute: str, root: _Node, origin: str, find: Find) -> Taxonomy:
    if not root.below:
        raise HierarchyError(
            f"the taxonomy of {attribute!r} lists no value", where=origin, fix="list its values"
        )
    labels: list[str] = []
    parents: list[int] = []
    children: list[list[int]] = []
    first: list[int] = []
    last: list[int] = []
    leaves: dict[str, int] = {}

    def visit(node: _Node, parent: int) -> int:
        place = len(labels)
        labels.append(node.label)
        parents.append(parent)
        children.append([])
        first.append(len(leaves))
        last.append(0)
        if not node.below:
            if node.label in leaves:
                raise _twice(attribute, node.label, origin)
            leaves[node.label] = len(leaves)
        for below in node.below:
            children[place].append(visit(below, place))
        last[place] = len(leaves)
        return place

    visit(_Node(root.label, _simplified(root).below or root.below), -1)
    return Taxonomy(
        attribute=attribute,
        labels=tuple(labels),
        parents=np.array(parents, dtype=np.int32),
        children=tuple(tuple(one) for one in children),
        first=np.array(first, dtype=np.int32),
        last=np.array(last, dtype=np.int32),
        leaves=leaves,
        origin=origin,
        find=find,
    )


def _twice(attribute: str, value: str, origin: str) -> HierarchyError:
    return HierarchyError(
        f"value {quoted(value)} of {attribute!r} is listed twice",
        where=origin,
        fix="list each value once",
    )
