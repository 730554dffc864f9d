"""Record all policies that a sublattice search evaluates, and their sublattices."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import CLOSE, Frontier, Member
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead.search.protocol import Control, Ending
from roadstead_reproductions.searches.random_chain import Chains, InitialFrontier
from roadstead_reproductions.searches.sublattice_heuristic import (
    PartitionRange,
    Pruned,
    Sampler,
    Stopped,
    SublatticeHeuristic,
)


class RecordingFrontier(Frontier[Partition]):
    """A frontier that remembers all evaluated policies.

    Attributes
    ----------
    sublattice
        The number of the current sublattice, or 0 for the initial frontier.
    origin
        The sublattice of each policy that was ever a member.
    equals
        For each of these policies, the other policies with the same risk and loss.
    """

    def __init__(self) -> None:
        super().__init__()
        self.sublattice = 0
        self.origin: dict[Partition, int] = {}
        self.equals: defaultdict[Partition, set[Partition]] = defaultdict(set)
        self._met: list[NDArray[np.float64]] = []
        self._several = False

    @property
    def met(self) -> NDArray[np.float64]:
        """Return the risks and losses of all evaluated policies; shape ``(policies, 2)``."""
        return np.concatenate([np.empty((0, 2)), *self._met])

    @property
    def tied(self) -> int:
        """Return the number of policies on the frontier, including ties."""
        return sum(len({member.policy, *self.equals[member.policy]}) for member in self)

    def insert(self, risk: float, loss: float, policy: Partition) -> bool:
        """Insert a policy if it is not dominated."""
        inserted = super().insert(risk, loss, policy)
        if inserted:
            self.origin[policy] = self.sublattice
        if not self._several:
            self._met.append(np.array([[risk, loss]]))
            self._note_equal(risk, loss, policy)
        return inserted

    def insert_all(
        self,
        risks: NDArray[np.float64],
        losses: NDArray[np.float64],
        policy_of: Callable[[int], Partition],
    ) -> int:
        """Insert many policies at once."""
        self._met.append(np.column_stack([risks, losses]))
        self._several = True
        try:
            inserted = super().insert_all(risks, losses, policy_of)
        finally:
            self._several = False
        near = np.searchsorted(self.risks, risks + CLOSE, side="right") - 1
        same = (near >= 0) & (np.abs(self.losses[near] - losses) <= CLOSE)
        for place in np.flatnonzero(same).tolist():
            self._note_equal(float(risks[place]), float(losses[place]), policy_of(place))
        return inserted

    def _merge(
        self, risks: NDArray[np.float64], losses: NDArray[np.float64], policies: list[Partition]
    ) -> None:
        # `insert_all` adds many members here, but adds few members through `insert`.
        super()._merge(risks, losses, policies)
        self.origin.update(dict.fromkeys(policies, self.sublattice))

    def _note_equal(self, risk: float, loss: float, policy: Partition) -> None:
        place = bisect_right(self._risks, risk + CLOSE) - 1
        if place < 0:
            return
        member: Member[Partition] = self[place]
        same = abs(member.risk - risk) <= CLOSE and abs(member.loss - loss) <= CLOSE
        if same and member.policy != policy:
            self.equals[member.policy].add(policy)


@dataclass(frozen=True)
class _Numbered:
    """A sampler that notifies a frontier when a new sublattice begins."""

    sampler: Sampler
    kept: RecordingFrontier
    name: str = "numbered"

    def __call__(
        self,
        pruned: Pruned,
        frontier: Frontier[Partition],
        random: np.random.Generator,
        stopped: Stopped,
    ) -> PartitionRange | None:
        """Draw a sublattice."""
        self.kept.sublattice += 1
        return self.sampler(pruned, frontier, random, stopped)


def record(search: SublatticeHeuristic, problem: FrontierProblem, budget: int) -> RecordingFrontier:
    """Run a search, and record all evaluated policies."""
    kept = RecordingFrontier()
    numbered = replace(
        search,
        initial=_beginning_with(kept, search.initial),
        sampler=_Numbered(search.sampler, kept),
    )
    numbered.run(problem, Control(budget=budget))
    return kept


def _beginning_with(kept: RecordingFrontier, initial: InitialFrontier) -> InitialFrontier:
    def begin(chains: Chains) -> Ending | None:
        chains.frontier = kept
        return initial(chains)

    return begin
