"""Conditions that several models are made of: on the sizes, people or values of single classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from roadstead.front_end import option
from roadstead.kernels import grouping
from roadstead.kernels.histograms import class_histogram
from roadstead.kernels.person_values import values_of_persons
from roadstead.policies.classes import Classes
from roadstead.privacy.protocol import Monotone, PrivacyModel
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.histograms import Histogram

Text: TypeAlias = Annotated[str, Field(coerce_numbers_to_str=True)]
"""The name of a column, or a value, in settings: it may look like a number."""

TOLERANCE = 1e-9
"""Relative. What floating point makes of a number exactly at a threshold still passes."""

SLACK = 2 * TOLERANCE
"""The tolerance of monotone parts: they must never refuse what the model itself accepts."""

LEAST_RISK = 1e-12
"""Of one in a class of more people than there are."""


@dataclass(frozen=True)
class LeastSize(Monotone):
    """Classes of at least `least` records: monotone, a class that grows does not get too small."""

    least: int

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether each class is large enough."""
        return classes.sizes >= self.least


class SizeModel(Monotone, PrivacyModel):
    """A model of classes of at least `least_records`, which is its own condition on any table."""

    @property
    def least_records(self) -> int:
        """Records of the smallest class that is released."""
        raise NotImplementedError

    @property
    def threshold(self) -> float:
        """Prosecutor risk of a record in the smallest class."""
        return 1.0 / self.least_records

    def bind(self, table: FrequencyTable) -> Self:  # noqa: ARG002 - needs nothing of it
        """Itself: sizes are all it looks at."""
        return self

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether each class is large enough."""
        return classes.sizes >= self.least_records


def people_of(model: PrivacyModel, table: FrequencyTable, otherwise: str = "") -> NDArray[np.int64]:
    """Give the people with each row's combination; a model that needs them refuses a table without.

    `otherwise`: what the user can do instead.
    """
    if table.population is None:
        raise model.wrong(
            "it is not known how many people of the population share each combination",
            fix=f"give a table of the population with {option('population', 'FILE')}{otherwise}",
        )
    return np.ascontiguousarray(table.population, dtype=np.int64)


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
    """Add the rows of each class up; a missing value is a value like any other.

    Where the histogram says whose the rows are, a person counts once for each value in a class.
    """
    if histogram.owners is not None:
        return ClassCounts(
            *values_of_persons(
                classes.members,
                classes.numbers,
                classes.sizes.size,
                (histogram.starts, histogram.codes),
                histogram.owners,
                len(histogram.domain),
            )
        )
    return ClassCounts(
        *class_histogram(
            classes.members,
            classes.numbers,
            classes.sizes.size,
            (histogram.starts, histogram.codes, histogram.counts),
            len(histogram.domain),
        )
    )


def once_a_person(histogram: Histogram, owners: NDArray[np.uint32]) -> Histogram:
    """Count each person once for each value, in a class and in the whole table.

    `owners` has the person of each row, ascending.
    """
    own = replace(histogram, owners=owners)
    whole = Classes(
        grouping.pack(own.rows), np.zeros(1, np.uint32), np.array([own.rows], dtype=np.int64)
    )
    counted = class_counts(own, whole)
    persons = np.zeros(len(own.domain), dtype=np.int64)
    persons[counted.codes] = counted.counts
    return replace(own, whole=persons)


@dataclass(frozen=True, eq=False)
class OnValues:
    """A condition on how often each value of a column occurs in a class.

    It must hold of two classes together that satisfy it. Without a monotone part of its own it
    must be monotone.
    """

    histogram: Histogram = field(repr=False)
    holds: Callable[[ClassCounts], NDArray[np.bool_]]  # for each class; shape ``(classes,)``
    weaker: OnValues | None = None
    merges: ClassVar[bool] = True
    per_class: ClassVar[bool] = True

    @property
    def monotone_part(self) -> OnValues:
        """The weaker condition, or itself."""
        return self.weaker or self

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether the condition holds of each class."""
        return self.holds(class_counts(self.histogram, classes))


def least_values(histogram: Histogram, least: int) -> OnValues:
    """At least so many different values: monotone, because a class that grows loses no value."""
    return OnValues(histogram, partial(_enough, least))


def _enough(least: int, counted: ClassCounts) -> NDArray[np.bool_]:
    return counted.distinct >= least
