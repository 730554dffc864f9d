"""Improve boxes by simulated annealing, in several parts of the table in parallel.

Each round splits the boxes into parts in a different direction. As a result, boxes at the border of
one part are inside another part in a later round. The parts and the random numbers depend only on
the table. Unless there is a time limit, the result is therefore the same on any machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.recoding import annealing as kernel
from roadstead.kernels.recoding.nearest import block_boxes, nearest
from roadstead.search.recoding.points import Boxed, Points, without_gaps
from roadstead.search.recoding.protocol import OUT
from roadstead.search.recoding.side_by_side import side_by_side

_BLOCK = 64
"""The number of points per block in the search for nearest points."""
_BLOCKS = 48
"""The number of blocks that are searched for each point."""
_PART, _REPAIRED = 6000, 30_000
"""The number of points per part. Repairs use larger parts, which conflict less with each other."""


def near_points(points: Points, boxed: Boxed, number: int) -> NDArray[np.int32]:
    """Find the points nearest to each point, assuming that nearby boxes have similar numbers."""
    number = min(number, points.size - 1)
    order = np.argsort(boxed, kind="stable")
    low, high = block_boxes(points.where, order, _BLOCK)
    blocks = low.shape[0]
    firsts = range(0, blocks, max(-(-blocks // 16), 1))

    def search(first: int) -> NDArray[np.int32]:
        last = min(first + firsts.step, blocks)
        return nearest(points.where, order, _BLOCK, low, high, first, last, number, _BLOCKS)

    near = np.empty((points.size, number), dtype=np.int32)
    near[order] = np.concatenate(list(side_by_side(search, firsts)))
    return near


@dataclass
class Annealing:
    """The current boxes of an annealing search.

    `box` gives the box of each point, or `OUT` if the point is suppressed. `unit` is the mean loss
    of a box, which serves as the unit of temperatures and prices. `tried` is the number of moves
    tried.
    """

    points: Points = field(repr=False)
    near: NDArray[np.int32] = field(repr=False)
    box: Boxed = field(repr=False)
    least: int
    limit: int
    unit: float
    tried: int = 0
    turn: int = 0
    repairing: bool = False

    def region(self, moved: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Mark the boxes near moved points, and the boxes near boxes with too few records."""
        number = int(self.box.max()) + 1
        inside = self.box != OUT
        sizes = np.bincount(self.box[inside], self.points.records[inside], minlength=number)
        troubled = np.zeros(self.points.size, dtype=bool)
        troubled[moved] = True
        troubled[inside] |= (sizes < self.least)[self.box[inside]]
        if not troubled.any():
            return np.zeros(number, dtype=bool)
        around = self.box[np.unique(self.near[troubled])]
        found = np.zeros(number, dtype=bool)
        found[around[around != OUT]] = True
        found[self.box[troubled & inside]] = True
        return found

    def parts(self, region: NDArray[np.bool_] | None) -> list[NDArray[np.int64]]:
        """Return the points of each part, including suppressed points near these points.

        If a region is given, the parts contain only points in the boxes of the region.
        """
        random = np.random.default_rng(self.turn)
        owner = self.box.copy()
        for at in range(self.near.shape[1]):
            owner = np.where(owner == OUT, self.box[self.near[:, at]], owner)
        number = int(owner.max()) + 1
        sizes = np.bincount(owner[owner != OUT], minlength=number).astype(np.float64)
        centers = np.empty((number, self.points.where.shape[1]))
        for axis, along in enumerate(self.points.where.T):
            sums = np.bincount(owner[owner != OUT], along[owner != OUT], minlength=number)
            centers[:, axis] = sums / np.maximum(sizes, 1)
        groups = [np.arange(number) if region is None else np.flatnonzero(region)]
        whole = sizes[groups[0]].sum()
        lots, done = max(-(-whole // (_REPAIRED if self.repairing else _PART)), 1), []
        while groups:
            group = groups.pop()
            if sizes[group].sum() * lots <= whole * 1.2 or group.size == 1:
                done.append(group)
                continue
            spread = centers[group].std(axis=0)
            direction = random.normal(size=spread.size) * (spread > 0)
            along = centers[group] @ direction
            ordered = group[np.argsort(along, kind="stable")]
            half = int(np.searchsorted(np.cumsum(sizes[ordered]), sizes[ordered].sum() / 2))
            half = min(max(half, 1), ordered.size - 1)
            groups += [ordered[:half], ordered[half:]]
        part = np.full(number + 1, OUT, dtype=np.int64)
        for at, group in enumerate(done):
            part[group] = at
        part[-1] = OUT  # a suppressed point near only suppressed points
        return [np.flatnonzero(part[owner] == at) for at in range(len(done))]

    def round(
        self,
        steps: int,
        heat: tuple[float, float],
        missing: float,
        conflict: float,
        stop: Callable[[], bool],
        region: NDArray[np.bool_] | None = None,
    ) -> None:
        """Try `steps` moves per point while the temperature falls, until `stop` ends the round.

        If a region is given, only its boxes change.
        """
        self.turn += 1
        self.box = without_gaps(self.box)
        parts = self.parts(region)
        prices = [
            kernel.BoxPrices(self.least, missing * self.unit, conflict * self.unit, allowed)
            for allowed in self._allowed(parts)
        ]

        def improve(at: int) -> tuple[NDArray[np.int64], Boxed, int]:
            rows = parts[at]
            if stop():
                return rows, without_gaps(self.box[rows]), 0
            box = without_gaps(self.box[rows])
            tries = steps * rows.size
            seed = self.turn * 65_536 + at
            hot, cold = (one * self.unit for one in heat)
            new = np.full(self.points.size, OUT, dtype=np.int32)
            new[rows] = np.arange(rows.size)
            near = compact(new[self.near[rows]])
            most = max(2 * self.least - 1, int(np.bincount(box[box != OUT], minlength=1).max()))
            number = int(box.max()) + 2 + rows.size // 8
            boxes = kernel.boxes_of(
                self.points.where[rows], self.points.records[rows], near, box, number, most
            )
            kernel.anneal(boxes, prices[at], hot, cold, tries, seed)
            return rows, without_gaps(boxes.box), tries

        first = int(self.box.max()) + 1
        for rows, box, tries in side_by_side(improve, range(len(parts))):
            self.box[rows] = np.where(box == OUT, OUT, box + first)
            first += int(box.max()) + 1
            self.tried += tries

    def watch(self, moved: NDArray[np.int64]) -> None:
        """Add a point of the new box to the near points of each moved point."""
        starts = np.argsort(self.box, kind="stable")
        found = starts[np.searchsorted(self.box[starts], self.box[moved])]
        again = np.flatnonzero(found == moved)
        last = np.searchsorted(self.box[starts], self.box[moved[again]], side="right") - 1
        found[again] = starts[last]
        width = self.near.shape[1]
        self.near[moved, width - 1 - self.turn % max(width // 4, 1)] = found

    def _allowed(self, parts: list[NDArray[np.int64]]) -> Iterator[int]:
        """Yield each part's limit: the records suppressed now, plus a share of the unused limit."""
        out = [int(self.points.records[rows][self.box[rows] == OUT].sum()) for rows in parts]
        spare = self.limit - sum(out)
        for rows, own in zip(parts, out, strict=True):
            share = int(self.points.records[rows].sum()) / max(self.points.total, 1)
            yield own + int(spare * share)


def compact(near: NDArray[np.int32]) -> NDArray[np.int32]:
    """Move -1 entries (points of other parts) to the end, and keep the order of other entries."""
    order = np.argsort(near < 0, axis=1, kind="stable")
    return np.ascontiguousarray(np.take_along_axis(near, order, axis=1))
