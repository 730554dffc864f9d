"""What a search asks of a quality model, and what a report says of it.

The loss of a policy depends on its levels, on the rows that are suppressed, and on the classes of
those that are kept. On the way to more specific policies more and more rows are suppressed; a model
keeps what it needs to know of them in a *tally*, an immutable value of its own making.

Pruning needs bounds. If S are the rows suppressed under policy b, then every policy between a and b
suppresses S at least, so what the levels of a lose on the other rows, with S suppressed, is a lower
bound for all of them: `lower_bound(a, b, tally of b, classes of b)` (paper 003, Pruning by
quality). To add a model, write one small class with these members, and its words; `by_attribute`
and `by_class` derive the rest from what its values or classes cost. It may also declare `terms`,
what a partition loses, as a sum (`partition_losses`), and `prices`, what it costs in whole numbers
(`partition_costs`), and is then offered where these are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities
from roadstead.policies.classes import Classes
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.quality.words import QualityWords

Tally = TypeVar("Tally")
Tally_contra = TypeVar("Tally_contra", contravariant=True)


class Bounds(Protocol[Tally_contra]):
    """The part of a quality model on one table that bounds sublattices."""

    @property
    def groupings(self) -> int:
        """How many policies' classes were computed for bounds so far: they count as evaluations."""

    def lower_bound(
        self, lower: Levels, upper: Levels, tally: Tally_contra, classes: Classes
    ) -> float:
        """Bound the loss of all from `lower` to `upper`, whose tally and classes are given."""

    def raised_bounds(
        self, lower: Levels, upper: Levels, tally: Tally_contra, classes: Classes
    ) -> list[list[float]]:
        """Give `lower_bound` with one component of `lower` raised, for all that are below `upper`.

        Entry ``[i][j]`` has component i raised by ``j + 1``. Bounds do not fall with the level,
        and may be off by 1e-12.
        """


class BoundQuality(Bounds[Tally], Protocol[Tally]):
    """A quality model on one table."""

    def nothing_suppressed(self) -> Tally:
        """Tally of the empty set of rows."""

    def suppress(self, tally: Tally, rows: NDArray[np.uint32]) -> Tally:
        """Tally after these rows too are suppressed."""

    def loss(self, levels: Levels, tally: Tally, classes: Classes) -> float:
        """Loss of a policy, 0 for the data as they are, 1 for nothing left."""

    def loss_by_attribute(
        self, levels: Levels, tally: Tally, classes: Classes
    ) -> list[float] | None:
        """Loss of each attribute, for explanation; None where it cannot be told apart."""


@runtime_checkable
class OfParts(Protocol):
    """A bound model that can tell the loss in some of the attributes alone."""

    def part(self, places: Sequence[int]) -> tuple[BoundQuality[Any], float] | None:
        """Give the model of some attributes, by their places, and what share of the whole they are.

        That model takes no notice of the other attributes. None where there is none of them.
        """

    def whole(self, known: Sequence[tuple[float, float]]) -> float:
        """Bound the loss in all attributes by shares, 1 together at most, and losses of parts."""


@dataclass(frozen=True)
class SurelyLost:
    """What no policy of a sublattice releases of the classes of its upper end.

    Of these classes at least so many `records` are suppressed, those of the `rows` among them;
    which the others are is not known, but that there are so many `of_each` class. At most `classes`
    are released, where that is bounded.
    """

    rows: NDArray[np.uint32]
    records: int
    of_each: NDArray[np.int64]
    classes: int | None = None


@runtime_checkable
class LosesSome(Protocol[Tally]):
    """A quality model that bounds with how many records are suppressed, whichever they are."""

    def lose_some(self, tally: Tally, lost: SurelyLost, classes: Classes) -> Tally:
        """Tally to bound with, and for nothing else, where so much of these classes is lost."""


@runtime_checkable
class GroupsForBounds(Protocol[Tally_contra]):
    """A quality model whose bounds need the classes of the lower end: who has them may tell."""

    @property
    def counts_classes(self) -> bool:
        """Whether its bounds use how many classes are released at most."""

    def groups(self, lower: Levels, upper: Levels, tally: Tally_contra, classes: Classes) -> bool:
        """Whether `lower_bound` would compute the classes of `lower`."""

    def remember(self, lower: Levels, tally: Tally_contra, classes: Classes, fine: Classes) -> None:
        """Note that the `classes` of the upper end are made of the `fine` ones of `lower`."""


class QualityModel(Protocol):
    """A way of measuring what a policy loses."""

    @property
    def name(self) -> str:
        """The name that users give."""

    @property
    def words(self) -> QualityWords:
        """What people read of it."""

    @property
    def capabilities(self) -> Capabilities:
        """What it supports: persons, weights, a recoding, the engine."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns alongside the quasi-identifiers whose distribution in a class it looks at."""

    def bind(self, encoding: Encoding) -> BoundQuality[Any]:
        """Prepare the model for one table, which has the `columns` alongside.

        SettingError or HierarchyError where its parameters do not fit the table, or it cannot be
        measured.
        """

    def settings(self) -> dict[str, Any]:
        """Parameters for the certificate."""
