"""Walks from a policy to more general ones, a boundary at a time.

A walk stands on a policy (`partition`, at `point`). It can remove a boundary, follow a whole chain,
give the points of all policies that have one boundary less, or descend: remove the boundary that
loses least for the risk, again and again. A `CountedWalk` evaluates each policy from the cells,
whatever the measures are; a `MergedWalk` keeps the classes and touches only those that change,
where both measures are sums.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import Point
from roadstead.search.frontiers.merged_walk import Descent, MergedWalk, Neighbors, is_summed
from roadstead.search.frontiers.problem import FrontierProblem

FREE = 1e-13
"""Shares below are rounding."""


class CountedWalk:
    """A policy that becomes more general, counted anew each time."""

    def __init__(self, problem: FrontierProblem, start: Partition) -> None:
        self._problem = problem
        self.partition = start
        self.point = problem.point(start)

    def remove(self, boundary: int) -> Point:
        """Remove a boundary that is kept, and give the new point."""
        self.partition = self.partition.without(boundary)
        self.point = self._problem.point(self.partition)
        return self.point

    def follow(
        self, boundaries: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Remove boundaries one after another; risks and losses after each."""
        return _columns([self.remove(int(boundary)) for boundary in boundaries])

    def neighbors(self) -> Neighbors:
        """Give the points of all policies with one boundary less, boundaries ascending."""
        kept = np.flatnonzero(self._problem.domains.bits(self.partition)).astype(np.int64)
        points = [self._problem.point(self.partition.without(b)) for b in kept]
        return Neighbors(kept, *_columns(points))

    def descend(self, power: float, removable: NDArray[np.bool_], steps: int) -> Descent:
        """Remove the boundary that loses least for the risk to a power, again and again.

        Only those marked may be removed, and at most so many.
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
            prices = price(near.losses - self.point.loss, self.point.risk - near.risks, power)
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
    """Start a walk, in the fastest way that the measures allow."""
    return MergedWalk(problem, start) if is_summed(problem) else CountedWalk(problem, start)


def price(
    losses: NDArray[np.float64], risks: NDArray[np.float64], power: float
) -> NDArray[np.float64]:
    """Loss for the risk taken away, to a power; both are differences.

    What is free comes first, what takes nothing away last.
    """
    taken = np.maximum(risks, 0.0)
    least = np.maximum(risks, FREE)
    ratio = np.where(risks > FREE, losses / least**power, 1e300 * (1.0 + losses))
    found: NDArray[np.float64] = np.where(losses > FREE, ratio, -1.0 - taken)
    return found


def _columns(points: list[Point]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    found = np.array(points, dtype=np.float64).reshape(-1, 2)
    return found[:, 0].copy(), found[:, 1].copy()
