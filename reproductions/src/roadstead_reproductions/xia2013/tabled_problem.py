"""A problem that evaluates single policies from a summed-area table of the population.

Most cells of a population have no record, but a count over the cells visits all of them. The table
contains, for each cell, the number of people whose values are at most the cell's values. The number
of people in a class is then a signed sum over the corners of the class's box. This sum takes
sixteen look-ups for four attributes. Only cells with records are visited. Searches that evaluate
thousands of unrelated policies, such as `sublattice_heuristic`, take a fraction of the time.

The table has an entry for each combination of values, so the method is suitable only for few
attributes. Both the risk and the loss must be sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import cast

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.kernels import merging as kernels
from roadstead.policies.cells import Cells, PartitionClasses
from roadstead.policies.partition import Partition
from roadstead.quality.partition_losses import SummedLoss, Terms
from roadstead.search.frontiers.frontier import Point
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead.search.frontiers.walks import is_summed, rules_of

_LARGEST = 1 << 26
"""The largest number of entries in a table, which then takes half a gigabyte."""


@dataclass(frozen=True, eq=False)
class TabledProblem(FrontierProblem):
    """A problem whose single policies are evaluated from a table.

    The class raises a SettingError if a measure is not a sum, or if there are too many combinations
    of values.
    """

    def __post_init__(self) -> None:
        corners = prod(size + 1 for size in self.domains.sizes)
        if corners > _LARGEST:
            raise SettingError(
                f"a table of people would have {corners:,} numbers, above {_LARGEST:,}",
                fix="evaluate the policies with FrontierProblem",
            )
        if not is_summed(self):
            raise SettingError(
                "the risk or the loss is not a sum over groups",
                fix="evaluate the policies with FrontierProblem",
            )

    def point(self, partition: Partition) -> Point:
        """Evaluate a policy."""
        classes = self._people_below.classes(partition)
        risk = kernels.sum_risks(self._rules, classes.records, classes.people)
        loss = self._terms.sum(classes) + self._beyond_terms
        return Point(*self.shares(risk, loss))

    @cached_property
    def _people_below(self) -> PeopleBelow:
        return PeopleBelow(self.cells)

    @cached_property
    def _rules(self) -> kernels.Rules:
        return rules_of(self)

    @cached_property
    def _terms(self) -> Terms:
        return cast("SummedLoss", self.loss).terms(self.cells)

    @cached_property
    def _beyond_terms(self) -> float:
        """Return the part of the loss that is outside the terms and the same for every policy."""
        return self.least_loss - self._terms.sum(self.most_specific)


class PeopleBelow:
    """The number of people whose values are below given values in every attribute."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        own = cells.records > 0
        codes = np.ascontiguousarray(cells.codes[:, own])
        self._with_records = Cells(cells.domains, codes, cells.records[own], cells.people[own])
        below = np.zeros([size + 1 for size in cells.domains.sizes], dtype=np.int64)
        below[tuple(own.astype(np.intp) + 1 for own in cells.codes)] = cells.people
        for axis in range(below.ndim):
            np.cumsum(below, axis=axis, out=below)
        self._strides = [step // below.itemsize for step in below.strides]
        self._below = below.ravel()

    def classes(self, partition: Partition) -> PartitionClasses:
        """Count the classes of a partition that have records."""
        labels = self._cells.domains.labels(partition)
        grid = self._with_records.grid(labels)
        room = kernels.find_slots(prod(int(own[-1]) + 1 for own in labels), grid.records.size)
        _, records, _, intervals = kernels.gather(grid, *room)
        return PartitionClasses(self._cells, partition, records, self._people(labels, intervals))

    def _people(
        self, labels: tuple[NDArray[np.uint32], ...], intervals: NDArray[np.int32]
    ) -> NDArray[np.int64]:
        """Add up the corners of boxes. Each attribute has an upper and a lower corner."""
        upper: list[NDArray[np.int64]] = [np.zeros(intervals.shape[1], dtype=np.int64)]
        lower: list[NDArray[np.int64]] = []
        for own, label, stride in zip(intervals, labels, self._strides, strict=True):
            ends = stride * np.append(0, np.cumsum(np.bincount(label)))
            first, last = ends[own], ends[own + 1]
            upper, lower = (
                [at + last for at in upper] + [at + first for at in lower],
                [at + last for at in lower] + [at + first for at in upper],
            )
        people = np.zeros(intervals.shape[1], dtype=np.int64)
        for at in upper:
            people += self._below[at]
        for at in lower:
            people -= self._below[at]
        return people
