"""Recursive (c,l)-diversity: the most frequent value of a class is not too frequent.

Let r_1 >= r_2 >= ... >= r_m be the frequencies of the sensitive values in a class. The model
requires r_1 < c (r_l + ... + r_m) (Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007). The
union of two valid classes is valid. In the union, r_1 and the sum of the l - 1 highest frequencies
are at most the corresponding sums over the two classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities, Feature
from roadstead.kernels.greatest_parts import with_tails
from roadstead.kernels.histograms import heads_and_tails
from roadstead.policies.classes import Classes
from roadstead.privacy.blanks import Blank, DiversityModel
from roadstead.privacy.conditions import ClassCounts, OnValues, Text, class_counts, least_values
from roadstead.privacy.least_classes import least_for_largest
from roadstead.privacy.model_capabilities import OF_VALUES
from roadstead.privacy.models.distinct_l_diversity import SMALLEST_L
from roadstead.privacy.protocol import ModelFigure
from roadstead.tables.frequency import FrequencyTable

_LARGEST_C = 1e12
"""The largest c at which bounds on class sizes stay within the range of floats."""


@dataclass(frozen=True)
class RecursiveCLDiversity(DiversityModel):
    """Recursive (`c`, `l`)-diversity of a sensitive column, for c from 1e-12 and l from 2."""

    column: Text
    c: float
    l: int  # noqa: E741 - the model's own letter
    blank: Blank = "no-value"
    kind: ClassVar[str] = "recursive-cl-diversity"
    sources: ClassVar[tuple[str, ...]] = ("machanavajjhala",)
    capabilities: ClassVar[Capabilities] = OF_VALUES.adding(Feature.PROOF)

    def __post_init__(self) -> None:
        fix = (
            "the most frequent value must have fewer than c times as many records as the rarer "
            "values together"
        )
        right = f"from {1 / _LARGEST_C:g} to {_LARGEST_C:g}"
        self.require("c", 1 / _LARGEST_C <= self.c <= _LARGEST_C, right, fix)
        fix = "the rarer values are the l-th most frequent value and all values after it"
        self.require("l", self.l >= SMALLEST_L, f"at least {SMALLEST_L}", fix)
        self.require_blank()

    @property
    def name(self) -> str:
        """Return the model's name with its parameters."""
        return f"recursive ({self.c:g},{self.l})-diversity of {self.column}{self.counting_blanks}"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        return (
            f"In every released group, {self.clause} (recursive ({self.c:g},{self.l})-diversity). "
            f"{self.terms}"
        )

    @property
    def clause(self) -> str:
        """Return the condition on every class as a clause."""
        return (
            f"the most frequent value of {self.column} occurs less than {self.c:g} times as "
            f"often as the {_ordinal(self.l)} most frequent value and all rarer values "
            "together"
        )

    def bind(self, table: FrequencyTable) -> OnValues:
        """Compare the frequencies of the values in each class.

        The monotone part requires the number of values that the model needs. No sharper condition
        exists. Among d values, d - l + 1 values are in the tail, and each of them has at most r_1
        records. So r_1 < c (d - l + 1) r_1, which means 1 < c (d - l + 1), or d >= l + floor(1 /
        c). A class with that many values contains one record with each value, and these records
        satisfy the model.
        """
        histogram, c = self.values(table), self._written_c
        weaker = least_values(histogram, self.l + c.denominator // c.numerator)
        return OnValues(histogram, self._bounded, weaker, self._most, least=self._least)

    @property
    def _written_c(self) -> Fraction:
        return Fraction(repr(float(self.c)))

    def _bounded(self, counted: ClassCounts) -> NDArray[np.bool_]:
        heads, tails = heads_and_tails(counted.starts, counted.counts, self.l)
        by_head, by_tail, more = _whole_numbers(self._written_c, int(counted.counts.sum()))
        smaller: NDArray[np.bool_] = heads * by_head < tails * by_tail + more
        return smaller & (tails > 0)

    def _most(self, counted: ClassCounts, most: NDArray[np.int64]) -> NDArray[np.int64]:
        compared = _whole_numbers(self._written_c, int(counted.counts.sum()))
        return with_tails(counted.starts, counted.counts, self.l, compared, most)

    def _least(self, counted: ClassCounts) -> NDArray[np.float64]:
        """Compute the smallest class size: r_1, plus a tail of more than r_1 / c records."""
        return least_for_largest(counted.starts, counted.counts, self.c / (1.0 + self.c))

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:
        """Return the highest ratio, over all classes, of the most frequent value to the tail."""
        counted = class_counts(self.values(table), classes)
        heads, tails = heads_and_tails(counted.starts, counted.counts, self.l)
        what = (
            "number of records with the most frequent value, divided by the number with a rarer "
            "value"
        )
        return ModelFigure(what, round(float((heads / tails).max()), 9), f"less than {self.c:g}")


def _whole_numbers(c: Fraction, most: int) -> tuple[int, int, int]:
    """Return x, y, and e such that head < c * tail exactly when head * x < tail * y + e.

    The equivalence is true for whole numbers from 1 to `most`. No ratio of two such numbers is
    between c and the nearest fraction whose denominator is at most `most`. So a comparison with
    this fraction gives the same result, and its products have at most 64 bits.
    """
    most = max(most, 1)
    if c <= 1:
        near = c.limit_denominator(most)
        return near.denominator, near.numerator, int(near < c)
    near = (1 / c).limit_denominator(most)
    return near.numerator, near.denominator, int(near > 1 / c)


_TEENS = range(11, 14)
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def _ordinal(number: int) -> str:
    """Write a number as an ordinal, such as 2nd, 3rd, or 11th."""
    ending = "th" if number % 100 in _TEENS else _ENDINGS.get(number % 10, "th")
    return f"{number}{ending}"
