"""Apply one vector of levels to a table, in the form that the pattern kernels read.

Every node gets a random 64-bit number, and the key of a class is the sum of the numbers of its
nodes. The random generator has a fixed seed, so the same table always gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.recoding.patterns import PatternRows, merged
from roadstead.policies.full_domain import Levels
from roadstead.search.recoding.protocol import Parts, RecodingProblem

_SEED = 20_261_123


@dataclass(frozen=True, eq=False)
class AtLevels:
    """A table in which rows that are identical under a vector of levels are merged.

    For each original row, `target` gives its row in this table, or -1 if it has no records. For
    each row of this table, `first` gives one of its original rows. `numbers` identifies the nodes
    of each attribute, in an array with the shape ``(attributes, rows)``.
    """

    levels: Levels
    target: NDArray[np.int32]
    first: NDArray[np.int32]
    numbers: NDArray[np.uint64]
    rows: PatternRows
    free: tuple[int, ...]
    """The attributes that can be suppressed because they are below their highest level."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of records in each row."""
        return self.rows.counts

    @cached_property
    def prices(self) -> NDArray[np.float64]:
        """The mean loss that suppressing each attribute adds to a record."""
        return np.asarray(self.rows.more @ self.counts / max(self.counts.sum(), 1))

    @cached_property
    def least(self) -> NDArray[np.float64]:
        """The lowest loss that suppressing each attribute adds to a record."""
        return np.asarray(self.rows.more.min(axis=1, initial=1.0))


class Levelled:
    """Applies vectors of levels to a table."""

    def __init__(self, problem: RecodingProblem) -> None:
        self.problem = problem
        encoding = problem.encoding
        chance = np.random.default_rng(_SEED)
        self._numbers = [
            [chance.integers(1, 2**64, size=n, dtype=np.uint64) for n in own]
            for own in encoding.labels
        ]
        self._losses = [
            [(leaves - 1) * share / max(h.domain_size - 1, 1) for leaves in levels]
            for levels, share, h in zip(
                encoding.leaves, problem.shares, encoding.hierarchies, strict=True
            )
        ]
        records = max(encoding.records, 1)
        self.means = [
            np.array([float(encoding.counts @ own[codes]) / records for own in losses])
            for losses, codes in zip(self._losses, encoding.codes, strict=True)
        ]
        """The weighted mean loss of a record at each level of each attribute."""

    def mean(self, levels: Levels) -> float:
        """Return the loss of a vector of levels if nothing is suppressed."""
        return float(sum(own[level] for own, level in zip(self.means, levels, strict=True)))

    def at(self, levels: Levels, classes: Levels | None = None) -> AtLevels:
        """Return the table under `levels`, with classes that may belong to more general levels.

        If `classes` are other levels, rows that are equal under `classes` are in one class, but the
        losses still refer to `levels`.
        """
        encoding, top = self.problem.encoding, self.problem.space.top
        codes = encoding.codes
        own = np.stack([self._of(at, level, codes[at]) for at, level in enumerate(levels)])
        target, first, counts = merged(np.add.reduce(own, axis=0), encoding.counts)
        kept = codes[:, first]
        told = levels if classes is None else classes
        numbers = np.stack([self._of(at, level, kept[at]) for at, level in enumerate(told)])
        highest = np.stack([self._of(at, level, kept[at]) for at, level in enumerate(top)])
        loss = np.stack([self._losses[at][level][kept[at]] for at, level in enumerate(levels)])
        lost = np.stack([self._losses[at][level][kept[at]] for at, level in enumerate(top)])
        free = tuple(at for at, (a, b) in enumerate(zip(levels, top, strict=True)) if a < b)
        return AtLevels(
            levels,
            target,
            first,
            numbers,
            PatternRows(
                full=np.add.reduce(numbers, axis=0),
                change=highest - numbers,
                plain=np.add.reduce(loss, axis=0),
                more=np.maximum(lost - loss, 0.0),
                counts=counts,
            ),
            free,
        )

    def _of(self, at: int, level: int, codes: NDArray[np.uint32]) -> NDArray[np.uint64]:
        return self._numbers[at][level][self.problem.encoding.lookups[at][level]][codes]

    def parts(self, under: AtLevels, patterns: NDArray[np.int64], rows: NDArray[np.int32]) -> Parts:
        """Return the parts of classes, each of which is defined by a pattern and a row."""
        encoding, top = self.problem.encoding, self.problem.space.top
        found = np.empty((rows.size, len(top), 2), dtype=np.int32)
        codes = encoding.codes[:, under.first[rows]]
        for at, level in enumerate(under.levels):
            hidden = (patterns >> at) & 1 == 1
            found[:, at, 0] = np.where(hidden, top[at], level)
            found[:, at, 1] = np.where(
                hidden,
                encoding.lookups[at][top[at]][codes[at]],
                encoding.lookups[at][level][codes[at]],
            )
        return found


def cheapest_patterns(
    free: tuple[int, ...], prices: NDArray[np.float64], number: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return up to `number` patterns in ascending order of price, and their prices.

    The list of prices has one additional entry, which is the price of the first omitted pattern, or
    infinity if all patterns are included.
    """
    found = list(islice(_ascending(free, prices), number + 1))
    patterns = np.array([pattern for _, pattern in found[:number]], dtype=np.int64)
    after = found[number][0] if len(found) > number else np.inf
    return patterns, np.array([*(price for price, _ in found[:number]), after])


def _ascending(free: tuple[int, ...], prices: NDArray[np.float64]) -> Iterator[tuple[float, int]]:
    """Yield subsets in ascending order of their sums.

    Each subset is derived from an earlier subset by changing the last attribute.
    """
    order = sorted(free, key=lambda at: (prices[at], at))
    yield 0.0, 0
    waiting: list[tuple[float, int, int]] = []
    if order:
        heappush(waiting, (float(prices[order[0]]), 1 << order[0], 0))
    while waiting:
        price, pattern, last = heappop(waiting)
        yield price, pattern
        if last + 1 < len(order):
            this, after = order[last], order[last + 1]
            step = float(prices[after])
            heappush(waiting, (price + step, pattern | 1 << after, last + 1))
            swapped = pattern & ~(1 << this) | 1 << after
            heappush(waiting, (price - float(prices[this]) + step, swapped, last + 1))
