"""Strict average risk: limits on the mean risk (`average_risk`) and on each record's risk."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from roadstead.privacy.conditions import TOLERANCE
from roadstead.privacy.models.average_risk import AverageRisk


@dataclass(frozen=True)
class StrictAverageRisk(AverageRisk):
    """Classes with a mean risk of at most `average` and a record risk of at most `maximum`.

    Both parameters are above 0 and at most 1.
    """

    maximum: float
    kind: ClassVar[str] = "strict-average-risk"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_risk("maximum")

    @property
    def name(self) -> str:
        """Return the model's name with its parameters."""
        return f"strict average risk {self.average:g}, at most {self.maximum:g}"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        return (
            "An attacker who knows the quasi-identifiers of a person in the table finds the right "
            f"record with a probability of at most {self.average:g} on average over the released "
            f"records. For each single record, this probability is at most {self.maximum:g}."
        )

    @property
    def threshold(self) -> float:
        """Return the highest prosecutor risk of a record."""
        return self.maximum

    @property
    def k(self) -> int:
        """Return the smallest class size at which no record exceeds the maximum risk."""
        return ceil(1.0 / (self.maximum * (1.0 + TOLERANCE)))
