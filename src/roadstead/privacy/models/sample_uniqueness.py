"""Sample uniqueness: few of the released records are unique.

If the share of unique records is above `maximum`, the model keeps as many unique records as the
limit allows (`largest_first`). Merging classes never makes a record unique, so the union of valid
classes is valid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities, Feature
from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import SLACK, LeastSize, none_below
from roadstead.privacy.largest_first import ShareOfRecords, largest_first, records_below
from roadstead.privacy.model_capabilities import OVER_RECORDS
from roadstead.privacy.models.records_at_risk import (
    most_classes_a_record,
    most_for_share,
    share_below,
)
from roadstead.privacy.protocol import ModelFigure, PrivacyModel
from roadstead.tables.frequency import FrequencyTable

_NOT_ALONE = 2


@dataclass(frozen=True)
class SampleUniqueness(PrivacyModel):
    """At most a share `maximum` (from 0 to below 1) of the released records is unique."""

    maximum: float
    kind: ClassVar[str] = "sample-uniqueness"
    sources: ClassVar[tuple[str, ...]] = ("dankar",)
    merges: ClassVar[bool] = True
    per_class: ClassVar[bool] = False
    capabilities: ClassVar[Capabilities] = OVER_RECORDS.adding(Feature.INFERENCE)
    instead_of_k_anonymity: ClassVar[bool] = True

    def __post_init__(self) -> None:
        fix = "for example, with 0.01 one record in a hundred may be unique"
        self.require("maximum", 0.0 <= self.maximum < 1.0, "from 0 to below 1", fix)

    @property
    def name(self) -> str:
        """Return the model's name with its parameter."""
        return f"at most {self.maximum:g} of the records unique"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        others = (
            " An attacker who knows the quasi-identifiers of such a person finds the record "
            "with certainty. For any other person, the attacker finds the record with a "
            "probability of at most 1/2."
            if self.maximum
            else ""
        )
        return (
            f"A share of at most {self.maximum:g} of the released records is unique in the "
            f"quasi-identifiers (sample uniqueness).{others}"
        )

    @property
    def threshold(self) -> float:
        """Return the highest risk of a record, or 1 if unique records are allowed."""
        return 1.0 if self.maximum else 1.0 / _NOT_ALONE

    def bind(self, table: FrequencyTable) -> Self:  # noqa: ARG002 - needs nothing of it
        """Return the model itself, because the model uses only class sizes."""
        return self

    @property
    def monotone_part(self) -> LeastSize:
        """Return a condition that accepts every class, unless unique records are forbidden."""
        return LeastSize(1 if self.maximum else _NOT_ALONE)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Mark classes of two or more records, and the unique records that may be released."""
        return largest_first(classes, [ShareOfRecords(records_below(_NOT_ALONE), self.maximum)])

    def most_released(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.int64]:  # noqa: ARG002 - of the numbers alone
        """Lower the bound to 0 for each part that is smaller than the minimum class size."""
        return none_below(most, self.monotone_part.least)

    def most_together(self, parts: Classes, most: NDArray[np.int64]) -> int:  # noqa: ARG002 - of the numbers alone
        """Find a bound on the records if at most the allowed share is in parts of one record."""
        return most_for_share(most, _NOT_ALONE, self.maximum)

    def most_classes(self, records: int) -> int:
        """Count one class per allowed unique record and one class per pair of other records."""
        most = most_classes_a_record(_NOT_ALONE, self.maximum)
        return int(most * (1.0 + SLACK) * records)

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:  # noqa: ARG002 - of the classes alone
        """Return the share of unique records."""
        share = round(share_below(classes.sizes, _NOT_ALONE), 9)
        return ModelFigure(
            "share of the records that are unique", share, f"at most {self.maximum:g}"
        )
