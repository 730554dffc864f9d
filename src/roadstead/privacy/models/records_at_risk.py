"""Records at risk: few records exceed a maximum risk, and the mean risk is limited.

At most a share `at_risk` of the released records may have a risk above `maximum`, and the mean risk
is at most `average`. The model corresponds to ARX's average risk, together with a limit on the
share of records at risk. The model keeps the largest classes that meet both limits
(`largest_first`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities, Feature
from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import (
    LEAST_RISK,
    SLACK,
    TOLERANCE,
    LeastSize,
    none_below,
)
from roadstead.privacy.largest_first import (
    ShareOfRecords,
    largest_first,
    one_a_class,
    records_below,
)
from roadstead.privacy.model_capabilities import OVER_RECORDS
from roadstead.privacy.models.average_risk import most_on_average
from roadstead.privacy.protocol import ModelFigure, PrivacyModel
from roadstead.tables.frequency import FrequencyTable


@dataclass(frozen=True)
class FewRecordsAtRisk(PrivacyModel):
    """At most a share `at_risk` of the records has a risk above `maximum`; the mean is limited.

    `maximum` and `average` are above 0 and at most 1, and `at_risk` is from 0 to 1.
    """

    maximum: float
    at_risk: float
    average: float = 1.0
    kind: ClassVar[str] = "records-at-risk"
    sources: ClassVar[tuple[str, ...]] = ("emam",)
    merges: ClassVar[bool] = True
    per_class: ClassVar[bool] = False
    capabilities: ClassVar[Capabilities] = OVER_RECORDS.adding(Feature.INFERENCE)

    def __post_init__(self) -> None:
        fix = "for example, 0.2 is the risk of a record in a group of five"
        for name in ("maximum", "average"):
            fits = LEAST_RISK <= getattr(self, name) <= 1.0
            self.require(name, fits, f"from {LEAST_RISK:g} to 1", fix)
        fix = "for example, with 0.05 one record in twenty may have a higher risk"
        self.require("at_risk", 0.0 <= self.at_risk <= 1.0, "from 0 to 1", fix)

    @property
    def name(self) -> str:
        """Return the model's name with its parameters."""
        mean = "" if self.average == 1.0 else f", {self.average:g} on average"
        return f"at most {self.at_risk:g} of the records at a risk above {self.maximum:g}{mean}"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        mean = (
            ""
            if self.average == 1.0
            else f", and the mean over the released records is at most {self.average:g}"
        )
        others = (
            "; the others may be found with certainty (records at risk)."
            if self.at_risk
            else " (records at risk)."
        )
        return (
            f"For all released records except a share of at most {self.at_risk:g}, an attacker who "
            "knows the quasi-identifiers of a person in the table finds the right record with a "
            f"probability of at most {self.maximum:g}{mean}{others}"
        )

    @property
    def threshold(self) -> float:
        """Return the highest risk of a record, or 1 if some records may be at risk."""
        return 1.0 if self.at_risk else self.maximum

    @property
    def safe(self) -> int:
        """Return the smallest class size at which no record is at risk."""
        return ceil(1.0 / (self.maximum * (1.0 + TOLERANCE)))

    def bind(self, table: FrequencyTable) -> Self:  # noqa: ARG002 - needs nothing of it
        """Return the model itself, because the model uses only class sizes."""
        return self

    @property
    def monotone_part(self) -> LeastSize:
        """Return a condition that accepts every class, unless records at risk are forbidden."""
        return LeastSize(1 if self.at_risk else self.safe)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Mark the largest classes that meet both limits."""
        few = ShareOfRecords(records_below(self.safe), self.at_risk)
        return largest_first(classes, [few, ShareOfRecords(one_a_class, self.average)])

    def most_released(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.int64]:  # noqa: ARG002 - of the numbers alone
        """Lower the bound to 0 for each part that is smaller than the minimum class size."""
        return none_below(most, self.monotone_part.least)

    def most_together(self, parts: Classes, most: NDArray[np.int64]) -> int:  # noqa: ARG002 - of the numbers alone
        """Return the number of records that both limits allow.

        Records in a part with fewer than `safe` records are at risk.
        """
        return min(
            most_on_average(most, self.average), most_for_share(most, self.safe, self.at_risk)
        )

    def most_classes(self, records: int) -> int:
        """Return the number of classes that both limits allow."""
        most = min(self.average, most_classes_a_record(self.safe, self.at_risk))
        return int(most * (1.0 + SLACK) * records)

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:  # noqa: ARG002 - of the classes alone
        """Return the share of the records at risk, and the mean risk."""
        share = round(share_below(classes.sizes, self.safe), 9)
        what = f"share of the records at a risk above {self.maximum:g}; {{}} on average"
        mean = (classes.sizes.size / classes.records,)
        bounded = "" if self.average == 1.0 else f", {self.average:g} on average"
        return ModelFigure(what, share, f"at most {self.at_risk:g}{bounded}", mean)


def share_below(sizes: NDArray[np.int64], safe: int) -> float:
    """Return the share of records in classes with fewer than `safe` records; 0 for no records."""
    records = int(sizes.sum())
    return float(sizes[sizes < safe].sum()) / records if records else 0.0


def most_for_share(most: NDArray[np.int64], safe: int, share: float) -> int:
    """Find a bound on the records if at most `share` are in parts of fewer than `safe` records."""
    records, others = int(most.sum()), int(most[most >= safe].sum())
    rest = 1.0 - share * (1.0 + SLACK)
    return records if rest * records <= others else int(others / rest * (1.0 + SLACK))


def most_classes_a_record(safe: int, share: float) -> float:
    """Find a bound on the number of classes per record.

    At most `share` of the records are in classes with fewer than `safe` records.
    """
    return min(1.0, share + (1.0 - share) / safe)
