"""How much of what a record could tell its labels still say, in millionths.

Of a domain of |D| values a record tells log2 |D| bits. A label that covers w of them leaves log2 w
open, and keeps the rest (`bits` of the quality models, by Wan et al. 2015). The share that a record
keeps is what its labels keep, over all attributes, of all that it could tell.

Bits are counted in units of 2**-20. What is kept is rounded down and what there is up, so the share
is never above the true one, and by a few millionths at most below it. Whole numbers add up to the
same in any order, so a search, a release and whoever checks it agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log2
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

MILLION = 10**6
"""All of a record's information."""
_UNIT = 2**20
"""Parts of a bit that are counted."""


class KeptOfRows(Protocol):
    """What the labels of the rows of a table keep of their information."""

    def of(self, rows: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Give it for some rows, in millionths."""


@dataclass(frozen=True, eq=False)
class KeptBits:
    """What the labels of each row of a table keep, by attribute: shape ``(attributes, rows)``.

    It is of `whole` that there is, above 0.
    """

    by_attribute: NDArray[np.int64] = field(repr=False)
    whole: int

    def of(self, rows: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Add up what the attributes of some rows keep."""
        return millionths(self.by_attribute[:, rows].sum(axis=0), self.whole)

    def only(self, rows: NDArray[np.bool_]) -> KeptBits:
        """Give those of some rows."""
        return KeptBits(self.by_attribute[:, rows], self.whole)

    def where(self, shown: NDArray[np.bool_]) -> KeptBits:
        """Keep nothing of the rows that are not shown."""
        return KeptBits(np.where(shown, self.by_attribute, 0), self.whole)

    def without(self, attribute: int) -> KeptBits:
        """Keep nothing of one attribute."""
        others = np.arange(self.by_attribute.shape[0]) != attribute
        return KeptBits(np.where(others[:, None], self.by_attribute, 0), self.whole)

    def merged(self, target: NDArray[np.int64], rows: int) -> KeptBits:
        """Keep of rows that become one what the one that keeps least does."""
        least = np.full((self.by_attribute.shape[0], rows), np.iinfo(np.int64).max)
        for one, column in zip(least, self.by_attribute, strict=True):
            np.minimum.at(one, target, column)
        return KeptBits(least, self.whole)

    def chosen(self, attributes: Sequence[int]) -> KeptBits:
        """Give some attributes, in another order; what there is stays what it was."""
        return KeptBits(self.by_attribute[list(attributes)], self.whole)


def kept_of(widths: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """What labels of these widths keep of a domain of `size` values, rounded down."""
    distinct, place = np.unique(widths, return_inverse=True)
    there = floor(_bits(size))
    kept = [max(0, there - ceil(_bits(one))) for one in distinct.tolist()]
    return np.array(kept, dtype=np.int64)[place.reshape(-1)]


def millionths(kept: NDArray[np.int64], whole: int) -> NDArray[np.int64]:
    """Give what is kept of the whole, rounded down."""
    share: NDArray[np.int64] = kept * MILLION // whole
    return share


def of_shares(shares: NDArray[np.int64]) -> KeptBits:
    """Take shares, in millionths, for what rows keep."""
    return KeptBits(shares[np.newaxis], MILLION)


def whole_of(sizes: Sequence[int]) -> int:
    """All that a record of domains of these sizes could tell, rounded up, and above 0."""
    return max(sum(ceil(_bits(size)) for size in sizes), 1)


def _bits(values: int) -> float:
    """Units that one of so many values tells; of a power of two it is a whole number."""
    return log2(values) * _UNIT
