"""The discernibility metric: from how many records a record cannot be told.

A record of a class of f records costs f, a suppressed one costs N, the size of the table. The loss
is the sum, as a share of N squared (Bayardo and Agrawal 2005, section 2.2). It is 1 when everything
is suppressed, and also when all records are in one class; and 1 / N when each is by itself.

Merging classes does not lower it, since (f + g)**2 > f**2 + g**2, nor does suppressing one, since
f N >= f**2: so it bounds sublattices as `by_class` says.

Sums are whole numbers, so equal policies have equal losses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.classes import Classes
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.quality.by_class import BoundByClass, flat_bounds

_MOST_RECORDS = 2_000_000_000


@dataclass(frozen=True)
class Discernibility:
    """Squares of class sizes, and the whole table for each suppressed record."""

    name: str = "discernibility"
    columns: ClassVar[tuple[str, ...]] = ()

    def bind(self, encoding: Encoding) -> BoundByClass[int]:
        """It needs the counts alone.

        Raises
        ------
        SettingError
            When the squares would not fit a machine word.
        """
        if encoding.records > _MOST_RECORDS:
            raise SettingError(
                f"{encoding.records} records are too many to square in whole numbers",
                where=f"{option('quality', 'discernibility')}",
                fix="choose another quality model",
            )
        return BoundByClass(encoding, _Squares(encoding))

    def settings(self) -> dict[str, Any]:
        """Parameters for the certificate."""
        return {"kind": self.name}


class _Squares:
    """The discernibility metric on one table; of suppressed rows it knows the records."""

    def __init__(self, encoding: Encoding) -> None:
        self._counts = encoding.counts
        self._records = encoding.records

    def nothing(self) -> int:
        return 0

    def more(self, suppressed: int, rows: NDArray[np.uint32]) -> int:
        return suppressed + int(np.add.reduce(self._counts[rows]))

    def price(self, classes: Classes) -> int:
        return int(np.add.reduce(classes.sizes * classes.sizes))

    def loss(self, levels: Levels, suppressed: int, price: float) -> float:  # noqa: ARG002 - as the protocol has it
        return (price + self._records * suppressed) / self._records**2

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
