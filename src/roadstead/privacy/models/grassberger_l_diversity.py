"""Entropy l-diversity with Grassberger's estimate of the entropy of the source distribution.

For a class of n records with n_v records of value v, Grassberger (2003) estimates

    H = G(n) - (1/n) sum over v of n_v G(n_v),   G(n) = psi(floor(n / 2) + 1/2) + ln 2

where psi is the digamma function. A class is released if H >= log l and at least l different values
occur (Stammler, Katzenbeisser, and Hamacher 2016, as in ARX). The union of two valid classes may be
invalid (docs/methods/l-diversity.md has an example).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, exp, isfinite, log
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities, Feature
from roadstead.policies.classes import Classes
from roadstead.privacy.blanks import Blank, DiversityModel
from roadstead.privacy.conditions import TOLERANCE, OnValues, Text, class_counts, least_values
from roadstead.privacy.model_capabilities import not_in_persons
from roadstead.privacy.protocol import ModelFigure
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.histograms import Histogram


@dataclass(frozen=True, eq=False)
class EstimatedEntropy:
    """Classes with at least `values` values and an estimated entropy of at least `least` nats."""

    histogram: Histogram = field(repr=False)
    values: int
    least: float
    merges: ClassVar[bool] = False
    per_class: ClassVar[bool] = True

    @property
    def monotone_part(self) -> OnValues:
        """Require enough different values.

        No sharper condition is monotone, because the estimate for one record of each value is at
        least log l.
        """
        return least_values(self.histogram, self.values)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return whether each class has enough values and a high enough estimated entropy."""
        found, distinct = self.estimated(classes)
        return (found >= self.least) & (distinct >= self.values)

    def estimated(self, classes: Classes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the estimated entropy of each class, and the number of values in each class."""
        counted = class_counts(self.histogram, classes)
        there = counted.distinct > 0
        found = np.zeros(there.size)
        if there.any():
            starts = counted.only(there).starts[:-1]
            sizes = np.add.reduceat(counted.counts, starts)
            inside = np.add.reduceat(counted.counts * instead_of_log(counted.counts), starts)
            found[there] = instead_of_log(sizes) - inside / sizes
        return found, counted.distinct


@dataclass(frozen=True)
class GrassbergerLDiversity(DiversityModel):
    """Classes in which a column's estimated entropy is at least log `l`, for an l above 1."""

    column: Text
    l: float  # noqa: E741 - the model's own letter
    blank: Blank = "no-value"
    kind: ClassVar[str] = "grassberger-l-diversity"
    sources: ClassVar[tuple[str, ...]] = ("machanavajjhala", "grassberger", "stammler")
    capabilities: ClassVar[Capabilities] = not_in_persons(
        "corrects the entropy for small groups of independently sampled records, but the rows of "
        "one person are not independent",
        "leave the model out, or use entropy-l-diversity, which can count people",
        Feature.RECODING,
    )

    def __post_init__(self) -> None:
        fix = (
            "the values of every group are at least as diverse as a sample from l equally "
            "frequent values"
        )
        self.require("l", isfinite(self.l) and self.l > 1.0, "above 1", fix)
        self.require_blank()

    @property
    def name(self) -> str:
        """Return the model's name with its parameters."""
        of = f"{self.column}{self.counting_blanks}"
        return f"entropy {self.l:g}-diversity by Grassberger's estimate of {of}"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        return (
            f"Every released group has at least {ceil(self.l)} different values of {self.column}. "
            f"By Grassberger's estimate, the values are as diverse as a sample from {self.l:g} "
            "equally frequent values. The values in a small group may be less diverse than this. "
            f"{self.terms}"
        )

    def bind(self, table: FrequencyTable) -> EstimatedEntropy:
        """Bind the model to the counts of the column's values."""
        least = log(self.l) * (1.0 - TOLERANCE)
        return EstimatedEntropy(self.values(table), ceil(self.l), least)

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:
        """Return the lowest estimated entropy, expressed as a number of equally frequent values."""
        found = self.bind(table).estimated(classes)[0]
        what = (
            "estimated diversity of the least diverse group, as a number of equally frequent values"
        )
        return ModelFigure(what, round(exp(float(found.min())), 9), f"at least {self.l:g}")


def instead_of_log(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return G(n), which replaces ln(n) in the estimate, for whole numbers of at least 1."""
    from scipy.special import digamma  # noqa: PLC0415 - heavy

    found: NDArray[np.float64] = digamma(counts // 2 + 0.5) + log(2.0)
    return found
