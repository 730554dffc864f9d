"""What a partition costs: discernibility and classification metric.

Under the *discernibility metric* every record costs as many units as there are records it cannot
be told from: the size of its class, or, suppressed, the whole table. Under the *classification
metric* a record costs one unit if it is suppressed or not of the majority of its class
(Bayardo and Agrawal 2005, section 2.2; Iyengar 2002). A class is kept when it has at least k
records.

Both are of one form, so that one loop serves them: a kept class of f records, of which m are in
the minority, costs `square` f**2 + `minority` m; a suppressed record costs `suppressed`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError

_MOST_RECORDS = 1_000_000_000


@dataclass(frozen=True)
class Prices:
    """Whole numbers that price classes of given sizes.

    Attributes
    ----------
    square
        Price of a kept class by the square of its size.
    minority
        Price of each record of a kept class that is not of its largest target class.
    suppressed
        Price of each suppressed record; at least what it costs in any class that is kept.
    """

    square: int
    minority: int
    suppressed: int

    @property
    def array(self) -> NDArray[np.int64]:
        """The three prices for the kernels."""
        return np.array([self.square, self.minority, self.suppressed], dtype=np.int64)

    def cost(self, classes: NDArray[np.int64], k: int) -> int:
        """Cost of a partition.

        Parameters
        ----------
        classes
            Records of each class by target class, shape ``(classes, targets)``.
        k
            Records that a class must have to be kept.
        """
        sizes = classes.sum(axis=1)
        kept = sizes >= k
        minority = sizes - classes.max(axis=1, initial=0)
        return int(
            self.square * (sizes[kept] ** 2).sum()
            + self.minority * minority[kept].sum()
            + self.suppressed * sizes[~kept].sum()
        )

    def lower_bound(self, cells: NDArray[np.int64], surrounding: NDArray[np.int64], k: int) -> int:
        """Bound the cost of every partition between two from below.

        What is suppressed at the more general of the two is suppressed at every one of them. Any
        other record costs at least what it costs in its class at the more specific one, were that
        class kept with k records or more.

        Parameters
        ----------
        cells
            Records of each class of the more specific partition by target class.
        surrounding
            For each of them, the size of the class of the more general one that it lies in.
        k
            Records that a class must have to be kept.
        """
        sizes = cells.sum(axis=1)
        alive = surrounding >= k
        minority = sizes - cells.max(axis=1, initial=0)
        least = self.square * sizes * np.maximum(sizes, k) + self.minority * minority
        return int(least[alive].sum() + self.suppressed * sizes[~alive].sum())


class PartitionCost(Protocol):
    """A cost of partitions."""

    @property
    def name(self) -> str:
        """The name it goes by."""
        ...

    def prices(self, records: int) -> Prices:
        """Prices for a table of so many records."""
        ...


@dataclass(frozen=True)
class Discernibility:
    """The discernibility metric: f**2 for a kept class, the whole table for a suppressed record."""

    name: str = "discernibility"

    def prices(self, records: int) -> Prices:
        """A suppressed record cannot be told from any other."""
        if records > _MOST_RECORDS:
            raise SettingError(
                f"{records} records are too many to square in whole numbers",
                fix=f"use at most {_MOST_RECORDS}",
            )
        return Prices(square=1, minority=0, suppressed=records)


@dataclass(frozen=True)
class Classification:
    """The classification metric: records suppressed, or not of the majority of their class."""

    name: str = "classification"

    def prices(self, records: int) -> Prices:  # noqa: ARG002 - a part of the protocol
        """Every record costs one unit or none."""
        return Prices(square=0, minority=1, suppressed=1)
