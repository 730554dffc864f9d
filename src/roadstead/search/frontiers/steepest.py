"""Steepest chain: from the data as they are, always the merge that loses least for its risk.

Clearing one bit of a policy merges two neighboring intervals of one attribute. What every merge
would lose, and how much risk it would take away, is known at each step from the classes, so the
best one can be chosen: the one of least loss for the risk taken away. One chain goes from the most
specific policy to the most general one, and the neighbors of all its policies come along. A chain
of a few hundred policies tells the points of hundreds of thousands, and is a whole frontier.

Merges that lose nothing come first, those that take no risk away last.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.descents import insert_descent, told
from roadstead.search.frontiers.frontier import Frontier
from roadstead.search.frontiers.problem import FrontierProblem
from roadstead.search.frontiers.protocol import FrontierOutcome, Steering
from roadstead.search.frontiers.walks import walk

_MOST_TOLD = 1 << 19
"""Most points that are kept at a time."""


@dataclass(frozen=True)
class Steepest:
    """One chain, and the neighbors of all its policies.

    Attributes
    ----------
    power
        The loss is divided by the risk taken away to this power. Below 1, merges that take away
        little come sooner.
    """

    power: float = 1.0
    name: str = "steepest"
    guarantee: str = "one chain of merges that lose least for the risk they take away"

    def run(self, problem: FrontierProblem, steering: Steering) -> FrontierOutcome:
        """Follow the chain to its end, or until told to stop."""
        steering.begin()
        frontier: Frontier[Partition] = Frontier()
        start = problem.domains.most_specific
        way = Way(problem, start, frontier, self.power)
        ending = steering.ending(way.evaluated)
        while not way.ended and ending is None:
            left = None if steering.budget is None else steering.budget - way.evaluated
            way.go_on(left)
            steering.tell(way.evaluated, frontier)
            ending = steering.ending(way.evaluated)
        done = "complete" if way.ended else ending or "complete"
        return FrontierOutcome(frontier, way.evaluated, steering.seconds, done, way.beside)


class Way:
    """A steepest chain that is followed in stretches, all it meets put on a frontier.

    Attributes
    ----------
    evaluated, beside
        Policies of the chain so far, and neighbors of theirs that were told.
    ended
        Whether nothing is left to be removed.
    """

    def __init__(
        self,
        problem: FrontierProblem,
        start: Partition,
        frontier: Frontier[Partition],
        power: float,
        within: Partition | None = None,
    ) -> None:
        """Begin at a policy.

        With `within` the chain goes first to that more general policy, and from there on.
        """
        self._walk = walk(problem, start)
        self._frontier = frontier
        self._power = power
        bits = problem.domains.bits(start)
        phases = [bits] if within is None else [bits & ~problem.domains.bits(within), bits]
        self._phases = [phase for phase in phases if phase.any()]
        self.evaluated = 1
        self.beside = 0
        frontier.insert(*self._walk.point, start)

    @property
    def ended(self) -> bool:
        """Whether the chain is at its end."""
        return not self._phases

    def go_on(self, steps: int | None = None) -> None:
        """Follow the chain for a stretch, of at most so many policies."""
        stood = max(self._walk.partition.rank, 1)
        most = max(_MOST_TOLD // stood, 1)
        descent = self._walk.descend(
            self._power, self._phases[0], most if steps is None else max(min(most, steps), 1)
        )
        insert_descent(self._frontier, descent)
        self.evaluated += descent.boundaries.size
        self.beside += told(descent) - descent.boundaries.size
        left = self._phases[0].copy()
        left[descent.boundaries] = False
        self._phases[0] = left
        if len(self._phases) > 1:
            self._phases[1] = self._phases[1] & ~np.isin(np.arange(left.size), descent.boundaries)
        self._phases = [phase for phase in self._phases if phase.any()]
