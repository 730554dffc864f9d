"""Random chains: from the data as they are to the top, a boundary at a time.

A maximal chain removes all boundaries one after another, in random order. Its policies do not
dominate each other, for each is safer than the one before and loses more. All of them are evaluated
and join the frontier where nothing dominates them; then comes the next chain (paper 000,
algorithm 1).

A chain costs as many evaluations as it has policies, one more than there are boundaries. The paper
leaves open how the frontier begins. Here that is a choice: the top and the bottom, which cost
nothing because every share refers to them, or one random chain.

Chains cross the middle of the lattice at random policies, far from the best ones. That is why this
search is the measure of others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import Frontier, Point
from roadstead.search.frontiers.problem import FrontierProblem
from roadstead.search.frontiers.protocol import FrontierEnding, FrontierOutcome, Steering
from roadstead.search.frontiers.walks import walk

_PIECE = 20
"""Policies of a chain that are evaluated before somebody is told, and may stop it."""

_COUNTABLE = 16
"""Most boundaries of a lattice whose policies are remembered, to know when all were met."""


@dataclass
class Chains:
    """What chains have found so far.

    Attributes
    ----------
    problem, steering
        What is searched, and who steers.
    random
        Where chance comes from.
    frontier
        The best policies met.
    evaluated
        Policies that were evaluated.
    """

    problem: FrontierProblem
    steering: Steering
    random: np.random.Generator
    frontier: Frontier[Partition]
    evaluated: int = 0

    def insert(self, point: Point, partition: Partition) -> None:
        """Put one policy on the frontier, if it belongs there."""
        self.frontier.insert(point.risk, point.loss, partition)

    def follow(self, start: Partition, order: NDArray[np.int64]) -> FrontierEnding | None:
        """Evaluate a chain and put its policies on the frontier.

        A budget does not end a chain that has begun.

        Parameters
        ----------
        start
            The most specific policy of the chain.
        order
            Boundaries to remove, one after another.

        Returns
        -------
        FrontierEnding | None
            Why it was broken off, or None.
        """
        chain = walk(self.problem, start)
        self.insert(chain.point, start)
        self.evaluated += 1
        self.tell()
        for begin in range(0, order.size, _PIECE):
            if (ending := self.stopped()) is not None:
                return ending
            piece = order[begin : begin + _PIECE]
            before = chain.partition
            risks, losses = chain.follow(piece)
            self.frontier.insert_all(risks, losses, partial(_after, before, piece))
            self.evaluated += piece.size
            self.tell()
        return None

    def stopped(self) -> FrontierEnding | None:
        """Whether somebody stops the search, or the time does."""
        ending = self.steering.control.ending()
        return None if ending == "complete" else ending

    def tell(self) -> None:
        """Tell how far the search is."""
        self.steering.tell(self.evaluated, self.frontier)

    def outcome(self, ending: FrontierEnding) -> FrontierOutcome:
        """Close the search."""
        return FrontierOutcome(self.frontier, self.evaluated, self.steering.seconds, ending)


def begin(problem: FrontierProblem, steering: Steering, seed: int) -> Chains:
    """Start the clock, with nothing found."""
    steering.begin()
    return Chains(problem, steering, np.random.default_rng(seed), Frontier())


InitialFrontier: TypeAlias = Callable[[Chains], FrontierEnding | None]
"""How a frontier begins; tells why it was broken off, or None."""


def top_and_bottom(chains: Chains) -> FrontierEnding | None:
    """Begin with the top and the bottom; they are not counted, every share refers to them."""
    for partition in (chains.problem.domains.most_general, chains.problem.domains.most_specific):
        chains.insert(chains.problem.point(partition), partition)
    chains.tell()
    return None


def random_chain(chains: Chains) -> FrontierEnding | None:
    """Begin with a random maximal chain; it is counted."""
    domains = chains.problem.domains
    return chains.follow(domains.most_specific, chains.random.permutation(domains.boundaries))


@dataclass(frozen=True)
class RandomChain:
    """Random maximal chains, until told to stop.

    Attributes
    ----------
    seed
        Of the random numbers.
    initial
        How the frontier begins.
    """

    seed: int = 0
    initial: InitialFrontier = top_and_bottom
    name: str = "random-chain"
    guarantee: str = "a frontier of random policies; no bound"

    def run(self, problem: FrontierProblem, steering: Steering) -> FrontierOutcome:
        """Search until told to stop, or until every policy was met."""
        chains = begin(problem, steering, self.seed)
        if (ending := self.initial(chains)) is not None:
            return chains.outcome(ending)
        domains = problem.domains
        met: set[int] = set()
        while (ending := steering.ending(chains.evaluated)) is None:
            order = chains.random.permutation(domains.boundaries)
            if (ending := chains.follow(domains.most_specific, order)) is not None:
                break
            if domains.boundaries <= _COUNTABLE:
                met.update(policy.kept for policy in _along(domains.most_specific, order))
                if len(met) == 1 << domains.boundaries:
                    ending = "complete"
                    break
        return chains.outcome(ending)


def _along(start: Partition, order: NDArray[np.int64]) -> Iterator[Partition]:
    """Give the policies of a chain, its start included."""
    yield start
    for place in range(order.size):
        yield _after(start, order, place)


def _after(start: Partition, order: NDArray[np.int64], place: int) -> Partition:
    """Give the policy of a chain after the boundary at a place of the order is removed."""
    kept = start.kept
    for boundary in order[: place + 1]:
        kept &= ~(1 << int(boundary))
    return Partition(kept)
