"""Store columns, which are sets of records that could form a class, with their losses.

The cheapest recoding is a selection of columns such that each record is in one column. The dual
problem gives a lower bound. The dual problem assigns a price to each record, such that the prices
of a column's records never add up to more than the loss of these records in the column. Only
columns that limit the prices matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.recoding.primal_dual import PriceProgram, improve_prices

_LONGEST_IDLE = 4
"""The number of rounds after which an unused column is dropped."""


@dataclass(frozen=True)
class ColumnSet:
    """Sets of rows, each with the loss of a record, and the number of records in each row.

    `ends` gives the end of each column's entries in `rows` and `many`. `weights` gives the dual
    weight of each column, which is between 0 and about 1. `idle` counts the rounds in which this
    weight was 0.
    """

    ends: NDArray[np.int64]
    costs: NDArray[np.float64]
    rows: NDArray[np.int32]
    many: NDArray[np.int32]
    weights: NDArray[np.float64]
    idle: NDArray[np.int32]

    @staticmethod
    def none() -> ColumnSet:
        """Return a set without columns."""
        return column_set(
            np.empty(0, np.int64), np.empty(0), np.empty(0, np.int32), np.empty(0, np.int32)
        )

    @property
    def number(self) -> int:
        """The number of columns."""
        return self.ends.size

    @cached_property
    def column_of(self) -> NDArray[np.int64]:
        """The column to which each entry belongs."""
        return np.repeat(np.arange(self.number), np.diff(self.ends, prepend=0))

    def totals(self, prices: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of the prices of each column's records."""
        entries = prices[self.rows] * self.many
        return np.bincount(self.column_of, entries, self.number).astype(np.float64)

    def only(self, keep: NDArray[np.bool_]) -> ColumnSet:
        """Return only the marked columns."""
        entries = keep[self.column_of]
        sizes = np.diff(self.ends, prepend=0)[keep]
        return ColumnSet(
            np.cumsum(sizes),
            self.costs[keep],
            self.rows[entries],
            self.many[entries],
            self.weights[keep],
            self.idle[keep],
        )

    def with_others(self, others: ColumnSet) -> ColumnSet:
        """Append other columns to these columns."""
        return ColumnSet(
            np.concatenate([self.ends, others.ends + self.rows.size]),
            np.concatenate([self.costs, others.costs]),
            np.concatenate([self.rows, others.rows]),
            np.concatenate([self.many, others.many]),
            np.concatenate([self.weights, others.weights]),
            np.concatenate([self.idle, others.idle]),
        )

    def ascended(
        self,
        counts: NDArray[np.int64],
        prices: NDArray[np.float64],
        limits: tuple[NDArray[np.float64], NDArray[np.float64]],
        turns: int,
        scale: float,
    ) -> tuple[ColumnSet, NDArray[np.float64], NDArray[np.float64]]:
        """Improve the prices under these columns, within given limits.

        The method returns the columns with their new weights, except columns that were idle for too
        long. It also returns the prices, and the number of records in each row that are in no
        column.
        """
        weights = self.weights.copy()
        program = PriceProgram(
            counts, *limits, self.ends, self.costs, self.rows, self.many, weights
        )
        found, unmet = improve_prices(program, prices.copy(), turns, scale)
        idle = np.where(weights > 0.0, 0, self.idle + 1).astype(np.int32)
        renewed = ColumnSet(self.ends, self.costs, self.rows, self.many, weights, idle)
        return renewed.only(idle <= _LONGEST_IDLE), found, unmet


def column_set(
    ends: NDArray[np.int64],
    costs: NDArray[np.float64],
    rows: NDArray[np.int32],
    many: NDArray[np.int32],
) -> ColumnSet:
    """Return new columns that have not been used yet."""
    return ColumnSet(
        ends, costs, rows, many, np.zeros(ends.size), np.zeros(ends.size, dtype=np.int32)
    )
