"""The interface between a search and a privacy model.

A model decides which classes of a policy may be released. The records of the other classes are
suppressed (paper 003, Transformation models). To add a model, write one small class that inherits
`PrivacyModel`. A search does not depend on which model it has.

A `PrivacyModel` holds the settings that a user specifies. A *bound* model also knows what it needs
about one table, such as the distribution of a sensitive column, and decides.

A model is *monotone* if a class that satisfies it still satisfies it after any other records join.
Then a record that is suppressed under a policy is also suppressed under every more specific policy,
which pruning requires. A model that is not monotone names a weaker, monotone model as its
`monotone_part`: a class that fails the weaker model fails the model.
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
        """The model itself when it is monotone, else a weaker model that is."""

    @property
    def merges(self) -> bool:
        """Whether two classes that satisfy the model always satisfy it together.

        Every monotone model does so. With a model that merges, take a policy that does not suppress
        anything. Every more general policy then does not suppress anything either. People of a
        population who are not in the table count: when they join a class that satisfies the model,
        it still does.
        """

    @property
    def per_class(self) -> bool:
        """Whether the answer for a class is independent of the other classes."""

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """For each class, whether it may be released; shape ``(classes,)``.

        If answers depend on each other, the marked classes satisfy the model when all others are
        suppressed.
        """


class Monotone:
    """A condition that a class satisfies together with any other records."""

    merges: ClassVar[bool] = True
    per_class: ClassVar[bool] = True

    @property
    def monotone_part(self) -> Self:
        """Itself."""
        return self


@runtime_checkable
class BoundsReleases(Protocol):
    """A bound model that limits how much more specific policies release: the search prunes by it.

    A search that knows the classes of a policy calls the model about all policies below it. A
    *part* is a set of rows, all or some of the rows of such a class, with their records as its
    size. Each class that a policy below releases satisfies the model by itself, consists of rows of
    one part, and has all records of these rows. Several released classes may come from one part.
    Where a model cannot give a bound, it returns `most` unchanged. docs/methods/bounds-of-models.md
    has examples with proofs, and `roadstead.testing.privacy_models.check_bounds` tests a bound on
    random lattices.
    """

    def most_released(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.int64]:
        """Lower `most`, the records that policies below can at most release of each part.

        Parts are numbered as in `parts`, and `most` is never above their sizes. The answer must be
        at least what any policy releases, and at most `most`.
        """


@runtime_checkable
class BarsRows(BoundsReleases, Protocol):
    """A model that also finds rows that no class released by a policy below can contain."""

    def barred(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Mark such rows, in the order of the members of `parts`; a part releases `most`."""


@runtime_checkable
class BoundsBlocks(Protocol):
    """A model that gives sharper bounds for policies between two policies.

    The classes of the more specific of the two are *blocks*: policies between release each of them
    whole, in one class, or not at all.
    """

    @property
    def bounds_blocks(self) -> bool:
        """Whether it does so, with these parameters and this table."""

    def blocks_released(
        self, blocks: Classes, part: NDArray[np.int64], most: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Lower `most` of each part, and mark the blocks that no policy between releases.

        `part` has the part of each block.
        """


@runtime_checkable
class BoundsClasses(Protocol):
    """A model with a lower bound on the size of a class with a block: fewer classes result."""

    def least_containing(self, blocks: Classes) -> NDArray[np.float64]:
        """Records that any class of which a block is a part has at least, if it is released."""


@runtime_checkable
class BoundsTogether(Protocol):
    """A bound model of all classes together, which bounds their total releases."""

    def most_together(self, parts: Classes, most: NDArray[np.int64]) -> int:
        """Records that policies below can at most release of all parts, `most` of each."""

    def most_classes(self, records: int) -> int | None:
        """The most classes in which these records can be released; None without a bound."""


@runtime_checkable
class LabelDependent(Protocol):
    """A bound model whose answer also depends on the labels of a class, not only on its rows.

    It gets the information that labels keep of each row before it judges. Its monotone part does
    not need the labels. With the labels of a policy, its bounds (`BoundsReleases`) cover all
    policies that are at least as general. Called by `privacy.combination.with_labels`.
    """

    def with_labels(self, kept: KeptOfRows) -> BoundPrivacy:
        """Return the same model under other labels."""


@runtime_checkable
class OneFigure(Protocol):
    """A bound model of one figure for all classes together, which it can report."""

    def stated(self, classes: Classes) -> str:
        """Return the figure and its limit as a clause."""


@dataclass(frozen=True)
class ModelFigure:
    """How close the classes of a release are to the limit of a model.

    Attributes
    ----------
    what
        The name of the measure, with places ``{}`` for the `amounts`.
    found
        A number, two for a range, or a text where its form is the model's own.
    allowed
        The bound, in words.
    amounts
        Further numbers.
    """

    what: str
    found: float | tuple[float, float] | str
    allowed: str
    amounts: tuple[float, ...] = ()


class PrivacyModel(Protocol):
    """A condition on equivalence classes, with defaults that most models share.

    A model is a frozen dataclass of its parameters. It inherits this class and gives its `kind`,
    `sources`, `name`, `promise` and `bind`; the rest where it differs.
    """

    capabilities: ClassVar[Capabilities] = NOTHING
    """The features that it supports: people, a partition search, a recoding, the engine, SQL.

    A model from another package declares this too. Features that it does not list are refused with
    it.
    """
    needs_population: ClassVar[bool] = False
    """Whether it can say nothing without a population; its `bind` refuses a table that has none."""
    takes_population: ClassVar[bool] = False
    """Whether it looks at a population that is known; else at the records, on the safe side.

    Every judged class has a record. Rows of people who are not in the table are in the classes of
    records, or in no class.
    """
    sees_labels: ClassVar[bool] = False
    """Whether it uses the labels of a class; the bound model is then `LabelDependent`."""
    instead_of_k_anonymity: ClassVar[bool] = False
    """Whether k-anonymity is added to it only if you specify k."""

    @property
    def kind(self) -> str:
        """The kind of model, as users, policies and certificates name it."""

    @property
    def sources(self) -> tuple[str | Publication, ...]:
        """Its publications: names of known publications, or publications."""
        return ()

    @property
    def name(self) -> str:
        """The model with its parameters, as shown to people: ``5-anonymity``."""

    @property
    def promise(self) -> str:
        """The model's promise for a release, as a full sentence."""

    @property
    def terms(self) -> str | None:
        """How the model counts, as a full sentence; None if there is nothing to say.

        The `promise` ends with this sentence, and the output of every run includes it.
        """
        return None

    @property
    def clause(self) -> str | None:
        """The condition on the frequency of each value of a column in a class, as a clause.

        None for a model of anything else. If there is such a condition, the model can count people.
        """
        return None

    @property
    def threshold(self) -> float:
        """Largest prosecutor risk that it accepts for a record; 1 where it does not bound it."""
        return 1.0

    @property
    def columns(self) -> tuple[str, ...]:
        """Further columns, not quasi-identifiers, whose distribution in a class the model needs."""
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
        """Measure how close the released classes come to the limit; None without such a measure.

        Parameters
        ----------
        table
            The frequency table, which also has the `columns`.
        classes
            At least one class of rows of the table.
        """
        return None

    def settings(self) -> dict[str, Any]:
        """Parameters for the certificate, with the model's kind under ``kind``."""
        parameters = {one.name: getattr(self, one.name) for one in fields(cast("Any", self))}
        return {"kind": self.kind, **parameters}

    def wrong(self, what: str, fix: str) -> SettingError:
        """Return the error for a wrong parameter."""
        return SettingError(what, where=f"{option('privacy')} {self.kind}", fix=fix)

    def require(self, name: str, fits: bool, range_: str, fix: str) -> None:  # noqa: FBT001 - the condition itself
        """Refuse the value of a parameter unless it fits; `range_` describes the allowed values."""
        if not fits:
            raise self.wrong(f"{name} is {getattr(self, name)}, but must be {range_}", fix)
