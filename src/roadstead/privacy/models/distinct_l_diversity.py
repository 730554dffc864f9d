"""Distinct l-diversity: every released class has at least l different sensitive values.

Source: Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007. Distinct l-diversity is the weakest
kind of l-diversity, because one value may still be almost certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from roadstead.capabilities import Capabilities, Feature
from roadstead.policies.classes import Classes
from roadstead.privacy.blanks import Blank, DiversityModel
from roadstead.privacy.conditions import OnValues, Text, class_counts, least_values
from roadstead.privacy.model_capabilities import INFERRED, OF_VALUES
from roadstead.privacy.protocol import ModelFigure
from roadstead.tables.frequency import FrequencyTable

SMALLEST_L = 2


@dataclass(frozen=True)
class DistinctLDiversity(DiversityModel):
    """Classes with at least `l` different values of a sensitive column; l is at least 2."""

    column: Text
    l: int  # noqa: E741 - the model's own letter
    blank: Blank = "no-value"
    kind: ClassVar[str] = "distinct-l-diversity"
    sources: ClassVar[tuple[str, ...]] = ("machanavajjhala",)
    capabilities: ClassVar[Capabilities] = OF_VALUES.adding(*INFERRED, Feature.PROOF)

    def __post_init__(self) -> None:
        fix = "every group has at least l different values"
        self.require("l", self.l >= SMALLEST_L, f"at least {SMALLEST_L}", fix)
        self.require_blank()

    @property
    def name(self) -> str:
        """Return the model's name with its parameters."""
        return f"distinct {self.l}-diversity of {self.column}{self.counting_blanks}"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        return (
            "Every released record shares its quasi-identifiers with records that have at least "
            f"{self.l} different values of {self.column} (distinct {self.l}-diversity). "
            f"{self.terms}"
        )

    @property
    def clause(self) -> str:
        """Return the condition on every class as a clause."""
        return f"there are at least {self.l} different values of {self.column}"

    def bind(self, table: FrequencyTable) -> OnValues:
        """Require at least `l` different values in each class of a table."""
        return least_values(self.values(table), self.l)

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:
        """Return the smallest number of different values in a class."""
        least = class_counts(self.values(table), classes).distinct.min()
        return ModelFigure(
            "smallest number of different values in a group", f"{least}", f"at least {self.l}"
        )
