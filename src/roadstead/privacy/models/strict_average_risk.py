"""Strict average risk: a mean risk of the records (`average_risk`), and a bound on that of each."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.classes import Classes
from roadstead.privacy.class_counts import TOLERANCE
from roadstead.privacy.defaults import ModelDefaults, ModelFigure
from roadstead.privacy.models.average_risk import average_figure, check_risk, least_size
from roadstead.privacy.monotone_parts import LeastSize
from roadstead.tables.frequency import FrequencyTable


@dataclass(frozen=True)
class StrictAverageRisk(ModelDefaults):
    """Classes whose records have a mean risk of at most `average`, and each of at most `maximum`.

    Raises
    ------
    SettingError
        When one of the two is not above 0 and at most 1.
    """

    average: float
    maximum: float
    kind: ClassVar[str] = "strict-average-risk"
    sources: ClassVar[tuple[str, ...]] = ("emam",)
    merges: ClassVar[bool] = True
    per_class: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_risk("average", self.average, "strict-average-risk")
        check_risk("maximum", self.maximum, "strict-average-risk")

    @property
    def name(self) -> str:
        """The model's name with its parameters."""
        return f"strict average risk {self.average:g}, at most {self.maximum:g}"

    @property
    def promise(self) -> str:
        """What it promises of a release."""
        return (
            f"Whoever knows these of a person who is in the table finds the right record with a "
            f"probability of at most {self.average:g} on average over the records released, and of "
            f"at most {self.maximum:g} for each."
        )

    @property
    def threshold(self) -> float:
        """Largest prosecutor risk of a record."""
        return self.maximum

    @property
    def k(self) -> int:
        """Smallest class in which no record has more than the largest risk."""
        return ceil(1.0 / (self.maximum * (1.0 + TOLERANCE)))

    def bind(self, table: FrequencyTable) -> StrictAverageRisk:  # noqa: ARG002 - needs nothing of it
        """Itself: sizes are all it looks at."""
        return self

    @property
    def monotone_part(self) -> LeastSize:
        """k-anonymity with the k of the largest risk; of the average nothing can be said."""
        return LeastSize(self.k)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether each class is as large as k, and as the average of those that are asks for."""
        large = classes.sizes[classes.sizes >= self.k]
        return classes.sizes >= max(self.k, least_size(large, self.average))

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:  # noqa: ARG002 - of the classes alone
        """The mean risk."""
        return average_figure(classes, self.average)
