"""Build the columns of the engine's tables, which contain numbered labels and their costs.

A row represents all records with the same labels at some levels. It contains the number and the
cost of each label at these levels and at all higher levels. The cost is the number of domain values
that the label covers, minus one. Any more general policy can therefore be evaluated by a GROUP BY
of some columns, without a join. A number that is the same for every value is not stored as a
column. Several small numbers are packed into one integer, because engines group by integers
fastest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa
    from ibis.expr import types as ir
    from numpy.typing import NDArray

    from roadstead.policies.encoding import Encoding
    from roadstead.policies.full_domain import Levels

COUNT = "n"
"""The column that contains the number of records that a row represents."""
_LARGEST_KEY = np.iinfo(np.int64).max
_KINDS = (np.int16, np.int32, np.int64)


@dataclass(frozen=True)
class LevelColumns:
    """The columns of the tables for an encoding; no rows are needed."""

    encoding: Encoding

    def mapping(self, attribute: int) -> pa.Table:
        """List an attribute's values with their codes, and their labels and costs by level."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        domain = self.encoding.table.domains[attribute]
        levels = range(self.encoding.heights[attribute])
        columns = {
            f"value_{attribute}": pa.array(domain, pa.string()),
            code(attribute): pa.array(np.arange(len(domain), dtype=np.int32)),
        }
        for level in levels:
            if self.distinguishes(attribute, level):
                numbers = self.encoding.lookups[attribute][level]
                columns[label(attribute, level)] = pa.array(_narrow(numbers))
            if self.constant_costs[attribute][level] is None:
                costs = self.encoding.leaves[attribute][level] - 1
                columns[cost(attribute, level)] = pa.array(_narrow(costs))
        return pa.table(columns)

    def distinguishes(self, attribute: int, level: int) -> bool:
        """Return whether a level has several labels, and therefore needs a column of labels."""
        return self.encoding.labels[attribute][level] > 1

    @cached_property
    def constant_costs(self) -> tuple[tuple[int | None, ...], ...]:
        """The cost shared by all labels of a level, or None if the costs are in a column."""
        return tuple(
            tuple(int(own[0]) - 1 if (own == own[0]).all() else None for own in levels)
            for levels in self.encoding.leaves
        )

    def needed(self, lower: Levels, levels: Levels) -> Levels:
        """Return the highest levels at which a table still gives bounds from `lower` up."""
        return tuple(
            next((v for v in range(low, high) if self.constant_costs[i][v] is None), high)
            for i, (low, high) in enumerate(zip(lower, levels, strict=True))
        )

    def above(self, lower: Levels) -> list[str]:
        """Return the columns, except the count, of a table that contains the classes at `lower`."""
        return [name for i, low in enumerate(lower) for name in self.of_attribute(i, low)]

    def of_attribute(self, attribute: int, low: int) -> list[str]:
        """Return the columns of an attribute from a level upwards."""
        levels = range(low, self.encoding.heights[attribute])
        labels = [label(attribute, v) for v in levels if self.distinguishes(attribute, v)]
        costs = [cost(attribute, v) for v in levels if self.constant_costs[attribute][v] is None]
        return labels + costs

    def keys(self, table: ibis.Table, levels: Levels) -> dict[str, ir.IntegerValue]:
        """Return as few integers as possible that are equal if and only if all labels are equal."""
        keys: list[ir.IntegerValue] = []
        room = 0
        for i, level in enumerate(levels):
            number = self.encoding.labels[i][level]
            if not self.distinguishes(i, level):
                continue
            column = table[label(i, level)].cast("int64")
            if room < number:
                keys.append(column)
                room = _LARGEST_KEY
            else:
                keys[-1] = keys[-1] * number + column
            room //= number
        return {f"key_{at}": key for at, key in enumerate(keys)}

    def most_classes(self, levels: Levels) -> int:
        """Return the largest possible number of classes, which is a product of label counts."""
        most = 1
        for own, level in zip(self.encoding.labels, levels, strict=True):
            most *= own[level]
        return most

    def is_as_it_is(self, levels: Levels) -> bool:
        """Return whether every value has a different label."""
        each = zip(self.encoding.labels, self.encoding.table.domains, levels, strict=True)
        return all(own[level] == len(domain) for own, domain, level in each)


def total(numbers: ir.IntegerColumn) -> ir.IntegerScalar:
    """Return the sum as a 64-bit integer, or 0 for an empty sum.

    Engines return sums in wider types. Ibis skips a cast back to the original type, except if the
    type of the cast does not allow nulls.
    """
    return numbers.sum().fill_null(0).cast("!int64")


def code(attribute: int) -> str:
    """Return the name of the column with the codes of an attribute's values."""
    return f"code_{attribute}"


def label(attribute: int, level: int) -> str:
    """Return the name of the column with the numbers of an attribute's labels at a level."""
    return f"label_{attribute}_{level}"


def cost(attribute: int, level: int) -> str:
    """Return the name of the column with the costs of an attribute's labels at a level."""
    return f"cost_{attribute}_{level}"


def _narrow(numbers: NDArray[np.integer]) -> NDArray[np.integer]:
    """Convert to the smallest type that every engine supports and that can store all values."""
    least, most = int(numbers.min()), int(numbers.max())
    for kind in _KINDS:
        if np.iinfo(kind).min <= least and most <= np.iinfo(kind).max:
            return numbers.astype(kind)
    raise OverflowError  # unreachable: the numbers are machine words
