"""A model of a sensitive column that counts people: a person counts once for each value.

If a person has many rows, counting rows can mislead: forty rows of one person with one diagnosis
hide how few other people are in a group. So in any group of rows that an attacker finds, a value
counts as many times as there are people who have it. Multirelational l-diversity (Nergiz, Clifton,
and Nergiz, TKDE 2009) does the same by joining a person's rows.

An attacker who knows one row finds its class. An attacker who knows all rows finds the people whose
rows are identical. All values of these people then count, because such a release shows which rows
belong together. An attacker who knows two or more rows finds a union of such groups. The groups do
not share people, and these models hold for a union of two groups if they hold for both groups. So
if the model holds for every group, it also holds for these unions.

Classes can share people. A person in two classes counts once when the classes are merged. So if a
model is not monotone, it need not hold for their union. A monotone model still holds, because
people who join a class bring values and never remove any.
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
from roadstead.privacy.conditions import LeastSize, once_a_person
from roadstead.privacy.model_capabilities import INFERRED
from roadstead.privacy.protocol import BoundPrivacy, PrivacyModel
from roadstead.privacy.settings import model_from
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.persons.profiles import PersonTable

_COMPARING = ("t-closeness", "beta-likeness", "delta-disclosure")
"""The models that compare classes with the whole table."""


@dataclass(frozen=True)
class ValuesOfPersons(PrivacyModel):
    """The model with these settings, which counts people by the column `person`.

    `knows` states whether an attacker may know one row of a person or all rows. A `PolicyError`
    reports what is wrong with the settings. A `SettingError` reports that the model cannot count
    people.
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
                f"{self._of_records.name} does not concern the values of a column",
                fix="use a model of l-diversity, t-closeness, beta-likeness, or delta-disclosure",
            )

    @cached_property
    def _of_records(self) -> PrivacyModel:
        return model_from(self.model, where="privacy")

    @property
    def capabilities(self) -> Capabilities:  # type: ignore[override] # it depends on the model
        """The supported features; groups that share people may fail it together."""
        own = supporting(Feature.PERSONS, Feature.SOME_ROWS, Feature.RECODING)
        monotone = Feature.INFERENCE_SUPPRESSED in self._of_records.capabilities.supports
        return own.adding(*INFERRED) if monotone else own

    @property
    def name(self) -> str:
        """Return the model's name with its parameters."""
        return f"{self._of_records.name}, counting people"

    @property
    def promise(self) -> str:
        """Return the promise for a release."""
        if self.knows == "all":
            among, where = "Among the people of a release who have the same rows", "any row"
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
        """Whether the model with these settings compares classes with the whole table."""
        return isinstance(model, Mapping) and model.get("kind") in _COMPARING

    @property
    def compares_with_whole(self) -> bool:
        """Whether the model compares classes with the whole table."""
        return self.compares(self.model)

    def bind_rows(self, table: FrequencyTable) -> BoundPrivacy:
        """Return the part of the condition that can be checked in a table without person IDs.

        For a model that uses only the values in a class, this part is the number of values that
        occur. The class needs these values, no matter which people have them.
        """
        if self.compares_with_whole:
            return LeastSize(1)
        return self._of_records.bind(table).monotone_part

    def bind(self, table: FrequencyTable) -> BoundPrivacy:
        """Count the people of a table.

        If the table has no person IDs, the method requires only what the rows show.
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
    """A condition on classes that may share people.

    The condition need not hold for a union of classes.
    """

    bound: BoundPrivacy
    merges: ClassVar[bool] = False

    @property
    def monotone_part(self) -> BoundPrivacy:
        """Return the monotone part: people who join a class never remove a value."""
        return self.bound.monotone_part

    @property
    def per_class(self) -> bool:
        """Whether the condition judges each class by itself."""
        return self.bound.per_class

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether each class satisfies the condition."""
        return self.bound.satisfied(classes)
