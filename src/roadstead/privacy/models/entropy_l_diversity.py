"""Entropy l-diversity: the values of a class are as mixed as l equally frequent ones.

The Shannon entropy of the sensitive column in every released class is at least log l
(Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007). l need not be a whole number.

Entropy is concave, so two classes that satisfy the model satisfy it together. It is not monotone:
a class of two values, half and half, does not stay 2-diverse when others bring more of one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, exp, isfinite, log
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.diversity import entropies
from roadstead.policies.classes import Classes
from roadstead.privacy.class_counts import TOLERANCE, Text, class_counts
from roadstead.privacy.defaults import ModelDefaults, ModelFigure
from roadstead.privacy.monotone_parts import LeastValues
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.histograms import Histogram


@dataclass(frozen=True)
class LeastEntropy:
    """Classes whose entropy in a column is at least that of `l` equally frequent values."""

    histogram: Histogram = field(repr=False)
    l: float  # noqa: E741 - the model's own letter
    merges: ClassVar[bool] = True
    per_class: ClassVar[bool] = True

    @property
    def least(self) -> float:
        """Smallest entropy that passes, in nats."""
        return log(self.l) * (1.0 - TOLERANCE)

    @cached_property
    def monotone_part(self) -> LeastValues:
        """As many different values as the entropy needs, which is the sharpest there is.

        d values have an entropy of at most log d. And one record of each of d values has just
        that, so every class with enough values contains records that satisfy the model.
        """
        values = ceil(self.l)
        if log(values - 1) >= self.least:  # l is above a whole number by less than the tolerance
            values -= 1
        return LeastValues(self.histogram, values)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether the entropy of each class is large enough."""
        counted = class_counts(self.histogram, classes)
        return entropies(counted.starts, counted.counts) >= self.least


@dataclass(frozen=True)
class EntropyLDiversity(ModelDefaults):
    """Classes whose entropy of a sensitive column is at least log `l`.

    Raises
    ------
    SettingError
        When l is not above 1: every class has an entropy of at least log 1.
    """

    column: Text
    l: float  # noqa: E741 - the model's own letter
    kind: ClassVar[str] = "entropy-l-diversity"
    sources: ClassVar[tuple[str, ...]] = ("machanavajjhala",)

    def __post_init__(self) -> None:
        if not (isfinite(self.l) and self.l > 1.0):
            raise self.wrong(
                f"l is {self.l}, and must be above 1",
                fix="every class is as mixed as l values that are equally frequent",
            )

    @property
    def name(self) -> str:
        """The model's name with its parameters."""
        return f"entropy {self.l:g}-diversity of {self.column}"

    @property
    def promise(self) -> str:
        """What it promises of a release."""
        return (
            f"In every class of records released the values of {self.column} are at least as mixed "
            f"as {self.l:g} equally frequent ones (entropy {self.l:g}-diversity)."
        )

    def bind(self, table: FrequencyTable) -> LeastEntropy:
        """Count the column's values in the classes of a table."""
        return LeastEntropy(table.histogram(self.column), self.l)

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:
        """The least mixed class."""
        counted = class_counts(table.histogram(self.column), classes)
        least = exp(entropies(counted.starts, counted.counts).min())
        what = "least mixed class, as so many equal values"
        return ModelFigure(what, round(least, 9), f"at least {self.l:g}")
