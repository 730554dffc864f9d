"""Random chains: from the data as they are to the top, a boundary at a time.

A maximal chain removes all boundaries in random order. Its policies, one more than there are
boundaries, are evaluated and join the frontier where nothing dominates them; then comes the next
chain (paper 000, algorithm 1). Chains cross the middle of the lattice at random policies, far from
the best ones, so this search is the measure of others. How the frontier begins the paper leaves
open: a choice here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.protocol import FrontierOutcome, FrontierProblem, FrontierRun
from roadstead.search.frontiers.walks import walk
from roadstead.search.protocol import Control, Ending

_PIECE = 20
"""Policies of a chain that are evaluated between two reports, and questions whether to stop."""

_COUNTABLE = 16
"""Most boundaries of a lattice whose policies are remembered, to know when all were met."""


@dataclass
class Chains(FrontierRun):
    """The results of chains so far; `random` is the source of random numbers."""

    random: np.random.Generator = field(default_factory=np.random.default_rng)

    def follow(self, start: Partition, order: NDArray[np.int64]) -> Ending | None:
        """Evaluate a chain, which removes boundaries in order, and put it on the frontier.

        A budget does not end a chain that has begun. The answer is why it was broken off, or None.
        """
        chain = walk(self.problem, start)
        self.frontier.insert(*chain.point, start)
        self.evaluated += 1
        self.report()
        for begin in range(0, order.size, _PIECE):
            if (ending := self.control.ending()) is not None:
                return ending
            piece = order[begin : begin + _PIECE]
            before = chain.partition
            risks, losses = chain.follow(piece)
            self.frontier.insert_all(risks, losses, partial(_after, before, piece))
            self.evaluated += piece.size
            self.report()
        return None


InitialFrontier: TypeAlias = Callable[[Chains], Ending | None]
"""How a frontier begins; gives why it was broken off, or None."""


def top_and_bottom(chains: Chains) -> Ending | None:
    """Begin with the top and the bottom; they are not counted, every share refers to them."""
    for partition in (chains.problem.domains.most_general, chains.problem.domains.most_specific):
        chains.frontier.insert(*chains.problem.point(partition), partition)
    chains.report()
    return None


def random_chain(chains: Chains) -> Ending | None:
    """Begin with a random maximal chain; it is counted."""
    domains = chains.problem.domains
    return chains.follow(domains.most_specific, chains.random.permutation(domains.boundaries))


@dataclass(frozen=True)
class RandomChain:
    """Random maximal chains, until the search must stop; `initial` begins the frontier."""

    seed: int = 0
    initial: InitialFrontier = top_and_bottom
    name: str = "random-chain"
    guarantee: str = "a frontier of random policies; no bound"

    def run(self, problem: FrontierProblem, control: Control) -> FrontierOutcome[Partition]:
        """Search until the search must stop, or until every policy was found."""
        chains = Chains(problem, control, random=np.random.default_rng(self.seed))
        ending = self.initial(chains) or _many(chains)
        return chains.outcome(ending)


def _many(chains: Chains) -> Ending:
    """Follow one chain after the other."""
    domains = chains.problem.domains
    met: set[int] = set()
    while (ending := chains.ending()) is None:
        order = chains.random.permutation(domains.boundaries)
        if (ending := chains.follow(domains.most_specific, order)) is not None:
            break
        if domains.boundaries <= _COUNTABLE:
            met.add(domains.most_specific.kept)
            met.update(_after(domains.most_specific, order, at).kept for at in range(order.size))
            if len(met) == 1 << domains.boundaries:
                return "complete"
    return ending


def _after(start: Partition, order: NDArray[np.int64], place: int) -> Partition:
    """Give the policy of a chain after the boundary at a place of the order is removed."""
    kept = start.kept
    for boundary in order[: place + 1]:
        kept &= ~(1 << int(boundary))
    return Partition(kept)
