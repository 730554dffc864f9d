"""A model of a sensitive column that counts people: each person counts once per value.

Multirelational l-diversity (Nergiz, Clifton, and Nergiz, TKDE 2009) joins a person's rows for the
same purpose. An attacker who knows one row finds the class of the row. An attacker who knows all
rows finds the people whose rows are identical, and all values of these people count.

Classes can share people, and a person in two classes counts once in their union. So the union of
two valid classes may be invalid, unless the model is monotone (docs/methods/persons.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities, Feature, supporting
from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import LeastSize, least_values, once_a_person
from roadstead.privacy.model_capabilities import INFERRED
from roadstead.privacy.models.delta_disclosure import DeltaDisclosure
from roadstead.privacy.models.distinct_l_diversity import DistinctLDiversity
from roadstead.privacy.protocol import BoundPrivacy, PrivacyModel
from roadstead.privacy.settings import model_from
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.persons.profiles import PersonTable

_COMPARING = ("t-closeness", "beta-likeness", "delta-disclosure")
"""The models that compare classes with the whole table."""


@dataclass(frozen=True)
class ValuesOfPersons(PrivacyModel):
    """A sensitive-column model that counts people, identified by the column `person`.

    `knows` states whether an attacker may know one row of a person or all rows. The class raises a
    `PolicyError` if the settings are wrong, and a `SettingError` if the model cannot count people.
    """

    model: Mapping[str, Any]
    person: str
    knows: Literal[1, "all"] = 1
    kind: ClassVar[str] = "values-of-persons"
    sources: ClassVar[tuple[str, ...]] = (
        "multirelational",
        "machanavajjhala",
        "li",
        "cao",
        "brickell",
    )

    def __post_init__(self) -> None:
        if self._of_records.clause is None:
            raise self.wrong(
                f"{self._of_records.name} does not protect the values of a column",
                fix="use a model of l-diversity, t-closeness, beta-likeness, or delta-disclosure",
            )

    @cached_property
    def _of_records(self) -> PrivacyModel:
        return model_from(self.model, where="privacy")

    @property
    def capabilities(self) -> Capabilities:  # type: ignore[override] # it depends on the model
        """Return the supported features. The union of valid groups may be invalid."""
        own = supporting(Feature.PERSONS, Feature.SOME_ROWS, Feature.RECODING)
        monotone = Feature.INFERENCE_SUPPRESSED in self._of_records.capabilities.supports
        return own.adding(*INFERRED) if monotone else own

    @property
    def name(self) -> str:
        """Return the model's name with its parameters."""
        return f"{self._of_records.name}, counting people"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        if self.knows == "all":
            among, where = "Among the people in the release who have the same rows", "any row"
        else:
            among, where = "In every group of released rows", "the group"
        return (
            f"{among}, {self._of_records.clause}. A person counts once for each value that the "
            f"person has in {where} ({self.name}, by the column "
            f"{self.person}).{'' if self.terms is None else f' {self.terms}'}"
        )

    @property
    def terms(self) -> str | None:
        """Return the terms of the underlying model."""
        return self._of_records.terms

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the sensitive column."""
        return self._of_records.columns

    @staticmethod
    def compares(model: object) -> bool:
        """Return whether a model with these settings compares classes with the whole table."""
        return isinstance(model, Mapping) and model.get("kind") in _COMPARING

    @property
    def compares_with_whole(self) -> bool:
        """Return whether the model compares classes with the whole table."""
        return self.compares(self.model)

    def proven_by_release(self, *, linked: bool) -> bool:
        """Return True if released rows can prove the model, and False if they can only refute it.

        Linked rows show everything except the people who were left out. Some models also compare
        classes with the people who were left out. Other rows show which values a class has, but not
        how many people have a value.
        """
        if linked:
            return not self.compares_with_whole
        return self.knows == 1 and isinstance(self._of_records, DistinctLDiversity)

    @property
    def refuted_by_rows(self) -> bool:
        """Return whether the values in a class alone, without person IDs, can refute the model."""
        by_values = not self.compares_with_whole or isinstance(self._of_records, DeltaDisclosure)
        return self.knows == 1 and by_values

    def bind_rows(self, table: FrequencyTable) -> BoundPrivacy:
        """Return the condition that can be checked in a table without person IDs.

        The condition is the number of values that must occur. For delta-disclosure, these are all
        values. Other models that compare classes with the whole table need the number of people per
        value.
        """
        if isinstance(self._of_records, DeltaDisclosure):
            values = table.histogram(*self.columns)
            return least_values(values, int(np.count_nonzero(values.whole)))
        if self.compares_with_whole:
            return LeastSize(1)
        return self._of_records.bind(table).monotone_part

    def bind(self, table: FrequencyTable) -> BoundPrivacy:
        """Bind the model to the people in a table.

        If the table has no person IDs, the method requires only what can be checked from the rows.
        """
        if not isinstance(table, PersonTable):
            return self.bind_rows(table)
        owners = table.persons.owners
        counted = replace(
            table, alongside=tuple(once_a_person(one, owners) for one in table.alongside)
        )
        bound = self._of_records.bind(counted)
        if self.knows == "all" or bound.monotone_part is bound:
            return bound
        return InCommon(bound)

    def settings(self) -> dict[str, Any]:
        """Return the parameters for the certificate."""
        own = {"model": self._of_records.settings(), "person": self.person, "knows": self.knows}
        return {"kind": self.kind, **own}


@dataclass(frozen=True, eq=False)
class InCommon:
    """A condition on classes that may share people. A union of valid classes may be invalid."""

    bound: BoundPrivacy
    merges: ClassVar[bool] = False

    @property
    def monotone_part(self) -> BoundPrivacy:
        """Return the monotone part. People who join a class never remove a value from the class."""
        return self.bound.monotone_part

    @property
    def per_class(self) -> bool:
        """Return whether the condition checks each class separately."""
        return self.bound.per_class

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return whether each class satisfies the condition."""
        return self.bound.satisfied(classes)
