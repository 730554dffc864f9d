"""Sublattice heuristic search: chains only where the frontier is likely to improve.

All policies between a general and a specific one have risks and losses between theirs: they lie in
a box. What share H of the box no member of the frontier dominates is known once both ends are
evaluated. If it is 0, no policy of the sublattice can ever improve the frontier, and the sublattice
is pruned for good. If it reaches a threshold, a random chain through the sublattice is evaluated.
Else the next sublattice is drawn (paper 000, algorithm 2).

A chain costs as many evaluations as it has policies, its ends included; a sublattice that is not
searched costs two. Both ends join the frontier in any case.

The paper does not say which threshold, which initial frontier and which random sublattices it used;
all three are parameters. See `sublattice_sampler` for the readings of the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from roadstead.errors import SettingError
from roadstead.policies.partition import Partition
from roadstead.search.frontiers.problem import FrontierProblem
from roadstead.search.frontiers.protocol import FrontierOutcome
from roadstead.search.frontiers.random_chain import Chains, InitialFrontier, top_and_bottom
from roadstead.search.frontiers.sublattice_sampler import Pruned, Sampler, fixed_bits
from roadstead.search.protocol import Control, Ending

_REMEMBERED = 1 << 12
"""Points of ends that are kept, because the same ends are drawn again."""

_REJECTED = 2
"""What a sublattice costs that is not searched: its ends."""


@dataclass(frozen=True)
class SublatticeHeuristic:
    """Random sublattices, and chains through the promising ones.

    A sublattice is searched if at least a share `threshold` of its box lies outside the frontier;
    at 0 all are searched and none is pruned. `sampler` draws them, and `initial` begins the
    frontier.

    Raises
    ------
    SettingError
        When the threshold is not from 0 to 1.
    """

    seed: int = 0
    threshold: float = 0.5
    sampler: Sampler = fixed_bits
    initial: InitialFrontier = top_and_bottom
    name: str = "sublattice-heuristic"
    guarantee: str = "a frontier of random policies near it; exact if everything else is pruned"

    def __post_init__(self) -> None:
        if not 0.0 <= self.threshold <= 1.0:
            raise SettingError(
                f"the threshold of sublattices is {self.threshold:g}",
                fix="give a share from 0 to 1",
            )

    def run(self, problem: FrontierProblem, control: Control) -> FrontierOutcome[Partition]:
        """Search until told to stop, or until all policies are pruned."""
        chains = Chains(problem, control, random=np.random.default_rng(self.seed))
        ending = self.initial(chains)
        return chains.outcome(ending or self._search(chains))

    def _search(self, chains: Chains) -> Ending:
        """Draw sublattices, and search or prune them."""
        problem, frontier, random = chains.problem, chains.frontier, chains.random
        pruned = Pruned(problem.domains)
        point = lru_cache(maxsize=_REMEMBERED)(problem.point)
        reasons: list[Ending] = []

        def stopped() -> bool:
            if (reason := chains.control.ending()) is not None:
                reasons.append(reason)
            return bool(reasons)

        while (ending := chains.ending()) is None:
            drawn = self.sampler(pruned, frontier, random, stopped)
            if drawn is None:
                return reasons[0] if reasons else "complete"
            ends = point(drawn.general), point(drawn.specific)
            for at, end in zip(ends, drawn, strict=True):
                frontier.insert(*at, end)
            share = frontier.share_outside(*ends)
            if share >= self.threshold:
                order = np.flatnonzero(problem.domains.bits(Partition(drawn.free)))
                ending = chains.follow(drawn.specific, random.permutation(order))
                if ending is not None:
                    return ending
                continue
            if share == 0.0:
                pruned.add(drawn)
            chains.evaluated += _REJECTED
            chains.report()
        return ending
