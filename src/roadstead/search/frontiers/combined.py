"""The default search for a frontier, which combines chains, proofs, and expansions.

The search begins with a steepest chain. It then proves the frontier if a proof is feasible.
Otherwise, it follows further chains *through* policies on the frontier of a small grid, until
several chains in a row find nothing new. Finally, it expands members next to large gaps
(`closure`), up to a limit if a limit is given (docs/methods/steepest-chains.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.closure import Redivision
from roadstead.search.frontiers.frontier import CLOSE, Frontier, Member
from roadstead.search.frontiers.pareto_segments import ParetoSegments
from roadstead.search.frontiers.protocol import FrontierOutcome, FrontierProblem, FrontierRun
from roadstead.search.frontiers.steepest import SteepestChain
from roadstead.search.frontiers.walks import is_summed
from roadstead.search.protocol import Control

_COARSE = (64, 8)
"""The numbers of intervals into which the grid divides a long domain."""
_MOST_ON_GRID = 256
_PATIENCE = 3
"""The search for chains ends after this many chains in a row without an improvement."""
_WORTH = 1e-3
"""The share of the area that a chain must remove to count as an improvement."""
_LONG, _OTHERS = 256, 8
"""A proof allows `_LONG` values in the longest domain, and `_OTHERS` other boundaries."""
_MOST_VALUES = 1_500
"""The largest domain for which the costs of all intervals are computed; the costs take 36 MB."""
_EXPANSIONS = 64
"""The number of members to expand if nothing else ends the search."""
_SMALL = 64
"""In lattices with at most this many boundaries, all members are expanded."""


@dataclass(frozen=True)
class Combined:
    """A search that combines steepest chains, a grid, and the expansion of members."""

    name: str = "combined"
    guarantee: str = (
        "a proven frontier if all attributes except one have only a few partitions; "
        "otherwise, chains of best merges"
    )

    def run(self, problem: FrontierProblem, control: Control) -> FrontierOutcome[Partition]:
        """Search until all stages are complete, or until the search is stopped."""
        return _Run(FrontierRun(problem, control)).run()


class _Run:
    """A running search.

    The frontier `lower` is the lower staircase of a proof.
    """

    def __init__(self, run: FrontierRun) -> None:
        self._run = run
        self._problem = run.problem
        self._lower: Frontier[Any] | None = None

    def run(self) -> FrontierOutcome[Partition]:
        for _ in self._stages():
            ending = self._run.pause()
            if ending is not None and self._lower is not self._run.frontier:
                return self._run.outcome(ending, self._lower)
        return self._run.outcome("complete", self._lower)

    def _stages(self) -> Iterator[None]:
        yield from self._through(self._problem.domains.most_general)
        if is_provable(self._problem):
            self._prove()
            yield
        else:
            yield from self._grid()
            if is_summed(self._problem) and max(self._problem.domains.sizes) <= _MOST_VALUES:
                yield from self._redivide()

    def _through(self, partition: Partition) -> Iterator[None]:
        chain = SteepestChain(self._run, within=partition)
        while not chain.ended:
            chain.go_on()
            yield

    def _prove(self) -> None:
        """Find the frontier of all policies, or the distance to it."""
        run = self._run
        found = ParetoSegments().run(self._problem, run.control.rest(run.evaluated))
        run.evaluated += found.evaluated
        for member in found.frontier:
            run.frontier.insert(*member)
        self._lower = found.lower
        if found.ending == "complete" and found.lower is not None:
            close = run.frontier.area - found.lower.area <= CLOSE
            self._lower = run.frontier if close else found.lower

    def _grid(self) -> Iterator[None]:
        """Evaluate the grid, and follow chains through its frontier."""
        run = self._run
        best: Frontier[Partition] = Frontier()
        for partition in grid(self._problem):
            best.insert(*self._problem.point(partition), partition)
            run.evaluated += 1
            yield
        left, idle = list(best), 0
        while left and idle < _PATIENCE:
            area = run.frontier.area
            member = max(left, key=self._promise)
            left.remove(member)
            yield from self._through(member.policy)
            idle = 0 if run.frontier.area < area * (1.0 - _WORTH) else idle + 1
        for member in left:
            run.frontier.insert(*member)

    def _promise(self, member: Member[Partition]) -> float:
        """Return how far a policy is below the frontier, or a negative number if it is above."""
        least = min(self._run.frontier.loss_within(member.risk), 1.0)
        return (least - member.loss) / max(least, CLOSE)

    def _redivide(self) -> Iterator[None]:
        control, steps = self._run.control, 0
        redivision = Redivision(self._run)
        limited = control.budget is not None or control.time_limit is not None
        small = self._problem.domains.boundaries <= _SMALL
        while (small or limited or steps < _EXPANSIONS) and redivision.step():
            steps += 1
            yield


def is_provable(problem: FrontierProblem) -> bool:
    """Return whether the frontier of all policies can be found in reasonable time."""
    longest = max(problem.domains.sizes)
    others = problem.domains.boundaries - longest + 1
    return is_summed(problem) and longest <= _LONG and others <= _OTHERS


def grid(problem: FrontierProblem) -> Iterator[Partition]:
    """Combine coarse divisions of all attributes; omit the most specific and general policies."""
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
    """Return sets of an attribute's boundaries: all, the ends of a few intervals, or none."""
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
