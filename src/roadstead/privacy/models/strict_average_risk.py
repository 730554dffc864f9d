"""Strict average risk: bounds on the mean risk (`average_risk`) and on each record's risk."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from roadstead.privacy.conditions import TOLERANCE
from roadstead.privacy.models.average_risk import AverageRisk


@dataclass(frozen=True)
class StrictAverageRisk(AverageRisk):
    """Classes whose records have a mean risk of at most `average`, and each of at most `maximum`.

    Both are above 0 and at most 1.
    """

    maximum: float
    kind: ClassVar[str] = "strict-average-risk"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_risk("maximum")

    @property
    def name(self) -> str:
        """The model's name with its parameters."""
        return f"strict average risk {self.average:g}, at most {self.maximum:g}"

    @property
    def promise(self) -> str:
        """The promise for a release."""
        return (
            "An attacker who knows the quasi-identifiers of a person in the table finds the right "
            f"record with a probability of at most {self.average:g} on average over the released "
            f"records. For each single record, this probability is at most {self.maximum:g}."
        )

    @property
    def threshold(self) -> float:
        """Largest prosecutor risk of a record."""
        return self.maximum

    @property
    def k(self) -> int:
        """Smallest class in which no record has more than the largest risk."""
        return ceil(1.0 / (self.maximum * (1.0 + TOLERANCE)))
