"""Sample uniqueness: few of the released records are unique.

If the share of unique records is above `maximum`, the model keeps as many unique records as the
limit allows (`largest_first`). Merging classes never makes a record unique, so the union of valid
classes is valid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from roadstead.policies.classes import Classes
from roadstead.privacy.largest_first import Limits, OfLargestClasses, share_below
from roadstead.privacy.protocol import ModelFigure
from roadstead.tables.frequency import FrequencyTable

_NOT_ALONE = 2


@dataclass(frozen=True)
class SampleUniqueness(OfLargestClasses):
    """At most a share `maximum` (from 0 to below 1) of the released records is unique."""

    maximum: float
    kind: ClassVar[str] = "sample-uniqueness"
    sources: ClassVar[tuple[str, ...]] = ("dankar",)
    instead_of_k_anonymity: ClassVar[bool] = True

    def __post_init__(self) -> None:
        fix = "for example, 0.01 means that one record in a hundred may be unique"
        self.require("maximum", 0.0 <= self.maximum < 1.0, "from 0 to below 1", fix)

    @property
    def name(self) -> str:
        """Return the model's name with its parameter."""
        return f"sample uniqueness of at most {self.maximum:g}"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        others = (
            " An attacker who knows the quasi-identifiers of a person with a unique record finds "
            "the record with certainty. For any other person, the attacker finds the record with a "
            "probability of at most 1/2."
            if self.maximum
            else ""
        )
        return (
            "The share of released records that are unique in the quasi-identifiers is at most "
            f"{self.maximum:g} (sample uniqueness).{others}"
        )

    @property
    def threshold(self) -> float:
        """Return the highest risk of a record, or 1 if unique records are allowed."""
        return 1.0 if self.maximum else 1.0 / _NOT_ALONE

    @property
    def limits(self) -> Limits:
        """Return the limits. A class has a minimum size only if no record may be unique."""
        least = 1 if self.maximum else _NOT_ALONE
        return Limits(least, _NOT_ALONE, self.maximum)

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:  # noqa: ARG002 - of the classes alone
        """Return the share of unique records."""
        share = round(share_below(classes.sizes, _NOT_ALONE), 9)
        return ModelFigure(
            "share of the records that are unique", share, f"at most {self.maximum:g}"
        )
