"""What models have in common that measure each attribute by itself and take a mean.

An attribute loses a share between 0 and 1 that depends on its level and on the rows suppressed,
and grows with both. A tally holds what every attribute would lose at every level with these rows
suppressed, so a bound is looked up.

Most such models say in whole numbers what a value costs at a level, and what a suppressed one does
(`BoundByValue`). Sums over records are whole numbers then, so equal policies have equal losses
whatever way a search took to them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.kernels.sums import add_costs
from roadstead.policies.classes import Classes
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.quality.aggregates import Aggregate

Divide: TypeAlias = Callable[[int, int], float]
"""Makes a share of a part and a whole."""


class Shares(Protocol):
    """A tally with the loss of every attribute at every level."""

    @property
    def losses(self) -> list[list[float]]:
        """Entry ``[i][l]``: attribute i at level l, the rows of the tally suppressed."""
        ...


Tally = TypeVar("Tally", bound=Shares)


class BoundByAttribute(Generic[Tally]):
    """Shares of single attributes under an aggregate: losses and bounds, looked up in a tally."""

    groupings = 0
    """No classes are computed for bounds."""

    def __init__(self, aggregate: Aggregate, attributes: int) -> None:
        weights = aggregate.weights
        if weights is not None and len(weights) != attributes:
            raise SettingError(
                f"{len(weights)} weights are given for {attributes} attributes",
                where=option("weights"),
                fix="give one an attribute",
            )
        self._aggregate = aggregate

    def loss(self, levels: Levels, tally: Tally, classes: Classes) -> float:
        """Aggregate of the attributes' losses."""
        return self._aggregate(self.loss_by_attribute(levels, tally, classes))

    def loss_by_attribute(
        self,
        levels: Levels,
        tally: Tally,
        classes: Classes,  # noqa: ARG002 - a part of the protocol not needed here
    ) -> list[float]:
        """Loss of each attribute."""
        return [losses[level] for losses, level in zip(tally.losses, levels, strict=True)]

    def lower_bound(
        self,
        lower: Levels,
        upper: Levels,  # noqa: ARG002 - a part of the protocol not needed here
        tally: Tally,
        classes: Classes,
    ) -> float:
        """Loss if the kept records were at `lower`: they lose at least that further up."""
        return self.loss(lower, tally, classes)

    def raised_bounds(
        self, lower: Levels, upper: Levels, tally: Tally, classes: Classes
    ) -> list[list[float]]:
        """Bounds with one component of `lower` raised, up to `upper`."""
        losses = self.loss_by_attribute(lower, tally, classes)
        ranges = zip(tally.losses, lower, upper, strict=True)
        others = [own[low + 1 : high + 1] for own, low, high in ranges]
        return self._aggregate.replaced(losses, others)


@dataclass(frozen=True)
class ValueTally:
    """What is known of the rows suppressed, where values have costs.

    Entry ``[i, l]`` of `sums` is what all records cost in attribute i if the kept ones were at
    level l and the others suppressed; `losses` are the same as shares.
    """

    sums: NDArray[np.int64]
    losses: list[list[float]]


class ValueSums(BoundByAttribute[ValueTally]):
    """Losses from sums of values' costs over records, wherever these were added up.

    `most` is what a suppressed value costs, by attribute; `divide` makes a share of a sum and the
    sum with everything suppressed.
    """

    def __init__(
        self, most: Sequence[int], records: int, aggregate: Aggregate, divide: Divide
    ) -> None:
        super().__init__(aggregate, len(most))
        self.most = np.array(most, dtype=np.int64)[:, None]
        # An attribute that has nothing to lose: any divisor keeps its loss at zero.
        self._whole = [max(one, 1) * records for one in most]
        self._divide = divide

    def tally(self, sums: NDArray[np.int64]) -> ValueTally:
        """Make the tally of sums, as it has them."""
        rows = zip(sums.tolist(), self._whole, strict=True)
        return ValueTally(
            sums, [[self._divide(part, whole) for part in row] for row, whole in rows]
        )

    def without(self, tally: ValueTally, records: int, sums: NDArray[np.int64]) -> ValueTally:
        """Suppress so many more records, which cost these sums when they were kept."""
        return self.tally(tally.sums - sums + records * self.most)


class BoundByValue(ValueSums):
    """Losses from the costs of values, for a table of which the rows are in memory.

    For each attribute and level, `costs` has what each value code costs there.
    """

    def __init__(
        self,
        encoding: Encoding,
        costs: Sequence[Sequence[NDArray[np.int64]]],
        most: Sequence[int],
        aggregate: Aggregate,
        divide: Divide,
    ) -> None:
        super().__init__(most, encoding.records, aggregate, divide)
        self._codes = encoding.codes
        self._counts = encoding.counts
        heights = encoding.heights
        offsets, begin = np.zeros((len(heights), max(heights)), dtype=np.int64), 0
        for i, levels in enumerate(costs):
            for level, own in enumerate(levels):
                offsets[i, level] = begin
                begin += own.size
        self._tables = (
            np.concatenate([own for levels in costs for own in levels]).astype(np.int64),
            offsets,
            np.array(heights, dtype=np.int64),
            np.array([len(levels[0]) for levels in costs], dtype=np.int64),
        )
        self._start = self.tally(self._sums(np.arange(self._counts.size, dtype=np.uint32)))

    def _sums(self, rows: NDArray[np.uint32]) -> NDArray[np.int64]:
        return add_costs(rows, self._counts, self._codes, *self._tables)

    def nothing_suppressed(self) -> ValueTally:
        """Losses with every record kept."""
        return self._start

    def suppress(self, tally: ValueTally, rows: NDArray[np.uint32]) -> ValueTally:
        """Replace what these rows cost at each level by what suppression costs."""
        if not rows.size:
            return tally
        return self.without(tally, int(np.add.reduce(self._counts[rows])), self._sums(rows))


def settings(name: str, aggregate: Aggregate) -> dict[str, Any]:
    """Parameters for the certificate."""
    weights = aggregate.weights
    return {
        "kind": name,
        "aggregate": aggregate.name,
        "weights": None if weights is None else list(weights),
    }
