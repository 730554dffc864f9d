"""Records at risk: few records exceed a maximum risk, and the mean risk is limited.

At most a share `at_risk` of the released records may have a risk above `maximum`, and the mean risk
is at most `average`. The model corresponds to ARX's average risk, together with a limit on the
share of records at risk. The model keeps the largest classes that meet both limits
(`largest_first`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import LEAST_RISK, TOLERANCE
from roadstead.privacy.largest_first import Limits, OfLargestClasses, share_below
from roadstead.privacy.protocol import ModelFigure
from roadstead.tables.frequency import FrequencyTable


@dataclass(frozen=True)
class FewRecordsAtRisk(OfLargestClasses):
    """At most a share `at_risk` of the records has a risk above `maximum`; the mean is limited.

    `maximum` and `average` are above 0 and at most 1, and `at_risk` is from 0 to 1.
    """

    maximum: float
    at_risk: float
    average: float = 1.0
    kind: ClassVar[str] = "records-at-risk"
    sources: ClassVar[tuple[str, ...]] = ("emam",)

    def __post_init__(self) -> None:
        fix = "for example, 0.2 is the risk of a record in a group of five"
        for name in ("maximum", "average"):
            fits = LEAST_RISK <= getattr(self, name) <= 1.0
            self.require(name, fits, f"from {LEAST_RISK:g} to 1", fix)
        fix = "for example, 0.05 means that one record in twenty may have a higher risk"
        self.require("at_risk", 0.0 <= self.at_risk <= 1.0, "from 0 to 1", fix)

    @property
    def name(self) -> str:
        """Return the model's name with its parameters."""
        mean = "" if self.average == 1.0 else f", with a mean risk of at most {self.average:g}"
        return f"at most {self.at_risk:g} of the records have a risk above {self.maximum:g}{mean}"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        mean = (
            ""
            if self.average == 1.0
            else f", and the mean probability over the released records is at most {self.average:g}"
        )
        others = (
            "; the other records may be found with certainty (records at risk)."
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

    @property
    def limits(self) -> Limits:
        """Return the limits. A class has a minimum size only if no record may be at risk."""
        least = 1 if self.at_risk else self.safe
        return Limits(least, self.safe, self.at_risk, self.average)

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:  # noqa: ARG002 - of the classes alone
        """Return the share of the records at risk, and the mean risk."""
        share = round(share_below(classes.sizes, self.safe), 9)
        what = f"share of the records with a risk above {self.maximum:g}; {{}} on average"
        mean = (classes.sizes.size / classes.records,)
        bounded = "" if self.average == 1.0 else f", {self.average:g} on average"
        return ModelFigure(what, share, f"at most {self.at_risk:g}{bounded}", mean)
