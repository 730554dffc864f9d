"""Small tables within public domains: random for tests, written as lists of records.

A record is a tuple of values and a class. A number is its step, a category is the label of a leaf,
and a set is a frozenset of labels. A tree is a dictionary from each label to the labels directly
below it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias, TypeVar

import numpy as np
from hypothesis import strategies as st

from roadstead.differential.domains import CategoricalDomain, Domain, NumericDomain, SetDomain
from roadstead.differential.private_table import ItemSets, PrivateTable
from roadstead.hierarchies.taxonomy import Branch, Taxonomy, from_branches

Tree: TypeAlias = Mapping[str, tuple[str, ...]]
Shape: TypeAlias = "tuple[Shape, ...]"
Value: TypeAlias = int | str | frozenset[str]
Record: TypeAlias = tuple[tuple[Value, ...], str]
Drawn = TypeVar("Drawn")


@dataclass(frozen=True)
class Numbers:
    """A range of steps from 0 up to, not with, `size`."""

    name: str
    size: int


@dataclass(frozen=True)
class Categories:
    """One leaf of a tree; the root has the attribute's name."""

    name: str
    tree: Tree


@dataclass(frozen=True)
class Items:
    """Any number of leaves of a tree; the root has the attribute's name."""

    name: str
    tree: Tree


Attribute: TypeAlias = Numbers | Categories | Items


@dataclass(frozen=True)
class Case:
    """A table: what is public about it, and its records, equal ones as often as they occur."""

    attributes: tuple[Attribute, ...]
    classes: tuple[str, ...]
    records: tuple[Record, ...]


def leaves(tree: Tree, node: str) -> tuple[str, ...]:
    """Give the leaves under a node, from left to right."""
    below = tree[node]
    return tuple(leaf for child in below for leaf in leaves(tree, child)) if below else (node,)


def taxonomy(name: str, tree: Tree) -> Taxonomy:
    """Make the tree a taxonomy."""

    def branch(node: str) -> Branch:
        return {child: branch(child) for child in tree[node]}

    return from_branches(name, name, branch(name), origin="test")


def private_table(case: Case) -> PrivateTable:
    """Make the records a private table, equal ones one row."""
    counted = Counter(case.records)
    rows = list(counted)
    domains: list[Domain] = []
    codes = []
    sets: list[ItemSets | None] = []
    for at, attribute in enumerate(case.attributes):
        column = [values[at] for values, _ in rows]
        match attribute:
            case Numbers(name, size):
                domains.append(NumericDomain(name, Decimal(0), Decimal(size - 1)))
                own, known = column, None
            case Categories(name, tree):
                domains.append(CategoricalDomain(taxonomy(name, tree)))
                places: list[Value] = list(leaves(tree, name))
                own, known = [places.index(value) for value in column], None
            case Items(name, tree):
                domains.append(SetDomain(taxonomy(name, tree)))
                known, own = _sets(column, leaves(tree, name))
        codes.append(np.array(own, dtype=np.int32))
        sets.append(known)
    return PrivateTable(
        domains=tuple(domains),
        classes=case.classes,
        codes=tuple(codes),
        sets=tuple(sets),
        target=np.array([case.classes.index(label) for _, label in rows], dtype=np.int32),
        counts=np.array(list(counted.values()), dtype=np.int64),
    )


def _sets(column: Sequence[Value], order: Sequence[str]) -> tuple[ItemSets, list[Value]]:
    distinct = list(dict.fromkeys(column))
    items = [sorted(order.index(one) for one in items_in(value)) for value in distinct]
    starts = np.cumsum([0, *(len(one) for one in items)]).astype(np.int64)
    flat = np.array([leaf for one in items for leaf in one], dtype=np.int32)
    return ItemSets(starts, flat), [distinct.index(value) for value in column]


def items_in(value: Value) -> frozenset[str]:
    """Take a value for what it is: a set."""
    assert isinstance(value, frozenset)
    return value


_LEAF: Shape = ()
_PAIR: Shape = (_LEAF, _LEAF)
_SHAPES: tuple[Shape, ...] = (
    _PAIR,
    _LEAF,
    (_LEAF, _LEAF, _LEAF),
    (_PAIR, _LEAF),
    (_LEAF, _PAIR, _LEAF),
    (_PAIR, (_LEAF, _LEAF, _LEAF)),
    (((_PAIR, _LEAF), _LEAF), _PAIR),
)
"""Trees without labels. All have equal probability: Hypothesis alone would draw small ones."""


def tree_of(name: str, shape: Shape) -> Tree:
    """Name the nodes of a shape by the way down to them; a tree has one leaf at least."""
    tree = {name: tuple(f"{name}.{at}" for at in range(len(shape) or 1))}
    for child, below in zip(tree[name], shape or ((),), strict=True):
        tree.update(tree_of(child, below) if below else {child: ()})
    return tree


def attributes(kinds: str = "nci") -> st.SearchStrategy[tuple[Attribute, ...]]:
    """Draw one to three attributes; `kinds` has n for numbers, c for categories, i for items."""

    def named(at: int, kind: str, size: int, shape: Shape) -> Attribute:
        name = f"{kind}{at}"
        if kind == "n":
            return Numbers(name, size)
        return (Categories if kind == "c" else Items)(name, tree_of(name, shape))

    sizes = st.sampled_from((9, 5, 3, 2, 1))
    one = st.tuples(st.sampled_from(kinds), sizes, st.sampled_from(_SHAPES))
    drawn = st.sampled_from((1, 2, 2, 3)).flatmap(lambda n: st.lists(one, min_size=n, max_size=n))
    return drawn.map(lambda all_: tuple(named(at, *this) for at, this in enumerate(all_)))


def values(attribute: Attribute) -> st.SearchStrategy[Value]:
    """Draw a value of an attribute."""
    match attribute:
        case Numbers(_, size):
            return st.integers(0, size - 1)
        case Categories(name, tree):
            return st.sampled_from(leaves(tree, name))
        case Items(name, tree):
            return st.frozensets(st.sampled_from(leaves(tree, name)), max_size=4)


def records(
    attributes: tuple[Attribute, ...], classes: tuple[str, ...]
) -> st.SearchStrategy[Record]:
    """Draw a record."""
    return st.tuples(
        st.tuples(*(values(attribute) for attribute in attributes)), st.sampled_from(classes)
    )


@st.composite
def cases(draw: st.DrawFn, kinds: str = "nci") -> Case:
    """Draw a table of up to a dozen different records, some of them several times."""
    public = draw(attributes(kinds))
    classes = ("yes", "no", "maybe")[: draw(st.sampled_from((2, 2, 3, 1)))]
    rows = draw(st.sampled_from((8, 5, 12, 3, 1, 0)))
    row = st.tuples(records(public, classes), st.sampled_from((1, 1, 2, 4)))
    drawn = draw(st.lists(row, min_size=rows, max_size=rows))
    return Case(public, classes, tuple(one for one, times in drawn for _ in range(times)))


@st.composite
def neighbors(draw: st.DrawFn, kinds: str = "nci") -> tuple[Case, Case]:
    """Draw a table, and the same with one record more."""
    case = draw(cases(kinds))
    more = draw(records(case.attributes, case.classes))
    return case, Case(case.attributes, case.classes, (*case.records, more))
