"""Walks from a policy to more general ones, a boundary at a time.

A walk stands on a policy and can remove a boundary, follow a whole chain, or tell the points of all
policies that have one boundary less. How it counts is its own affair: a `CountedWalk` evaluates
each policy from the cells, whatever the measures are; a `MergedWalk` keeps the classes and touches
only those that change, where both measures are sums.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.counted_walk import CountedWalk
from roadstead.search.frontiers.frontier import Point
from roadstead.search.frontiers.merged_walk import MergedWalk, is_summed
from roadstead.search.frontiers.neighbors import Descent, Neighbors
from roadstead.search.frontiers.problem import FrontierProblem


class Walk(Protocol):
    """A policy that becomes more general."""

    @property
    def partition(self) -> Partition:
        """Where the walk stands."""
        ...

    @property
    def point(self) -> Point:
        """Risk and loss there."""
        ...

    def remove(self, boundary: int) -> Point:
        """Remove a boundary that is kept, and tell the new point."""
        ...

    def follow(self, boundaries: NDArray[np.int64]) -> tuple[NDArray[np.float64], ...]:
        """Remove boundaries one after another; risks and losses after each."""
        ...

    def neighbors(self) -> Neighbors:
        """Give the points of all policies with one boundary less, boundaries ascending."""
        ...

    def descend(self, power: float, removable: NDArray[np.bool_], steps: int) -> Descent:
        """Remove the boundary that loses least for the risk to a power, again and again.

        Parameters
        ----------
        power
            1 compares losses per risk taken away.
        removable
            For each boundary, whether it may be removed.
        steps
            Most boundaries to remove.
        """
        ...


def walk(problem: FrontierProblem, start: Partition) -> Walk:
    """Start a walk, in the fastest way that the measures allow."""
    return MergedWalk(problem, start) if is_summed(problem) else CountedWalk(problem, start)
