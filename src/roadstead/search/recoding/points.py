"""Represent the rows of a table as points, and compute the smallest boxes around points."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.axes import Axis
from roadstead.search.recoding.protocol import OUT, Parts, RecodingProblem

Boxed = NDArray[np.int32]
"""The box of each point, or `OUT` if the point is suppressed."""


@dataclass(frozen=True)
class Points:
    """The distinct places of a table's records, with one coordinate per axis.

    `places` has the shape ``(points, axes)``. `records` gives the number of records at each point,
    and `point_of` gives the point of each row of the table, or `OUT` for a row without records.
    `where` contains the positions of the places along the axes, times the weights of the axes. In
    these positions, the sum of a box's widths is the loss of its records, excluding the losses of
    its outermost places.
    """

    places: NDArray[np.int32] = field(repr=False)
    records: NDArray[np.int64] = field(repr=False)
    point_of: NDArray[np.int64] = field(repr=False)
    where: NDArray[np.float64] = field(repr=False)
    axes: tuple[Axis, ...] = field(repr=False)

    @property
    def size(self) -> int:
        """The number of points."""
        return self.records.size

    @cached_property
    def total(self) -> int:
        """The number of records."""
        return int(self.records.sum())

    def tight(self, boxed: Boxed) -> Parts:
        """Return the smallest box around each set of points; boxes must be numbered without gaps.

        A box extends to the ends of its intervals.
        """
        inside = boxed != OUT
        order = np.argsort(boxed[inside], kind="stable")
        if not order.size:
            return np.empty((0, self.places.shape[1], 2), dtype=np.int32)
        places, numbers = self.places[inside][order], boxed[inside][order]
        starts = np.flatnonzero(np.diff(numbers, prepend=-1))
        low, high = np.minimum.reduceat(places, starts), np.maximum.reduceat(places, starts)
        for at, axis in enumerate(self.axes):
            low[:, at], high[:, at] = axis.around(low[:, at], high[:, at])
        return np.stack([low, high], axis=2)

    def boxed(self, rows: NDArray[np.int32]) -> Boxed:
        """Return the box of each point, given the class of each row of the table."""
        found = np.full(self.size, OUT, dtype=np.int32)
        known = self.point_of != OUT
        found[self.point_of[known]] = rows[known]
        return found

    def rows(self, boxed: Boxed) -> NDArray[np.int32]:
        """Return the class of each row of the table, given the box of each point."""
        return np.where(self.point_of == OUT, OUT, boxed[self.point_of]).astype(np.int32)


def points_of(problem: RecodingProblem) -> Points:
    """Return the points of a problem's table.

    Rows without records represent people who are not in the table. They become points only if the
    model uses them.
    """
    encoding = problem.encoding
    places = np.stack(
        [axis.places[codes] for axis, codes in zip(problem.axes, encoding.codes, strict=True)],
        axis=1,
    )
    records, point_of = encoding.counts, np.arange(encoding.counts.size)
    if any(axis.places.size > axis.size for axis in problem.axes):  # several values at a place
        places, point_of = np.unique(places, axis=0, return_inverse=True)
        point_of = point_of.reshape(-1)
        records = np.bincount(point_of, records, places.shape[0]).astype(np.int64)
    if problem.alone and not records.all():
        kept = np.flatnonzero(records)
        new = np.full(records.size, OUT, dtype=np.int64)
        new[kept] = np.arange(kept.size)
        places, records, point_of = places[kept], records[kept], new[point_of]
    where = np.stack(
        [axis.positions[own] for axis, own in zip(problem.axes, places.T, strict=True)]
    )
    return Points(
        np.ascontiguousarray(places),
        np.ascontiguousarray(records),
        point_of,
        np.ascontiguousarray((where * problem.shares[:, None]).T),
        problem.axes,
    )


def without_gaps(boxed: Boxed) -> Boxed:
    """Renumber the boxes without gaps, and keep their order."""
    inside = boxed != OUT
    found = np.full(boxed.size, OUT, dtype=np.int32)
    found[inside] = np.unique(boxed[inside], return_inverse=True)[1].reshape(-1)
    return found
