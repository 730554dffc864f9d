"""Specializing a categorical and a numeric attribute, and the classes along their places.

A category is a node of a taxonomy, replaced by its children. A number is an interval with a split
point that is chosen privately. Every step inside an interval is a possible split point: values
below it go left, the others right. Between two neighboring values that occur, the score does not
change. So split points are weighted in runs, each by its length (paper 002; the exponential
mechanism over a range). There is also a run below the smallest value and one above the largest:
without them, the smallest and the largest value would be revealed.

A cut is the same for all partitions, so what is under a node depends on one attribute alone. With
running sums along its places, the class counts under any interval of places are a difference of two
rows, however many records there are. So choosing all specializations costs one pass over the table.
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
"""Up to this many places, there is an array with one entry each; above it, codes are sorted."""


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
    codes: NDArray[np.int32], target: NDArray[np.int32], counts: NDArray[np.int64], classes: int
) -> Tally:
    """Count the classes along an attribute; shape ``(rows,)``: place, class, number of records."""
    places, cells = _occurring(codes)
    flat = np.bincount(cells * classes + target, weights=counts, minlength=places.size * classes)
    running = np.zeros((places.size + 1, classes), dtype=np.int64)
    np.cumsum(flat.reshape(-1, classes).astype(np.int64), axis=0, out=running[1:])
    return Tally(places, running)


def _occurring(codes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct codes, ascending, and the place of each row's code among them."""
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
    """Nodes of a taxonomy that cover each leaf once."""

    cut: CategoricalCut
    codes: NDArray[np.int32] = field(repr=False)  # shape ``(rows,)``: the leaf of each row
    tally: Tally = field(repr=False)  # class counts along the leaves

    @property
    def candidates(self) -> tuple[int, ...]:
        """Return nodes that can be specialized: those with at least two children."""
        return tuple(node for node in self.cut.nodes if len(self.children(node)) > 1)

    def children(self, node: int) -> tuple[int, ...]:
        """Return the child nodes."""
        return self.cut.children(node)

    def under(self, node: int) -> NDArray[np.int64]:
        """Count the classes under each child of a node; ``(children, classes)``."""
        tree = self.cut.domain.taxonomy
        ends = [(int(tree.first[child]), int(tree.last[child])) for child in self.children(node)]
        return np.stack([self.tally.between(first, last) for first, last in ends])

    def specialized(self, node: int) -> CategoricalGrowth:
        """Replace a node by its children."""
        return replace(self, cut=self.cut.specialized(node))

    def child_of_row(self, node: int) -> NDArray[np.int32]:
        """Return, for each row, the child of a node that holds its leaf."""
        first = self.cut.domain.taxonomy.first[list(self.children(node))]
        return (np.searchsorted(first, self.codes, side="right") - 1).astype(np.int32)


@dataclass(frozen=True, eq=False)
class NumericGrowth:
    """Intervals and their split points. A node is named by the step that it begins at."""

    cut: NumericCut
    codes: NDArray[np.int32] = field(repr=False)  # shape ``(rows,)``: the step of each row
    tally: Tally = field(repr=False)  # class counts along the steps
    # The split point of each interval that has one, by the interval's beginning.
    splits: Mapping[int, int]

    @property
    def candidates(self) -> tuple[int, ...]:
        """Return the intervals that can be specialized."""
        return tuple(sorted(self.splits))

    @property
    def undecided(self) -> tuple[int, ...]:
        """Return the intervals of more than one step that need a split point."""
        pairs = pairwise(self.cut.bounds)
        return tuple(begin for begin, end in pairs if end - begin > 1 and begin not in self.splits)

    def under(self, node: int) -> NDArray[np.int64]:
        """Count the classes left and right of an interval's split point; ``(2, classes)``."""
        bounds = (node, self.splits[node], self.cut.end(node))
        return np.stack([self.tally.between(begin, end) for begin, end in pairwise(bounds)])

    def with_splits(self, grant: Grant, score: Score, mechanisms: Mechanisms) -> NumericGrowth:
        """Choose a split point for each interval that needs one; intervals are disjoint."""
        chosen = {node: self._choose(node, grant, score, mechanisms) for node in self.undecided}
        return replace(self, splits={**self.splits, **chosen})

    def specialized(self, node: int) -> NumericGrowth:
        """Replace an interval by the two that its split point makes."""
        splits = dict(self.splits)
        bounds = tuple(sorted((*self.cut.bounds, splits.pop(node))))
        return replace(self, cut=replace(self.cut, bounds=bounds), splits=splits)

    def children(self, node: int) -> tuple[int, ...]:
        """Return the intervals that a specialization would make."""
        return node, self.splits[node]

    def child_of_row(self, node: int) -> NDArray[np.int32]:
        """Return, for each row, on which side of an interval's split point it is."""
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

    The interval is `begin` up to, not with, `end`; split points are ``begin + 1`` to ``end - 1``.
    Returns for each run its first split point, the number of split points, and the class counts
    left and right, shape ``(runs, 2, classes)``.
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
