"""How detailed each attribute is: the nodes of its cut, from one for all values downwards.

A cut says what a released value is: an interval of numbers, a group of categories, or, for a set,
which groups it has items in. It is made from public choices alone, so it is released, and any other
record can be generalized by it: those that a classifier is tested on, or next year's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.domains import CategoricalDomain, NumericDomain, SetDomain
from roadstead.hierarchies.taxonomy import NOT_LISTED


@dataclass(frozen=True)
class NumericCut:
    """Intervals of a range."""

    domain: NumericDomain
    # Ascending steps: interval `i` is ``bounds[i]`` up to, not with, ``bounds[i + 1]``.
    bounds: tuple[int, ...]

    @property
    def attribute(self) -> str:
        """The column."""
        return self.domain.attribute

    @property
    def labels(self) -> tuple[str, ...]:
        """What each interval is called."""
        pairs = zip(self.bounds[:-1], self.bounds[1:], strict=True)
        return tuple(self.domain.words(begin, end) for begin, end in pairs)

    def locate(self, values: Sequence[str]) -> NDArray[np.int32]:
        """Find the interval of each value; ``(len(values),)``, `NOT_LISTED` if it is no number."""
        return self.of(self.domain.locate(values))

    def of(self, places: NDArray[np.int32]) -> NDArray[np.int32]:
        """Find the interval of each step."""
        found = np.searchsorted(self.bounds, places, side="right") - 1
        return np.where(places == NOT_LISTED, NOT_LISTED, found).astype(np.int32)


@dataclass(frozen=True, eq=False)
class CategoricalCut:
    """Nodes of a taxonomy that cover each leaf once."""

    domain: CategoricalDomain
    nodes: tuple[int, ...]  # the nodes in the order of their leaves

    @property
    def attribute(self) -> str:
        """The column."""
        return self.domain.attribute

    @property
    def labels(self) -> tuple[str, ...]:
        """What each node is called."""
        return tuple(self.domain.taxonomy.labels[node] for node in self.nodes)

    def locate(self, values: Sequence[str]) -> NDArray[np.int32]:
        """Find the place in the cut of each value; `NOT_LISTED` where the taxonomy lacks it."""
        return self.of(self.domain.taxonomy.locate(values))

    def of(self, leaves: NDArray[np.int32]) -> NDArray[np.int32]:
        """Find the place in the cut of each leaf."""
        first = self.domain.taxonomy.first[list(self.nodes)]
        found = np.searchsorted(first, leaves, side="right") - 1
        return np.where(leaves == NOT_LISTED, NOT_LISTED, found).astype(np.int32)


@dataclass(frozen=True, eq=False)
class SetCut:
    """Nodes of a taxonomy of items; a set is described by the nodes that it has items under."""

    domain: SetDomain
    # The nodes in the order of their leaves. The root alone says nothing, not even whether a set
    # is empty.
    nodes: tuple[int, ...]

    @property
    def attribute(self) -> str:
        """The set-valued attribute."""
        return self.domain.attribute

    @property
    def labels(self) -> tuple[str, ...]:
        """What each node is called."""
        return tuple(self.domain.taxonomy.labels[node] for node in self.nodes)

    @property
    def is_specialized(self) -> bool:
        """Whether the cut distinguishes any sets."""
        return self.nodes != (0,)

    def locate(self, sets: Sequence[Sequence[str]]) -> tuple[tuple[int, ...], ...]:
        """Find for each set of items the places in the cut that it has items under."""
        taxonomy = self.domain.taxonomy
        first = taxonomy.first[list(self.nodes)]
        found = []
        for items in sets:
            leaves = taxonomy.locate(list(items))
            leaves = leaves[leaves != NOT_LISTED]
            places = np.unique(np.searchsorted(first, leaves, side="right") - 1)
            found.append(tuple(int(place) for place in places) if self.is_specialized else (0,))
        return tuple(found)


AttributeCut: TypeAlias = NumericCut | CategoricalCut | SetCut


@dataclass(frozen=True, eq=False)
class CutGroups:
    """The partitions that the cuts make, without the records in them."""

    cuts: tuple[AttributeCut, ...]  # one for each attribute
    # For each attribute, shape ``(groups,)``: the place in its cut; for a set-valued attribute the
    # place among `combinations`.
    codes: tuple[NDArray[np.int32], ...] = field(repr=False)
    # For each set-valued attribute the combinations of places in its cut that occur; None for the
    # others.
    combinations: tuple[tuple[tuple[int, ...], ...] | None, ...] = field(repr=False)

    @property
    def size(self) -> int:
        """How many groups there are."""
        return self.codes[0].size

    def chosen(self, places: NDArray[np.int64]) -> CutGroups:
        """Keep some of the groups, in the order given."""
        return CutGroups(self.cuts, tuple(code[places] for code in self.codes), self.combinations)
