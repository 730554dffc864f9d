"""Recursive (c,l)-diversity: the most frequent value of a class is not too frequent.

With the frequencies of a class's sensitive values in descending order, r_1 < c (r_l + ... + r_m):
after l - 2 values have been ruled out, the most frequent one is still not certain
(Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007). All is whole numbers: c is taken as the
decimal fraction it was written as.

Two classes A and B that satisfy the model satisfy it together: r_1 of both is at most the sum of
theirs, and so are the l - 1 most frequent values of both, which leaves a tail of at least the sum
of theirs. It is not monotone: others may bring more of one value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import isfinite
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.diversity import heads_and_tails
from roadstead.policies.classes import Classes
from roadstead.privacy.class_counts import Text, class_counts
from roadstead.privacy.defaults import ModelDefaults, ModelFigure
from roadstead.privacy.models.distinct_l_diversity import SMALLEST_L
from roadstead.privacy.monotone_parts import LeastValues
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.histograms import Histogram


@dataclass(frozen=True)
class BoundedHead:
    """Classes whose most frequent value has less than `c` times what the `l`-th and rarer have."""

    histogram: Histogram = field(repr=False)
    c: Fraction
    l: int  # noqa: E741 - the model's own letter
    merges: ClassVar[bool] = True
    per_class: ClassVar[bool] = True

    @cached_property
    def monotone_part(self) -> LeastValues:
        """As many different values as the model needs, which is the sharpest there is.

        Of d values, d - l + 1 are in the tail, and none has more than r_1, so r_1 < c (d - l + 1)
        r_1, which is 1 < c (d - l + 1), or d >= l + floor(1 / c). And one record of each of so
        many values satisfies the model, so every class that has them contains such records.
        """
        return LeastValues(self.histogram, self.l + self.c.denominator // self.c.numerator)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether the head of each class is smaller than c times its tail."""
        counted = class_counts(self.histogram, classes)
        heads, tails = heads_and_tails(counted.starts, counted.counts, self.l)
        # As floats the products cannot overflow; equal ones stay equal, so "less" stays strict.
        smaller: NDArray[np.bool_] = heads * float(self.c.denominator) < tails * float(
            self.c.numerator
        )
        return smaller


@dataclass(frozen=True)
class RecursiveCLDiversity(ModelDefaults):
    """Recursive (`c`, `l`)-diversity of a sensitive column.

    Raises
    ------
    SettingError
        When c is not above 0, or l is below 2.
    """

    column: Text
    c: float
    l: int  # noqa: E741 - the model's own letter
    kind: ClassVar[str] = "recursive-cl-diversity"
    sources: ClassVar[tuple[str, ...]] = ("machanavajjhala",)

    def __post_init__(self) -> None:
        if not (isfinite(self.c) and self.c > 0.0):
            raise self.wrong(
                f"c is {self.c}, and must be above 0",
                fix="c is how many times the rarer values the most frequent one may have",
            )
        if self.l < SMALLEST_L:
            raise self.wrong(
                f"l is {self.l}, and must be at least {SMALLEST_L}",
                fix="values from the l-th on, by descending frequency, are the rarer ones",
            )

    @property
    def name(self) -> str:
        """The model's name with its parameters."""
        return f"recursive ({self.c:g},{self.l})-diversity of {self.column}"

    @property
    def promise(self) -> str:
        """What it promises of a release."""
        return (
            f"In every class of records released the most frequent value of {self.column} occurs "
            f"less than {self.c:g} times as often as all from the {_ordinal(self.l)} most frequent "
            f"on together (recursive ({self.c:g},{self.l})-diversity)."
        )

    def bind(self, table: FrequencyTable) -> BoundedHead:
        """Count the column's values in the classes of a table."""
        return BoundedHead(table.histogram(self.column), Fraction(repr(float(self.c))), self.l)

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:
        """The class whose most frequent value is most frequent."""
        counted = class_counts(table.histogram(self.column), classes)
        heads, tails = heads_and_tails(counted.starts, counted.counts, self.l)
        what = "most frequent value, in multiples of the rarer ones"
        return ModelFigure(what, round(float((heads / tails).max()), 9), f"less than {self.c:g}")


_TEENS = range(11, 14)
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def _ordinal(number: int) -> str:
    """Name a place: 2nd, 3rd, 11th."""
    ending = "th" if number % 100 in _TEENS else _ENDINGS.get(number % 10, "th")
    return f"{number}{ending}"
