"""beta-likeness: no sensitive value is much more frequent in a class than in the whole table.

Let q_v be the share of value v in the whole table, and p_v its share in a class. *Basic*
beta-likeness requires p_v <= q_v (1 + beta) for every value. *Enhanced* beta-likeness also requires
p_v <= q_v (1 - ln q_v) (Cao and Karras 2012; docs/methods/beta-likeness.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities
from roadstead.kernels.histograms import fullest
from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import (
    TOLERANCE,
    ClassCounts,
    OnValues,
    Text,
    class_counts,
    has_room,
    most_under_caps,
)
from roadstead.privacy.model_capabilities import OF_VALUES
from roadstead.privacy.protocol import ModelFigure, PrivacyModel
from roadstead.tables.frequency import FrequencyTable


@dataclass(frozen=True)
class BetaLikeness(PrivacyModel):
    """In each class, a value gains at most `beta` (above 0) times its share in the table."""

    column: Text
    beta: float
    enhanced: bool = True
    kind: ClassVar[str] = "beta-likeness"
    sources: ClassVar[tuple[str, ...]] = ("cao",)
    capabilities: ClassVar[Capabilities] = OF_VALUES

    def __post_init__(self) -> None:
        fix = (
            "for example, 1 means that no value is more than twice as frequent in a group as in "
            "the table"
        )
        self.require("beta", isfinite(self.beta) and self.beta > 0.0, "above 0", fix)

    @property
    def name(self) -> str:
        """Return the model's name with its parameters."""
        kind = "enhanced" if self.enhanced else "basic"
        return f"{kind} {self.beta:g}-likeness of {self.column}"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        return f"In every released group, {self.clause} ({self.name})."

    @property
    def clause(self) -> str:
        """Return the condition on every class as a clause."""
        also = " (the limit is lower for frequent values)" if self.enhanced else ""
        return (
            f"no value of {self.column} is more than {1 + self.beta:g} times as frequent as in the "
            f"whole table{also}"
        )

    def bind(self, table: FrequencyTable) -> OnValues:
        """Compute the caps from the distribution of the whole table.

        The monotone part requires that the caps of the values in a class add up to at least 1. If
        p_v <= c_v for all values that occur, the caps c_v add up to at least 1, because the shares
        p_v add up to 1. A class that grows keeps its values, so the sum of the caps cannot fall. At
        least one cap is then 1/n or more, because a class of n records has at most n values.
        """
        histogram = table.histogram(self.column)
        # A value that is not in the whole table must not occur, so its cap is almost 0.
        shares = np.maximum(histogram.whole / histogram.whole.sum(), np.finfo(np.float64).tiny)
        gain = np.minimum(self.beta, -np.log(shares)) if self.enhanced else self.beta
        caps = shares * (1.0 + gain)
        weaker = OnValues(histogram, partial(has_room, caps))
        return OnValues(
            histogram, partial(_under, caps), weaker, partial(most_under_caps, caps), caps
        )

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:
        """Return the largest gain of a value in a class.

        The gain is the share in the class divided by the share in the table, minus 1.
        """
        histogram = table.histogram(self.column)
        counted = class_counts(histogram, classes)
        shares = histogram.whole / histogram.whole.sum()
        times = fullest(counted.starts, counted.codes, counted.counts, shares)
        gain = round(float(times.max()) - 1.0, 9)
        return ModelFigure(
            "largest increase of a value's share in a group, relative to its share in the table",
            gain,
            f"at most {self.beta:g}",
        )


def _under(caps: NDArray[np.float64], counted: ClassCounts) -> NDArray[np.bool_]:
    """Return whether all values in each class are within their caps."""
    return fullest(counted.starts, counted.codes, counted.counts, caps) <= 1.0 + TOLERANCE
