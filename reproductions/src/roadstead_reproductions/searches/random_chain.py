"""Follow random chains of policies, from the most specific to the most general policy.

A maximal chain removes all boundaries in random order. All policies of a chain are evaluated, and
the non-dominated policies join the frontier (paper 000, algorithm 1). Random policies are far from
the best policies, so this search is a baseline. The paper does not specify the initial frontier.
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
"""The number of policies to evaluate between two reports and checks for a stop."""

_COUNTABLE = 16
"""The largest number of boundaries for which visited policies are remembered."""


@dataclass
class Chains(FrontierRun):
    """The results of the chains so far."""

    random: np.random.Generator = field(default_factory=np.random.default_rng)

    def follow(self, start: Partition, order: NDArray[np.int64]) -> Ending | None:
        """Evaluate a chain that removes boundaries in order, and add it to the frontier.

        A budget does not end a chain. The method returns the reason for an interruption, or None.
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
"""A function that starts a frontier, and returns the reason for an interruption, or None."""


def top_and_bottom(chains: Chains) -> Ending | None:
    """Start with the top and the bottom, which are not counted as evaluations."""
    for partition in (chains.problem.domains.most_general, chains.problem.domains.most_specific):
        chains.frontier.insert(*chains.problem.point(partition), partition)
    chains.report()
    return None


def random_chain(chains: Chains) -> Ending | None:
    """Start with a random maximal chain, which is counted."""
    domains = chains.problem.domains
    return chains.follow(domains.most_specific, chains.random.permutation(domains.boundaries))


@dataclass(frozen=True)
class RandomChain:
    """Random maximal chains until the search must stop. `initial` starts the frontier."""

    seed: int = 0
    initial: InitialFrontier = top_and_bottom
    name: str = "random-chain"
    guarantee: str = "a frontier of random policies; no bound"

    def run(self, problem: FrontierProblem, control: Control) -> FrontierOutcome[Partition]:
        """Search until the search must stop, or until every policy was evaluated."""
        chains = Chains(problem, control, random=np.random.default_rng(self.seed))
        ending = self.initial(chains) or _many(chains)
        return chains.outcome(ending)


def _many(chains: Chains) -> Ending:
    """Follow one chain after another."""
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
    """Return the policy of a chain after the boundary at a place of the order is removed."""
    kept = start.kept
    for boundary in order[: place + 1]:
        kept &= ~(1 << int(boundary))
    return Partition(kept)
