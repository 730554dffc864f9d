"""The cost of a policy in whole numbers: squares of class sizes, minorities, and suppression.

Take a kept class of f records. Its *minority* consists of the m records that do not have the most
frequent value of a target column. The class costs `square` f**2 + `minority` m, and each suppressed
record costs `suppressed`. A model declares these three prices. The partition searches and
k-Optimize use the prices (`kernels.partitions`).

Neither merging nor suppressing classes lowers the cost: (f + g)**2 > f**2 + g**2, and the majority
of a union has at most as many records as the two majorities together. So the cost gives bounds for
sublattices, as described in `by_class`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.histograms import class_histogram
from roadstead.policies.classes import Classes
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.quality.by_class import RecordMeasure
from roadstead.quality.protocol import SurelyLost
from roadstead.tables.histograms import Histogram


@dataclass(frozen=True)
class Prices:
    """The prices of classes and suppressed records as whole numbers.

    `square` is multiplied by the square of a kept class's size. In each kept class, one target
    value is the most frequent. `minority` is the price of each record with another target value.
    `suppressed` is the price of each suppressed record. This price is at least the record's cost in
    any kept class.
    """

    square: int
    minority: int
    suppressed: int

    @property
    def array(self) -> NDArray[np.int64]:
        """Return the three prices for the kernels."""
        return np.array([self.square, self.minority, self.suppressed], dtype=np.int64)


class PartitionCost(Protocol):
    """A quality model that assigns prices to partitions."""

    @property
    def name(self) -> str:
        """Return the name in settings."""

    def prices(self, records: int) -> Prices:
        """Return the prices for a table with this many records."""


class PricedClasses(RecordMeasure):
    """A measure of policies that is computed from prices."""

    def __init__(self, encoding: Encoding, prices: Prices, target: Histogram | None = None) -> None:
        super().__init__(encoding)
        self._prices = prices
        self._target = target
        self._everything = prices.suppressed * encoding.records

    def price(self, classes: Classes) -> int:
        """Return the cost of kept classes."""
        cost = 0
        if self._prices.square:
            cost += self._prices.square * int(np.add.reduce(classes.sizes * classes.sizes))
        if self._target is not None:
            majorities = int(np.add.reduce(_majorities(classes, self._target)))
            cost += self._prices.minority * (classes.records - majorities)
        return cost

    def loss(self, levels: Levels, suppressed: int, price: float) -> float:  # noqa: ARG002 - as the protocol has it
        """Return the cost, divided by the cost of suppressing everything."""
        return (price + self._prices.suppressed * suppressed) / self._everything

    def bound_with_lost(
        self, levels: Levels, suppressed: int, price: float, lost: SurelyLost, largest: int
    ) -> float:
        """Return a bound that assumes the highest possible saving for each lost record."""
        prices = self._prices
        more = prices.suppressed - prices.square * largest - prices.minority
        price += lost.records * max(0, more)
        return self.bound(levels, suppressed, price)


def _majorities(classes: Classes, target: Histogram) -> NDArray[np.int64]:
    """Return the number of records with the most frequent value in each class."""
    if not classes.sizes.size:
        return np.zeros(0, dtype=np.int64)
    starts, _, counts = class_histogram(
        classes.members,
        classes.numbers,
        classes.sizes.size,
        (target.starts, target.codes, target.counts),
        len(target.domain),
    )
    return np.maximum.reduceat(counts, starts[:-1])
