"""What a search asks of a privacy model.

A model decides which classes of a policy may be released; the records of the others are
suppressed (paper 003, Transformation models). To add a model, write one small class with these
members. A search never asks which model it has.

A `PrivacyModel` is what a user asks for. *Bound* to a table it knows what it needs of it, such as
the distribution of a sensitive column, and decides.

A model is *monotone* when a class that satisfies it satisfies it together with any other records.
Then a record suppressed under a policy is suppressed under every more specific one, which is what
pruning needs. A model that is not monotone names a weaker one that is, as `monotone_part`: what
fails the weaker model fails the model.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.classes import Classes
from roadstead.privacy.defaults import ModelFigure
from roadstead.publications import Publication
from roadstead.tables.frequency import FrequencyTable


class BoundPrivacy(Protocol):
    """A condition on the equivalence classes of one table."""

    @property
    def monotone_part(self) -> BoundPrivacy:
        """The model itself when it is monotone, else a weaker model that is."""
        ...

    @property
    def merges(self) -> bool:
        """Whether two classes that satisfy the model always satisfy it together.

        Every monotone model does so. With a model that merges, every policy more general than one
        that suppresses nothing suppresses nothing.
        """
        ...

    @property
    def per_class(self) -> bool:
        """Whether the answer for a class does not depend on what other classes there are."""
        ...

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """For each class, whether it may be released; shape ``(classes,)``.

        Where answers depend on each other, the classes marked satisfy the model when all others
        are suppressed.
        """
        ...


@runtime_checkable
class OneFigure(Protocol):
    """A bound model of one figure for all classes together, which it can report."""

    def stated(self, classes: Classes) -> str:
        """Say how large the figure is, and what is allowed, as a clause."""
        ...


class PrivacyModel(Protocol):
    """A condition on equivalence classes; `defaults.ModelDefaults` has what most have in common.

    A model may have three more attributes, True or False: `needs_population`, that it can say
    nothing without one; `takes_population`, that it looks at one where it is known; and
    `instead_of_k_anonymity`, that no k-anonymity is added to it unless it is asked for.
    """

    @property
    def kind(self) -> str:
        """The kind of model, as users, policies and certificates name it."""
        ...

    @property
    def sources(self) -> tuple[str | Publication, ...]:
        """Where it was published: names of known publications, or publications."""
        ...

    @property
    def name(self) -> str:
        """The model with its parameters, as shown to people: ``5-anonymity``."""
        ...

    @property
    def promise(self) -> str:
        """What the model promises of a release, as a full sentence."""
        ...

    @property
    def threshold(self) -> float:
        """Largest prosecutor risk that it accepts for a record; 1 where it does not bound it."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns alongside the quasi-identifiers whose distribution in a class it looks at."""
        ...

    def bind(self, table: FrequencyTable) -> BoundPrivacy:
        """Prepare the model for one table, which has the `columns` alongside.

        Raises
        ------
        SettingError
            When the parameters do not fit the table.
        """
        ...

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure | None:
        """Measure how near released classes come to what is allowed; None where nothing says.

        Parameters
        ----------
        table
            The frequency table, with the `columns` alongside.
        classes
            At least one class of rows of the table.
        """
        ...

    def settings(self) -> dict[str, Any]:
        """Parameters for the certificate, with the model's kind under ``kind``."""
        ...
