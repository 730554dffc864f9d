"""Precision: how far up its hierarchy a value was taken.

A value at level l of a hierarchy of h levels loses l / (h - 1), whatever the data are; a
suppressed one loses everything. An attribute's loss is the mean over all records, and an
aggregate makes one number of them (Sweeney 2002, where precision is one minus this).

An attribute whose hierarchy has one level only has no step to take: it loses by suppression alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.encoding import Encoding
from roadstead.quality.aggregates import Aggregate, GeometricMean
from roadstead.quality.by_attribute import BoundByAttribute, settings


@dataclass(frozen=True)
class Precision:
    """Share of the levels climbed, under an aggregate."""

    aggregate: Aggregate = field(default_factory=GeometricMean)
    name: str = "precision"
    columns: ClassVar[tuple[str, ...]] = ()

    def bind(self, encoding: Encoding) -> BoundByAttribute[StepsTally]:
        """It needs no more of a table than its heights and counts."""
        return BoundByAttribute(encoding, self.aggregate, _Steps(encoding))

    def settings(self) -> dict[str, Any]:
        """Parameters for the certificate."""
        return settings(self.name, self.aggregate)


@dataclass(frozen=True)
class StepsTally:
    """What precision knows of the rows suppressed.

    Attributes
    ----------
    suppressed
        Their records.
    losses
        Loss by attribute and level.
    """

    suppressed: int
    losses: list[list[float]]


class _Steps:
    """Steps climbed on one table."""

    def __init__(self, encoding: Encoding) -> None:
        self._counts = encoding.counts
        self._records = encoding.records
        self._steps = [max(height - 1, 1) for height in encoding.heights]
        self._heights = encoding.heights

    def nothing_suppressed(self) -> StepsTally:
        return self._tally(0)

    def suppress(self, tally: StepsTally, rows: NDArray[np.uint32]) -> StepsTally:
        return self._tally(tally.suppressed + int(np.add.reduce(self._counts[rows])))

    def _tally(self, suppressed: int) -> StepsTally:
        """Whole numbers up to one division, so that rounding keeps the order of losses."""
        kept = self._records - suppressed
        losses = [
            [(suppressed * most + kept * level) / (self._records * most) for level in range(height)]
            for most, height in zip(self._steps, self._heights, strict=True)
        ]
        return StepsTally(suppressed, losses)
