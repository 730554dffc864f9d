"""Entropy l-diversity: a class has at least the entropy of l equally frequent values.

The Shannon entropy of the sensitive column in every released class is at least log l
(Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007). Entropy is concave, so the union of two
valid classes is valid, but the model is not monotone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil, exp, isfinite, log
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities
from roadstead.kernels.greatest_parts import as_mixed
from roadstead.kernels.histograms import entropies
from roadstead.policies.classes import Classes
from roadstead.privacy.blanks import Blank, DiversityModel
from roadstead.privacy.conditions import (
    TOLERANCE,
    ClassCounts,
    OnValues,
    Text,
    class_counts,
    least_values,
)
from roadstead.privacy.least_classes import least_for_largest, most_mixed_share
from roadstead.privacy.model_capabilities import OF_VALUES
from roadstead.privacy.protocol import ModelFigure
from roadstead.tables.frequency import FrequencyTable


@dataclass(frozen=True)
class EntropyLDiversity(DiversityModel):
    """Classes in which the entropy of a sensitive column is at least log `l`, for an l above 1."""

    column: Text
    l: float  # noqa: E741 - the model's own letter
    blank: Blank = "no-value"
    kind: ClassVar[str] = "entropy-l-diversity"
    sources: ClassVar[tuple[str, ...]] = ("machanavajjhala",)
    capabilities: ClassVar[Capabilities] = OF_VALUES

    def __post_init__(self) -> None:
        fix = "the values of every group are at least as mixed as l equally frequent values"
        self.require("l", isfinite(self.l) and self.l > 1.0, "above 1", fix)
        self.require_blank()

    @property
    def name(self) -> str:
        """Return the model's name with its parameters."""
        return f"entropy {self.l:g}-diversity of {self.column}{self.counting_blanks}"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        return (
            f"In every released group, {self.clause} (entropy {self.l:g}-diversity). {self.terms}"
        )

    @property
    def clause(self) -> str:
        """Return the condition on every class as a clause."""
        return (
            f"the values of {self.column} are at least as mixed as {self.l:g} equally frequent "
            "values"
        )

    def bind(self, table: FrequencyTable) -> OnValues:
        """Require the minimum entropy.

        The monotone part requires the number of values that this entropy needs.

        No sharper monotone part exists. The entropy of d values is at most log d. A class with one
        record for each of d values has exactly this entropy. So every class with enough values
        contains records that satisfy the model.
        """
        values = ceil(self.l)
        if log(values - 1) >= self._least:  # l exceeds a whole number by less than the tolerance
            values -= 1
        histogram = self.values(table)
        weaker = least_values(histogram, values)
        there = max(int(np.count_nonzero(histogram.whole)), 1)
        least = partial(self._least_containing, most_mixed_share(there, self._least))
        return OnValues(histogram, self._mixed, weaker, self._most, least=least)

    @property
    def _least(self) -> float:
        """Return the smallest entropy that passes, in nats."""
        return log(self.l) * (1.0 - TOLERANCE)

    def _mixed(self, counted: ClassCounts) -> NDArray[np.bool_]:
        return entropies(counted.starts, counted.counts) >= self._least

    def _most(self, counted: ClassCounts, most: NDArray[np.int64]) -> NDArray[np.int64]:
        return as_mixed(counted.starts, counted.counts, self._least, most)

    def _least_containing(self, share: float, counted: ClassCounts) -> NDArray[np.float64]:
        return least_for_largest(counted.starts, counted.counts, share)

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:
        """Return the lowest entropy of a class, given as a number of equally frequent values."""
        counted = class_counts(self.values(table), classes)
        least = exp(entropies(counted.starts, counted.counts).min())
        what = "diversity of the least mixed group, as a number of equally frequent values"
        return ModelFigure(what, round(least, 9), f"at least {self.l:g}")
