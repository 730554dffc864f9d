"""A model of a sensitive column, counted in persons: a person counts once for each value.

Where a person has many rows, forty rows of one person with one diagnosis would hide how few others
there are. So in whatever group of rows an attacker arrives at, a value counts as often as there are
persons who have it there (multirelational l-diversity, Nergiz, Clifton and Nergiz, TKDE 2009, does
the same by joining a person's rows).

Who knows one row arrives at its class. Who knows all rows arrives at the persons whose rows are the
same, and then all their values count, for the rows of such a release can be told to belong
together. What holds of every such group holds of whatever several of them make, which is all that
may be known of two rows or more: groups have no person in common, and these models hold of two
groups together if they hold of both.

Classes have persons in common. A person who stands in two classes counts once where they become
one, so what is not monotone need not hold of both together. What is monotone still is: persons who
join bring values and take none away.
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
from roadstead.privacy.protocol import BoundPrivacy, PrivacyModel
from roadstead.privacy.settings import model_from
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.persons.profiles import PersonTable

_COMPARING = ("t-closeness", "beta-likeness", "delta-disclosure")
"""Models that compare classes with the whole table."""


@dataclass(frozen=True)
class ValuesOfPersons(PrivacyModel):
    """The model of these settings holds of persons, by the column `person`.

    `knows` says whether one row of a person may be known, or all. A `PolicyError` says what is
    wrong with the settings, a `SettingError` that the model cannot be counted in persons.
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
    capabilities: ClassVar[Capabilities] = supporting(
        Feature.PERSONS, Feature.SOME_ROWS, Feature.RECODING
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
    def name(self) -> str:
        """The model's name with its parameters."""
        return f"{self._of_records.name}, counting people"

    @property
    def promise(self) -> str:
        """What it promises of a release."""
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
        """Those of the model that it counts in persons."""
        return self._of_records.terms

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive column."""
        return self._of_records.columns

    @staticmethod
    def compares(model: object) -> bool:
        """Whether a model of these settings compares classes with the whole table."""
        return isinstance(model, Mapping) and model.get("kind") in _COMPARING

    @property
    def compares_with_whole(self) -> bool:
        """Whether it compares classes with the whole table."""
        return self.compares(self.model)

    def bind_rows(self, table: FrequencyTable) -> BoundPrivacy:
        """Say what of it can be seen in a table that does not say whose its rows are.

        The values that occur, of a model that looks at nothing else but a class: as many are needed
        whoever has them.
        """
        if self.compares_with_whole:
            return LeastSize(1)
        return self._of_records.bind(table).monotone_part

    def bind(self, table: FrequencyTable) -> BoundPrivacy:
        """Count the persons of a table.

        Of a table that does not say whose its rows are, only what rows show can be asked.
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
        """Parameters for the certificate."""
        own = {"model": self._of_records.settings(), "person": self.person, "knows": self.knows}
        return {"kind": self.kind, **own}


@dataclass(frozen=True, eq=False)
class InCommon:
    """A condition on classes that may have persons in common, so it need not hold of a union."""

    bound: BoundPrivacy
    merges: ClassVar[bool] = False

    @property
    def monotone_part(self) -> BoundPrivacy:
        """That of the condition: persons who join a class take no value away."""
        return self.bound.monotone_part

    @property
    def per_class(self) -> bool:
        """As the condition is."""
        return self.bound.per_class

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether the condition holds of each class."""
        return self.bound.satisfied(classes)
