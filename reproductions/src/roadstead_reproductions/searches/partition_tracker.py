"""The shared record of searches over partitions."""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Codes, Flags, Whole
from roadstead.policies.partition import Partition
from roadstead.search.partition_problem import PartitionProblem
from roadstead.search.protocol import Candidate, Control, Tracker

NEVER = int(np.iinfo(np.int64).max // 4)
"""A cost above the cost of any partition."""


def cells_of(
    alive: Flags, codes: Codes, counts: Whole, classes: Codes
) -> tuple[Codes, Whole, Codes]:
    """Return the cells of some classes, and number these classes without gaps."""
    stay = alive[classes]
    numbers = (np.cumsum(alive) - 1).astype(np.uint32)
    return np.ascontiguousarray(codes[:, stay]), counts[stay], numbers[classes[stay]]


class PartitionTracker(Tracker[Partition]):
    """The state of a search over partitions."""

    def __init__(self, problem: PartitionProblem, control: Control) -> None:
        super().__init__(control)
        self.problem = problem
        self.open = 1

    def offer(self, kept: Flags, cost: int, suppressed: int) -> None:
        """Keep the partition with these boundaries if it is admissible and better."""
        if suppressed <= self.problem.most_suppressed and cost < self.ceiling:
            self.best = Candidate(self.problem.partition(kept), int(cost), int(suppressed))
            self.first_met = self.looks

    def offer_neighbor(self, kept: Flags, allowed: Flags, costs: Whole, suppressed: Whole) -> None:
        """Offer the best partition that differs from `kept` in one allowed boundary."""
        allowed = allowed & (suppressed <= self.problem.most_suppressed)
        if allowed.any():
            place = int(np.argmin(np.where(allowed, costs, NEVER)))
            if costs[place] < self.ceiling:
                neighbor = kept.copy()
                neighbor[place] = not neighbor[place]
                self.offer(neighbor, int(costs[place]), int(suppressed[place]))
