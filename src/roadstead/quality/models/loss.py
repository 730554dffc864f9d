"""Iyengar's loss: how much of an attribute's domain a released value covers.

A value generalized to a label that covers n of the |D| values of the domain loses
(n - 1) / (|D| - 1); a suppressed one loses everything. An attribute's loss is the mean over all
records, and an aggregate makes one number of them (Iyengar 2002; paper 003, Quality models).

The sums over records are integers, so equal policies have equal losses whatever way a search took
to them. As in the published results, an attribute's loss is cut to ten decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import HierarchyError, SettingError
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.kernels.sums import add_costs
from roadstead.policies.classes import Classes
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.quality.aggregates import Aggregate, GeometricMean

_TEN_DECIMALS = 10**10


@dataclass(frozen=True)
class Loss:
    """Iyengar's loss under an aggregate."""

    aggregate: Aggregate = field(default_factory=GeometricMean)
    name: str = "loss"
    columns: ClassVar[tuple[str, ...]] = ()

    def bind(self, encoding: Encoding) -> BoundLoss:
        """Sum up what every level costs on the whole table."""
        return BoundLoss(encoding, self.aggregate)

    def settings(self) -> dict[str, Any]:
        """Parameters for the certificate."""
        weights = self.aggregate.weights
        return {
            "kind": self.name,
            "aggregate": self.aggregate.name,
            "weights": None if weights is None else list(weights),
        }


@dataclass(frozen=True)
class LossTally:
    """What the loss knows of the rows suppressed.

    Attributes
    ----------
    sums
        Shape ``(attributes, highest)``: entry ``[i, l]`` is the sum over all records of n - 1 in
        attribute i if the kept ones were at level l and the others suppressed.
    losses
        The same as mean losses, by attribute and level.
    """

    sums: NDArray[np.int64]
    losses: list[list[float]]


class SummedLoss:
    """Iyengar's loss from sums over records, wherever these were added up.

    Parameters
    ----------
    hierarchies
        One an attribute, covering the table's values.
    records
        Records of the table.
    aggregate
        The mean over the attributes.

    Raises
    ------
    HierarchyError, SettingError
        When sums would not fit a machine word, or the weights are not one an attribute.
    """

    groupings = 0
    """Bounds are looked up."""
    most: NDArray[np.int64]
    """What a suppressed value costs, by attribute; shape ``(attributes, 1)``."""

    def __init__(
        self, hierarchies: Sequence[Hierarchy], records: int, aggregate: Aggregate
    ) -> None:
        _check_sums(hierarchies, records)
        _check_weights(hierarchies, aggregate)
        self._aggregate = aggregate
        sizes = np.array([h.domain_size for h in hierarchies], dtype=np.int64)
        self.most = (sizes - 1)[:, None]
        # A domain of one value has nothing to lose; any divisor keeps its loss at zero.
        self._whole = [max(h.domain_size - 1, 1) * records for h in hierarchies]

    def tally(self, sums: NDArray[np.int64]) -> LossTally:
        """Make the tally of sums, as it has them."""
        rows = zip(sums.tolist(), self._whole, strict=True)
        return LossTally(sums, [[_cut_to_ten_decimals(n, w) for n in row] for row, w in rows])

    def without(self, tally: LossTally, records: int, sums: NDArray[np.int64]) -> LossTally:
        """Suppress more records.

        Parameters
        ----------
        tally
            Before.
        records
            How many records are suppressed.
        sums
            What they cost at each level when they were kept, as a tally has sums.
        """
        return self.tally(tally.sums - sums + records * self.most)

    def loss(self, levels: Levels, tally: LossTally, classes: Classes) -> float:
        """Aggregate of the attributes' losses."""
        return self._aggregate(self.loss_by_attribute(levels, tally, classes))

    def loss_by_attribute(
        self,
        levels: Levels,
        tally: LossTally,
        classes: Classes,  # noqa: ARG002 - a part of the protocol this model does not need
    ) -> list[float]:
        """Mean loss of each attribute."""
        return [losses[level] for losses, level in zip(tally.losses, levels, strict=True)]

    def lower_bound(
        self,
        lower: Levels,
        upper: Levels,  # noqa: ARG002 - a part of the protocol this model does not need
        tally: LossTally,
        classes: Classes,
    ) -> float:
        """Loss if the kept records were at `lower`: they lose at least that further up."""
        return self.loss(lower, tally, classes)

    def raised_bounds(
        self, lower: Levels, upper: Levels, tally: LossTally, classes: Classes
    ) -> list[list[float]]:
        """Bounds with one component of `lower` raised, up to `upper`."""
        losses = self.loss_by_attribute(lower, tally, classes)
        ranges = zip(tally.losses, lower, upper, strict=True)
        others = [own[low + 1 : high + 1] for own, low, high in ranges]
        return self._aggregate.replaced(losses, others)


class BoundLoss(SummedLoss):
    """Iyengar's loss on one table, of which the rows are in memory."""

    def __init__(self, encoding: Encoding, aggregate: Aggregate) -> None:
        super().__init__(encoding.hierarchies, encoding.records, aggregate)
        self._codes = encoding.codes
        self._counts = encoding.counts
        heights = encoding.heights
        self._heights = np.array(heights, dtype=np.int64)
        self._values = np.array([len(levels[0]) for levels in encoding.leaves], dtype=np.int64)
        costs, offsets, start = [], np.zeros((len(heights), max(heights)), dtype=np.int64), 0
        for i, levels in enumerate(encoding.leaves):
            for level, leaves in enumerate(levels):
                offsets[i, level] = start
                costs.append(leaves - 1)
                start += leaves.size
        self._costs, self._offsets = np.concatenate(costs).astype(np.int64), offsets
        everything = np.arange(encoding.counts.size, dtype=np.uint32)
        self._start = self.tally(self._sums(everything))

    def _sums(self, rows: NDArray[np.uint32]) -> NDArray[np.int64]:
        return add_costs(
            rows,
            self._counts,
            self._codes,
            self._costs,
            self._offsets,
            self._heights,
            self._values,
        )

    def nothing_suppressed(self) -> LossTally:
        """Sums with every record kept."""
        return self._start

    def suppress(self, tally: LossTally, rows: NDArray[np.uint32]) -> LossTally:
        """Replace what these rows cost at each level by what suppression costs."""
        if not rows.size:
            return tally
        return self.without(tally, int(np.add.reduce(self._counts[rows])), self._sums(rows))


def _cut_to_ten_decimals(part: int, whole: int) -> float:
    """Divide and cut in whole numbers of any size; rounding could cut 0.57 to 0.5699999999."""
    return part * _TEN_DECIMALS // whole / _TEN_DECIMALS


def _check_sums(hierarchies: Sequence[Hierarchy], records: int) -> None:
    """Refuse a domain so large that sums over all records would not fit a machine word."""
    for hierarchy in hierarchies:
        if hierarchy.domain_size * records > np.iinfo(np.int64).max:
            raise HierarchyError(
                f"the domain of {hierarchy.attribute!r} has {hierarchy.domain_size:.3g} values, "
                "too many to measure the loss of",
                where=hierarchy.origin,
                fix="give it coarser values",
            )


def _check_weights(hierarchies: Sequence[Hierarchy], aggregate: Aggregate) -> None:
    weights, attributes = aggregate.weights, len(hierarchies)
    if weights is not None and len(weights) != attributes:
        raise SettingError(f"{len(weights)} weights are given for {attributes} attributes")
