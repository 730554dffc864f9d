"""The interface between a search and a privacy model.

A model decides which classes of a policy may be released. The records of the other classes are
suppressed (paper 003, Transformation models). To add a model, write a small class that inherits
from `PrivacyModel`. A search works the same way with every model.

A `PrivacyModel` contains the settings that a user specifies. A *bound* model also contains facts
about one table, such as the distribution of a sensitive column. The bound model makes the decision.

A model is *monotone* if a class that satisfies the model still satisfies it after other records
join the class. Pruning requires a monotone model: a record that a policy suppresses is then also
suppressed by every more specific policy. A model that is not monotone has a weaker, monotone model
as its `monotone_part`. A class that fails the weaker model also fails the original model.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol, Self, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import NOTHING, Capabilities
from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.classes import Classes
from roadstead.publications import Publication
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.kept_bits import KeptOfRows


class BoundPrivacy(Protocol):
    """A condition on the equivalence classes of one table."""

    @property
    def monotone_part(self) -> BoundPrivacy:
        """Return this model if it is monotone. Otherwise, return a weaker, monotone model."""

    @property
    def merges(self) -> bool:
        """Return whether the union of two valid classes is always valid.

        Every monotone model has this property. If a policy does not suppress anything under a model
        with this property, more general policies do not suppress anything either. The property must
        also cover people in a population who are not in the table: a valid class stays valid when
        such people join the class.
        """

    @property
    def per_class(self) -> bool:
        """Return whether the decision about a class is independent of the other classes."""

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return whether each class may be released, as an array of shape ``(classes,)``.

        If the decisions depend on each other, the marked classes satisfy the model when all other
        classes are suppressed.
        """


class Monotone:
    """A condition that a class still satisfies after other records join the class."""

    merges: ClassVar[bool] = True
    per_class: ClassVar[bool] = True

    @property
    def monotone_part(self) -> Self:
        """Return this condition."""
        return self


@runtime_checkable
class BoundsReleases(Protocol):
    """A bound model that limits the number of records that more specific policies release.

    A search uses the limit for pruning. The search knows the classes of a policy, and asks the
    model about all policies below this policy. A *part* is a set of rows: all or some rows of a
    class of this policy. The size of a part is its number of records. Each class that a lower
    policy releases satisfies the model, consists of rows of one part, and has all records of these
    rows. Several released classes may come from one part. If a model cannot give a bound, it
    returns `most` unchanged.

    docs/methods/bounds-of-models.md has examples with proofs, and
    `roadstead.testing.privacy_models.check_bounds` tests a bound on random lattices.
    """

    def most_released(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.int64]:
        """Reduce `most`, the limit on the records that lower policies release from each part.

        The numbering follows `parts`, and `most` never exceeds the sizes of the parts. The result
        must be at least the number of records that any lower policy releases, and at most `most`.
        """


@runtime_checkable
class BarsRows(BoundsReleases, Protocol):
    """A model that also finds rows that no lower policy can release."""

    def barred(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Mark the rows that no lower policy can release, in the order of the members of `parts`.

        A part releases at most `most` records.
        """


@runtime_checkable
class BoundsBlocks(Protocol):
    """A model that gives tighter bounds for all policies between two given policies.

    The classes of the more specific policy are called *blocks*. Each policy between the two given
    policies either releases a whole block in one class, or does not release the block.
    """

    @property
    def bounds_blocks(self) -> bool:
        """Return whether the model, with its parameters and this table, gives bounds on blocks."""

    def blocks_released(
        self, blocks: Classes, part: NDArray[np.int64], most: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Lower `most` for each part, and mark the blocks that no policy in between can release.

        `part` gives the part that contains each block.
        """


@runtime_checkable
class BoundsClasses(Protocol):
    """A model with a lower bound on the size of a class that contains a block.

    A search derives an upper bound on the number of classes from this bound.
    """

    def least_containing(self, blocks: Classes) -> NDArray[np.float64]:
        """For each block, return the smallest size of a released class that contains it."""


@runtime_checkable
class BoundsTogether(Protocol):
    """A bound model that checks all classes together, and limits the total of a release."""

    def most_together(self, parts: Classes, most: NDArray[np.int64]) -> int:
        """Return the largest number of records that lower policies can release in total.

        `most` is the largest number of records in each part.
        """

    def most_classes(self, records: int) -> int | None:
        """If there is a limit, return the largest number of classes that these records can form."""


@runtime_checkable
class LabelDependent(Protocol):
    """A bound model whose decision about a class depends on both its rows and its labels.

    Before the model checks classes, it receives the information that the labels of each row keep.
    The monotone part does not need the labels. With the labels of a policy, the bounds
    (`BoundsReleases`) cover all policies that are at least as general.
    `privacy.combination.with_labels` passes the labels to the model.
    """

    def with_labels(self, kept: KeptOfRows) -> BoundPrivacy:
        """Return the same model with different labels."""


@runtime_checkable
class OneFigure(Protocol):
    """A bound model that can report one figure for all classes together."""

    def stated(self, classes: Classes) -> str:
        """Return the figure and its limit as a clause."""


@dataclass(frozen=True)
class ModelFigure:
    """The distance between a release and the limit of a model.

    Attributes
    ----------
    what
        The name of the measure, with a placeholder ``{}`` for each of the `amounts`.
    found
        A number, two numbers for a range, or a string if the model has its own format.
    allowed
        The limit, in words.
    amounts
        The numbers for the placeholders in `what`.
    """

    what: str
    found: float | tuple[float, float] | str
    allowed: str
    amounts: tuple[float, ...] = ()


class PrivacyModel(Protocol):
    """A condition on equivalence classes, with defaults that most models share.

    A model is a frozen dataclass of its parameters. The dataclass inherits from this class and
    defines `kind`, `sources`, `name`, `promise`, and `bind`. A model overrides another member only
    if its default does not apply.
    """

    capabilities: ClassVar[Capabilities] = NOTHING
    """The features that the model supports, such as people, a partition search, or SQL.

    A model from another package also declares its features. Roadstead does not combine the model
    with features that it does not declare.
    """
    needs_population: ClassVar[bool] = False
    """Whether the model requires a population.

    If this is true, `bind` rejects a table without a population.
    """
    takes_population: ClassVar[bool] = False
    """Whether the model uses a population if there is one.

    Without a population, the model uses the records, which is the safe choice. Every class that a
    model checks has a record. A row of people who are not in the table is in a class with records,
    or in no class.
    """
    sees_labels: ClassVar[bool] = False
    """Whether the model uses the labels of a class.

    If this is true, the bound model is `LabelDependent`.
    """
    instead_of_k_anonymity: ClassVar[bool] = False
    """Whether the model replaces k-anonymity, unless the user also specifies k."""

    @property
    def kind(self) -> str:
        """Return the name of the kind of model in settings, policies, and certificates."""

    @property
    def sources(self) -> tuple[str | Publication, ...]:
        """Return the model's publications: `Publication` objects or keys of known publications."""
        return ()

    @property
    def name(self) -> str:
        """Return the name of the model with its parameters, such as ``5-anonymity``."""

    @property
    def promise(self) -> str:
        """Return the model's guarantee for a release, as a full sentence."""

    @property
    def terms(self) -> str | None:
        """Return a sentence about how the model counts, or None.

        The `promise` ends with this sentence, and the output of every run includes the sentence.
        """
        return None

    @property
    def clause(self) -> str | None:
        """Return a clause about the frequencies of a column's values in a class, or None.

        A model that returns a clause can count people.
        """
        return None

    @property
    def threshold(self) -> float:
        """Return the highest prosecutor risk of a record that the model accepts.

        A model that does not limit the risk returns 1.
        """
        return 1.0

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns, other than quasi-identifiers, that the model needs.

        The model uses the distribution of these columns in a class.
        """
        column = getattr(self, "column", None)
        return () if column is None else (column,)

    def bind(self, table: FrequencyTable) -> BoundPrivacy:
        """Prepare the model for one table, which also has the `columns`.

        Raises
        ------
        SettingError
            If the parameters do not fit the table.
        """

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure | None:  # noqa: ARG002 - for models that have one
        """Measure how close the released classes are to the limit.

        The method returns None if the model has no such measure.

        Parameters
        ----------
        table
            The frequency table, which also has the `columns`.
        classes
            One or more classes of rows of the table.
        """
        return None

    def settings(self) -> dict[str, Any]:
        """Return the parameters for the certificate, with the kind of model under ``kind``."""
        parameters = {one.name: getattr(self, one.name) for one in fields(cast("Any", self))}
        return {"kind": self.kind, **parameters}

    def wrong(self, what: str, fix: str) -> SettingError:
        """Return the error for a wrong parameter."""
        return SettingError(what, where=f"{option('privacy')} {self.kind}", fix=fix)

    def require(self, name: str, fits: bool, range_: str, fix: str) -> None:  # noqa: FBT001 - the condition itself
        """Raise an error if the value of a parameter is not allowed.

        `range_` describes the allowed values.
        """
        if not fits:
            raise self.wrong(f"{name} is {getattr(self, name)}, but must be {range_}", fix)
