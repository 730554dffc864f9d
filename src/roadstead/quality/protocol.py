"""The interface of a quality model for a search and for a report.

The loss of a policy depends on its levels, on the suppressed rows, and on the classes of the kept
rows. More specific policies suppress more rows. A model keeps the information that it needs about
these rows in a *tally*, an immutable value that the model defines.

Pruning needs bounds. Let S be the rows that policy b suppresses. Let a be a more specific policy.
Every policy between a and b suppresses at least S. Suppose that S is suppressed and the other rows
have the levels of policy a. The resulting loss is a lower bound on the loss of each of these
policies: `lower_bound(a, b, tally of b, classes of b)` (paper 003, Pruning by quality).

To add a model, write a small class with the members of `QualityModel`, and describe the model in
words. `by_attribute` and `by_class` derive the rest from the costs of values or classes. A model
may also declare `terms`, which express the loss of a partition as a sum (`partition_losses`), and
`prices`, which express the cost in whole numbers (`partition_costs`). Such a model is available
wherever terms or prices are needed.
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
    """The part of a bound quality model that computes bounds for sublattices."""

    @property
    def groupings(self) -> int:
        """Return the number of policies whose classes were computed for bounds.

        These policies count as evaluations.
        """

    def lower_bound(
        self, lower: Levels, upper: Levels, tally: Tally_contra, classes: Classes
    ) -> float:
        """Return a bound for all policies from `lower` to `upper`. `classes` belongs to `upper`."""

    def raised_bounds(
        self, lower: Levels, upper: Levels, tally: Tally_contra, classes: Classes
    ) -> list[list[float]]:
        """Return `lower_bound` after one component of `lower` is raised, but not above `upper`.

        Entry ``[i][j]`` is the bound for component i raised by ``j + 1``. Bounds do not fall as the
        level rises, and may have an error of 1e-12.
        """


class BoundQuality(Bounds[Tally], Protocol[Tally]):
    """A quality model that is bound to one table."""

    def nothing_suppressed(self) -> Tally:
        """Return the tally for the case that no rows are suppressed."""

    def suppress(self, tally: Tally, rows: NDArray[np.uint32]) -> Tally:
        """Return the tally after the given rows are also suppressed."""

    def loss(self, levels: Levels, tally: Tally, classes: Classes) -> float:
        """Return the loss of a policy, from 0 for unchanged data to 1 if everything is removed."""

    def loss_by_attribute(
        self, levels: Levels, tally: Tally, classes: Classes
    ) -> list[float] | None:
        """Return the loss of each attribute, or None if the loss cannot be separated."""


@runtime_checkable
class OfParts(Protocol):
    """A bound model that can compute the loss of a subset of the attributes."""

    def part(self, places: Sequence[int]) -> tuple[BoundQuality[Any], float] | None:
        """Return the model for the attributes at the given places, and their share of the whole.

        The returned model ignores all other attributes. The method returns None if no such model
        exists.
        """

    def whole(self, known: Sequence[tuple[float, float]]) -> float:
        """Return a bound on the loss of all attributes, from the shares and losses of parts.

        The sum of the shares is at most 1.
        """


@dataclass(frozen=True)
class SurelyLost:
    """Records in the `upper` classes that every policy in a sublattice suppresses.

    At least `records` records in these classes are suppressed, including all records in `rows`. The
    other suppressed records are not known, but at least `of_each` records of each class are
    suppressed in total. `classes` is an upper bound on the number of released classes, or None.
    """

    rows: NDArray[np.uint32]
    records: int
    of_each: NDArray[np.int64]
    classes: int | None = None


@runtime_checkable
class LosesSome(Protocol[Tally]):
    """A quality model whose bounds can use the number of suppressed records."""

    def lose_some(self, tally: Tally, lost: SurelyLost, classes: Classes) -> Tally:
        """Return a tally for bounds after the given records of the classes are lost."""


@runtime_checkable
class GroupsForBounds(Protocol[Tally_contra]):
    """A quality model whose bounds need the classes of `lower`. The caller may provide them."""

    @property
    def counts_classes(self) -> bool:
        """Return whether the bounds use the largest possible number of released classes."""

    def groups(self, lower: Levels, upper: Levels, tally: Tally_contra, classes: Classes) -> bool:
        """Return whether `lower_bound` would compute the classes of `lower`."""

    def remember(self, lower: Levels, tally: Tally_contra, classes: Classes, fine: Classes) -> None:
        """Remember that the `classes` of the upper end consist of the `fine` classes of `lower`."""


class QualityModel(Protocol):
    """A measure of a policy's loss."""

    @property
    def name(self) -> str:
        """Return the name in settings."""

    @property
    def words(self) -> QualityWords:
        """Return the words that describe the model."""

    @property
    def capabilities(self) -> Capabilities:
        """Return the features that the model supports, such as people, weights, or a recoding."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns, other than quasi-identifiers, that the model needs.

        The model uses the distribution of these columns in a class.
        """

    def bind(self, encoding: Encoding) -> BoundQuality[Any]:
        """Prepare the model for one table, which also has the `columns`.

        Raises
        ------
        SettingError or HierarchyError
            If the parameters do not fit the table, or if the loss cannot be measured.
        """

    def settings(self) -> dict[str, Any]:
        """Return the parameters for the certificate."""
