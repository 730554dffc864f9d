"""Greedy steps among partitions: bottom-up generalization, and descent to a local optimum.

*Bottom-up generalization* (Wang, Yu and Chakraborty 2004), with the cost as its measure and
intervals of an ordered domain in place of a taxonomy: from the most specific partition, the one
boundary is removed that lowers the cost most, or raises it least, again and again, until no class
is too small: then further merging only costs. The best partition on the way is the answer.

*Descent* changes the boundary that lowers the cost most, until none does. Where no single change
helps, an exchange is tried: remove a boundary, and see whether another added in its place makes up
for it. The result is a local optimum under changes and exchanges.

One pass over the cells weighs all boundaries, so a step costs about as much as one evaluation or
two, however many there are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from roadstead.kernels import partitions as kernels
from roadstead.kernels.compiled import Flags
from roadstead.policies.partition import Partition
from roadstead.search.partition_problem import PartitionProblem, PartitionTracker, cells_of
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


def descend(track: PartitionTracker) -> None:
    """Improve the best partition until nothing near it is better, or the search must end."""
    while track.best is not None:
        kept = track.problem.places(track.best.policy)
        before = track.ceiling
        _try_changes(track, kept)
        if track.ceiling == before:
            _try_exchanges(track, kept)
        if track.ceiling == before or track.control.ending(track.evaluated) is not None:
            return


def _try_changes(track: PartitionTracker, kept: Flags) -> None:
    """Offer the best partition that differs in one boundary."""
    problem = track.problem
    codes, counts = problem.grouped(*problem.cells, kept)
    prices = problem.prices.array
    track.looks += 1
    cost, _, gone = kernels.sum_costs(counts, problem.k, prices)
    change, fewer = kernels.weigh_merges(
        codes, counts, problem.following(kept), problem.offsets, kept, problem.k, prices
    )[:2]
    track.offer_neighbor(kept, kept, cost + change, gone + fewer)
    _try_additions(track, kept, ~kept & problem.cuttable)


def _try_exchanges(track: PartitionTracker, kept: Flags) -> None:
    """Offer partitions with one boundary for another, until one is better."""
    before = track.ceiling
    for place in np.flatnonzero(kept):
        without = kept.copy()
        without[place] = False
        _try_additions(track, without, ~without & track.problem.cuttable)
        if track.ceiling < before or track.control.ending(track.evaluated) is not None:
            return


def _try_additions(track: PartitionTracker, kept: Flags, allowed: Flags) -> None:
    """Offer the best partition with one boundary more."""
    problem = track.problem
    codes, counts = problem.cells
    prices = problem.prices.array
    classes, totals = problem.assigned(kept)
    track.looks += 1
    cost, _, gone = kernels.sum_costs(totals, problem.k, prices)
    alive = totals.sum(axis=1) >= problem.k
    weighed = kernels.weigh_cuts(
        *cells_of(alive, codes, counts, classes), totals[alive], problem.offsets, problem.k, prices
    )
    track.offer_neighbor(kept, allowed, cost + weighed[kernels.COST], gone + weighed[kernels.GONE])
