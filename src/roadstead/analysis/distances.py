"""Measure distances between the distributions in a release and in the original table.

The distance is the total variation distance, from 0 to 1. It is the smallest share of the records
that must change to make the two distributions equal. If a released cell shows several values, the
record is divided equally among these values. A suppressed record is divided equally among all
values of the column. For a pair of columns, a column with more than a thousand values is divided
into a thousand groups of neighboring values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.evaluation.accuracy import total_variation
from roadstead.policies.value_sets import ShownColumn, ShownTable

_MOST = 1_000
"""The largest number of groups into which each column in a pair is divided."""


@dataclass(frozen=True)
class Distances:
    """The total variation distances for single columns and for pairs of columns.

    If a column is `removed`, its distance compares the original with equal shares of all values. It
    says nothing about the release, so it is not shown.
    """

    columns: dict[str, float]
    pairs: dict[tuple[str, str], float] = field(repr=False)
    removed: tuple[str, ...] = ()

    @property
    def one_way(self) -> float:
        """Return the mean distance of the single columns."""
        return fmean(self.columns.values())

    @property
    def two_way(self) -> float:
        """Return the mean distance for the pairs of columns, or 0 if there is only one column."""
        return fmean(self.pairs.values() or [0.0])


def distances(original: ShownTable, release: ShownTable, left_out: int = 0) -> Distances:
    """Measure the distances for a release that omits `left_out` records from the original."""
    names = [one.name for one in original.columns]
    before = [_shares(one, _groups(one, len(one.values))) for one in original.columns]
    after = [_shares(one, _groups(one, len(one.values))) for one in release.columns]
    ones = {
        name: total_variation(
            _spread([old], original, [at], 0), _spread([new], release, [at], left_out)
        )
        for at, (name, old, new) in enumerate(zip(names, before, after, strict=True))
    }
    before = [_shares(one, _groups(one, _MOST)) for one in original.columns]
    after = [_shares(one, _groups(one, _MOST)) for one in release.columns]
    twos = {}
    for first, second in combinations(range(len(names)), 2):
        at = [first, second]
        old = _spread([before[one] for one in at], original, at, 0)
        new = _spread([after[one] for one in at], release, at, left_out)
        twos[names[first], names[second]] = total_variation(old, new)
    removed = tuple(
        one.name
        for one, codes in zip(release.columns, release.codes, strict=True)
        if (one.sizes[codes] == len(one.values)).all() and len(one.values) > 1
    )
    return Distances(ones, twos, removed)


def spread(
    table: ShownTable,
    columns: Sequence[str],
    groups: Sequence[NDArray[np.int64]],
    left_out: int = 0,
) -> NDArray[np.float64]:
    """Return the number of records in each group of values in one or two columns.

    For each column, `groups` gives the group number of each value, starting at 0. No group may be
    empty.
    """
    at = [table.place(name) for name in columns]
    shares = [_shares(table.columns[one], group) for one, group in zip(at, groups, strict=True)]
    return _spread(shares, table, at, left_out)


@dataclass(frozen=True, eq=False)
class _Shares:
    """The share of each group of values, in each part and in the column's whole domain."""

    of_parts: Any  # a sparse matrix, (parts, groups)
    of_all: NDArray[np.float64]  # (groups,)


def _groups(column: ShownColumn, most: int) -> NDArray[np.int64]:
    """Divide a column's values into at most `most` groups of neighboring values."""
    number = len(column.values)
    order = np.arange(number) if column.numbers is None else np.argsort(column.numbers)
    group = np.empty(number, dtype=np.int64)
    group[order] = np.arange(number) * min(most, number) // number
    return group


def _shares(column: ShownColumn, group: NDArray[np.int64]) -> _Shares:
    from scipy.sparse import csr_array  # noqa: PLC0415 - heavy

    groups = int(group.max()) + 1
    weights = np.repeat(1 / column.sizes, column.sizes)
    own = csr_array((weights, (column.owners, group[column.members])), shape=(column.parts, groups))
    return _Shares(own, np.bincount(group, minlength=groups) / group.size)


def _spread(
    shares: Sequence[_Shares], table: ShownTable, at: Sequence[int], left_out: int
) -> NDArray[np.float64]:
    from scipy.sparse import csr_array  # noqa: PLC0415 - heavy

    first, last = shares[0], shares[-1]
    weights = table.weights.astype(np.float64)
    if len(shares) == 1:
        counts = np.bincount(table.codes[at[0]], weights=weights, minlength=first.of_parts.shape[0])
        one: NDArray[np.float64] = first.of_parts.T @ counts + left_out * first.of_all
        return one
    places = (table.codes[at[0]], table.codes[at[1]])
    shape = (first.of_parts.shape[0], last.of_parts.shape[0])
    joint = csr_array((weights, places), shape=shape)
    two: NDArray[np.float64] = (first.of_parts.T @ joint @ last.of_parts).toarray()
    return two + left_out * np.outer(first.of_all, last.of_all)
