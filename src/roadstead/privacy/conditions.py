"""Conditions on class sizes, people, or values that several models share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Annotated, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from roadstead.front_end import option
from roadstead.kernels import grouping
from roadstead.kernels.greatest_parts import blocks_under_caps, rows_over_caps, under_caps
from roadstead.kernels.histograms import class_histogram, room_under_caps
from roadstead.kernels.person_values import values_of_persons
from roadstead.policies.classes import Classes
from roadstead.privacy.least_classes import least_under_caps, smallest_under_caps
from roadstead.privacy.protocol import Monotone, PrivacyModel
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.histograms import Histogram

Text: TypeAlias = Annotated[str, Field(coerce_numbers_to_str=True)]
"""A column name or a value in settings, which may look like a number."""

TOLERANCE = 1e-9
"""The relative tolerance with which a number at a threshold passes despite rounding errors."""

SLACK = 2 * TOLERANCE
"""A tolerance, so that monotone parts do not reject a class that the model accepts."""

LEAST_RISK = 1e-12
"""The risk of a person in a class that is larger than any population."""


def none_below(most: NDArray[np.int64], least: int) -> NDArray[np.int64]:
    """Replace each bound below the minimum class size with 0."""
    return np.where(most >= least, most, 0)


class BySize(Monotone):
    """A condition that requires each class to have at least `least_records` records."""

    @property
    def least_records(self) -> int:
        """Return the minimum class size."""
        raise NotImplementedError

    @property
    def by_size_alone(self) -> bool:
        """Return whether class size is the only requirement; subclasses may add requirements."""
        return type(self).satisfied is BySize.satisfied

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return whether each class is large enough."""
        return classes.sizes >= self.least_records

    def most_released(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.int64]:  # noqa: ARG002 - of the numbers alone
        """Lower the bound to 0 for each part that is smaller than the minimum class size."""
        return none_below(most, self.least_records)


@dataclass(frozen=True)
class LeastSize(BySize):
    """A condition that requires each class to have at least `least` records."""

    least: int

    @property
    def least_records(self) -> int:
        """Return the minimum class size."""
        return self.least


class SizeModel(BySize, PrivacyModel):
    """A model that requires a minimum class size.

    The model does not need facts about a table, so `bind` returns the model itself.
    """

    @property
    def threshold(self) -> float:
        """Return the prosecutor risk of a record in the smallest allowed class."""
        return 1.0 / self.least_records

    def bind(self, table: FrequencyTable) -> Self:  # noqa: ARG002 - needs nothing of it
        """Return the model itself, because the model uses only class sizes."""
        return self


def people_of(model: PrivacyModel, table: FrequencyTable, otherwise: str = "") -> NDArray[np.int64]:
    """Return how many people in the population have each row's combination of values.

    The function rejects a table without a population. `otherwise` is added to the fix that the
    error message suggests.
    """
    if table.population is None:
        raise model.wrong(
            "the number of people with each combination is not known for the population",
            fix=f"give a table of the population with {option('population', 'FILE')}{otherwise}",
        )
    return np.ascontiguousarray(table.population, dtype=np.int64)


@dataclass(frozen=True)
class ClassCounts:
    """The number of records with each value in each class.

    The entries of class c are at the positions from ``starts[c]`` up to, but not including,
    ``starts[c + 1]``, in ascending order of code. Only values that occur in the class have an
    entry.
    """

    starts: NDArray[np.int64]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]

    @property
    def distinct(self) -> NDArray[np.int64]:
        """Return the number of different values in each class."""
        return np.diff(self.starts)

    @property
    def records(self) -> NDArray[np.int64]:
        """Return the number of records in each class that have a counted value."""
        before = np.concatenate(([0], np.cumsum(self.counts)))
        return np.diff(before[self.starts])

    def only(self, there: NDArray[np.bool_]) -> ClassCounts:
        """Return the counts of the marked classes only.

        The mask must include every class that has an entry.
        """
        starts = np.append(self.starts[:-1][there], self.starts[-1])
        return ClassCounts(starts, self.codes, self.counts)


def class_counts(histogram: Histogram, classes: Classes) -> ClassCounts:
    """Count the records with each value in each class.

    If the histogram has person IDs, each person counts once per value in a class.
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
    """Count each person once per value, in each class and in the whole table.

    `owners` gives the person to whom each row belongs. The rows are sorted by person.
    """
    own = replace(histogram, owners=owners)
    whole = Classes(
        grouping.pack(own.rows), np.zeros(1, np.uint32), np.array([own.rows], dtype=np.int64)
    )
    counted = class_counts(own, whole)
    persons = np.zeros(len(own.domain), dtype=np.int64)
    persons[counted.codes] = counted.counts
    return replace(own, whole=persons)


Least: TypeAlias = Callable[[ClassCounts], NDArray[np.float64]]
"""A function that returns the size of the smallest valid class that contains each block."""
Greatest: TypeAlias = Callable[[ClassCounts, NDArray[np.int64]], NDArray[np.int64]]
"""A function that bounds how many records in each part can be in valid classes."""


@dataclass(frozen=True, eq=False)
class OnValues:
    """A condition on how often each value of a column occurs in a class.

    The union of two valid classes must be valid. A condition that has no `weaker` condition must be
    monotone. The union of all released classes of a part then satisfies the condition, so
    `greatest` limits the number of released records. If `caps` are given, the share of a value in a
    class is at most its cap. Otherwise, `least` gives the smallest size of a class that contains a
    block. `greatest` and `least` count only records in the histogram; other records are blanks (see
    `privacy.blanks`).
    """

    histogram: Histogram = field(repr=False)
    holds: Callable[[ClassCounts], NDArray[np.bool_]]  # whether each class is valid; ``(classes,)``
    weaker: OnValues | None = None
    greatest: Greatest | None = None
    caps: NDArray[np.float64] | None = None
    least: Least | None = None
    merges: ClassVar[bool] = True
    per_class: ClassVar[bool] = True

    @property
    def monotone_part(self) -> OnValues:
        """Return the weaker condition if there is one, or else this condition."""
        return self.weaker or self

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return whether each class satisfies the condition."""
        return self.holds(class_counts(self.histogram, classes))

    def most_released(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.int64]:
        """Find a bound on the records in each part that can satisfy the condition together.

        The bound does not apply to people, because a person in two classes counts only once in
        their union.
        """
        if self.greatest is None or self.histogram.owners is not None:
            return most
        counted = class_counts(self.histogram, parts)
        valued = counted.records
        there, blank = valued > 0, parts.sizes - valued
        found = np.zeros_like(most)
        if there.any():
            own = self.greatest(counted.only(there), np.minimum(most, valued)[there])
            found[there] = np.where(own > 0, np.minimum(most[there], own + blank[there]), 0)
        return found

    def least_containing(self, blocks: Classes) -> NDArray[np.float64]:
        """Return the size of the smallest valid class that contains each block."""
        if self.histogram.owners is None and blocks.sizes.size:
            counted = class_counts(self.histogram, blocks)
            if self.caps is not None:
                entries = counted.starts, counted.codes, counted.counts
                return np.maximum(least_under_caps(*entries, self.caps), self._smallest)
            if self.least is not None:
                return self._least_containing(self.least, counted, blocks.sizes)
        return blocks.sizes.astype(np.float64)

    @staticmethod
    def _least_containing(
        least: Least, counted: ClassCounts, sizes: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Apply `least` to blocks that have values, and return the sizes of all other blocks."""
        valued, found = counted.records, sizes.astype(np.float64)
        there = valued > 0
        if there.any():
            found[there] = least(counted.only(there)) + (sizes - valued)[there]
        return found

    @cached_property
    def _smallest(self) -> int:
        return 1 if self.caps is None else smallest_under_caps(self.caps)

    @property
    def bounds_blocks(self) -> bool:
        """Return whether the condition has caps that apply to records."""
        return self.caps is not None and self.histogram.owners is None

    def blocks_released(
        self, blocks: Classes, part: NDArray[np.int64], most: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Fill the parts with whole blocks without exceeding the caps."""
        if self.caps is None:
            return most, np.zeros(part.size, dtype=np.bool_)
        counted = class_counts(self.histogram, blocks)
        order = np.argsort(part, kind="stable")
        places = np.searchsorted(part[order], np.arange(most.size + 1))
        entries = counted.starts, counted.codes, counted.counts
        return blocks_under_caps(places, order, part.size, entries, self.caps, most)

    def barred(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Mark rows that have more records with a value than the whole release may have."""
        own = self.histogram
        if self.caps is None or own.owners is not None:
            return np.zeros(parts.members.size, dtype=np.bool_)
        entries = own.starts, own.codes, own.counts
        return rows_over_caps(parts.members, parts.numbers, entries, self.caps, most)


def least_values(histogram: Histogram, least: int) -> OnValues:
    """Return the condition that requires at least `least` different values in every class."""
    return OnValues(histogram, partial(_enough, least))


def _enough(least: int, counted: ClassCounts) -> NDArray[np.bool_]:
    return counted.distinct >= least


def has_room(caps: NDArray[np.float64], counted: ClassCounts) -> NDArray[np.bool_]:
    """Return whether the caps of the values that occur in each class add up to at least 1."""
    return room_under_caps(counted.starts, counted.codes, caps) >= 1.0 - SLACK


def most_under_caps(
    caps: NDArray[np.float64], counted: ClassCounts, most: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the largest number of records in each part at which no value exceeds its cap."""
    return under_caps(counted.starts, counted.codes, counted.counts, caps, most)
