"""Profitability against an attacker who does not know who is in the table.

The model is like `profitability`, but all F people in the population who share a combination are
candidates. The probability of finding the person is 1/F.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from roadstead.capabilities import Capabilities
from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import people_of
from roadstead.privacy.model_capabilities import WITH_PEOPLE
from roadstead.privacy.models.profitability import Profitability, Profitable
from roadstead.privacy.protocol import ModelFigure
from roadstead.tables.frequency import FrequencyTable


@dataclass(frozen=True)
class ProfitabilityByJournalist(Profitability):
    """Classes for which the publisher expects to earn more than a journalist's attacks cost."""

    kind: ClassVar[str] = "profitability-journalist"
    needs_population: ClassVar[bool] = True
    capabilities: ClassVar[Capabilities] = WITH_PEOPLE

    @property
    def threshold(self) -> float:
        """Return 1, because the model does not limit the prosecutor risk."""
        return 1.0

    def bind(self, table: FrequencyTable) -> Profitable:
        """Bind the model to a table and the people in its population.

        The method rejects a table without a population.
        """
        people = people_of(self, table, ", or use profitability")
        return Profitable(self.stakes, self._unknown, people, table.kept)

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure | None:
        """Return the share of records in attacked classes, or None if there is no population."""
        return None if table.population is None else super().figure(table, classes)

    @property
    def _called(self) -> str:
        return "profitability against a journalist"

    @property
    def _chance(self) -> str:
        return (
            "If an attacker does not know who is in the table, the attacker finds the person "
            "behind a record with a probability of one divided by the number of people in the "
            "population who share its quasi-identifiers."
        )

    @property
    def _attacked(self) -> str:
        return self._allowed("people")
