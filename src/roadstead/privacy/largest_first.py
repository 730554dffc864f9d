"""Keep as many of the largest classes as the bounds on the whole release allow.

A record in a larger class adds less to a limited count. Therefore, classes are kept in descending
order of size until a limit is reached. Classes of the same size are ordered by their values and
chosen at regular intervals, because the first classes in this order would all describe similar
people. The choice depends only on the table, so a search and a release make the same choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import TOLERANCE


@dataclass(frozen=True)
class ShareOfRecords:
    """A bound that limits the sum of the classes' counts to a share of the classes' records.

    `counts` returns the count of a class of a given size. The count is a whole number, and the
    count per record does not fall as classes get smaller.
    """

    counts: Callable[[NDArray[np.int64]], NDArray[np.int64]]
    share: float

    def holds(self, counted: NDArray[np.int64], records: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether sums of counts satisfy the bound for the given numbers of records."""
        return counted <= self.share * (1.0 + TOLERANCE) * records


def one_a_class(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a count of 1 for each class, so that the count per record is the mean risk."""
    return np.ones_like(sizes)


def records_below(safe: int) -> Callable[[NDArray[np.int64]], NDArray[np.int64]]:
    """Return a function that counts the records of classes with fewer than `safe` records."""
    return lambda sizes: np.where(sizes < safe, sizes, 0)


def largest_first(
    classes: Classes, bounds: Sequence[ShareOfRecords], least: int = 1
) -> NDArray[np.bool_]:
    """Mark the classes to keep. A class with fewer than `least` records is never kept."""
    size, number = np.unique(classes.sizes[classes.sizes >= least], return_counts=True)
    size, number = size[::-1], number[::-1]
    counted = [np.cumsum(bound.counts(size) * number) for bound in bounds]
    records = np.cumsum(size * number)
    fits = _all_hold(bounds, counted, records)
    if fits.all():
        return classes.sizes >= least
    at = int(np.argmin(fits))
    more = np.arange(number[at] + 1)
    counted = [
        (own[at - 1] if at else 0) + more * bound.counts(size[at : at + 1])
        for bound, own in zip(bounds, counted, strict=True)
    ]
    some = _all_hold(bounds, counted, (records[at - 1] if at else 0) + more * size[at])
    marked: NDArray[np.bool_] = classes.sizes > size[at]
    marked[
        at_equal_distances(classes, classes.sizes == size[at], int(np.count_nonzero(some)) - 1)
    ] = True
    return marked


def _all_hold(
    bounds: Sequence[ShareOfRecords],
    counted: Sequence[NDArray[np.int64]],
    records: NDArray[np.int64],
) -> NDArray[np.bool_]:
    held = [bound.holds(own, records) for bound, own in zip(bounds, counted, strict=True)]
    every: NDArray[np.bool_] = np.logical_and.reduce(held)
    return every


def at_equal_distances(classes: Classes, alike: NDArray[np.bool_], some: int) -> NDArray[np.uint32]:
    """Choose `some` of the marked classes, evenly spaced in the order of their first rows."""
    inside = alike[classes.ids]
    ids = classes.ids[inside][np.argsort(classes.rows[inside])]
    in_order = ids[np.sort(np.unique(ids, return_index=True)[1])]
    return in_order[(2 * np.arange(some) + 1) * in_order.size // (2 * max(some, 1))]
