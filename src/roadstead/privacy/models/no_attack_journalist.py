"""No attack pays if the attacker does not know who is in the table.

The model is like `no_attack`, but all F people in the population who share a combination are
candidates. The model is therefore k-map with a k that follows from `gain` and `cost`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from roadstead.capabilities import Capabilities
from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import people_of
from roadstead.privacy.model_capabilities import INFERRED, WITH_PEOPLE
from roadstead.privacy.models.k_map import Peopled
from roadstead.privacy.models.no_attack import least_alike, require_stakes
from roadstead.privacy.protocol import ModelFigure, PrivacyModel
from roadstead.tables.frequency import FrequencyTable


@dataclass(frozen=True)
class NoAttackByJournalist(PrivacyModel):
    """Classes with so many people that the expected gain of an attack is less than its `cost`."""

    gain: float
    cost: float
    kind: ClassVar[str] = "no-attack-journalist"
    sources: ClassVar[tuple[str, ...]] = ("wan",)
    needs_population: ClassVar[bool] = True
    capabilities: ClassVar[Capabilities] = WITH_PEOPLE.adding(*INFERRED)
    instead_of_k_anonymity: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_stakes(self, self.gain, self.cost)

    @property
    def people(self) -> int:
        """Return the minimum number of people in a class."""
        return least_alike(self.gain, self.cost)

    @property
    def name(self) -> str:
        """Return the model's name, its parameters, and the resulting class size."""
        return (
            f"no attack by a journalist pays with a gain of {self.gain:g} and a cost of "
            f"{self.cost:g} ({self.people} or more people)"
        )

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        return (
            f"For every released record, at least {self.people} people in the population share its "
            "quasi-identifiers. If an attacker does not know who is in the table, the attacker "
            f"finds the person behind a record with a probability of at most 1/{self.people}. "
            f"If finding the person is worth {self.gain:g} and a try costs {self.cost:g}, the "
            "attacker loses on average (no attack pays). This does not limit the risk from an "
            "attacker who knows that a person is in the table."
        )

    def bind(self, table: FrequencyTable) -> Peopled:
        """Bind the model to the people in a table's population.

        The method rejects a table without a population.
        """
        return Peopled(people_of(self, table, ", or use no-attack"), self.people)

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure | None:
        """Return the expected gain of an attack on the class with the fewest people."""
        if table.population is None:
            return None
        most = round(self.gain / int(classes.totals(people_of(self, table)).min()), 9)
        what = "expected gain of an attack on the group with the fewest people"
        return ModelFigure(what, most, f"less than {self.cost:g}")
