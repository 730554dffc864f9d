"""What is known of an attribute without looking at the table, and how detailed it is shown.

Differential privacy bounds what one record can change of an output. A domain that was read off the
table would itself change with a record, so each one is declared: a range for numbers, a taxonomy
for categories and for the items of sets, a list for the classes to be predicted. They are public,
and part of what is released (paper 002 assumes it). Every record has a place in the declared domain
or none; which policy applies to those that have none is in `private_table`. The place depends on
that one record alone.

A cut says what a released value is: an interval of numbers, a group of categories, or, for a set,
which groups it has items in. It is made from public choices alone, from one node for all values
downwards, so it is released, and any other record can be generalized by it: those that a classifier
is tested on, or next year's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from itertools import chain
from typing import Generic, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.hierarchies.taxonomy import NOT_LISTED, Taxonomy

_MOST_CELLS = 1 << 31


@dataclass(frozen=True)
class NumericDomain:
    """Numbers from `low` to `high`, both included, distinguished in steps.

    A value between two steps counts as the lower one; a value beyond an end counts as that end.
    """

    attribute: str
    low: Decimal
    high: Decimal
    step: Decimal = Decimal(1)  # the smallest difference that counts

    def __post_init__(self) -> None:
        if not (self.low.is_finite() and self.high.is_finite() and self.step.is_finite()):
            what, fix = "a range requires finite numbers", "write LOW..HIGH"
        elif self.step <= 0:
            what, fix = "the step is not above 0", "write LOW..HIGH/STEP, for example, 10..60/0.1"
        elif self.high < self.low:
            what = f"the range ends below its start: {self.low}..{self.high}"
            fix = "write the smaller number first"
        elif (self.high - self.low) / self.step >= _MOST_CELLS:
            what = f"the range has more than {_MOST_CELLS:,} steps"
            fix = "declare a larger step, for example, 0..1000000000/1000"
        else:
            return
        raise SettingError(what, where=f"domain of {self.attribute!r}", fix=fix)

    @property
    def size(self) -> int:
        """How many values are distinguished."""
        return int((self.high - self.low) / self.step) + 1

    def beyond(self, value: str) -> bool:
        """Whether a value is a number, and beyond an end of the range."""
        number = _number(value)
        return number is not None and not self.low <= number < self.at(self.size)

    def locate(self, values: Sequence[str]) -> NDArray[np.int32]:
        """Find the step of each value, `NOT_LISTED` where it is no number; ``(len(values),)``."""
        numbers = [_number(value) for value in values]
        within = [None if one is None else min(max(one, self.low), self.high) for one in numbers]
        places = [
            NOT_LISTED if one is None else int((one - self.low) / self.step) for one in within
        ]
        return np.array(places, dtype=np.int32)

    def at(self, place: int) -> Decimal:
        """Give the number at a step."""
        return self.low + place * self.step

    def words(self, begin: int, end: int) -> str:
        """Call the steps from `begin` up to, not with, `end` by their first and last number."""
        first, last = self.at(begin), self.at(end - 1)
        return f"{first}" if first == last else f"{first} to {last}"


def _number(value: str) -> Decimal | None:
    try:
        number = Decimal(value.strip())
    except InvalidOperation:
        return None
    return None if number.is_nan() else number


@dataclass(frozen=True, eq=False)
class _TaxonomyDomain:
    taxonomy: Taxonomy

    @property
    def attribute(self) -> str:
        """The column, or the set-valued attribute."""
        return self.taxonomy.attribute

    @property
    def size(self) -> int:
        """How many values, or items, there are."""
        return self.taxonomy.size


class CategoricalDomain(_TaxonomyDomain):
    """The leaves of a taxonomy, one to a record."""


class SetDomain(_TaxonomyDomain):
    """Sets of leaves of a taxonomy, one set to a record; a set may be empty."""


Domain: TypeAlias = NumericDomain | CategoricalDomain | SetDomain


Of = TypeVar("Of", NumericDomain, CategoricalDomain, SetDomain)
OfTaxonomy = TypeVar("OfTaxonomy", CategoricalDomain, SetDomain)

Combinations: TypeAlias = tuple[tuple[int, ...], ...]
"""Sets of places in a cut, each ascending."""


@dataclass(frozen=True, eq=False)
class _Cut(Generic[Of]):
    domain: Of

    @property
    def attribute(self) -> str:
        """The column, or the set-valued attribute."""
        return self.domain.attribute

    @property
    def size(self) -> int:
        """How many values the cut distinguishes."""
        raise NotImplementedError

    @property
    def is_specialized(self) -> bool:
        """Whether the cut distinguishes any values."""
        return self.size > 1


@dataclass(frozen=True)
class NumericCut(_Cut[NumericDomain]):
    """Intervals of a range."""

    # Ascending steps: interval `i` is ``bounds[i]`` up to, not with, ``bounds[i + 1]``.
    bounds: tuple[int, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """What each interval is called."""
        return tuple(self.label(begin) for begin in self.bounds[:-1])

    @property
    def size(self) -> int:
        """How many intervals there are."""
        return len(self.bounds) - 1

    def end(self, begin: int) -> int:
        """Where the interval ends that begins at a step."""
        return self.bounds[self.bounds.index(begin) + 1]

    def label(self, begin: int) -> str:
        """What the interval is called that begins at a step."""
        return self.domain.words(begin, self.end(begin))

    def of(self, steps: NDArray[np.int32]) -> NDArray[np.int32]:
        """Find the interval of each step."""
        return _last_not_above(self.bounds, steps)


@dataclass(frozen=True, eq=False)
class _TaxonomyCut(_Cut[OfTaxonomy]):
    nodes: tuple[int, ...]  # the nodes in the order of their leaves

    @property
    def labels(self) -> tuple[str, ...]:
        """What each node is called."""
        return tuple(self.label(node) for node in self.nodes)

    def label(self, node: int) -> str:
        """What a node is called."""
        return self.domain.taxonomy.labels[node]

    def children(self, node: int) -> tuple[int, ...]:
        """Give the nodes right below."""
        return self.domain.taxonomy.children[node]

    def specialized(self, node: int) -> Self:
        """Replace a node by its children."""
        split = ((self.children(one) if one == node else (one,)) for one in self.nodes)
        return replace(self, nodes=tuple(chain.from_iterable(split)))

    def of(self, leaves: NDArray[np.int32]) -> NDArray[np.int32]:
        """Find the place in the cut of each leaf."""
        return _last_not_above(self.domain.taxonomy.first[list(self.nodes)], leaves)


class CategoricalCut(_TaxonomyCut[CategoricalDomain]):
    """Nodes of a taxonomy that cover each leaf once."""

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self.nodes)


class SetCut(_TaxonomyCut[SetDomain]):
    """Nodes of a taxonomy of items; a set is described by the nodes that it has items under."""

    @property
    def size(self) -> int:
        """How many combinations there are; the root alone does not even say if a set is empty."""
        return 1 if self.nodes == (0,) else 1 << len(self.nodes)


AttributeCut: TypeAlias = NumericCut | CategoricalCut | SetCut


@dataclass(frozen=True)
class Specialization:
    """What was told in more detail: a node of a taxonomy, or an interval of numbers."""

    attribute: str
    node: int  # of a taxonomy; of numbers, the step at which the interval begins
    end: int | None  # where the interval ends, in steps; None for a node
    label: str  # what the node or the interval is called

    @property
    def words(self) -> str:
        """The attribute, and what of it was told in more detail."""
        return f"{self.attribute}: {self.label}"


def specialization_of(cut: AttributeCut, node: int) -> Specialization:
    """Return the specialization of a node of a cut, or of the interval that begins at a step."""
    end = cut.end(node) if isinstance(cut, NumericCut) else None
    return Specialization(cut.attribute, node, end, cut.label(node))


def _last_not_above(
    begins: Sequence[int] | NDArray[np.int32], values: NDArray[np.int32]
) -> NDArray[np.int32]:
    found = np.searchsorted(begins, values, side="right") - 1
    return np.where(values == NOT_LISTED, NOT_LISTED, found).astype(np.int32)


@dataclass(frozen=True, eq=False)
class CutGroups:
    """The partitions that the cuts make, without the records in them."""

    cuts: tuple[AttributeCut, ...]  # one for each attribute
    # For each attribute, shape ``(groups,)``: the place in its cut; for a set-valued attribute the
    # place among `combinations`.
    codes: tuple[NDArray[np.int32], ...] = field(repr=False)
    # For each set-valued attribute the combinations of places in its cut that occur; None for the
    # others.
    combinations: tuple[Combinations | None, ...] = field(repr=False)

    @property
    def size(self) -> int:
        """How many groups there are."""
        return self.codes[0].size

    @property
    def attributes(self) -> Iterator[tuple[AttributeCut, NDArray[np.int32], Combinations | None]]:
        """Each attribute: its cut, its codes and its combinations."""
        return zip(self.cuts, self.codes, self.combinations, strict=True)

    def chosen(self, places: NDArray[np.int64]) -> CutGroups:
        """Keep some of the groups, in the order given."""
        return CutGroups(self.cuts, tuple(code[places] for code in self.codes), self.combinations)
