"""How often each value of a sensitive column occurs in each class of a policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from roadstead.kernels.histograms import class_histogram
from roadstead.policies.classes import Classes
from roadstead.tables.histograms import Histogram

Text: TypeAlias = Annotated[str, Field(coerce_numbers_to_str=True)]
"""The name of a column, or a value, in settings: it may look like a number."""

TOLERANCE = 1e-9
"""Relative. What floating point makes of a number exactly at a threshold still passes."""

SLACK = 2 * TOLERANCE
"""The tolerance of monotone parts: they must never refuse what the model itself accepts."""


@dataclass(frozen=True)
class ClassCounts:
    """Records of each class by value.

    The entries of class c are those from ``starts[c]`` up to ``starts[c + 1]``, by ascending code
    of the value; only values that occur have one.
    """

    starts: NDArray[np.int64]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]

    @property
    def distinct(self) -> NDArray[np.int64]:
        """How many different values occur in each class."""
        return np.diff(self.starts)


def class_counts(histogram: Histogram, classes: Classes) -> ClassCounts:
    """Add the rows of each class up; a missing value is a value like any other."""
    return ClassCounts(
        *class_histogram(
            classes.members,
            classes.numbers,
            classes.sizes.size,
            (histogram.starts, histogram.codes, histogram.counts),
            len(histogram.domain),
        )
    )
