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
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.kernels.value_counts import add_costs
from roadstead.policies.classes import Classes
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.quality.aggregates import Aggregate, GeometricMean
from roadstead.quality.each_person_alike import each_person_alike

Weigh: TypeAlias = Literal["rows", "persons"]
"""Whether each record counts alike in a mean, or each person."""
Divide: TypeAlias = Callable[[int, int], float]
"""Makes a share of a part and a whole."""


@dataclass(frozen=True)
class AttributeModel:
    """A quality model that aggregates a loss of each attribute."""

    aggregate: Aggregate = field(default_factory=GeometricMean)
    name: ClassVar[str]
    columns: ClassVar[tuple[str, ...]] = ()

    def settings(self) -> dict[str, Any]:
        """Parameters for the certificate."""
        weights = self.aggregate.weights
        return {
            "kind": self.name,
            "aggregate": self.aggregate.name,
            "weights": None if weights is None else list(weights),
        }


@dataclass(frozen=True)
class RecordSums(AttributeModel):
    """One that is a mean over records, or over persons with `weigh`: what each record costs."""

    weigh: Weigh = "rows"

    def weighed(self, encoding: Encoding) -> Encoding:
        """Give each row of a table what it counts."""
        return each_person_alike(encoding) if self.weigh == "persons" else encoding

    def settings(self) -> dict[str, Any]:
        """Parameters for the certificate."""
        own = {"weigh": self.weigh} if self.weigh == "persons" else {}
        return {**super().settings(), **own}


@dataclass(frozen=True)
class Shares:
    """A tally: the loss of every attribute at every level, the rows of the tally suppressed."""

    losses: list[list[float]]


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

    def loss_by_attribute(self, levels: Levels, tally: Tally, classes: Classes) -> list[float]:  # noqa: ARG002 - as the protocol has it
        """Loss of each attribute."""
        return [losses[level] for losses, level in zip(tally.losses, levels, strict=True)]

    def lower_bound(self, lower: Levels, upper: Levels, tally: Tally, classes: Classes) -> float:  # noqa: ARG002 - as the protocol has it
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
class ValueTally(Shares):
    """What the records cost, ``sums[i, l]`` with those kept at level l, as shares in `losses`."""

    sums: NDArray[np.int64]


class ValueSums(BoundByAttribute[ValueTally]):
    """Losses from sums of values' costs, added up anywhere; at `most` so much by attribute."""

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
        losses = [[self._divide(part, whole) for part in row] for row, whole in rows]
        return ValueTally(losses, sums)

    def without(self, tally: ValueTally, records: int, sums: NDArray[np.int64]) -> ValueTally:
        """Suppress so many more records, which cost these sums when they were kept."""
        return self.tally(tally.sums - sums + records * self.most)


class BoundByValue(ValueSums):
    """Losses from what each value code costs, by attribute and level; the rows are in memory."""

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
