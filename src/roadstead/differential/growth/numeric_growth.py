"""A numeric attribute as it is specialized: intervals, each with a split point chosen privately.

Every step inside an interval is a possible split point: values below it go left, the others right.
Between two values that occur next to each other the score does not change, so split points are
weighed in runs, each by its length (paper 002; the exponential mechanism over a range). A run below
the smallest value and one above the largest are there as well: leaving them out would show what the
smallest and the largest value are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.attribute_cuts import NumericCut
from roadstead.differential.budget import Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.domains import NumericDomain
from roadstead.differential.growth.tallies import Tally
from roadstead.differential.scores import Score


@dataclass(frozen=True, eq=False)
class NumericGrowth:
    """Intervals and their split points. A node is named by the step that it begins at."""

    domain: NumericDomain
    codes: NDArray[np.int32] = field(repr=False)  # shape ``(rows,)``: the step of each row
    tally: Tally = field(repr=False)  # class counts along the steps
    bounds: tuple[int, ...]  # ascending: where intervals begin, and the end of the last
    # The split point of each interval that has one, by the interval's beginning.
    splits: Mapping[int, int]

    @property
    def attribute(self) -> str:
        """The column."""
        return self.domain.attribute

    @property
    def cut(self) -> NumericCut:
        """The intervals, to be released."""
        return NumericCut(self.domain, self.bounds)

    @property
    def candidates(self) -> tuple[int, ...]:
        """Intervals that can be specialized."""
        return tuple(sorted(self.splits))

    @property
    def undecided(self) -> tuple[int, ...]:
        """Intervals of more than one step that need a split point."""
        pairs = zip(self.bounds[:-1], self.bounds[1:], strict=True)
        return tuple(begin for begin, end in pairs if end - begin > 1 and begin not in self.splits)

    def end(self, node: int) -> int:
        """Where an interval ends."""
        return self.bounds[self.bounds.index(node) + 1]

    def label(self, node: int) -> str:
        """What an interval is called."""
        return self.domain.words(node, self.end(node))

    def under(self, node: int) -> NDArray[np.int64]:
        """Count the classes left and right of an interval's split point; ``(2, classes)``."""
        point = self.splits[node]
        return np.stack(
            (self.tally.between(node, point), self.tally.between(point, self.end(node)))
        )

    def with_splits(self, grant: Grant, score: Score, mechanisms: Mechanisms) -> NumericGrowth:
        """Choose a split point for each interval that needs one; intervals are disjoint."""
        chosen = {node: self._choose(node, grant, score, mechanisms) for node in self.undecided}
        return replace(self, splits={**self.splits, **chosen})

    def specialized(self, node: int) -> NumericGrowth:
        """Replace an interval by the two that its split point makes."""
        point = self.splits[node]
        splits = {begin: split for begin, split in self.splits.items() if begin != node}
        return replace(self, bounds=tuple(sorted((*self.bounds, point))), splits=splits)

    def children(self, node: int) -> tuple[int, ...]:
        """Name the intervals that a specialization would make."""
        return node, self.splits[node]

    def child_of_row(self, node: int) -> NDArray[np.int32]:
        """Find for each row on which side of an interval's split point it is."""
        return (self.codes >= self.splits[node]).astype(np.int32)

    def _choose(self, node: int, grant: Grant, score: Score, mechanisms: Mechanisms) -> int:
        begins, lengths, children = runs(self.tally, node, self.end(node))
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
    """Part the split points of an interval into runs of equal scores.

    `begin`, `end`: the interval is `begin` up to, not with, `end`; split points are ``begin + 1``
    to ``end - 1``. Returns for each run its first split point, how many there are, and the class
    counts left and right, shape ``(runs, 2, classes)``.
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
