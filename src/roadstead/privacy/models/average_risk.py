"""Average risk: the mean re-identification risk of the released records.

The risk of a record in a class of f records is 1/f. So the mean risk is the number of classes
divided by the number of records (paper 001, prosecutor risk). The model keeps the largest classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities, Feature
from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import (
    LEAST_RISK,
    SLACK,
    LeastSize,
    none_below,
)
from roadstead.privacy.largest_first import ShareOfRecords, largest_first, one_a_class
from roadstead.privacy.model_capabilities import OVER_RECORDS
from roadstead.privacy.protocol import ModelFigure, PrivacyModel
from roadstead.tables.frequency import FrequencyTable


@dataclass(frozen=True)
class AverageRisk(PrivacyModel):
    """Classes with a mean record risk of at most `average`, which is above 0 and at most 1."""

    average: float
    kind: ClassVar[str] = "average-risk"
    sources: ClassVar[tuple[str, ...]] = ("emam",)
    merges: ClassVar[bool] = True
    per_class: ClassVar[bool] = False
    capabilities: ClassVar[Capabilities] = OVER_RECORDS.adding(Feature.INFERENCE)

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

    def bind(self, table: FrequencyTable) -> Self:  # noqa: ARG002 - needs nothing of it
        """Return the model itself, because the model uses only class sizes."""
        return self

    @property
    def monotone_part(self) -> LeastSize:
        """Return the minimum class size. The limit on the average does not imply anything else."""
        return LeastSize(self.k)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Mark the largest classes that together meet the average. Each has at least k records."""
        return largest_first(classes, [ShareOfRecords(one_a_class, self.average)], self.k)

    def most_released(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.int64]:  # noqa: ARG002 - of the numbers alone
        """Lower the bound to 0 for each part with fewer than k records."""
        return none_below(most, self.k)

    def most_together(self, parts: Classes, most: NDArray[np.int64]) -> int:  # noqa: ARG002 - of the numbers alone
        """Return the number of records that the average allows."""
        return most_on_average(most, self.average)

    def most_classes(self, records: int) -> int:
        """Return the number of classes that the average allows."""
        return int(self.average * (1.0 + SLACK) * records)

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:  # noqa: ARG002 - of the classes alone
        """Return the mean risk of the records."""
        risk = round(classes.sizes.size / classes.records, 9)
        return ModelFigure("average risk of the records", risk, f"at most {self.average:g}")


def most_on_average(most: NDArray[np.int64], average: float) -> int:
    """If each part is one class, return the largest number of records that the average allows."""
    largest = np.sort(most[most > 0])[::-1]
    records = np.cumsum(largest)
    low = np.arange(1, largest.size + 1) <= average * (1.0 + SLACK) * records
    return int(records[np.flatnonzero(low)[-1]]) if low.any() else 0
