"""Walks from a policy to more general policies, one boundary at a time.

A `CountedWalk` evaluates each policy from the cells and works for any measures. A `MergedWalk`
keeps the classes, and updates only the classes that a removed boundary changes. It requires
measures that are sums, because the compiled loops read the measures from tables.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple, TypeAlias, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels import merging as kernels
from roadstead.policies.partition import Partition
from roadstead.quality.partition_losses import SummedLoss, terms_of
from roadstead.risk.measures import SummedRisk
from roadstead.search.frontiers.frontier import Frontier, Point
from roadstead.search.frontiers.protocol import FrontierProblem

_LARGEST_KEY = np.iinfo(np.int64).max


class Neighbors(NamedTuple):
    """The removed boundaries and the resulting points of the policies with one boundary fewer."""

    boundaries: NDArray[np.int64]
    risks: NDArray[np.float64]
    losses: NDArray[np.float64]


class Descent(NamedTuple):
    """A chain of policies, and all policies with one boundary fewer than a policy of the chain.

    `boundaries` lists the removed boundaries in order. Each row of `removable` lists the boundaries
    that could be removed in one step, padded with -1. The rows of `risks` and `losses` contain the
    points that result from removing each of these boundaries.
    """

    start: Partition
    boundaries: NDArray[np.int64]
    removable: NDArray[np.int64]
    risks: NDArray[np.float64]
    losses: NDArray[np.float64]

    @property
    def number(self) -> int:
        """The number of policies whose risk and loss are known from the descent."""
        return int((self.removable >= 0).sum())

    def insert_into(self, frontier: Frontier[Partition]) -> int:
        """Add the chain and its neighbors to a frontier, and return the number of policies added.

        Each policy of the chain has hundreds of neighbors. Policies are created only for points
        that no other point dominates.
        """
        steps, places = np.nonzero(self.removable >= 0)
        stages = [self.start]
        for boundary in self.boundaries[:-1]:
            stages.append(stages[-1].without(boundary))

        def policy(at: int) -> Partition:
            step = int(steps[at])
            return Partition(stages[step].kept ^ (1 << int(self.removable[step, places[at]])))

        return frontier.insert_all(self.risks[steps, places], self.losses[steps, places], policy)


class MergedWalk:
    """A walk that merges the classes of the current policy."""

    def __init__(self, problem: FrontierProblem, start: Partition) -> None:
        self._problem = problem
        self._rules = rules_of(problem)
        self.partition = start
        if start == problem.domains.most_specific:
            if problem not in _BOTTOMS:
                _BOTTOMS[problem] = _gather(problem, start)
            parts = (x.copy() if isinstance(x, np.ndarray) else x for x in _BOTTOMS[problem])
            self._classes = kernels.Merging._make(parts)
        else:
            self._classes = _gather(problem, start)
        self._weighed = False

    @property
    def point(self) -> Point:
        """The risk and the loss of the current policy."""
        return Point(*self._problem.shares(*self._classes.totals.tolist()))

    def remove(self, boundary: int) -> Point:
        """Remove a boundary, and return the new point."""
        if self._weighed:
            self.partition = self.partition.without(boundary)
            kernels.remove(self._classes, self._rules, int(boundary))
        else:
            self.follow(np.array([boundary]))
        return self.point

    def follow(
        self, boundaries: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Remove boundaries one after another, and return the risks and losses after each step."""
        order = np.ascontiguousarray(boundaries, dtype=np.int64)
        end = _without_all(self.partition, order.tolist())
        risks, losses = kernels.follow(self._classes, self._rules, order)
        self.partition = end
        self._weighed = False
        return self._problem.shares(risks, losses)

    def neighbors(self) -> Neighbors:
        """Return the points of all policies with one boundary fewer."""
        self._weigh()
        boundaries, risks, losses = kernels.describe_neighbors(self._classes, self._rules)
        order = np.argsort(boundaries)
        return Neighbors(boundaries[order], *self._problem.shares(risks[order], losses[order]))

    def descend(self, removable: NDArray[np.bool_], steps: int) -> Descent:
        """Repeatedly remove the boundary with the lowest added loss per removed risk (`price`)."""
        self._weigh()
        start = self.partition
        units = np.array([self._problem.risk_unit, self._problem.loss_unit])
        order, known, risks, losses = kernels.descend(
            self._classes, self._rules, units, removable, steps
        )
        self.partition = _without_all(start, order.tolist())
        return Descent(start, order, known, *self._problem.shares(risks, losses))

    def _weigh(self) -> None:
        if not self._weighed:
            kernels.weigh(self._classes, self._rules)
            self._weighed = True


def _without_all(partition: Partition, boundaries: list[int]) -> Partition:
    """Return the partition that remains after some distinct boundaries are removed."""
    removed = 0
    for boundary in boundaries:
        removed |= 1 << boundary if boundary >= 0 else 0
    if removed.bit_count() == len(boundaries) and partition.kept & removed == removed:
        return Partition(partition.kept ^ removed)
    for boundary in boundaries:
        partition = partition.without(boundary)  # raises at the first boundary that is not kept
    return partition


def is_summed(problem: FrontierProblem) -> bool:
    """Return whether both measures are sums, and whether the class keys fit into an integer."""
    sums = hasattr(problem.risk, "weights") and hasattr(problem.loss, "terms")
    return sums and prod(problem.domains.sizes) <= _LARGEST_KEY


def rules_of(problem: FrontierProblem) -> kernels.Rules:
    """Return both measures as tables for the compiled loops."""
    weights = cast("SummedRisk", problem.risk).weights()
    terms = terms_of(cast("SummedLoss", problem.loss), problem.cells)
    lengths = [own.size for own in terms.by_width]
    return kernels.Rules(
        small=weights.small,
        scale=weights.scale,
        power=weights.power,
        by_class=terms.by_class,
        by_width=np.concatenate(terms.by_width),
        width_begins=np.cumsum([0, *lengths[:-1]]).astype(np.int64),
        by_interval=terms.by_interval,
        interval_scale=np.array(terms.interval_scale),
    )


_BOTTOMS: WeakKeyDictionary[FrontierProblem, kernels.Merging] = WeakKeyDictionary()
"""The classes of the unchanged data; each chain that begins there copies these classes."""


def _gather(problem: FrontierProblem, start: Partition) -> kernels.Merging:
    """Count the classes of a policy, and set up the data for the compiled loops."""
    cells, domains = problem.cells, problem.domains
    labels = domains.labels(start)
    grid = cells.grid(labels)
    widths = [int(own[-1]) + 1 for own in labels]
    begins = np.cumsum([0, *widths]).astype(np.int64)
    slots, multiplier, shift = kernels.find_slots(prod(widths), cells.number)
    keys, records, people, intervals = kernels.gather(grid, slots, multiplier, shift)
    following, first, last, length = kernels.link(intervals, begins)
    number = int(begins[-1])
    left, right = np.arange(-1, number - 1), np.arange(1, number + 1)
    left[begins[:-1]] = kernels.NOBODY
    right[begins[1:] - 1] = kernels.NOBODY
    boundary = np.full(number, kernels.NOBODY, dtype=np.int64)
    boundary[right >= 0] = np.flatnonzero(domains.bits(start))
    interval_of = np.full(max(domains.boundaries, 1), kernels.NOBODY, dtype=np.int32)
    interval_of[boundary[right >= 0]] = np.flatnonzero(right >= 0)
    classes = cells.classes(start)
    return kernels.Merging(
        keys=keys,
        records=records,
        people=people,
        intervals=intervals,
        following=following,
        first=first,
        last=last,
        length=length,
        left=left.astype(np.int32),
        right=right.astype(np.int32),
        boundary=boundary,
        interval_of=interval_of,
        interval_records=np.concatenate([own for _, own in classes.intervals]),
        interval_width=np.concatenate([own for own, _ in classes.intervals]),
        begins=begins,
        strides=grid.strides,
        slots=slots,
        multiplier=multiplier,
        shift=shift,
        used=np.array([keys.size], dtype=np.int64),
        totals=np.array([problem.risk.of(classes), problem.loss.of(classes)]),
        risk_change=np.zeros(number),
        loss_change=np.zeros(number),
    )


FREE = 1e-13
"""Shares below this number are treated as rounding errors."""


class CountedWalk:
    """A walk that counts the classes of every policy again."""

    def __init__(self, problem: FrontierProblem, start: Partition) -> None:
        self._problem = problem
        self.partition = start
        self.point = problem.point(start)

    def remove(self, boundary: int) -> Point:
        """Remove a boundary, and return the new point."""
        self.partition = self.partition.without(boundary)
        self.point = self._problem.point(self.partition)
        return self.point

    def follow(
        self, boundaries: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Remove boundaries one after another, and return the risks and losses after each step."""
        return _columns([self.remove(int(boundary)) for boundary in boundaries])

    def neighbors(self) -> Neighbors:
        """Return the points of all policies with one boundary fewer, in order of the boundaries."""
        kept = np.flatnonzero(self._problem.domains.bits(self.partition)).astype(np.int64)
        points = [self._problem.point(self.partition.without(b)) for b in kept]
        return Neighbors(kept, *_columns(points))

    def descend(self, removable: NDArray[np.bool_], steps: int) -> Descent:
        """Repeatedly remove the boundary with the lowest added loss per removed risk (`price`).

        Only the boundaries marked in `removable` may be removed, and at most `steps` of them.
        """
        start, stood = self.partition, self.partition.rank
        order: list[int] = []
        rows = []
        while len(order) < steps:
            near = self.neighbors()
            may = removable[near.boundaries]
            if not may.any():
                break
            rows.append(near)
            prices = price(near.losses - self.point.loss, self.point.risk - near.risks)
            order.append(int(near.boundaries[np.where(may, prices, np.inf).argmin()]))
            self.remove(order[-1])
        known = np.full((len(order), stood), -1, dtype=np.int64)
        risks, losses = np.zeros(known.shape), np.zeros(known.shape)
        for i, near in enumerate(rows):
            length = near.boundaries.size
            known[i, :length], risks[i, :length], losses[i, :length] = near
        return Descent(start, np.array(order, dtype=np.int64), known, risks, losses)


Walk: TypeAlias = CountedWalk | MergedWalk


def walk(problem: FrontierProblem, start: Partition) -> Walk:
    """Start a walk of the fastest kind that supports the measures."""
    return MergedWalk(problem, start) if is_summed(problem) else CountedWalk(problem, start)


def price(losses: NDArray[np.float64], risks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the added loss per removed risk.

    Merges without loss come first, and merges that do not remove risk come last.
    """
    taken = np.maximum(risks, 0.0)
    least = np.maximum(risks, FREE)
    ratio = np.where(risks > FREE, losses / least, 1e300 * (1.0 + losses))
    found: NDArray[np.float64] = np.where(losses > FREE, ratio, -1.0 - taken)
    return found


def _columns(points: list[Point]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    found = np.array(points, dtype=np.float64).reshape(-1, 2)
    return found[:, 0].copy(), found[:, 1].copy()
