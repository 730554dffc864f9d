"""Define the problem for searches over partitions, which cut ordered values into intervals.

A class of fewer than k records is suppressed. The other rules in paper 001 (D2 with a common
sampling fraction, D3, and D4) can also be expressed as minimum class sizes, each with a different
k.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from roadstead.errors import SettingError
from roadstead.kernels import partitions as kernels
from roadstead.kernels.compiled import Codes, Flags, Whole
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.quality.models.discernibility import Discernibility
from roadstead.quality.partition_costs import PartitionCost, Prices
from roadstead.search.protocol import Candidate


@dataclass(frozen=True, eq=False)
class PartitionProblem:
    """The problem of finding the partition with the lowest cost.

    The table consists of value codes with the shape ``(attributes, rows)``, and of the number of
    records that each row represents. If a cost requires target classes, the numbers are given for
    each target class, with the shape ``(rows, classes)``. A class must have k records to be kept.
    At most `limit` records may be suppressed, or any number if `limit` is None. Invalid input
    raises a SettingError.
    """

    domains: OrderedDomains
    codes: Codes = field(repr=False)
    counts: Whole = field(repr=False)
    k: int
    cost: PartitionCost = field(default_factory=Discernibility)
    targets: Whole | None = field(default=None, repr=False)
    limit: int | None = None

    def __post_init__(self) -> None:
        attributes = len(self.domains.attributes)
        if not attributes:
            raise SettingError("no attribute is given", fix="give at least one")
        if self.codes.shape != (attributes, self.counts.size):
            raise SettingError(
                f"codes have the shape {self.codes.shape}",
                fix=f"{attributes} attributes and {self.counts.size} rows are required",
            )
        for name, size, column in zip(
            self.domains.attributes, self.domains.sizes, self.codes, strict=True
        ):
            if column.size and int(column.max()) >= size:
                raise SettingError(
                    f"{name!r} has a code that is not in its domain of {size} values",
                    fix="count codes from 0",
                )
        if self.k < 1:
            raise SettingError(f"k is {self.k}", fix="it must be at least 1")
        if self.limit is not None and self.limit < 0:
            raise SettingError(f"the suppression limit is {self.limit}", fix="use 0 or more")
        if np.any(self.counts < 1):
            raise SettingError("a row has no records", fix="leave such rows out")
        if self.targets is not None and (
            self.targets.ndim != 2  # noqa: PLR2004 - rows and classes
            or not np.array_equal(self.targets.sum(axis=1), self.counts)
            or np.any(self.targets < 0)
        ):
            raise SettingError(
                "the numbers of records per target class do not add up to the number of records "
                "in each row",
                fix="give one row of counts for each row of the table",
            )

    @property
    def records(self) -> int:
        """The number of records in the table."""
        return int(self.counts.sum())

    @property
    def most_suppressed(self) -> int:
        """The largest number of records that may be suppressed."""
        return self.records if self.limit is None else self.limit

    @cached_property
    def prices(self) -> Prices:
        """The prices of suppression and generalization for this table."""
        prices = self.cost.prices(self.records)
        if prices.minority and self.targets is None:
            raise SettingError(
                f"the cost {self.cost.name!r} requires the number of records per target class",
                fix="give targets",
            )
        return prices

    @cached_property
    def offsets(self) -> Whole:
        """The first place of each attribute, and the total number of places."""
        return np.concatenate([[0], np.cumsum(self.domains.sizes)]).astype(np.int64)

    @cached_property
    def cuttable(self) -> Flags:
        """The places that can have a boundary before them: all but each attribute's first place."""
        flags = np.ones(int(self.offsets[-1]), dtype=np.bool_)
        flags[self.offsets[:-1]] = False
        return flags

    @cached_property
    def cells(self) -> tuple[Codes, Whole]:
        """The distinct combinations of values, and their numbers of records by target class."""
        weights = self.counts[:, None] if self.targets is None else self.targets
        codes = np.ascontiguousarray(self.codes, dtype=np.uint32)
        weights = np.ascontiguousarray(weights, dtype=np.int64)
        everywhere = np.ones_like(self.cuttable)
        return self.grouped(codes, weights, everywhere)

    def starts(self, kept: Flags) -> Codes:
        """For each place, return the code of the first value in its interval.

        Intervals begin at the kept places.
        """
        places = np.arange(kept.size)
        begins = np.where(kept | ~self.cuttable, places, 0)
        return (np.maximum.accumulate(begins) - self._first).astype(np.uint32)

    def following(self, kept: Flags) -> Whole:
        """For each place, return the code where the next interval begins, or the domain's size."""
        places = np.arange(kept.size + 1)
        begins = np.where(np.append(kept | ~self.cuttable, True), places, kept.size)
        after = np.minimum.accumulate(begins[::-1])[::-1][1:]
        return after - self._first

    @cached_property
    def _first(self) -> Whole:
        return np.repeat(self.offsets[:-1], np.diff(self.offsets))

    def grouped(self, codes: Codes, weights: Whole, kept: Flags) -> tuple[Codes, Whole]:
        """Group cells into the intervals that begin at the kept places."""
        nowhere = np.zeros(codes.shape[1], dtype=np.uint32)
        starts = self.starts(kept)
        found = kernels.group_cells(codes, weights, nowhere, starts, self.offsets)
        return found[0], found[1]

    def assigned(self, kept: Flags) -> tuple[Codes, Whole]:
        """Return the class of each cell under a partition, and the records of each class."""
        codes, weights = self.cells
        numbers, number = np.zeros(codes.shape[1], dtype=np.uint32), 1
        starts = self.starts(kept)
        for i, begin in enumerate(self.offsets[:-1]):
            lookup = starts[begin : self.offsets[i + 1]]
            numbers, number = kernels.refine_classes(numbers, lookup[codes[i]])
        return numbers, kernels.class_totals(numbers, number, weights)

    def partition(self, kept: Flags) -> Partition:
        """Return the partition that keeps the boundaries before the given places."""
        return self.domains.of_bits(kept[self.cuttable])

    def places(self, partition: Partition) -> Flags:
        """Return the places before which a partition keeps a boundary."""
        kept = np.zeros_like(self.cuttable)
        kept[self.cuttable] = self.domains.bits(partition)
        return kept

    def classes(self, partition: Partition) -> Whole:
        """Return the number of records in each class of a partition, by target class."""
        return self.grouped(*self.cells, self.places(partition))[1]

    def policies(self) -> Iterator[Partition]:
        """Yield every partition, which is practical only for few boundaries."""
        return map(Partition, range(1 << self.domains.boundaries))

    def judge(self, policy: Partition) -> Candidate[Partition] | None:
        """Return a partition with its cost, or None if it suppresses too many records."""
        cost, gone = self.weigh(self.places(policy))
        if gone > self.most_suppressed:
            return None
        return Candidate(policy, cost, gone)

    def weigh(self, kept: Flags) -> tuple[int, int]:
        """Return a partition's cost and number of suppressed records, given its kept places."""
        totals = self.grouped(*self.cells, kept)[1]
        cost, _, gone = kernels.sum_costs(totals, self.k, self.prices.array)
        return int(cost), int(gone)
