"""Descent among partitions: change the boundary that lowers the cost most, until none does.

Two passes over the cells show what every boundary added and every boundary removed would change,
so a step costs two evaluations however many boundaries there are. Where no single change helps,
an exchange is tried: remove a boundary, and see whether another added in its place makes up for
it. The result is a local optimum under changes and exchanges.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels import partitions as kernels
from roadstead.kernels.compiled import Flags
from roadstead.search.partition_problem import PartitionTracker


def descend(track: PartitionTracker) -> None:
    """Improve the best partition of a search until nothing near it is better.

    It ends early when the search must end.
    """
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
    stay = alive[classes]
    numbers = (np.cumsum(alive) - 1).astype(np.uint32)
    weighed = kernels.weigh_cuts(
        np.ascontiguousarray(codes[:, stay]),
        counts[stay],
        numbers[classes[stay]],
        totals[alive],
        problem.offsets,
        problem.k,
        prices,
    )
    track.offer_neighbor(kept, allowed, cost + weighed[kernels.COST], gone + weighed[kernels.GONE])
