"""The neighbors of a policy: those that keep one boundary less; and chains with all of theirs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import Frontier


class Neighbors(NamedTuple):
    """The policies that keep one boundary less: the boundary removed, and their points."""

    boundaries: NDArray[np.int64]
    risks: NDArray[np.float64]
    losses: NDArray[np.float64]


class Descent(NamedTuple):
    """A chain, with all the policies that have one boundary less than one of it.

    `boundaries` are those removed, in order. A row of `removable` has the boundaries that stood
    before a step, filled up with -1, and a row of `risks` and `losses` the points without each.
    """

    start: Partition
    boundaries: NDArray[np.int64]
    removable: NDArray[np.int64]
    risks: NDArray[np.float64]
    losses: NDArray[np.float64]

    @property
    def number(self) -> int:
        """How many policies' risk and loss are known from it."""
        return int((self.removable >= 0).sum())

    def insert_into(self, frontier: Frontier[Partition]) -> int:
        """Put the chain and all neighbors on a frontier, and give how many joined it.

        There are hundreds of points for each policy of the chain. Only those that nothing
        dominates are made policies.
        """
        steps, places = np.nonzero(self.removable >= 0)
        stages = [self.start]
        for boundary in self.boundaries[:-1]:
            stages.append(stages[-1].without(boundary))

        def policy(at: int) -> Partition:
            step = int(steps[at])
            return Partition(stages[step].kept ^ (1 << int(self.removable[step, places[at]])))

        return frontier.insert_all(self.risks[steps, places], self.losses[steps, places], policy)
