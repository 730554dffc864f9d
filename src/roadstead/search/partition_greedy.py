"""Bottom-up generalization of a partition: merge the two neighbors whose merging costs least.

From the most specific partition, the one boundary is removed that lowers the cost most, or raises
it least, again and again, until no class is too small: then further merging only costs. The best
partition on the way is the answer. This is bottom-up generalization (Wang, Yu and Chakraborty
2004) with the cost as its measure and intervals of an ordered domain in place of a taxonomy.

One pass over the cells weighs all boundaries, so a step costs about as much as one evaluation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from roadstead.kernels import partitions as kernels
from roadstead.policies.partition import Partition
from roadstead.search.partition_problem import PartitionProblem, PartitionTracker
from roadstead.search.protocol import Control, Ending, Outcome


@dataclass(frozen=True)
class PartitionGreedy:
    """Bottom-up generalization."""

    name: str = "partition-greedy"
    guarantee: str = "a good partition in as many steps as there are boundaries; no bound"

    def run(self, problem: PartitionProblem, control: Control) -> Outcome[Partition]:
        """Merge until no class is too small, or until told to stop."""
        track = PartitionTracker(problem, control)
        return track.outcome(climb(track), proven=False)


def climb(track: PartitionTracker) -> Ending:
    """Merge until no class is too small, or until told to stop; the best met is remembered."""
    problem = track.problem
    codes, counts = problem.cells
    kept = problem.cuttable.copy()
    prices = problem.prices.array
    while True:
        cost, _, gone = kernels.sum_costs(counts, problem.k, prices)
        track.looks += 1
        track.offer(kept, cost, gone)
        if gone == 0 or not kept.any():
            return "complete"
        if (reason := track.pause()) is not None:
            return reason
        following = problem.following(kept)
        change = kernels.weigh_merges(
            codes, counts, following, problem.offsets, kept, problem.k, prices
        )[0]
        kept[np.argmin(np.where(kept, change, np.iinfo(np.int64).max))] = False
        codes, counts = problem.grouped(codes, counts, kept)
