"""Specialize categorical and numeric attributes, and count each class at each position.

A categorical attribute is divided into nodes of a taxonomy. A numeric attribute is divided into
intervals, each with a split point that is chosen privately among all steps inside the interval.
Adjacent split points with the same score form a run, and the length of the run is its weight (paper
002; the exponential mechanism over a range). Runs below the smallest value and above the largest
value hide both values. Cumulative sums along the positions give the class counts of any interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.domains import CategoricalCut, NumericCut
from roadstead.differential.scores import Score

_DENSE = 1 << 22
"""Up to this number of positions, an array has one entry per position.

For more positions, the codes are sorted instead.
"""


@dataclass(frozen=True, eq=False)
class Tally:
    """The count of each class at each position that occurs in an attribute."""

    # Shape ``(occurring,)``: the places that occur, in ascending order.
    places: NDArray[np.int64] = field(repr=False)
    # The records of each class at the earlier places; shape ``(occurring + 1, classes)``.
    running: NDArray[np.int64] = field(repr=False)

    def between(self, begin: int, end: int) -> NDArray[np.int64]:
        """Count each class at the positions from `begin` (included) to `end` (excluded)."""
        first, last = np.searchsorted(self.places, (begin, end))
        counts: NDArray[np.int64] = self.running[last] - self.running[first]
        return counts


def tally(
    codes: NDArray[np.int32], target: NDArray[np.int32], counts: NDArray[np.int64], classes: int
) -> Tally:
    """Count each class at each position of an attribute. The arrays have one entry per row."""
    places, cells = _occurring(codes)
    flat = np.bincount(cells * classes + target, weights=counts, minlength=places.size * classes)
    running = np.zeros((places.size + 1, classes), dtype=np.int64)
    np.cumsum(flat.reshape(-1, classes).astype(np.int64), axis=0, out=running[1:])
    return Tally(places, running)


def _occurring(codes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct codes in ascending order, and each row's index in this list."""
    size = int(codes.max()) + 1 if codes.size else 0
    if size > _DENSE:
        distinct, inverse = np.unique(codes, return_inverse=True)
        return distinct.astype(np.int64), inverse.astype(np.int64)
    occurs = np.zeros(size, dtype=np.bool_)
    occurs[codes] = True
    rank = np.cumsum(occurs) - 1
    return np.flatnonzero(occurs), rank[codes]


@dataclass(frozen=True, eq=False)
class CategoricalGrowth:
    """The growth of a categorical attribute, with nodes that cover each leaf exactly once."""

    cut: CategoricalCut
    codes: NDArray[np.int32] = field(repr=False)  # shape ``(rows,)``: the leaf of each row
    tally: Tally = field(repr=False)  # class counts along the leaves

    @property
    def candidates(self) -> tuple[int, ...]:
        """The nodes with at least two children, which can be specialized."""
        return tuple(node for node in self.cut.nodes if len(self.children(node)) > 1)

    def children(self, node: int) -> tuple[int, ...]:
        """Return the child nodes."""
        return self.cut.children(node)

    def under(self, node: int) -> NDArray[np.int64]:
        """Count the classes under each child of a node, in shape ``(children, classes)``."""
        tree = self.cut.domain.taxonomy
        ends = [(int(tree.first[child]), int(tree.last[child])) for child in self.children(node)]
        return np.stack([self.tally.between(first, last) for first, last in ends])

    def specialized(self, node: int) -> CategoricalGrowth:
        """Replace a node with its children."""
        return replace(self, cut=self.cut.specialized(node))

    def child_of_row(self, node: int) -> NDArray[np.int32]:
        """For each row, return the child of a node that contains the row's leaf."""
        first = self.cut.domain.taxonomy.first[list(self.children(node))]
        return (np.searchsorted(first, self.codes, side="right") - 1).astype(np.int32)


@dataclass(frozen=True, eq=False)
class NumericGrowth:
    """The growth of a numeric attribute, with intervals and their split points.

    An interval is identified by the step at which it begins.
    """

    cut: NumericCut
    codes: NDArray[np.int32] = field(repr=False)  # shape ``(rows,)``: the step of each row
    tally: Tally = field(repr=False)  # class counts along the steps
    # The split points, by the beginning of the interval. Some intervals have no split point.
    splits: Mapping[int, int]

    @property
    def candidates(self) -> tuple[int, ...]:
        """The intervals that can be specialized."""
        return tuple(sorted(self.splits))

    @property
    def undecided(self) -> tuple[int, ...]:
        """The intervals with more than one step that still need a split point."""
        pairs = pairwise(self.cut.bounds)
        return tuple(begin for begin, end in pairs if end - begin > 1 and begin not in self.splits)

    def under(self, node: int) -> NDArray[np.int64]:
        """Count the classes to the left and right of a split point, in shape ``(2, classes)``."""
        bounds = (node, self.splits[node], self.cut.end(node))
        return np.stack([self.tally.between(begin, end) for begin, end in pairwise(bounds)])

    def with_splits(self, grant: Grant, score: Score, mechanisms: Mechanisms) -> NumericGrowth:
        """Choose a split point for each interval that needs one. The intervals are disjoint."""
        chosen = {node: self._choose(node, grant, score, mechanisms) for node in self.undecided}
        return replace(self, splits={**self.splits, **chosen})

    def specialized(self, node: int) -> NumericGrowth:
        """Replace an interval with the two intervals on both sides of its split point."""
        splits = dict(self.splits)
        bounds = tuple(sorted((*self.cut.bounds, splits.pop(node))))
        return replace(self, cut=replace(self.cut, bounds=bounds), splits=splits)

    def children(self, node: int) -> tuple[int, ...]:
        """Return the intervals that a specialization would create."""
        return node, self.splits[node]

    def child_of_row(self, node: int) -> NDArray[np.int32]:
        """Return the side of the split point on which each row lies."""
        return (self.codes >= self.splits[node]).astype(np.int32)

    def _choose(self, node: int, grant: Grant, score: Score, mechanisms: Mechanisms) -> int:
        begins, lengths, children = runs(self.tally, node, self.cut.end(node))
        run = mechanisms.choose_interval(
            grant,
            score.of(children),
            lengths,
            score.sensitivity(children.shape[2]),
            monotonic=score.monotonic,
        )
        return int(begins[run]) + mechanisms.place(int(lengths[run]))


def runs(
    tally: Tally, begin: int, end: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Divide the split points of an interval into runs of equal scores.

    The interval is from `begin` (included) to `end` (excluded). The split points are ``begin + 1``
    to ``end - 1``. Return three arrays: the first split point of each run, the number of split
    points in the run, and the class counts to the left and right, with shape ``(runs, 2,
    classes)``.
    """
    first, last = np.searchsorted(tally.places, (begin, end))
    values = tally.places[first:last]
    begins = np.concatenate(([begin + 1], values + 1))
    ends = np.concatenate((values + 1, [end]))
    begins, ends = np.maximum(begins, begin + 1), np.minimum(ends, end)
    left = tally.running[first : last + 1] - tally.running[first]
    right = tally.running[last] - tally.running[first : last + 1]
    lengths = ends - begins
    some = lengths > 0
    return begins[some], lengths[some], np.stack((left, right), axis=1)[some]
