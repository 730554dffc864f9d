"""Compute the replacement for the values in a group: a mean, a median, a mode, or an interval.

If people are counted, each person has the same weight in a group, so no single person can dominate
the mean. The mode is the value that the most owners have, and at least two owners must have this
value. If several values are equally frequent, the lowest of them is chosen. A mean, or a median
between two values, has the same precision as its column.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.treatments.document import Ends, Statistic
from roadstead.release.treatments.columns import TreatedColumn
from roadstead.release.treatments.groups import NO_GROUP, TreatedRows

Shown: TypeAlias = dict[int, str]
"""A map from each group's number to the value that the group shows, if any."""
_SLACK = 1e-9


def shown_of_groups(
    rows: TreatedRows,
    at: int,
    column: TreatedColumn,
    group: NDArray[np.int64],
    function: Statistic,
    ends: Ends | None,
) -> Shown:
    """Return the value that each group shows in the column at index `at`."""
    inside = (group != NO_GROUP) & (rows.codes[at] >= 0)
    own, codes = group[inside], rows.codes[at][inside]
    if not own.size:
        return {}
    if function == "interval":
        assert ends is not None  # noqa: S101 - as whoever asks for intervals has them
        return _intervals(own, codes, column, ends)
    owners = None if rows.owners is None else rows.owners[inside]
    counts = rows.counts[inside]
    if function == "mode":
        return _modes(own, codes, column, counts, owners)
    weights = weights_of(own, counts, owners)
    found = (_means if function == "mean" else _medians)(own, column.floats[codes], weights)
    return {number: column.written(value) for number, value in found.items()}


def weights_of(
    group: NDArray[np.int64], counts: NDArray[np.int64], owners: NDArray[np.int64] | None
) -> NDArray[np.float64]:
    """Return the weight of each row: its record count, or its share of the person's records."""
    if owners is None:
        return counts.astype(np.float64)
    _, pair = np.unique(np.stack((group, owners), axis=1), axis=0, return_inverse=True)
    pair = pair.reshape(-1)
    weights: NDArray[np.float64] = counts / np.bincount(pair, weights=counts)[pair]
    return weights


def _means(
    group: NDArray[np.int64], values: NDArray[np.float64], weights: NDArray[np.float64]
) -> dict[int, float]:
    total = np.bincount(group, weights=weights)
    sums = np.bincount(group, weights=weights * values)
    there = np.flatnonzero(total)
    return dict(zip(there.tolist(), (sums[there] / total[there]).tolist(), strict=True))


def _medians(
    group: NDArray[np.int64], values: NDArray[np.float64], weights: NDArray[np.float64]
) -> dict[int, float]:
    def median(own: NDArray[np.int64]) -> float:
        below = np.cumsum(weights[own])
        half = below[-1] / 2.0
        middle = int(np.argmax(below >= half - _SLACK))
        between = abs(below[middle] - half) <= _SLACK and middle + 1 < own.size
        upper = values[own[middle + 1]] if between else values[own[middle]]
        return float(values[own[middle]] + upper) / 2.0

    return _by_group(group, values, median)


def _by_group(
    group: NDArray[np.int64],
    values: NDArray[np.float64],
    of_one: Callable[[NDArray[np.int64]], float],
) -> dict[int, float]:
    """Apply a function to the rows of each group, with the rows sorted by value."""
    order = np.lexsort((values, group))
    changes = np.flatnonzero(np.diff(group[order])) + 1
    return {int(group[own[0]]): of_one(own) for own in np.split(order, changes)}


def _modes(
    group: NDArray[np.int64],
    codes: NDArray[np.int64],
    column: TreatedColumn,
    counts: NDArray[np.int64],
    owners: NDArray[np.int64] | None,
) -> Shown:
    pairs, of_pair = np.unique(np.stack((group, codes), axis=1), axis=0, return_inverse=True)
    of_pair = of_pair.reshape(-1)
    if owners is None:
        have = np.bincount(of_pair, weights=counts).astype(np.int64)
    else:
        have = np.bincount(np.unique(np.stack((of_pair, owners), axis=1), axis=0)[:, 0])
    shown: Shown = {}
    most: dict[int, int] = {}
    for (number, code), owned in zip(pairs.tolist(), have.tolist(), strict=True):
        if owned > most.get(number, 1):
            most[number] = owned
            shown[number] = column.values[code]
    return shown


def _intervals(
    group: NDArray[np.int64], codes: NDArray[np.int64], column: TreatedColumn, ends: Ends
) -> Shown:
    own = np.array(ends.places(column.numbers or ()), dtype=np.int64)[codes]
    order = np.lexsort((own, group))
    changes = np.flatnonzero(np.diff(group[order])) + 1
    runs = np.split(order, changes)
    labels = ends.labels((int(own[one[0]]), int(own[one[-1]])) for one in runs)
    return dict(zip((int(group[one[0]]) for one in runs), labels, strict=True))
