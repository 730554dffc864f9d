"""Conditions that are monotone themselves, which several models take for their monotone part."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.classes import Classes
from roadstead.privacy.class_counts import class_counts
from roadstead.privacy.defaults import Monotone
from roadstead.tables.histograms import Histogram


@dataclass(frozen=True)
class LeastSize(Monotone):
    """Classes of at least `least` records: monotone, a class that grows does not get too small."""

    least: int

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether each class is large enough."""
        return classes.sizes >= self.least


@dataclass(frozen=True)
class LeastValues(Monotone):
    """Classes with at least `least` different values of a column: monotone.

    A class that grows loses no value.
    """

    histogram: Histogram = field(repr=False)
    least: int

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether enough values occur in each class."""
        return class_counts(self.histogram, classes).distinct >= self.least
