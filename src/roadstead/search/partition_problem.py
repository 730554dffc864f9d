"""The problem of the searches over partitions, and what they keep count of.

A table of ordered value codes is to be cut into intervals so that little is lost: a class of fewer
than k records is suppressed. A minimal class size also says what the other rules of paper 001
(D2 with a common sampling fraction, D3, D4) ask for, each with its own k'.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.kernels import partitions as kernels
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.quality.models.discernibility import Discernibility
from roadstead.quality.partition_costs import PartitionCost, Prices
from roadstead.search.protocol import Candidate, Control, Ending, Outcome, Progress


@dataclass(frozen=True, eq=False)
class PartitionProblem:
    """The partition of least cost is requested.

    The table has value codes of shape ``(attributes, rows)`` and the records of each row; where a
    cost asks for them, also those by target class, shape ``(rows, classes)``. A class must have k
    records to be kept, and no more than the limit may be suppressed, None for no limit. What does
    not fit is a SettingError.
    """

    domains: OrderedDomains
    codes: NDArray[np.uint32] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    k: int
    cost: PartitionCost = field(default_factory=Discernibility)
    targets: NDArray[np.int64] | None = field(default=None, repr=False)
    limit: int | None = None

    def __post_init__(self) -> None:
        attributes = len(self.domains.attributes)
        if not attributes:
            raise SettingError("there is no attribute to cut", fix="give at least one")
        if self.codes.shape != (attributes, self.counts.size):
            raise SettingError(
                f"codes have the shape {self.codes.shape}",
                fix=f"{attributes} attributes and {self.counts.size} rows are needed",
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
                "records by target class do not add up to those of the rows",
                fix="give one row of counts for each row of the table",
            )

    @property
    def records(self) -> int:
        """Records of the table."""
        return int(self.counts.sum())

    @property
    def most_suppressed(self) -> int:
        """Most records that may be suppressed."""
        return self.records if self.limit is None else self.limit

    @cached_property
    def prices(self) -> Prices:
        """Prices of this table."""
        prices = self.cost.prices(self.records)
        if prices.minority and self.targets is None:
            raise SettingError(
                f"the cost {self.cost.name!r} asks for records by target class",
                fix="give targets",
            )
        return prices

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """First place of each attribute, and the number of places; a place is a value."""
        return np.concatenate([[0], np.cumsum(self.domains.sizes)]).astype(np.int64)

    @cached_property
    def cuttable(self) -> NDArray[np.bool_]:
        """The places before which there is a boundary: all but the first of each attribute."""
        flags = np.ones(int(self.offsets[-1]), dtype=np.bool_)
        flags[self.offsets[:-1]] = False
        return flags

    @cached_property
    def cells(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Distinct combinations of values, and their records by target class."""
        weights = self.counts[:, None] if self.targets is None else self.targets
        codes = np.ascontiguousarray(self.codes, dtype=np.uint32)
        weights = np.ascontiguousarray(weights, dtype=np.int64)
        everywhere = np.ones_like(self.cuttable)
        return self.grouped(codes, weights, everywhere)

    def starts(self, kept: NDArray[np.bool_]) -> NDArray[np.uint32]:
        """For each place, the code of the first value of its interval; those kept begin one."""
        places = np.arange(kept.size)
        begins = np.where(kept | ~self.cuttable, places, 0)
        return (np.maximum.accumulate(begins) - self._first).astype(np.uint32)

    def following(self, kept: NDArray[np.bool_]) -> NDArray[np.int64]:
        """For each place, the code where the next interval begins; the domain's size at its end."""
        places = np.arange(kept.size + 1)
        begins = np.where(np.append(kept | ~self.cuttable, True), places, kept.size)
        after = np.minimum.accumulate(begins[::-1])[::-1][1:]
        return after - self._first

    @cached_property
    def _first(self) -> NDArray[np.int64]:
        return np.repeat(self.offsets[:-1], np.diff(self.offsets))

    def grouped(
        self, codes: NDArray[np.uint32], weights: NDArray[np.int64], kept: NDArray[np.bool_]
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Put cells into the intervals that begin at the places kept."""
        nowhere = np.zeros(codes.shape[1], dtype=np.uint32)
        starts = self.starts(kept)
        found = kernels.group_cells(codes, weights, nowhere, starts, self.offsets)
        return found[0], found[1]

    def assigned(self, kept: NDArray[np.bool_]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Class of each cell under the partition of the places kept, and records of each class."""
        codes, weights = self.cells
        numbers, number = np.zeros(codes.shape[1], dtype=np.uint32), 1
        starts = self.starts(kept)
        for i, begin in enumerate(self.offsets[:-1]):
            lookup = starts[begin : self.offsets[i + 1]]
            numbers, number = kernels.refine_classes(numbers, lookup[codes[i]])
        return numbers, kernels.class_totals(numbers, number, weights)

    def partition(self, kept: NDArray[np.bool_]) -> Partition:
        """Partition of the places kept."""
        return self.domains.of_bits(kept[self.cuttable])

    def places(self, partition: Partition) -> NDArray[np.bool_]:
        """Places before which a partition keeps the boundary."""
        kept = np.zeros_like(self.cuttable)
        kept[self.cuttable] = self.domains.bits(partition)
        return kept

    def classes(self, partition: Partition) -> NDArray[np.int64]:
        """Records of each class of a partition by target class."""
        return self.grouped(*self.cells, self.places(partition))[1]

    def policies(self) -> Iterator[Partition]:
        """Every partition; only for few boundaries."""
        return map(Partition, range(1 << self.domains.boundaries))

    def judge(self, policy: Partition) -> Candidate[Partition] | None:
        """Cost of a partition; None when it suppresses too much."""
        cost, gone = self.weigh(self.places(policy))
        if gone > self.most_suppressed:
            return None
        return Candidate(policy, cost, gone)

    def weigh(self, kept: NDArray[np.bool_]) -> tuple[int, int]:
        """Cost of the partition of the places kept, and the records it suppresses."""
        totals = self.grouped(*self.cells, kept)[1]
        cost, _, gone = kernels.sum_costs(totals, self.k, self.prices.array)
        return int(cost), int(gone)


@dataclass
class Tracker:
    """The best so far, and the counts of a search that is going on."""

    problem: PartitionProblem
    control: Control
    best: Candidate[Partition] | None = None
    evaluated: int = 0
    pruned: int = 0
    first_met: int = 0

    @property
    def ceiling(self) -> float:
        """Cost that a partition must stay below to be better."""
        return inf if self.best is None else self.best.loss

    def offer(self, kept: NDArray[np.bool_], cost: int, suppressed: int) -> bool:
        """Take a partition if it is admissible and better; say whether it was taken."""
        if suppressed > self.problem.most_suppressed or cost >= self.ceiling:
            return False
        found = Candidate(self.problem.partition(kept), int(cost), int(suppressed))
        self.best, self.first_met = found, self.evaluated
        return True

    def report(self, lower_bound: float, open_parts: int) -> None:
        """Report how far it is."""
        self.control.report_progress(lambda: self._progress(lower_bound, open_parts))

    def _progress(self, lower_bound: float, open_parts: int) -> Progress:
        return Progress(
            evaluated=self.evaluated,
            seconds=self.control.seconds,
            best=self.best,
            lower_bound=lower_bound,
            open=open_parts,
        )

    def outcome(self, lower_bound: float, ending: Ending, *, proven: bool) -> Outcome[Partition]:
        """Sum up."""
        return Outcome(
            best=self.best,
            lower_bound=lower_bound,
            evaluated=self.evaluated,
            pruned=self.pruned,
            first_met=self.first_met,
            seconds=self.control.seconds,
            ending=ending,
            proven=proven,
        )
