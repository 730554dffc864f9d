"""Population uniqueness: according to an estimate, few people are unique in the population.

The estimated share of the population that is unique must be at most `maximum` (the estimators are
in `risk`). If the share is higher, or if the estimator gives no estimate, unique records are
suppressed until the estimate is low enough (docs/methods/uniqueness.md). The search looks for the
number of unique records to keep. It stops at an allowed number if the next number is forbidden. The
allowed number may be smaller than the largest allowed number, because the estimate does not always
rise with the number of unique records. Estimates can rise when classes are merged, so merged
classes may be invalid.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities
from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import SLACK, TOLERANCE, LeastSize
from roadstead.privacy.largest_first import (
    at_equal_distances,
    most_classes_a_record,
    most_for_share,
)
from roadstead.privacy.model_capabilities import OVER_RECORDS
from roadstead.privacy.protocol import ModelFigure, PrivacyModel
from roadstead.risk.dankar import dankar_uniques
from roadstead.risk.pitman import pitman_uniques
from roadstead.risk.population_uniques import PopulationUniques
from roadstead.risk.snb import snb_uniques
from roadstead.risk.zayatz import zayatz_uniques
from roadstead.tables.frequency import FrequencyTable

UniquesEstimator: TypeAlias = Literal["dankar", "pitman", "zayatz", "snb"]
_ESTIMATORS: Mapping[str, Callable[[NDArray[np.int64], int], PopulationUniques]] = {
    "dankar": dankar_uniques,
    "pitman": pitman_uniques,
    "zayatz": zayatz_uniques,
    "snb": snb_uniques,
}
_NOT_ALONE = 2
_SILENT_OF_FEW = "snb"
"""The estimator that gives no estimate if only few records are unique.

In contrast, Pitman's model gives no estimate if too many records are unique.
"""


@dataclass(frozen=True)
class PopulationUniqueness(PrivacyModel):
    """At most a share `maximum` of the `people` in the population is estimated to be unique."""

    maximum: float
    people: int  # the size of the population from which the table was sampled
    estimator: UniquesEstimator = "dankar"
    kind: ClassVar[str] = "population-uniqueness"
    sources: ClassVar[tuple[str, ...]] = ("dankar", "hoshino", "zayatz", "chen")
    merges: ClassVar[bool] = False
    per_class: ClassVar[bool] = False
    capabilities: ClassVar[Capabilities] = OVER_RECORDS
    instead_of_k_anonymity: ClassVar[bool] = True

    def __post_init__(self) -> None:
        fix = "for example, 0.01 means that one person in a hundred is estimated to be unique"
        self.require("maximum", 0.0 <= self.maximum < 1.0, "from 0 to below 1", fix)
        fix = "give the number of people in the population that the table was sampled from"
        self.require("people", self.people >= 1, "at least 1", fix)

    @property
    def name(self) -> str:
        """Return the model's name with its parameters."""
        return (
            f"population uniqueness of at most {self.maximum:g} (estimator {self.estimator}, "
            f"population {self.people:,})"
        )

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        return (
            f"In a population of {self.people:,}, the estimated share of people who are unique in "
            f"the quasi-identifiers is at most {self.maximum:g} (population uniqueness, "
            f"{self.estimator}). The estimate assumes that the released records are a random "
            "sample of the population. Individual records may be unique in the release. An "
            "attacker who knows that a person with such a record is in the table finds the record "
            "with certainty."
        )

    def bind(self, table: FrequencyTable) -> Self:
        """Reject a table if it has more records than the population has people."""
        if table.records > self.people:
            raise self.wrong(
                f"the parameter people is {self.people:,}, but the table has more records: "
                f"{table.records:,}",
                fix="give the number of people in the population that the table was sampled from",
            )
        return self

    @property
    def monotone_part(self) -> LeastSize:
        """Return a condition that accepts every class, unless unique records are forbidden."""
        return LeastSize(1 if self.maximum else _NOT_ALONE)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Mark classes of two or more records, and the unique records that may be released."""
        alone = classes.sizes < _NOT_ALONE
        marked: NDArray[np.bool_] = ~alone
        some = self._stay(classes.sizes[marked], int(np.count_nonzero(alone)))
        marked[at_equal_distances(classes, alone, some)] = True
        return marked

    def most_together(self, parts: Classes, most: NDArray[np.int64]) -> int:  # noqa: ARG002 - of the numbers alone
        """Find a bound on the records: Zayatz's model limits the parts with a single record."""
        share = self._share_alone
        return int(most.sum()) if share is None else most_for_share(most, _NOT_ALONE, share)

    def most_classes(self, records: int) -> int | None:
        """Count one class per allowed unique record and one class per pair of other records."""
        if (share := self._share_alone) is None:
            return None
        return int(most_classes_a_record(_NOT_ALONE, share) * (1.0 + SLACK) * records)

    @property
    def _share_alone(self) -> float | None:
        """Return the largest share of unique records that a release can have, or None if unknown.

        In Zayatz's model, u unique records among n records give a share of u^2 / (n (u + sum of P i
        f_i)). Here f_i is the number of classes of i records, and P is at most 1, so the share is
        at least (u / n)^2.
        """
        return sqrt(self.maximum * (1.0 + SLACK)) if self.estimator == "zayatz" else None

    def _stay(self, others: NDArray[np.int64], alone: int) -> int:
        """Return how many unique records can be kept, in addition to all larger classes.

        The method keeps all unique records if the limit allows it. Otherwise, the method searches
        an interval of numbers and alternates between two trial points: the middle of the interval,
        and the point where a line through two estimates meets the limit.
        """
        if not self.maximum:
            return 0
        most, stay = self.maximum * (1.0 + TOLERANCE), 0
        (few, found), (many, above) = (0, 0.0), (alone, self._share(others, alone))
        if above is not None and above <= most:
            return alone
        halfway = False
        while many - few > 1:
            tried = (few + many) // 2
            if above is not None and not halfway:
                line = few + (most - found) / (above - found) * (many - few)
                tried = min(max(int(line), few + 1), many - 1)
            halfway = not halfway
            share = self._share(others, tried)
            if share is not None and share <= most:
                stay, few, found = tried, tried, share
            elif share is None and self.estimator == _SILENT_OF_FEW:
                few, found = tried, 0.0
            else:
                many, above = tried, share
        return stay

    def estimated(self, classes: Classes) -> float | None:
        """Return the estimated share of the population that is unique, or None."""
        others = classes.sizes[classes.sizes >= _NOT_ALONE]
        return self._share(others, classes.sizes.size - others.size)

    def _share(self, others: NDArray[np.int64], alone: int) -> float | None:
        """Estimate the share for a given number of unique records."""
        if not alone:
            return 0.0
        sizes = np.concatenate([others, np.ones(alone, dtype=np.int64)])
        return _ESTIMATORS[self.estimator](sizes, self.people).share

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure | None:  # noqa: ARG002 - of the classes alone
        """Return the estimated share of the population that is unique."""
        share = self.estimated(classes)
        if share is None:
            return None
        what = "estimated share of the population that is unique"
        return ModelFigure(what, f"{share:.4g}", f"at most {self.maximum:g}")
