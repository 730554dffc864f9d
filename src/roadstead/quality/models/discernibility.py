"""The discernibility metric: from how many records a record cannot be told.

A record of a class of f records costs f, a suppressed one costs N, the size of the table. The loss
is the sum, as a share of N squared (Bayardo and Agrawal 2005, section 2.2). It is 1 when everything
is suppressed, and also when all records are in one class; and 1 / N when each is by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.cells import Cells
from roadstead.policies.encoding import Encoding
from roadstead.quality.by_class import BoundByClass, ClassModel
from roadstead.quality.partition_costs import PricedClasses, Prices
from roadstead.quality.partition_losses import Terms, terms_for
from roadstead.quality.words import QualityWords, own_words

_MOST_RECORDS = 2_000_000_000
_MOST_RECORDS_CUT = 1_000_000_000
"""Of a table that is cut: its bounds add more than one square."""


@dataclass(frozen=True)
class Discernibility(ClassModel):
    """Squares of class sizes, and the whole table for each suppressed record."""

    name: ClassVar[str] = "discernibility"
    words: ClassVar[QualityWords] = own_words("discernibility")

    def bind(self, encoding: Encoding) -> BoundByClass[int]:
        """It needs the counts alone, and squares that fit a machine word, else SettingError."""
        if encoding.records > _MOST_RECORDS:
            where, fix = option("quality", "discernibility"), "choose another quality model"
            raise _too_many(encoding.records, fix=fix, where=where)
        return BoundByClass(encoding, PricedClasses(encoding, _prices(encoding.records)))

    def prices(self, records: int) -> Prices:
        """A suppressed record cannot be told from any other."""
        if records > _MOST_RECORDS_CUT:
            raise _too_many(records, fix=f"use at most {_MOST_RECORDS_CUT}")
        return _prices(records)

    def terms(self, cells: Cells) -> Terms:
        """Give the squares of the classes' sizes, over the records."""
        sizes = np.arange(cells.total + 1, dtype=np.float64)
        return terms_for(cells, by_class=_prices(cells.total).square * sizes**2 / cells.total)


def _prices(records: int) -> Prices:
    return Prices(square=1, minority=0, suppressed=records)


def _too_many(records: int, *, fix: str, where: str = "") -> SettingError:
    what = f"{records} records are too many to square in whole numbers"
    return SettingError(what, where=where, fix=fix)
