"""Count how often each value occurs in a set of rows.

A model that uses only the distributions of single attributes does not need any other information
about the suppressed rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.surely_lost import most_alike, room_by_label
from roadstead.kernels.value_counts import count_values, label_logs, weigh_values
from roadstead.policies.encoding import Encoding
from roadstead.quality.class_suppression import LeftOfClasses

Counts: TypeAlias = NDArray[np.int64]
"""The number of records with each value, listed attribute by attribute."""


def n_log_n(n: int) -> float:
    """Return n ln n, or 0 if n is 0."""
    return n * log(n) if n > 1 else 0.0


class ValueCounts:
    """The counts of values in one table."""

    def __init__(self, encoding: Encoding) -> None:
        self._codes = encoding.codes
        self._counts = encoding.counts
        self._levels = encoding.lookups
        values = [levels[0].size for levels in encoding.lookups]
        self._starts = np.concatenate([[0], np.cumsum(values)]).astype(np.int64)
        self.heights = encoding.heights
        self._heights = np.array(encoding.heights, dtype=np.int64)
        shape = len(values), max(encoding.heights)
        self._offsets, self._labels = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        run = 0
        for i, (number, levels) in enumerate(zip(values, encoding.labels, strict=True)):
            for level, labels in enumerate(levels):
                self._offsets[i, level], self._labels[i, level] = run, labels
                run += number
        self._lookups = self.flat(encoding.lookups).astype(np.uint32)
        self.whole = self.of(np.arange(encoding.counts.size, dtype=np.uint32))
        self.none = np.zeros_like(self.whole)

    def flat(self, levels: Sequence[Sequence[NDArray[np.generic]]]) -> NDArray[np.generic]:
        """Concatenate the arrays of all attributes and levels."""
        return np.concatenate([one for own in levels for one in own])

    def of(self, rows: NDArray[np.uint32]) -> Counts:
        """Count the values of some rows."""
        return count_values(rows, self._counts, self._codes, self._starts)

    def by_attribute(self, counts: Counts) -> list[Counts]:
        """Split counts by attribute."""
        return np.split(counts, self._starts[1:-1])

    def label_logs(self, counts: Counts) -> list[list[float]]:
        """Return the sum of n ln n over the labels of each attribute and level."""
        return self._cut(
            label_logs(counts, self._starts, self._lookups, self._offsets, self._labels)
        )

    def most_alike(self, counts: Counts, left: LeftOfClasses) -> list[list[float]]:
        """Return a bound on `label_logs` after further records of known classes are added."""
        room = left.of_each + left.more
        found: list[list[float]] = []
        for i, height in enumerate(self.heights):
            found.append([])
            own = counts[self._starts[i] : self._starts[i + 1]]
            for level in range(height):
                first, labels = self._offsets[i, level], int(self._labels[i, level])
                lookup = self._lookups[first : first + own.size]
                known = np.bincount(lookup, weights=own, minlength=labels).astype(np.int64)
                most = room_by_label(
                    left.order, left.places, self._counts, self._codes[i], lookup, labels, room
                )
                found[-1].append(most_alike(known, most, left.records))
        return found

    def weighed(self, counts: Counts, weights: NDArray[np.float64]) -> list[list[float]]:
        """Return the sum of counts multiplied by weights, which are in the order of `flat`."""
        return self._cut(weigh_values(counts, self._starts, weights, self._offsets, self._heights))

    def surprise(self) -> NDArray[np.float64]:
        """Return -ln of each value's frequency under its label, for use as weights in `weighed`."""
        found = []
        for own, levels in zip(self.by_attribute(self.whole), self._levels, strict=True):
            labels = [np.bincount(level, weights=own)[level] for level in levels]
            found += [np.log(np.maximum(one, 1.0) / np.maximum(own, 1.0)) for one in labels]
        return np.concatenate(found)

    def _cut(self, sums: NDArray[np.float64]) -> list[list[float]]:
        return [own[:height] for own, height in zip(sums.tolist(), self.heights, strict=True)]
