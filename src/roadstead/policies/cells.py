"""Count records and people in cells of ordered domains, and in classes of a partition.

A cell is a combination of values that at least one person has. A cell without records represents
people in the population who are not in the table. These people protect the records in the same
class.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.kernels.grouping import class_sizes, pack, refine
from roadstead.kernels.merging import Grid, count_boxes
from roadstead.policies.partition import OrderedDomains, Partition

_MOST_BOXES = 1 << 22
"""The largest number of combinations of intervals that are counted in one array."""


@dataclass(frozen=True, eq=False)
class Cells:
    """A table and its population, as cells in ordered domains.

    The domains may include values that do not occur in the table. Value codes have the shape
    ``(attributes, cells)``, and two cells never have the same codes. A cell has at least one
    person, and at least as many people as records. Invalid input raises a SettingError.
    """

    domains: OrderedDomains
    codes: NDArray[np.uint32] = field(repr=False)
    records: NDArray[np.int64] = field(repr=False)
    people: NDArray[np.int64] = field(repr=False)

    def __post_init__(self) -> None:
        shape = (len(self.domains.attributes), self.records.size)
        if self.codes.shape != shape or self.people.shape != self.records.shape:
            raise SettingError(
                f"codes of shape {self.codes.shape} do not fit {shape[1]} cells of "
                f"{shape[0]} attributes",
                fix="give one code for each attribute and cell",
            )
        sizes = np.array(self.domains.sizes)[:, None]
        if (self.codes >= sizes).any():
            raise SettingError(
                "a code is not in its domain", fix="count codes from 0 in the order of the domain"
            )
        if (self.records < 0).any():
            raise SettingError("a cell has a negative number of records", fix="give 0 or more")
        if not self.records.any():
            raise SettingError("no cell has a record", fix="give a table with records")
        if (self.people < self.records).any() or (self.people < 1).any():
            raise SettingError(
                "a cell has fewer people than records",
                fix="count at least one person for each record",
            )

    @property
    def number(self) -> int:
        """The number of cells."""
        return int(self.records.size)

    @cached_property
    def total(self) -> int:
        """The number of records in the table."""
        return int(self.records.sum())

    @cached_property
    def by_value(self) -> tuple[NDArray[np.int64], ...]:
        """For each attribute, an array with the number of records that have each value."""
        return tuple(
            np.bincount(own, weights=self.records, minlength=size).astype(np.int64)
            for own, size in zip(self.codes, self.domains.sizes, strict=True)
        )

    @cached_property
    def logs(self) -> float:
        """The sum of n ln n over the cells, where n is a cell's number of records."""
        own = self.records[self.records > 0]
        return float(np.sum(own * np.log(own)))

    @cached_property
    def _own(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The records and people in each cell with records: a class of the finest partition."""
        some = self.records > 0
        return self.records[some], self.people[some]

    def classes(self, partition: Partition) -> PartitionClasses:
        """Count the records and people in each class of a partition."""
        if partition == self.domains.most_specific:
            return PartitionClasses(self, partition, *self._own)
        labels = self.domains.labels(partition)
        widths = [int(own[-1]) + 1 for own in labels]
        if prod(widths) <= _MOST_BOXES:
            records, people = count_boxes(self.grid(labels), prod(widths))
        else:
            records, people = self._refined(labels, widths)
        some = records > 0
        return PartitionClasses(self, partition, records[some], people[some])

    def grid(self, labels: tuple[NDArray[np.uint32], ...]) -> Grid:
        """Return the interval of each value, in the form that the compiled loops need."""
        widths = [int(own[-1]) + 1 for own in labels]
        strides = np.ones(len(widths), dtype=np.int64)
        for a in range(len(widths) - 2, -1, -1):
            strides[a] = strides[a + 1] * widths[a + 1]
        begins = np.cumsum([0, *self.domains.sizes[:-1]]).astype(np.int64)
        lookup = np.concatenate(labels)
        return Grid(self.codes, self.records, self.people, lookup, begins, strides)

    def _refined(
        self, labels: tuple[NDArray[np.uint32], ...], widths: list[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        members, classes = pack(self.number), 1
        for own, label, width in zip(self.codes, labels, widths, strict=True):
            members, classes = refine(members, classes, np.ascontiguousarray(own), label, width)
        return (
            class_sizes(members, classes, self.records),
            class_sizes(members, classes, self.people),
        )


@dataclass(frozen=True, eq=False)
class PartitionClasses:
    """The nonempty classes of a partition, with the number of records and people in each class."""

    cells: Cells
    partition: Partition
    records: NDArray[np.int64] = field(repr=False)
    people: NDArray[np.int64] = field(repr=False)

    @cached_property
    def intervals(self) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]:
        """The number of values and the number of records in each interval of each attribute."""
        found = []
        domains = self.cells.domains
        for labels, counts in zip(domains.labels(self.partition), self.cells.by_value, strict=True):
            records = np.bincount(labels, weights=counts).astype(np.int64)
            found.append((np.bincount(labels).astype(np.int64), records))
        return tuple(found)
