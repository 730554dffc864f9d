"""The discernibility metric: from how many records a record cannot be told.

A record of a class of f records costs f, a suppressed one costs N, the size of the table. The loss
is the sum, as a share of N squared (Bayardo and Agrawal 2005, section 2.2). It is 1 when everything
is suppressed, and also when all records are in one class; and 1 / N when each is by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.cells import Cells
from roadstead.policies.encoding import Encoding
from roadstead.quality.by_class import BoundByClass
from roadstead.quality.partition_costs import PricedClasses, Prices
from roadstead.quality.partition_losses import Terms, terms_for
from roadstead.quality.words import QualityWords

_MOST_RECORDS = 2_000_000_000
_MOST_RECORDS_CUT = 1_000_000_000
"""Of a table that is cut: its bounds add more than one square."""


@dataclass(frozen=True)
class Discernibility:
    """Squares of class sizes, and the whole table for each suppressed record."""

    name: ClassVar[str] = "discernibility"
    columns: ClassVar[tuple[str, ...]] = ()
    words: ClassVar[QualityWords] = QualityWords(
        title="Discernibility",
        figure="Not discernible",
        sentence="On average a record cannot be told from {share} of all records.",
        clause="on average a record cannot be told from {share} of all records (discernibility)",
        by_attribute=False,
        formula="What was minimized is <em>discernibility</em>: from how many records a record "
        "cannot be told, itself included. With <i>f</i> for the size of a class and <i>s</i> for "
        "the suppressed of the <i>N</i> records, which count as alike to all, it is <span "
        'class="formula">(∑ <i>f</i><sup>2</sup> + <i>N</i> · <i>s</i>) / '
        "<i>N</i><sup>2</sup></span>{cited}. 1/<i>N</i> means that no two records are alike, 1 "
        "that all are. It looks at the sizes of classes, and not at what their labels say.",
        sources=("bayardo",),
        meaning="mean number of records that a record cannot be told from, itself included",
        explained="How many records a record cannot be told from, on average, as a share of all "
        "of them.",
    )

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

    def settings(self) -> dict[str, Any]:
        """Parameters for the certificate."""
        return {"kind": self.name}


def _prices(records: int) -> Prices:
    return Prices(square=1, minority=0, suppressed=records)


def _too_many(records: int, *, fix: str, where: str = "") -> SettingError:
    what = f"{records} records are too many to square in whole numbers"
    return SettingError(what, where=where, fix=fix)
