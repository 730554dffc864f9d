"""Evaluate a policy in the engine that stores the table, with one query that returns one row.

The query returns the number of suppressed records, and their costs for every attribute and level.
Nothing else is needed to evaluate a policy or to find a bound for a sublattice
(docs/methods/in-engine-search.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from roadstead.policies.classes import Classes, no_class
from roadstead.search.evaluator import Evaluation
from roadstead.search.in_engine.level_columns import COUNT, cost, total
from roadstead.search.protocol import Candidate

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis
    from numpy.typing import NDArray

    from roadstead.policies.full_domain import FullDomain, Levels
    from roadstead.quality.by_attribute import ValueSums
    from roadstead.search.in_engine.level_columns import LevelColumns
    from roadstead.search.in_engine.reading import Queries, Rollups


@dataclass(eq=False)
class InEngine:
    """Evaluates policies on tables in an engine.

    `bounds` computes the loss. `value_counts` gives the number of records with each value of each
    domain. `smallest` is the smallest number of records in a released class.
    """

    engine: Queries
    columns: LevelColumns
    rollups: Rollups
    space: FullDomain
    limit: int
    bounds: ValueSums
    value_counts: tuple[NDArray[np.int64], ...]
    smallest: int
    rows: ClassVar[int] = 0
    """No rows are in memory. The search uses one core: a connection runs one query at a time."""

    def __post_init__(self) -> None:
        self.heights = self.columns.encoding.heights
        self.records = int(self.value_counts[0].sum())
        self._whole = self.bounds.tally(self._sums_of_all())

    @property
    def queries(self) -> int:
        """The number of queries so far."""
        return self.engine.number

    def start(self) -> Evaluation:
        """Return the evaluation of the most general policy, which suppresses nothing."""
        top = tuple(height - 1 for height in self.heights)
        return Evaluation(top, no_class(), 0, self._whole, None)

    def evaluate(self, levels: Levels, general: Evaluation, lower: Levels) -> Evaluation:  # noqa: ARG002 - the kept table is grouped again
        """Evaluate a policy with one query."""
        suppressed, sums = self._suppressed(levels, lower)
        if suppressed > self.limit:
            return Evaluation(levels, no_class(), suppressed, self._whole, None)
        tally = self.bounds.without(self._whole, suppressed, sums)
        loss = self.bounds.loss(levels, tally, no_class())
        return Evaluation(
            levels, no_class(), suppressed, tally, Candidate(levels, loss, suppressed)
        )

    def part(self, places: Sequence[int]) -> None:  # noqa: ARG002 - required by the protocol
        """Return None, because each part would need separate queries."""
        return

    def whole(self, known: Sequence[tuple[float, float]]) -> float:  # noqa: ARG002 - required by the protocol
        """Return 0, because there are no parts."""
        return 0.0

    def groups(self, lower: Levels, upper: Evaluation) -> bool:  # noqa: ARG002 - required by the protocol
        """Return False, because bounds are looked up."""
        return False

    def look_below(
        self,
        lower: Levels,  # noqa: ARG002 - required by the protocol
        upper: Evaluation,  # noqa: ARG002 - required by the protocol
        fine: Classes | None = None,  # noqa: ARG002 - required by the protocol
    ) -> None:
        """Return None, because the models are monotone, and there is no more information."""
        return

    def sizes(self, levels: Levels) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the distinct sizes of a policy's classes, sorted, and how often each occurs."""
        kept = self.rollups.table_for(levels).table
        keys = self.columns.keys(kept, levels)
        if not keys:
            return np.array([self.records]), np.array([1])
        classes = _classes(kept.select(COUNT, **keys), list(keys))
        return self.engine.numbers_of(classes, "size")

    def suppressed(self, levels: Levels) -> int:
        """Return how many records a policy suppresses."""
        return self._suppressed(levels, levels)[0]

    def _suppressed(self, levels: Levels, lower: Levels) -> tuple[int, NDArray[np.int64]]:
        """Query how many records a policy suppresses, and their costs from `lower` upwards."""
        if self.columns.most_classes(levels) == 1:  # one class of all records
            all_or_none = 0 if self.records >= self.smallest else 1
            return all_or_none * self.records, all_or_none * self._whole.sums
        kept = self.rollups.table_for(self.columns.needed(lower, levels)).table
        keys = self.columns.keys(kept, levels)
        costs = [
            cost(i, level)
            for i, (low, high) in enumerate(zip(lower, levels, strict=True))
            for level in range(low, high + 1)
            if self.columns.constant_costs[i][level] is None
        ]
        rows = kept.select(COUNT, *costs, **keys)
        small = _classes(rows, list(keys)).filter(lambda classes: classes.size < self.smallest)
        dropped = rows.semi_join(small, list(keys))
        number = dropped[COUNT]
        totals = {name: total(number * dropped[name].cast("int64")) for name in costs}
        query = dropped.aggregate(records=total(number), **totals)
        found: dict[str, int] = self.engine.answer(query).to_pylist()[0]
        suppressed = found.pop("records")
        return suppressed, self._sums(suppressed, found)

    def _sums(self, suppressed: int, costs: dict[str, int]) -> NDArray[np.int64]:
        """Return the suppressed records' cost at each level, or the highest cost if unknown."""
        sums = np.repeat(suppressed * self.bounds.most, self._whole.sums.shape[1], axis=1)
        for i, height in enumerate(self.heights):
            for level in range(height):
                constant = self.columns.constant_costs[i][level]
                if constant is not None:
                    sums[i, level] = suppressed * constant
                elif cost(i, level) in costs:
                    sums[i, level] = costs[cost(i, level)]
        return sums

    def _sums_of_all(self) -> NDArray[np.int64]:
        sums = np.zeros((len(self.heights), max(self.heights)), dtype=np.int64)
        for i, (counts, leaves) in enumerate(
            zip(self.value_counts, self.columns.encoding.leaves, strict=True)
        ):
            for level, own in enumerate(leaves):
                sums[i, level] = int((counts * (own - 1)).sum())
        return sums


def _classes(rows: ibis.Table, keys: list[str]) -> ibis.Table:
    return rows.group_by(keys).aggregate(size=total(rows[COUNT]))
