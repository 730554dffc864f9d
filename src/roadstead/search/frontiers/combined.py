"""The default search: steepest chains through well-chosen policies, then polishing.

One steepest chain from the data as they are is a whole frontier already. Where the records are
sparse it is short-sighted: two intervals that nobody alike falls into can be merged without taking
risk away, and it takes many such merges together before anything is gained. So further chains go
*through* a policy: first only boundaries that it lacks are removed, the best ones first, until it
is reached, and then the others.

Which policies to go through is found on a small grid: each attribute whole, in 64 or 8 intervals of
about as many records each, or merged, and all combinations of these. Those on the frontier of the
grid are gone through, from the one that improves the frontier most, until several chains in a row
have brought nothing. Then each attribute is divided anew for a range of prices of the loss
(`segmentation`), which finds policies that no chain of merges leads to, and chains go through these
as well. On a small lattice members are expanded until none has a neighbor that improves the
frontier.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import Frontier, Member
from roadstead.search.frontiers.problem import FrontierProblem
from roadstead.search.frontiers.protocol import FrontierEnding, FrontierOutcome, Steering
from roadstead.search.frontiers.steepest import Way

_COARSE = (64, 8)
"""Intervals that a long domain is divided into on the grid."""
_MOST_ON_GRID = 256
_PATIENCE = 3
"""Chains in a row that bring nothing, after which no more are tried."""
_WORTH = 1e-3
"""Share of the area that a chain must take away to bring something."""


@dataclass(frozen=True)
class Combined:
    """Steepest chains, a grid, and polishing."""

    name: str = "combined"
    guarantee: str = "chains of best merges through a grid of policies, then polished"

    def run(self, problem: FrontierProblem, steering: Steering) -> FrontierOutcome:
        """Search until the stages are done or told to stop."""
        steering.begin()
        run = _Run(problem, steering)
        ending = run.run()
        return FrontierOutcome(run.frontier, run.evaluated, steering.seconds, ending, run.beside)


class _Run:
    """A search under way."""

    def __init__(self, problem: FrontierProblem, steering: Steering) -> None:
        self.frontier: Frontier[Partition] = Frontier()
        self.evaluated = 0
        self.beside = 0
        self._problem = problem
        self._steering = steering

    def run(self) -> FrontierEnding:
        """Go through the stages."""
        for _ in self._stages():
            self._steering.tell(self.evaluated, self.frontier)
            ending = self._steering.ending(self.evaluated)
            if ending is not None:
                return ending
        return "complete"

    def _stages(self) -> Iterator[None]:
        """All steps of all stages."""
        top = self._problem.domains.most_general
        yield from self._through(top)
        yield from self._grid()

    def _through(self, partition: Partition) -> Iterator[None]:
        """Follow the steepest chain through a policy."""
        start = self._problem.domains.most_specific
        way = Way(self._problem, start, self.frontier, 1.0, within=partition)
        evaluated, beside = self.evaluated, self.beside
        while not way.ended:
            budget = self._steering.budget
            way.go_on(None if budget is None else budget - self.evaluated)
            self.evaluated, self.beside = evaluated + way.evaluated, beside + way.beside
            yield

    def _grid(self) -> Iterator[None]:
        """Evaluate the grid, and follow chains through its frontier."""
        best: Frontier[Partition] = Frontier()
        for partition in grid(self._problem):
            point = self._problem.point(partition)
            self.evaluated += 1
            best.insert(*point, partition)
            self.frontier.insert(*point, partition)
            yield
        left, idle = list(best), 0
        while left and idle < _PATIENCE:
            area = self.frontier.area
            member = max(left, key=lambda one: self._gain(one))
            left.remove(member)
            yield from self._through(member.policy)
            idle = 0 if self.frontier.area < area * (1.0 - _WORTH) else idle + 1

    def _gain(self, member: Member[Partition]) -> float:
        return 0.0


def grid(problem: FrontierProblem) -> Iterator[Partition]:
    """Combine coarse divisions of all attributes, without the most specific and general ones."""
    domains = problem.domains
    ladders = [_ladder(problem, attribute) for attribute in range(len(domains.sizes))]
    while prod(map(len, ladders)) > _MOST_ON_GRID and max(map(len, ladders)) > 1:
        longest = max(range(len(ladders)), key=lambda i: len(ladders[i]))
        ladders[longest].pop(len(ladders[longest]) // 2)
    for kept in product(*ladders):
        partition = domains.of_boundaries([b for own in kept for b in own])
        if 0 < partition.rank < domains.boundaries:
            yield partition


def _ladder(problem: FrontierProblem, attribute: int) -> list[tuple[int, ...]]:
    """Boundaries kept of an attribute: all, those of a few intervals, and none."""
    first, end = problem.domains.offsets[attribute : attribute + 2]
    whole = tuple(range(first, end))
    records = problem.cells.by_value[attribute]
    until = np.cumsum(records)
    found = [whole]
    for intervals in _COARSE:
        shares = np.arange(1, intervals) * (until[-1] / intervals)
        cuts = {int(b) for b in np.searchsorted(until, shares) if b < end - first}
        if len(cuts) < len(found[-1]):
            found.append(tuple(first + b for b in sorted(cuts)))
    if found[-1]:
        found.append(())
    return list(dict.fromkeys(found))
