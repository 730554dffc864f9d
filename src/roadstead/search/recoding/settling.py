"""Convert boxes to a recoding by assigning records to boxes and fitting boxes to records."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from roadstead.search.protocol import Candidate
from roadstead.search.recoding.points import Boxed, Points
from roadstead.search.recoding.protocol import (
    OUT,
    Parts,
    Recoded,
    RecodingProblem,
    classes_of,
    settled,
)

_ROUNDS = 30


@dataclass
class Incumbent:
    """The best recoding so far that suppresses at most the allowed number of records."""

    problem: RecodingProblem = field(repr=False)
    best: Recoded | None = None
    loss: float = 1.0

    def offer(self, found: Recoded) -> bool:
        """Keep a recoding if it beats all earlier recodings, and return whether it was kept."""
        loss = found.loss(self.problem)
        fits = found.suppressed(self.problem) <= self.problem.limit and found.parts.shape[0]
        if not fits or (self.best is not None and loss >= self.loss - 1e-12):
            return False
        self.best, self.loss = found, loss
        return True

    @property
    def candidate(self) -> Candidate[Recoded] | None:
        """The best recoding as a candidate, or None if no recoding was found."""
        if self.best is None:
            return None
        return Candidate(self.best, self.loss, self.best.suppressed(self.problem))

    def offer_boxes(self, points: Points, parts: Parts) -> None:
        """Assign records to boxes, and fit boxes to their records, while the loss decreases."""
        for _ in range(_ROUNDS):
            found = settled(self.problem, parts)
            if not self.offer(found):
                return
            fitted = points.tight(points.boxed(found.rows))
            if np.array_equal(fitted, found.parts):
                return
            parts = fitted


def open_boxes(problem: RecodingProblem, points: Points, boxed: Boxed) -> Parts:
    """Return the smallest boxes of points, except boxes that the model rejects.

    Boxes are numbered without gaps.
    """
    parts = points.tight(boxed)
    classes = classes_of(points.rows(boxed), problem.encoding.counts, parts.shape[0])
    return parts[problem.privacy.satisfied(classes)]


def cheapest_boxes(problem: RecodingProblem, points: Points, boxed: Boxed) -> Boxed:
    """Put each point into the cheapest accepted box that covers the point.

    Only boxes that the model accepts are considered. Boxes are numbered without gaps. Points
    without such a box stay where they are.
    """
    parts = points.tight(boxed)
    classes = classes_of(points.rows(boxed), problem.encoding.counts, parts.shape[0])
    kept = problem.privacy.satisfied(classes)
    order = np.argsort(problem.costs(parts), kind="stable")
    order = order[kept[order]]
    if not order.size:
        return boxed
    placed = points.boxed(problem.place(np.ascontiguousarray(parts[order])))
    return np.where(placed == OUT, boxed, order[placed]).astype(np.int32)
