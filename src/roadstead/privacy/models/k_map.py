"""k-map: every released record matches at least k people in the population.

A class is released if F >= k people in the population share the quasi-identifiers, even if the
number of records f is small (Sweeney 2002; paper 001, k-map). The attacker is the "journalist" of
paper 001, who does not know who is in the table. The model does not limit f.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities
from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import people_of
from roadstead.privacy.model_capabilities import INFERRED, WITH_PEOPLE
from roadstead.privacy.models.k_anonymity import SMALLEST_K
from roadstead.privacy.protocol import ModelFigure, Monotone, PrivacyModel
from roadstead.tables.frequency import FrequencyTable


@dataclass(frozen=True, eq=False)
class Peopled(Monotone):
    """Classes of at least `k` people."""

    population: NDArray[np.int64] = field(repr=False)  # people with each row's values
    k: int

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return whether each class has at least k people."""
        return classes.totals(self.population) >= self.k


@dataclass(frozen=True)
class KMap(PrivacyModel):
    """Classes that match at least `k` people in a known population; k is at least 2."""

    k: int
    kind: ClassVar[str] = "k-map"
    sources: ClassVar[tuple[str, ...]] = ("emam",)
    needs_population: ClassVar[bool] = True
    capabilities: ClassVar[Capabilities] = WITH_PEOPLE.adding(*INFERRED)
    instead_of_k_anonymity: ClassVar[bool] = True

    def __post_init__(self) -> None:
        fix = (
            "for example, 5 means that a guess among the people in the population is correct one "
            "time in five"
        )
        self.require("k", self.k >= SMALLEST_K, f"at least {SMALLEST_K}", fix)

    @property
    def name(self) -> str:
        """Return the model's name with its parameter."""
        return f"{self.k}-map"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        return (
            f"For every released record, at least {self.k} people in the population share its "
            f"quasi-identifiers ({self.k}-map). If an attacker does not know who is in the table, "
            "the attacker finds the person behind a record with a probability of at most "
            f"1/{self.k}. This does not limit the risk from an attacker who knows that a person is "
            "in the table."
        )

    def bind(self, table: FrequencyTable) -> Peopled:
        """Bind the model to the people in a table's population.

        The method rejects a table without a population.
        """
        return Peopled(people_of(self, table, ", or use estimated-k-map"), self.k)

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure | None:
        """Return the smallest number of people in a class."""
        if table.population is None:
            return None
        fewest = classes.totals(people_of(self, table)).min()
        what = "smallest number of people in the population who belong to a group"
        return ModelFigure(what, f"{fewest:,}", f"at least {self.k:,}")
