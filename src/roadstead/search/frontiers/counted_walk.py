"""A walk that counts every policy from the cells, for whatever measures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import Point
from roadstead.search.frontiers.neighbors import Descent, Neighbors, price, without
from roadstead.search.frontiers.problem import FrontierProblem


class CountedWalk:
    """A policy that becomes more general, counted anew each time."""

    def __init__(self, problem: FrontierProblem, start: Partition) -> None:
        self._problem = problem
        self.partition = start
        self.point = problem.point(start)

    def remove(self, boundary: int) -> Point:
        """Remove a boundary that is kept, and tell the new point."""
        self.partition = without(self.partition, boundary)
        self.point = self._problem.point(self.partition)
        return self.point

    def follow(self, boundaries: NDArray[np.int64]) -> tuple[NDArray[np.float64], ...]:
        """Remove boundaries one after another; risks and losses after each."""
        points = [self.remove(int(boundary)) for boundary in boundaries]
        found = np.array(points, dtype=np.float64).reshape(-1, 2)
        return found[:, 0].copy(), found[:, 1].copy()

    def neighbors(self) -> Neighbors:
        """Give the points of all policies with one boundary less."""
        kept = np.flatnonzero(self._problem.domains.bits(self.partition))
        points = [self._problem.point(without(self.partition, int(b))) for b in kept]
        found = np.array(points, dtype=np.float64).reshape(-1, 2)
        return Neighbors(kept.astype(np.int64), found[:, 0].copy(), found[:, 1].copy())

    def descend(self, power: float, removable: NDArray[np.bool_], steps: int) -> Descent:
        """Remove the boundary that loses least for the risk to a power, again and again."""
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
        beside = np.full((len(order), stood), -1, dtype=np.int64)
        risks, losses = np.zeros(beside.shape), np.zeros(beside.shape)
        for i, near in enumerate(rows):
            length = near.boundaries.size
            beside[i, :length], risks[i, :length], losses[i, :length] = near
        return Descent(start, np.array(order, dtype=np.int64), beside, risks, losses)
