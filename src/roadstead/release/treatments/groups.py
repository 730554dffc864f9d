"""Form groups of similar records that have at least k owners each.

Groups consist of *points*, which are the distinct combinations of values in the treated columns. So
two records of one class are always in the same group if they have equal values. Records that lack
values in the same columns are grouped by their other columns. If fewer than k owners remain, they
do not form a group, and the release does not show their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.kernels.microaggregation import grouped_by_mdav, grouped_on_a_line
from roadstead.release.treatments.columns import TreatedColumn

NO_GROUP = -1
MOST_POINTS = 300_000
"""The largest number of distinct combinations of several columns that are grouped together.

The running time grows with the square of this number.
"""


@dataclass(frozen=True, eq=False)
class TreatedRows:
    """Records with their classes, the codes of their values, and their counts.

    All arrays have the same order. If people are counted, `owners` gives the number of each row's
    person.
    """

    units: NDArray[np.int64] = field(repr=False)  # the class of each row, or 0
    codes: tuple[NDArray[np.int64], ...] = field(repr=False)  # for each column; -1 if missing
    counts: NDArray[np.int64] = field(repr=False)
    owners: NDArray[np.int64] | None = field(repr=False)


@dataclass(frozen=True, eq=False)
class _Points:
    """Distinct rows with their owners, sorted by class and by missing columns."""

    of_row: NDArray[np.int64]
    ends: NDArray[np.int64]  # ends of slices with the same class and missing columns
    codes: NDArray[np.int64]  # one row per point
    weights: NDArray[np.int64]
    starts: NDArray[np.int64]
    owners: NDArray[np.int64]


def grouped(
    rows: TreatedRows, columns: Sequence[TreatedColumn], k: int, *, whole: bool
) -> NDArray[np.int64]:
    """Return the number of the group of each row, or `NO_GROUP` for rows without a group.

    If `whole` is true, all records of a class that lack the same columns form one group.
    """
    points = _points_of(rows)
    places = _scaled(rows, columns, points)
    group = np.full(points.weights.size, NO_GROUP, dtype=np.int64)
    have, first = 0, 0
    for last in points.ends.tolist():
        known = points.codes[first] >= 0
        own = points.owners[points.starts[first] : points.starts[last]]
        number, owners = _renumbered(own) if rows.owners is not None else (own.size, None)
        if known.any() and number >= k:
            starts = points.starts[first : last + 1] - points.starts[first]
            if owners is None:
                owners = np.arange(number)
            if whole:
                found = np.zeros(last - first, dtype=np.int64)
            else:
                near = np.ascontiguousarray(places[first:last][:, known])
                weights = points.weights[first:last]
                if near.shape[1] == 1:
                    found = grouped_on_a_line(near[:, 0].copy(), weights, starts, owners, number, k)
                else:
                    _require_few(last - first, columns)
                    found = grouped_by_mdav(near, weights, starts, owners, number, k)
            group[first:last] = found + have
            have += int(found.max()) + 1
        first = last
    return group[points.of_row]


def _require_few(points: int, columns: Sequence[TreatedColumn]) -> None:
    """Raise an error for a grouping that would take many minutes."""
    if points > MOST_POINTS:
        raise SettingError(
            f"there are {points:,} distinct combinations, but at most {MOST_POINTS:,} can be "
            "grouped at once",
            where=f"{option('treat')} {', '.join(quoted(one.name) for one in columns)}",
            fix="use within=classes, or treat each column separately",
        )


def _renumbered(owners: NDArray[np.int64]) -> tuple[int, NDArray[np.int64]]:
    """Return the number of distinct owners, and the owners renumbered from 0."""
    found, places = np.unique(owners, return_inverse=True)
    return found.size, places.astype(np.int64)


def _points_of(rows: TreatedRows) -> _Points:
    missing = np.zeros(rows.units.size, dtype=np.int64)
    for at, codes in enumerate(rows.codes):
        missing |= (codes < 0).astype(np.int64) << at
    keys = np.stack((rows.units, missing, *rows.codes), axis=1)
    distinct, of_row = np.unique(keys, axis=0, return_inverse=True)
    of_row = of_row.reshape(-1).astype(np.int64)
    weights = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(weights, of_row, rows.counts)
    if rows.owners is None:
        owners = np.arange(int(weights.sum()), dtype=np.int64)
        held = weights
    else:
        pairs = np.unique(np.stack((of_row, rows.owners), axis=1), axis=0)
        owners = np.ascontiguousarray(pairs[:, 1])
        held = np.bincount(pairs[:, 0], minlength=len(distinct))
    starts = np.concatenate(([0], np.cumsum(held))).astype(np.int64)
    changes = np.flatnonzero(np.any(distinct[1:, :2] != distinct[:-1, :2], axis=1)) + 1
    ends = np.append(changes, len(distinct)) if len(distinct) else changes
    return _Points(of_row, ends, distinct[:, 2:], weights, starts, owners)


def _scaled(
    rows: TreatedRows, columns: Sequence[TreatedColumn], points: _Points
) -> NDArray[np.float64]:
    """Return the position of each point, in standard deviations of each column."""
    places = np.zeros(points.codes.shape, dtype=np.float64)
    for at, column in enumerate(columns):
        if column.numbers is None:
            continue
        known = rows.codes[at] >= 0
        floats, counts = column.floats, rows.counts[known]
        of_rows = floats[rows.codes[at][known]]
        spread = 1.0
        if len(columns) > 1 and of_rows.size:
            middle = np.average(of_rows, weights=counts)
            spread = float(np.sqrt(np.average((of_rows - middle) ** 2, weights=counts))) or 1.0
        has = points.codes[:, at] >= 0
        places[has, at] = floats[points.codes[has, at]] / spread
    return places
