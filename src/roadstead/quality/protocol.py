"""The interface of a quality model for a search and for a report.

The loss of a policy depends on its levels, on the suppressed rows, and on the classes of the kept
rows. On the way to more specific policies, more and more rows are suppressed. A model keeps what it
needs to know about them in a *tally*, an immutable value that the model defines.

Pruning needs bounds. Let S be the rows suppressed under policy b. Every policy between a and b
suppresses at least S. So the loss of the other rows at the levels of a, with S suppressed, is a
lower bound for all of these policies: `lower_bound(a, b, tally of b, classes of b)` (paper 003,
Pruning by quality). To add a model, write one small class with these members and its words;
`by_attribute` and `by_class` derive the rest from the costs of its values or classes. A model may
also declare `terms`, the loss of a partition as a sum (`partition_losses`), and `prices`, the cost
in whole numbers (`partition_costs`). It is then available where these are needed.
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
        """Return `lower_bound` with one component of `lower` raised, for all below `upper`.

        Entry ``[i][j]`` has component i raised by ``j + 1``. Bounds do not fall with the level, and
        may be wrong by 1e-12.
        """


class BoundQuality(Bounds[Tally], Protocol[Tally]):
    """A quality model on one table."""

    def nothing_suppressed(self) -> Tally:
        """Tally of the empty set of rows."""

    def suppress(self, tally: Tally, rows: NDArray[np.uint32]) -> Tally:
        """Return the tally after these rows are also suppressed."""

    def loss(self, levels: Levels, tally: Tally, classes: Classes) -> float:
        """The loss of a policy: 0 for the unchanged data, 1 if everything is removed."""

    def loss_by_attribute(
        self, levels: Levels, tally: Tally, classes: Classes
    ) -> list[float] | None:
        """The loss of each attribute, for explanation; None if it cannot be separated."""


@runtime_checkable
class OfParts(Protocol):
    """A bound model that can compute the loss in some of the attributes alone."""

    def part(self, places: Sequence[int]) -> tuple[BoundQuality[Any], float] | None:
        """Return the model of some attributes, given by their places, and their share of the whole.

        This model ignores the other attributes. None if it has none of these attributes.
        """

    def whole(self, known: Sequence[tuple[float, float]]) -> float:
        """Bound the loss in all attributes by shares, 1 together at most, and losses of parts."""


@dataclass(frozen=True)
class SurelyLost:
    """Records in the classes of a sublattice's upper end that every policy of it suppresses.

    At least `records` records of these classes are suppressed, including the records of `rows`. The
    other suppressed records are unknown, except that there are `of_each` in each class. At most
    `classes` classes are released, if that number is bounded.
    """

    rows: NDArray[np.uint32]
    records: int
    of_each: NDArray[np.int64]
    classes: int | None = None


@runtime_checkable
class LosesSome(Protocol[Tally]):
    """A quality model that bounds with how many records are suppressed, whichever they are."""

    def lose_some(self, tally: Tally, lost: SurelyLost, classes: Classes) -> Tally:
        """Return a tally, only for bounds, after this many records of the classes are lost."""


@runtime_checkable
class GroupsForBounds(Protocol[Tally_contra]):
    """A quality model whose bounds need the classes of the lower end, which a caller may pass."""

    @property
    def counts_classes(self) -> bool:
        """Whether its bounds use how many classes are released at most."""

    def groups(self, lower: Levels, upper: Levels, tally: Tally_contra, classes: Classes) -> bool:
        """Whether `lower_bound` would compute the classes of `lower`."""

    def remember(self, lower: Levels, tally: Tally_contra, classes: Classes, fine: Classes) -> None:
        """Remember that the `classes` of the upper end consist of the `fine` classes of `lower`."""


class QualityModel(Protocol):
    """A measure of a policy's loss."""

    @property
    def name(self) -> str:
        """The name that users give."""

    @property
    def words(self) -> QualityWords:
        """The words for readers."""

    @property
    def capabilities(self) -> Capabilities:
        """The features that it supports: people, weights, a recoding, the engine."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Further columns, not quasi-identifiers, whose distribution in a class the model needs."""

    def bind(self, encoding: Encoding) -> BoundQuality[Any]:
        """Prepare the model for one table, which also has the `columns`.

        Raise a SettingError or HierarchyError if the parameters do not fit the table, or if the
        loss cannot be measured.
        """

    def settings(self) -> dict[str, Any]:
        """Parameters for the certificate."""
