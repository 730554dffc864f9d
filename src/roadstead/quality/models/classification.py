"""The classification metric: how often a class misleads whoever predicts a column from it.

The best prediction for the records of a class is the most frequent value of a target column among
them. Records with another value are the minority; each costs one unit, and so does each suppressed
record. The loss is the sum as a share of all records (Iyengar 2002, section 4.2; Bayardo and
Agrawal 2005, section 2.2). It is 1 when everything is suppressed.

Merging classes does not lower it, because the majorities of two classes together are no fewer
records than those of the most frequent value of both; nor does suppressing one. So it bounds
sublattices as `by_class` says.

Sums are whole numbers, so equal policies have equal losses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.histograms import class_histogram
from roadstead.policies.classes import Classes
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.quality.by_class import BoundByClass, flat_bounds
from roadstead.tables.histograms import Histogram


@dataclass(frozen=True)
class Classification:
    """Records suppressed, or not of the majority of their class.

    Attributes
    ----------
    target
        The column to be predicted; not a quasi-identifier.
    """

    target: str
    name: str = "classification"

    @property
    def columns(self) -> tuple[str, ...]:
        """The target."""
        return (self.target,)

    def bind(self, encoding: Encoding) -> BoundByClass[int]:
        """Take the target's distribution from the table.

        Raises
        ------
        RoleError
            When the table was made without the target.
        """
        return BoundByClass(encoding, _Minorities(encoding, encoding.table.histogram(self.target)))

    def settings(self) -> dict[str, Any]:
        """Parameters for the certificate."""
        return {"kind": self.name, "target": self.target}


class _Minorities:
    """The classification metric on one table; of suppressed rows it knows the records."""

    def __init__(self, encoding: Encoding, target: Histogram) -> None:
        self._counts = encoding.counts
        self._records = encoding.records
        self._target = target

    def nothing(self) -> int:
        return 0

    def more(self, suppressed: int, rows: NDArray[np.uint32]) -> int:
        return suppressed + int(np.add.reduce(self._counts[rows]))

    def price(self, classes: Classes) -> int:
        return classes.records - int(np.add.reduce(self._majorities(classes)))

    def loss(self, levels: Levels, suppressed: int, price: float) -> float:  # noqa: ARG002 - as the protocol has it
        return (price + suppressed) / self._records

    def _majorities(self, classes: Classes) -> NDArray[np.int64]:
        """Records of the most frequent value in each class."""
        if not classes.sizes.size:
            return np.zeros(0, dtype=np.int64)
        target = self._target
        starts, _, counts = class_histogram(
            classes.members,
            classes.numbers,
            classes.sizes.size,
            (target.starts, target.codes, target.counts),
            len(target.domain),
        )
        return np.maximum.reduceat(counts, starts[:-1])

    def bound(self, levels: Levels, suppressed: int, price: float) -> float:
        return self.loss(levels, suppressed, price)

    def raised(
        self,
        loss: float,
        lower: Levels,
        upper: Levels,
        suppressed: int,  # noqa: ARG002 - as the protocol has it
    ) -> list[list[float]]:
        return flat_bounds(loss, lower, upper)
