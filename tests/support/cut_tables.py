"""Small tables of ordered values, and every partition of them checked by the definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TypeAlias

import numpy as np
from hypothesis import strategies as st

from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.quality.models.classification import Classification
from roadstead.quality.models.discernibility import Discernibility
from roadstead.quality.partition_costs import PartitionCost
from roadstead.search.partition_problem import PartitionProblem

Bits: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Judged:
    """Cost of a partition and the records it suppresses."""

    cost: int
    suppressed: int


@dataclass(frozen=True)
class CutTable:
    """Rows of value codes with their records by target class."""

    sizes: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]
    targets: tuple[tuple[int, ...], ...]
    k: int
    metric: str
    limit: int | None

    @property
    def records(self) -> int:
        """Records of the table."""
        return sum(map(sum, self.targets))

    @property
    def length(self) -> int:
        """Bits of a partition."""
        return sum(size - 1 for size in self.sizes)

    def problem(self) -> PartitionProblem:
        """The same for a search."""
        targets = np.array(self.targets, dtype=np.int64).reshape(len(self.rows), -1)
        cost: PartitionCost = Discernibility() if self.metric == "dm" else Classification("target")
        return PartitionProblem(
            domains=OrderedDomains(tuple("abcd"[: len(self.sizes)]), self.sizes),
            codes=np.array(self.rows, dtype=np.uint32).T.reshape(len(self.sizes), -1),
            counts=targets.sum(axis=1),
            k=self.k,
            cost=cost,
            targets=None if self.metric == "dm" else targets,
            limit=self.limit,
        )

    def label(self, row: tuple[int, ...], bits: Bits) -> Bits:
        """Count the boundaries kept below each value of a row."""
        found, begin = [], 0
        for code, size in zip(row, self.sizes, strict=True):
            found.append(sum(bits[begin : begin + code]))
            begin += size - 1
        return tuple(found)

    def classes(self, bits: Bits) -> dict[Bits, Counter[int]]:
        """Records by target class of each class."""
        found: dict[Bits, Counter[int]] = {}
        for row, targets in zip(self.rows, self.targets, strict=True):
            found.setdefault(self.label(row, bits), Counter()).update(dict(enumerate(targets)))
        return found

    def judge(self, bits: Bits) -> Judged:
        """Add up cost and suppression class by class."""
        cost = suppressed = 0
        for targets in self.classes(bits).values():
            size = targets.total()
            if size < self.k:
                suppressed += size
                cost += size * (self.records if self.metric == "dm" else 1)
            else:
                cost += size**2 if self.metric == "dm" else size - max(targets.values())
        return Judged(cost, suppressed)

    @cached_property
    def judged(self) -> dict[Bits, Judged]:
        """Every partition."""
        return {bits: self.judge(bits) for bits in product((0, 1), repeat=self.length)}

    def admissible(self) -> Iterator[tuple[Bits, int]]:
        """Partitions that suppress no more than the limit, with their costs."""
        for bits, judged in self.judged.items():
            if self.limit is None or judged.suppressed <= self.limit:
                yield bits, judged.cost

    def least(self) -> int | None:
        """Cost of the best partition."""
        return min((cost for _, cost in self.admissible()), default=None)


def bits_of(table: CutTable, partition: Partition) -> Bits:
    """Bit string of a partition, read off its number."""
    return tuple(partition.kept >> b & 1 for b in range(table.length))


@st.composite
def cut_tables(draw: st.DrawFn, most_values: int = 5, most_bits: int = 7) -> CutTable:
    """One to three attributes, a few rows, either metric, any k and limit."""
    sizes: list[int] = []
    for _ in range(draw(st.integers(1, 3))):
        room = most_bits - sum(size - 1 for size in sizes) + 1
        sizes.append(draw(st.integers(1, max(1, min(most_values, room)))))
    classes = draw(st.integers(1, 3))
    row = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    rows = draw(st.lists(row, min_size=1, max_size=14, unique=True))
    # Now and then many in one row: some rules only fail where one class is most of the table.
    counts = st.tuples(*[st.sampled_from([0, 1, 1, 2, 3, 5, 25])] * classes).filter(any)
    targets = draw(st.lists(counts, min_size=len(rows), max_size=len(rows)))
    records = sum(map(sum, targets))
    return CutTable(
        sizes=tuple(sizes),
        rows=tuple(rows),
        targets=tuple(targets),
        k=draw(st.integers(1, 12)),
        metric=draw(st.sampled_from(["dm", "cm"])),
        limit=draw(st.none() | st.integers(0, records)),
    )


AGES = CutTable(
    sizes=(4,),
    rows=((0,), (1,), (2,), (3,)),
    targets=((3,), (2,), (4,), (1,)),
    k=3,
    metric="dm",
    limit=None,
)
"""Ages 1, 1, 1, 2, 2, 3, 3, 3, 3, 4: its partitions cost 100, 58, 50, 51, 54, 55, and two more."""
