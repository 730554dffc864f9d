"""Conditions that are monotone themselves, which several models take for their monotone part."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.classes import Classes
from roadstead.privacy.class_counts import class_counts
from roadstead.tables.histograms import Histogram


@dataclass(frozen=True)
class LeastSize:
    """Classes of at least `least` records: monotone, a class that grows does not get too small."""

    least: int
    merges: ClassVar[bool] = True
    per_class: ClassVar[bool] = True

    @property
    def monotone_part(self) -> LeastSize:
        """Itself."""
        return self

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether each class is large enough."""
        return classes.sizes >= self.least


@dataclass(frozen=True)
class LeastValues:
    """Classes with at least `least` different values of a column: monotone.

    A class that grows loses no value.
    """

    histogram: Histogram = field(repr=False)
    least: int
    merges: ClassVar[bool] = True
    per_class: ClassVar[bool] = True

    @property
    def monotone_part(self) -> LeastValues:
        """Itself."""
        return self

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether enough values occur in each class."""
        return class_counts(self.histogram, classes).distinct >= self.least
