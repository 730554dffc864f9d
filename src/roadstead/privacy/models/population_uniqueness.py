"""Population uniqueness: few people are alone in the population, by an estimate from the release.

A record that is alone in a release may be of somebody who is alone in the population, whom anybody
finds, or of somebody whose likes were not drawn. How many people of the population are alone is
estimated from how many classes of the release have 1, 2, 3, ... records (`risk`): by Pitman's,
Zayatz's or the slide negative binomial model, or by Dankar's rule, which chooses one of these. The
estimated share of the population is at most `maximum`. Where it is above, or the model has no
answer, all records that are alone are suppressed; then none are expected to be.

Estimates take the release for a simple random sample of its population. Suppression is no such
thing, nor are they of a kind that never rises when classes become one. So nothing is promised of
merged classes, and the monotone part is nothing at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import TOLERANCE, LeastSize
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


@dataclass(frozen=True)
class PopulationUniqueness(PrivacyModel):
    """At most a share `maximum` of a population of `people` is alone, by an estimate."""

    maximum: float
    people: int  # of the population that the table was drawn from
    estimator: UniquesEstimator = "dankar"
    kind: ClassVar[str] = "population-uniqueness"
    sources: ClassVar[tuple[str, ...]] = ("dankar", "hoshino", "zayatz", "chen")
    merges: ClassVar[bool] = False
    per_class: ClassVar[bool] = False
    instead_of_k_anonymity: ClassVar[bool] = True

    def __post_init__(self) -> None:
        fix = "0.01 says that one person in a hundred is estimated to be alone"
        self.require("maximum", 0.0 <= self.maximum < 1.0, "from 0 to below 1", fix)
        fix = "give the number of people of the population that the table was drawn from"
        self.require("people", self.people >= 1, "at least 1", fix)

    @property
    def name(self) -> str:
        """The model's name with its parameters."""
        return (
            f"at most {self.maximum:g} of a population of {self.people:,} unique, by an estimate "
            f"({self.estimator})"
        )

    @property
    def promise(self) -> str:
        """What it promises of a release."""
        return (
            f"At most a share of {self.maximum:g} of a population of {self.people:,} is estimated "
            f"to share these with nobody else (population uniqueness, {self.estimator}). The "
            f"estimate takes the records released for a random sample of the population; single "
            f"records may be alone in the release, and whoever knows that their person is in the "
            f"table finds them with certainty."
        )

    def bind(self, table: FrequencyTable) -> Self:
        """Refuse a table of more records than there are people."""
        if table.records > self.people:
            raise self.wrong(
                f"people is {self.people:,}, and the table has {table.records:,} records of them",
                fix="give the number of people of the population that the table was drawn from",
            )
        return self

    @property
    def monotone_part(self) -> LeastSize:
        """Every class: among others, a record that is alone may be released."""
        return LeastSize(1)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether records that are alone may stay, of each class; all others may."""
        share = self.estimated(classes)
        few = share is not None and share <= self.maximum * (1.0 + TOLERANCE)
        return classes.sizes >= (1 if few else _NOT_ALONE)

    def estimated(self, classes: Classes) -> float | None:
        """Share of the population that is alone, by the estimate; None where it has no answer."""
        if not (classes.sizes < _NOT_ALONE).any():
            return 0.0
        return _ESTIMATORS[self.estimator](classes.sizes, self.people).share

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure | None:  # noqa: ARG002 - of the classes alone
        """The estimate."""
        share = self.estimated(classes)
        if share is None:
            return None
        what = "estimated share of the population that is unique"
        return ModelFigure(what, f"{share:.4g}", f"at most {self.maximum:g}")
