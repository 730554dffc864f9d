"""Declare the domain and the level of detail of an attribute without using the table.

For differential privacy, a domain must not depend on the records. So the user declares each domain,
and the domain is public and part of the release. `private_table` handles records outside the
domains. A cut defines the released values: intervals of numbers, groups of categories, or, for a
set, the groups that contain its items. Only public choices refine a cut, so a release can contain
the cut.
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
    """A range of numbers from `low` to `high`, both included, in steps.

    A value between two steps counts as the lower step. A value outside the range counts as the
    nearest end of the range.
    """

    attribute: str
    low: Decimal
    high: Decimal
    step: Decimal = Decimal(1)  # the smallest difference between two values

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
        """The number of steps."""
        return int((self.high - self.low) / self.step) + 1

    def beyond(self, value: str) -> bool:
        """Return whether a value is a number outside the range."""
        number = _number(value)
        return number is not None and not self.low <= number < self.at(self.size)

    def locate(self, values: Sequence[str]) -> NDArray[np.int32]:
        """Return the step of each value, or `NOT_LISTED` for a value that is not a number."""
        numbers = [_number(value) for value in values]
        within = [None if one is None else min(max(one, self.low), self.high) for one in numbers]
        places = [
            NOT_LISTED if one is None else int((one - self.low) / self.step) for one in within
        ]
        return np.array(places, dtype=np.int32)

    def at(self, place: int) -> Decimal:
        """Return the number at a step."""
        return self.low + place * self.step

    def words(self, begin: int, end: int) -> str:
        """Name the steps from `begin` (included) to `end` (excluded) by first and last number."""
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
        """The name of the column or of the set-valued attribute."""
        return self.taxonomy.attribute

    @property
    def size(self) -> int:
        """The number of values or items."""
        return self.taxonomy.size


class CategoricalDomain(_TaxonomyDomain):
    """The leaves of a taxonomy. Each record has exactly one leaf."""


class SetDomain(_TaxonomyDomain):
    """The leaves of a taxonomy. Each record has a set of leaves, which may be empty."""


Domain: TypeAlias = NumericDomain | CategoricalDomain | SetDomain


Of = TypeVar("Of", NumericDomain, CategoricalDomain, SetDomain)
OfTaxonomy = TypeVar("OfTaxonomy", CategoricalDomain, SetDomain)

Combinations: TypeAlias = tuple[tuple[int, ...], ...]
"""Sets of positions in a cut, each in ascending order."""


@dataclass(frozen=True, eq=False)
class _Cut(Generic[Of]):
    domain: Of

    @property
    def attribute(self) -> str:
        """The name of the column or of the set-valued attribute."""
        return self.domain.attribute

    @property
    def size(self) -> int:
        """The number of values that the cut distinguishes."""
        raise NotImplementedError

    @property
    def is_specialized(self) -> bool:
        """Indicates whether the cut distinguishes any values."""
        return self.size > 1


@dataclass(frozen=True)
class NumericCut(_Cut[NumericDomain]):
    """A division of a range into intervals."""

    # Ascending steps: interval `i` is from ``bounds[i]`` (included) to ``bounds[i + 1]``
    # (excluded).
    bounds: tuple[int, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the intervals."""
        return tuple(self.label(begin) for begin in self.bounds[:-1])

    @property
    def size(self) -> int:
        """The number of intervals."""
        return len(self.bounds) - 1

    def end(self, begin: int) -> int:
        """Return the end of the interval that begins at a step."""
        return self.bounds[self.bounds.index(begin) + 1]

    def label(self, begin: int) -> str:
        """Return the name of the interval that begins at a step."""
        return self.domain.words(begin, self.end(begin))

    def of(self, steps: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the interval of each step."""
        return _last_not_above(self.bounds, steps)


@dataclass(frozen=True, eq=False)
class _TaxonomyCut(_Cut[OfTaxonomy]):
    nodes: tuple[int, ...]  # the nodes in the order of their leaves

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the nodes."""
        return tuple(self.label(node) for node in self.nodes)

    def label(self, node: int) -> str:
        """Return the name of a node."""
        return self.domain.taxonomy.labels[node]

    def children(self, node: int) -> tuple[int, ...]:
        """Return the child nodes."""
        return self.domain.taxonomy.children[node]

    def specialized(self, node: int) -> Self:
        """Replace a node with its children."""
        split = ((self.children(one) if one == node else (one,)) for one in self.nodes)
        return replace(self, nodes=tuple(chain.from_iterable(split)))

    def of(self, leaves: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return each leaf's position in the cut."""
        return _last_not_above(self.domain.taxonomy.first[list(self.nodes)], leaves)


class CategoricalCut(_TaxonomyCut[CategoricalDomain]):
    """Nodes of a taxonomy that cover each leaf exactly once."""

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.nodes)


class SetCut(_TaxonomyCut[SetDomain]):
    """Nodes of a taxonomy of items. A set is described by the nodes above the items in the set."""

    @property
    def size(self) -> int:
        """The number of combinations, which is 1 if the cut has only the root."""
        return 1 if self.nodes == (0,) else 1 << len(self.nodes)


AttributeCut: TypeAlias = NumericCut | CategoricalCut | SetCut


@dataclass(frozen=True)
class Specialization:
    """A refined part of an attribute: a node of a taxonomy, or an interval of numbers."""

    attribute: str
    node: int  # the node of the taxonomy; for numbers, the step at which the interval begins
    end: int | None  # where the interval ends, in steps; None for a node
    label: str  # the name of the node or the interval

    @property
    def words(self) -> str:
        """The attribute and its refined part, as a string."""
        return f"{self.attribute}: {self.label}"


def specialization_of(cut: AttributeCut, node: int) -> Specialization:
    """Return the specialization of a node in a cut, or of the interval that begins at a step."""
    end = cut.end(node) if isinstance(cut, NumericCut) else None
    return Specialization(cut.attribute, node, end, cut.label(node))


def _last_not_above(
    begins: Sequence[int] | NDArray[np.int32], values: NDArray[np.int32]
) -> NDArray[np.int32]:
    found = np.searchsorted(begins, values, side="right") - 1
    return np.where(values == NOT_LISTED, NOT_LISTED, found).astype(np.int32)


@dataclass(frozen=True, eq=False)
class CutGroups:
    """The groups that the cuts form, without the records in these groups."""

    cuts: tuple[AttributeCut, ...]  # one per attribute
    # For each attribute, the position of each group in the cut, shape ``(groups,)``. For a
    # set-valued attribute, the position in `combinations`.
    codes: tuple[NDArray[np.int32], ...] = field(repr=False)
    # For each set-valued attribute, the occurring combinations of positions in its cut. None for
    # other attributes.
    combinations: tuple[Combinations | None, ...] = field(repr=False)

    @property
    def size(self) -> int:
        """The number of groups."""
        return self.codes[0].size

    @property
    def attributes(self) -> Iterator[tuple[AttributeCut, NDArray[np.int32], Combinations | None]]:
        """Yield the cut, the codes, and the combinations of each attribute."""
        return zip(self.cuts, self.codes, self.combinations, strict=True)

    def chosen(self, places: NDArray[np.int64]) -> CutGroups:
        """Return some of the groups, in the given order."""
        return CutGroups(self.cuts, tuple(code[places] for code in self.codes), self.combinations)
