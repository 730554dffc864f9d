"""How the classes are distributed along one attribute: all that a score needs of the records.

A cut is the same for all partitions, so what is under a node depends on one attribute alone. With
running sums along its places, the class counts under any interval of places are a difference of two
rows, however many records there are: choosing all specializations costs one pass over the table.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

_DENSE = 1 << 22
"""Up to so many places there is an array with one entry each; beyond, codes are sorted."""


@dataclass(frozen=True, eq=False)
class Tally:
    """Class counts along the places of an attribute that occur."""

    # Shape ``(occurring,)``: the places that occur, ascending.
    places: NDArray[np.int64] = field(repr=False)
    # Shape ``(occurring + 1, classes)``: records of each class at the places before.
    running: NDArray[np.int64] = field(repr=False)

    def between(self, begin: int, end: int) -> NDArray[np.int64]:
        """Count each class at the places from `begin` up to, not with, `end`; ``(classes,)``."""
        first, last = np.searchsorted(self.places, (begin, end))
        counts: NDArray[np.int64] = self.running[last] - self.running[first]
        return counts


def tally(
    codes: NDArray[np.int32],
    target: NDArray[np.int32],
    counts: NDArray[np.int64],
    classes: int,
) -> Tally:
    """Count the classes along an attribute.

    `codes`, `target`, `counts`: shape ``(rows,)``: place, class and number of records.
    """
    places, cells = _occurring(codes)
    flat = np.bincount(cells * classes + target, weights=counts, minlength=places.size * classes)
    running = np.zeros((places.size + 1, classes), dtype=np.int64)
    np.cumsum(flat.reshape(-1, classes).astype(np.int64), axis=0, out=running[1:])
    return Tally(places, running)


def _occurring(codes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the distinct codes, ascending, and the place of each row's code among them."""
    size = int(codes.max()) + 1 if codes.size else 0
    if size > _DENSE:
        distinct, inverse = np.unique(codes, return_inverse=True)
        return distinct.astype(np.int64), inverse.astype(np.int64)
    occurs = np.zeros(size, dtype=np.bool_)
    occurs[codes] = True
    rank = np.cumsum(occurs) - 1
    return np.flatnonzero(occurs), rank[codes]
