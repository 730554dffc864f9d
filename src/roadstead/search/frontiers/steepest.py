"""Follow a steepest chain of merges, each with the lowest added loss per removed risk.

The chain starts at the unchanged data and ends at the most general policy. At each step, the search
computes from the classes how much loss each merge would add, and how much risk it would remove.
Merges without loss come first, and merges that do not remove risk come last. The policies of the
chain and all their neighbors are added to a frontier. In this way, a chain of a few hundred
policies gives points for hundreds of thousands of policies.
"""

from __future__ import annotations

from dataclasses import dataclass

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.protocol import FrontierOutcome, FrontierProblem, FrontierRun
from roadstead.search.frontiers.walks import walk
from roadstead.search.protocol import Control

_MOST_POINTS = 1 << 19
"""The largest number of points in memory at a time."""


@dataclass(frozen=True)
class Steepest:
    """A search along one chain, including the neighbors of all its policies."""

    name: str = "steepest"
    guarantee: str = "one chain of merges, each with the smallest loss per reduction of risk"

    def run(self, problem: FrontierProblem, control: Control) -> FrontierOutcome[Partition]:
        """Follow the chain to its end, or until the search is stopped."""
        run = FrontierRun(problem, control)
        chain = SteepestChain(run)
        ending = run.ending()
        while not chain.ended and ending is None:
            chain.go_on()
            ending = run.pause()
        return run.outcome("complete" if chain.ended else ending or "complete")


class SteepestChain:
    """A steepest chain, which is followed in stretches.

    The chain begins at the unchanged data. If `within` is given, it goes through this more general
    policy. The policies of the chain and their neighbors are added to a frontier.
    """

    def __init__(self, run: FrontierRun, within: Partition | None = None) -> None:
        domains = run.problem.domains
        start = domains.most_specific
        self._run = run
        self._walk = walk(run.problem, start)
        bits = domains.bits(start)
        phases = [bits] if within is None else [bits & ~domains.bits(within), bits]
        self._phases = [phase for phase in phases if phase.any()]
        run.evaluated += 1
        run.frontier.insert(*self._walk.point, start)

    @property
    def ended(self) -> bool:
        """Return True if no boundary is left to remove."""
        return not self._phases

    def go_on(self) -> None:
        """Follow the chain for a stretch, as far as memory and the budget allow."""
        run = self._run
        room = max(_MOST_POINTS // max(self._walk.partition.rank, 1), 1)
        steps = room if run.left is None else max(min(room, run.left), 1)
        descent = self._walk.descend(self._phases[0], steps)
        descent.insert_into(run.frontier)
        run.evaluated += descent.boundaries.size
        run.derived += descent.number - descent.boundaries.size
        self._phases = [phase.copy() for phase in self._phases]
        for phase in self._phases:
            phase[descent.boundaries] = False
        self._phases = [phase for phase in self._phases if phase.any()]
