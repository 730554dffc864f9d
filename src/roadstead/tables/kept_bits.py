"""Compute the share of a record's information that its labels keep, in millionths.

In a domain of |D| values, a record has log2 |D| bits of information. A label that covers w of the
values in the domain keeps all but log2 w bits (Wan et al. 2015). The kept share is the sum of the
kept bits over all attributes, divided by the sum of all bits. Kept bits are rounded down, and total
bits are rounded up, so the computed share is never above the true share. Bits are stored as whole
numbers of small units. So a sum does not depend on the order of its terms, and a search, a release,
and a verification compute the same share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log2
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

MILLION = 10**6
"""The total information of a record, in millionths."""
_UNIT = 2**20
"""The number of units per bit."""


class KeptOfRows(Protocol):
    """The share of information that the labels of a table's rows keep."""

    def of(self, rows: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return the share of information that some rows keep, in millionths."""


@dataclass(frozen=True, eq=False)
class KeptBits:
    """An array of attributes and rows, with the information that the labels of each row keep.

    `whole` is the total information, which is above 0.
    """

    by_attribute: NDArray[np.int64] = field(repr=False)
    whole: int

    def of(self, rows: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return the kept information of some rows, added up over the attributes."""
        return millionths(self.by_attribute[:, rows].sum(axis=0), self.whole)

    def only(self, rows: NDArray[np.bool_]) -> KeptBits:
        """Return the entries of some rows."""
        return KeptBits(self.by_attribute[:, rows], self.whole)

    def where(self, shown: NDArray[np.bool_]) -> KeptBits:
        """Set the kept information to 0 for rows that are not visible."""
        return KeptBits(np.where(shown, self.by_attribute, 0), self.whole)

    def without(self, attribute: int) -> KeptBits:
        """Set the kept information of one attribute to 0."""
        others = np.arange(self.by_attribute.shape[0]) != attribute
        return KeptBits(np.where(others[:, None], self.by_attribute, 0), self.whole)

    def merged(self, target: NDArray[np.int64], rows: int) -> KeptBits:
        """Merge rows. A merged row keeps the least information that any of its rows keeps."""
        least = np.full((self.by_attribute.shape[0], rows), np.iinfo(np.int64).max)
        for one, column in zip(least, self.by_attribute, strict=True):
            np.minimum.at(one, target, column)
        return KeptBits(least, self.whole)

    def chosen(self, attributes: Sequence[int]) -> KeptBits:
        """Return the entries of some attributes in this order. The total does not change."""
        return KeptBits(self.by_attribute[list(attributes)], self.whole)


def kept_of(widths: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return how many units of information labels of these widths keep, rounded down.

    `size` is the number of values in the domain.
    """
    distinct, place = np.unique(widths, return_inverse=True)
    there = floor(_bits(size))
    kept = [max(0, there - ceil(_bits(one))) for one in distinct.tolist()]
    return np.array(kept, dtype=np.int64)[place.reshape(-1)]


def millionths(kept: NDArray[np.int64], whole: int) -> NDArray[np.int64]:
    """Return the kept share of the total, rounded down."""
    share: NDArray[np.int64] = kept * MILLION // whole
    return share


def of_shares(shares: NDArray[np.int64]) -> KeptBits:
    """Convert shares in millionths to the information that rows keep."""
    return KeptBits(shares[np.newaxis], MILLION)


def whole_of(sizes: Sequence[int]) -> int:
    """Return the total information of a record, rounded up to at least one unit."""
    return max(sum(ceil(_bits(size)) for size in sizes), 1)


def _bits(values: int) -> float:
    """Return the information of a value in a domain of this size, in units of 2**-20 bits."""
    return log2(values) * _UNIT
