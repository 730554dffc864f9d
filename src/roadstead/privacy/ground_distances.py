"""Distances between the values of a sensitive column, and between their distributions.

The *earth mover's distance* between two distributions is the smallest amount of work that turns one
distribution into the other, given a *ground distance* between values (Rubner, Tomasi, Guibas 2000;
Li, Li, Venkatasubramanian 2007, section 5). Two kinds of ground distance give the earth mover's
distance in closed form:

`LabelTree`: The values are leaves of a tree. The distance between two values is the height of their
lowest common ancestor, divided by the height of the tree. The earth mover's distance is the total
variation of the labels, averaged over all levels below the top.

`ValueRow`: The values are equally spaced in a row. The earth mover's distance is the area between
the cumulative distributions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels import distances, greatest_parts
from roadstead.privacy.conditions import ClassCounts, once_a_person
from roadstead.tables.histograms import Histogram, histogram


class GroundDistance(Protocol):
    """Distances between the classes and the whole table."""

    def of(self, counted: ClassCounts) -> NDArray[np.float64]:
        """Return the earth mover's distance of each class, from 0 to 1; shape ``(classes,)``."""

    def at_least(self, counted: ClassCounts) -> NDArray[np.float64]:
        """Return a lower bound on the distances of all classes with the same values."""

    def most_within(
        self, near: float, counted: ClassCounts, most: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Find a bound (up to `most`) on the records of each class that can be within `near`."""


@dataclass(frozen=True, eq=False)
class LabelTree:
    """Values with a label at each level."""

    # The labels of the values below the top; shape ``(levels, values)``
    labels: NDArray[np.int32] = field(repr=False)
    whole: NDArray[np.int64] = field(repr=False)  # records in the whole table with each value

    @cached_property
    def masses(self) -> NDArray[np.int64]:
        """Return the number of records with each label in the whole table, padded with zeros."""
        masses = np.zeros((len(self.labels), int(self.labels.max(initial=-1)) + 1), dtype=np.int64)
        for level, labels in enumerate(self.labels):
            np.add.at(masses[level], labels, self.whole)
        return masses

    def of(self, counted: ClassCounts) -> NDArray[np.float64]:
        """Return the total variation of the labels, averaged over the levels."""
        return distances.tree_distances(
            counted.starts, counted.codes, counted.counts, self.labels, self.masses
        )

    def at_least(self, counted: ClassCounts) -> NDArray[np.float64]:
        """Return the share, averaged over levels, of records with labels outside the class."""
        return distances.tree_lower_bounds(counted.starts, counted.codes, self.labels, self.masses)

    def most_within(
        self, near: float, counted: ClassCounts, most: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Compute a bound for the labels of each level separately."""
        return greatest_parts.within_variation(
            counted.starts, counted.codes, counted.counts, self.labels, self.masses, near, most
        )


def equal_distance(whole: NDArray[np.int64]) -> LabelTree:
    """Return a tree in which all values are equally far apart."""
    return LabelTree(np.arange(whole.size, dtype=np.int32)[np.newaxis], whole)


@dataclass(frozen=True, eq=False)
class ValueRow:
    """Values that are equally spaced in a row."""

    whole: NDArray[np.int64] = field(repr=False)  # records in the whole table at each place

    def of(self, counted: ClassCounts) -> NDArray[np.float64]:
        """Return the area between the cumulative distributions."""
        below = np.cumsum(self.whole)
        return distances.line_distances(
            counted.starts, counted.codes, counted.counts, below, _before(below)
        )

    def at_least(self, counted: ClassCounts) -> NDArray[np.float64]:
        """Return the mean distance from a record to the nearest place that occurs in the class."""
        moments = _before(self.whole * np.arange(self.whole.size))  # cumulative sums of places
        return distances.line_lower_bounds(
            counted.starts, counted.codes, _before(self.whole), moments
        )

    def most_within(
        self, near: float, counted: ClassCounts, most: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Compute a bound for the cumulative share at each place separately."""
        below = np.cumsum(self.whole)
        return greatest_parts.within_area(
            counted.starts, counted.codes, counted.counts, below, near, most
        )


def placed(values: Histogram, places: Sequence[int], number: int) -> Histogram:
    """Replace values with their places in a row. Several values may share a place."""
    place = np.array(places, dtype=np.int32)
    whole = np.zeros(number, dtype=np.int64)
    np.add.at(whole, place, values.whole)
    names = tuple(map(str, range(number)))
    entries = values.row_of_entry, place[values.codes], values.counts
    line = histogram(values.column, names, entries, values.rows, whole)
    return line if values.owners is None else once_a_person(line, values.owners)


def _before(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of all earlier numbers for each place, followed by the total."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(numbers)])
