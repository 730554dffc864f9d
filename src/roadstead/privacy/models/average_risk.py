"""Average risk: the mean re-identification risk of the released records.

The risk of a record in a class of f records is 1/f. So the mean risk is the number of classes
divided by the number of records (paper 001, prosecutor risk). The model keeps the largest classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import LEAST_RISK
from roadstead.privacy.largest_first import Limits, OfLargestClasses
from roadstead.privacy.protocol import ModelFigure
from roadstead.tables.frequency import FrequencyTable


@dataclass(frozen=True)
class AverageRisk(OfLargestClasses):
    """Classes with a mean record risk of at most `average`, which is above 0 and at most 1."""

    average: float
    kind: ClassVar[str] = "average-risk"
    sources: ClassVar[tuple[str, ...]] = ("emam",)

    def __post_init__(self) -> None:
        self.require_risk("average")

    def require_risk(self, name: str) -> None:
        """Raise an error unless a parameter is a risk above 0 and at most 1."""
        fits = LEAST_RISK <= getattr(self, name) <= 1.0
        fix = "for example, 0.2 is the risk of a record in a group of five"
        self.require(name, fits, f"from {LEAST_RISK:g} to 1", fix)

    @property
    def name(self) -> str:
        """Return the model's name with its parameter."""
        return f"average risk {self.average:g}"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        return (
            "An attacker who knows the quasi-identifiers of a person in the table finds the right "
            f"record with a probability of at most {self.average:g}, on average over the released "
            "records. Individual records may be found with certainty."
        )

    @property
    def k(self) -> int:
        """Return 1, because even a class with a single record may be released."""
        return 1

    @property
    def limits(self) -> Limits:
        """Return the limits on each class and on the mean risk."""
        return Limits(self.k, average=self.average)

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:  # noqa: ARG002 - of the classes alone
        """Return the mean risk of the records."""
        risk = round(classes.sizes.size / classes.records, 9)
        return ModelFigure("average risk of the records", risk, f"at most {self.average:g}")
