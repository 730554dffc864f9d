"""The discernibility metric: how many records look the same as a record.

A record in a class of f records costs f, and a suppressed record costs N, the size of the table.
The loss is the total cost divided by N squared (Bayardo and Agrawal 2005, section 2.2). If
`monotone` is set, a suppressed record costs the size of its class (DM* in El Emam et al. 2009).

If people are suppressed with all their rows, a class may lose some of its records. Losing m of f
records costs m N and saves f**2 - (f - m)**2. The saving exceeds the cost only if f is above N / 2,
and by at most (f - N / 2)**2. At most one class can have more than N / 2 records. No class has more
records than the square root of the sum of all squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities, Feature
from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.cells import Cells
from roadstead.policies.classes import Classes, classes_at, refine
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.quality.by_class import BoundByClass, ClassMeasure, ClassModel, one_class_of
from roadstead.quality.loss_capabilities import ANY_LOSS
from roadstead.quality.partition_costs import PricedClasses, Prices
from roadstead.quality.partition_losses import Terms, terms_for
from roadstead.quality.words import QualityWords, own_words
from roadstead.tables.persons.profiles import PersonTable

_MOST_RECORDS = 2_000_000_000
_MOST_RECORDS_CUT = 1_000_000_000
"""The limit on sums for domains that are cut into intervals, where bounds add several squares."""
_DOUBT = 1e-9
"""A tolerance that exceeds the rounding error of a root."""


@dataclass(frozen=True)
class Discernibility(ClassModel):
    """The sum of squared class sizes, plus the size of the table for each suppressed record."""

    monotone: bool = False  # whether suppressed records count as generalized
    name: ClassVar[str] = "discernibility"
    words: ClassVar[QualityWords] = own_words("discernibility")
    capabilities: ClassVar[Capabilities] = ANY_LOSS.adding(Feature.MONOTONE, Feature.CUTS)

    def bind(self, encoding: Encoding) -> BoundByClass[Any]:
        """Bind the model, or raise a SettingError if the squares overflow a machine word."""
        if encoding.records > _MOST_RECORDS:
            where, fix = option("quality", "discernibility"), "choose another quality model"
            raise _too_many(encoding.records, fix=fix, where=where)
        if self.monotone:
            return BoundByClass(encoding, _AllClasses(encoding))
        kind = _OfPersons if isinstance(encoding.table, PersonTable) else PricedClasses
        return BoundByClass(encoding, kind(encoding, _prices(encoding.records)))

    def settings(self) -> dict[str, Any]:
        """Return the parameters for the certificate."""
        return {**super().settings(), **({"monotone": True} if self.monotone else {})}

    def prices(self, records: int) -> Prices:
        """Return prices such that a suppressed record costs the size of the whole table."""
        if records > _MOST_RECORDS_CUT:
            raise _too_many(records, fix=f"use at most {_MOST_RECORDS_CUT}")
        return _prices(records)

    def terms(self, cells: Cells) -> Terms:
        """Return the squares of the class sizes, divided by the number of records."""
        sizes = np.arange(cells.total + 1, dtype=np.float64)
        return terms_for(cells, by_class=_prices(cells.total).square * sizes**2 / cells.total)


class _OfPersons(PricedClasses):
    """The sum of squared class sizes, if it is possible to suppress only a part of a class."""

    def bound(self, levels: Levels, suppressed: int, price: float) -> float:
        records = self._everything // self._prices.suppressed
        saved = max(0.0, sqrt(price) * (1.0 + _DOUBT) - records / 2) ** 2
        return self.loss(levels, suppressed, max(0.0, price - saved))


class _AllClasses(ClassMeasure[NDArray[np.uint32]]):
    """The sum of the squared sizes of all classes, including suppressed classes."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._top = tuple(height - 1 for height in encoding.heights)

    def nothing(self) -> NDArray[np.uint32]:
        return np.zeros(0, dtype=np.uint32)

    def more(self, suppressed: NDArray[np.uint32], rows: NDArray[np.uint32]) -> NDArray[np.uint32]:
        return np.concatenate([suppressed, rows])

    def price(self, classes: Classes) -> int:
        return int(np.add.reduce(classes.sizes * classes.sizes))

    def loss(self, levels: Levels, suppressed: NDArray[np.uint32], price: float) -> float:
        if suppressed.size and isinstance(self._encoding.table, PersonTable):
            # Only some records of a class may be suppressed.
            price = self.price(classes_at(self._encoding, levels))
        elif suppressed.size:
            together = one_class_of(self._encoding, suppressed)
            price += self.price(refine(self._encoding, together, self._top, levels))
        return price / self._encoding.records**2


def _prices(records: int) -> Prices:
    return Prices(square=1, minority=0, suppressed=records)


def _too_many(records: int, *, fix: str, where: str = "") -> SettingError:
    what = f"{records} records are too many: the square of this number is too large"
    return SettingError(what, where=where, fix=fix)
