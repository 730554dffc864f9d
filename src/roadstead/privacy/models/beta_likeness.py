"""beta-likeness: no sensitive value is much more frequent in a class than in the whole table.

With q_v the share of value v in the whole table and p_v in a class, *basic* beta-likeness asks
p_v <= q_v (1 + beta) of every value; *enhanced* also p_v <= q_v (1 - ln q_v), which bounds what
frequent values may gain (Cao and Karras 2012). Losses are not bounded: they tell less.

The share of a value in two classes together lies between its shares, so two classes that satisfy
the model satisfy it together. It is not monotone: others may bring more of one value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.diversity import fullest, room_under_caps
from roadstead.policies.classes import Classes
from roadstead.privacy.class_counts import SLACK, TOLERANCE, Text, class_counts
from roadstead.privacy.defaults import ModelDefaults, ModelFigure, Monotone
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.histograms import Histogram


@dataclass(frozen=True)
class RoomUnderCaps(Monotone):
    """Classes whose values may, by their caps, make up a whole class: monotone.

    If p_v <= c_v for all values that occur, their caps c_v sum to at least 1, as the p_v do. A
    class that grows keeps its values, so the sum only grows. Then some cap is at least 1/n as
    well: a class of n has at most n values.
    """

    histogram: Histogram = field(repr=False)
    caps: NDArray[np.float64] = field(repr=False)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether the caps of the values that occur in each class sum to 1."""
        counted = class_counts(self.histogram, classes)
        return room_under_caps(counted.starts, counted.codes, self.caps) >= 1.0 - SLACK


@dataclass(frozen=True)
class CappedShares:
    """Classes in which the share of every value v is at most ``caps[v]``."""

    histogram: Histogram = field(repr=False)
    caps: NDArray[np.float64] = field(repr=False)
    merges: ClassVar[bool] = True
    per_class: ClassVar[bool] = True

    @cached_property
    def monotone_part(self) -> RoomUnderCaps:
        """Room under the caps of the values that occur."""
        return RoomUnderCaps(self.histogram, self.caps)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether no value of a class exceeds its cap."""
        counted = class_counts(self.histogram, classes)
        filled = fullest(counted.starts, counted.codes, counted.counts, self.caps)
        return filled <= 1.0 + TOLERANCE


@dataclass(frozen=True)
class BetaLikeness(ModelDefaults):
    """No value gains more than `beta` times its share of the whole table in any class.

    Raises
    ------
    SettingError
        When beta is not above 0.
    """

    column: Text
    beta: float
    enhanced: bool = True
    kind: ClassVar[str] = "beta-likeness"
    sources: ClassVar[tuple[str, ...]] = ("cao",)

    def __post_init__(self) -> None:
        if not (isfinite(self.beta) and self.beta > 0.0):
            raise self.wrong(
                f"beta is {self.beta}, and must be above 0",
                fix="with 1, no value is more than twice as frequent in a class as in the table",
            )

    @property
    def name(self) -> str:
        """The model's name with its parameters."""
        kind = "enhanced" if self.enhanced else "basic"
        return f"{kind} {self.beta:g}-likeness of {self.column}"

    @property
    def promise(self) -> str:
        """What it promises of a release."""
        also = ", and less for frequent values" if self.enhanced else ""
        return (
            f"In every class of records released no value of {self.column} is more than "
            f"{1 + self.beta:g} times as frequent as in the whole table{also} ({self.name})."
        )

    def bind(self, table: FrequencyTable) -> CappedShares:
        """Work the caps out from the whole table's distribution."""
        histogram = table.histogram(self.column)
        # A value that the whole table lacks may not occur: its cap is as good as 0.
        shares = np.maximum(histogram.whole / histogram.whole.sum(), np.finfo(np.float64).tiny)
        gain = np.minimum(self.beta, -np.log(shares)) if self.enhanced else self.beta
        return CappedShares(histogram, shares * (1.0 + gain))

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:
        """Largest share of a value in a class over its share in the whole table, less 1."""
        histogram = table.histogram(self.column)
        counted = class_counts(histogram, classes)
        shares = histogram.whole / histogram.whole.sum()
        times = fullest(counted.starts, counted.codes, counted.counts, shares)
        gain = round(float(times.max()) - 1.0, 9)
        return ModelFigure("largest gain of a value in a class", gain, f"at most {self.beta:g}")
