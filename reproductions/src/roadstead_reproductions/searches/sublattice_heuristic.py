"""Sublattice heuristic search evaluates chains where the frontier is likely to improve.

The risks and losses of all policies between a general and a specific policy lie in a box. If no
point in the box can improve the frontier, the sublattice is pruned. If the share of the box that
can improve the frontier is at least a threshold, a random chain through the sublattice is
evaluated. Otherwise, the next sublattice is drawn (paper 000, algorithm 2). Drawn sublattices do
not overlap pruned sublattices. Each pruned sublattice becomes a *clause*, which requires that at
least one of the sublattice's fixed bits differs. A depth-first search satisfies the shortest clause
first (appendix, algorithm 3, SNL). Details that the paper does not specify are parameters
(docs/methods/frontier-papers.md).

Clauses are a matrix of signs. For each clause, the numbers of true literals and of free literals
are updated, so fixing a bit costs one pass over the clauses. A literal that has failed is barred at
this point of the search, so that no part is searched twice. If a clause cannot be satisfied at the
root, all policies are pruned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.search.frontiers.frontier import Frontier
from roadstead.search.frontiers.protocol import FrontierOutcome, FrontierProblem
from roadstead.search.protocol import Control, Ending
from roadstead_reproductions.searches.random_chain import Chains, InitialFrontier, top_and_bottom

_FIRST_CAPACITY = 64
_STEPS_UNASKED = 64
"""The number of bits to fix between two checks for a stop."""


class PartitionRange(NamedTuple):
    """All policies between two policies."""

    general: Partition
    specific: Partition

    @property
    def free(self) -> int:
        """Return the boundaries that a policy of the range may keep or not, as a set of bits."""
        return self.specific.kept & ~self.general.kept

    def __contains__(self, policy: object) -> bool:
        return (
            isinstance(policy, Partition)
            and self.general.kept & ~policy.kept == 0
            and policy.kept & ~self.specific.kept == 0
        )


Stopped: TypeAlias = Callable[[], bool]


class Pruned:
    """The pruned sublattices, as clauses."""

    def __init__(self, domains: OrderedDomains) -> None:
        self.domains = domains
        self.number = 0
        self._signs = np.zeros((domains.boundaries, _FIRST_CAPACITY), dtype=np.int8)
        self._lengths = np.zeros(_FIRST_CAPACITY, dtype=np.int32)

    def add(self, sublattice: PartitionRange) -> None:
        """Prune a sublattice."""
        if self.number == self._lengths.size:
            self._signs = np.concatenate([self._signs, np.zeros_like(self._signs)], axis=1)
            self._lengths = np.concatenate([self._lengths, np.zeros_like(self._lengths)])
        kept = self.domains.bits(sublattice.general)
        lacked = ~self.domains.bits(sublattice.specific)
        self._signs[kept, self.number] = -1
        self._signs[lacked, self.number] = 1
        self._lengths[self.number] = kept.sum() + lacked.sum()
        self.number += 1

    def avoiding(
        self,
        random: np.random.Generator,
        requested: Partition | None = None,
        stopped: Stopped = lambda: False,
    ) -> PartitionRange | None:
        """Return a sublattice that does not overlap any pruned sublattice.

        The bits of the policy `requested` are tried first, so the sublattice contains this policy
        unless it is pruned. The method returns None if every policy is pruned, or if `stopped` ends
        the search.
        """
        path = _Path(self._signs[:, : self.number], self._lengths[: self.number])
        bits = None if requested is None else self.domains.bits(requested)
        if not _satisfy(path, random, bits, stopped):
            return None
        general = self.domains.of_boundaries(one - 1 for one in path.literals if one > 0)
        lacked = self.domains.of_boundaries(-one - 1 for one in path.literals if one < 0)
        return PartitionRange(general, Partition(self.domains.most_specific.kept & ~lacked.kept))


Literal: TypeAlias = int
"""A literal: b + 1 if boundary b is kept, and -(b + 1) if boundary b is removed."""


class _Path:
    """The literals fixed so far, and the state of the clauses."""

    def __init__(self, signs: NDArray[np.int8], lengths: NDArray[np.int32]) -> None:
        self.literals: list[Literal] = []
        self._signs = signs
        self._satisfied = np.zeros_like(lengths)
        self._left = lengths.copy()
        self._barred = np.zeros(2 * signs.shape[0] + 1, dtype=np.bool_)
        self._barred_by_fixing: list[bool] = []

    def fix(self, literal: Literal) -> None:
        """Fix a bit, and bar the opposite literal."""
        self._satisfied += self._holding(literal)
        self.literals.append(literal)
        self._barred_by_fixing.append(not self._barred[-literal])
        if self._barred_by_fixing[-1]:
            self.bar(-literal)

    def release(self) -> Literal:
        """Release the last literal."""
        literal = self.literals.pop()
        self._satisfied -= self._holding(literal)
        if self._barred_by_fixing.pop():
            self.unbar(-literal)
        return literal

    def bar(self, literal: Literal) -> None:
        """Exclude a literal from now on."""
        self._barred[literal] = True
        self._left -= self._holding(literal)

    def unbar(self, literal: Literal) -> None:
        """Allow a literal again."""
        self._barred[literal] = False
        self._left += self._holding(literal)

    def shortest(self) -> NDArray[np.int64] | None:
        """Return the free literals of the shortest unsatisfied clause, or None."""
        unsatisfied = self._satisfied == 0
        if not unsatisfied.any():
            return None
        clause = int(np.where(unsatisfied, self._left, np.iinfo(np.int32).max).argmin())
        signs = self._signs[:, clause]
        there = np.flatnonzero(signs)
        literals = (there + 1) * signs[there]
        found: NDArray[np.int64] = literals[~self._barred[literals]]
        return found

    def _holding(self, literal: Literal) -> NDArray[np.bool_]:
        """Mark the clauses that contain a literal."""
        found: NDArray[np.bool_] = self._signs[abs(literal) - 1] == (1 if literal > 0 else -1)
        return found


@dataclass
class _Branching:
    """A clause whose literals are tried one after another, from the end."""

    literals: NDArray[np.int64]
    failed: list[Literal] = field(default_factory=list)

    def next(self) -> Literal | None:
        """Return the next literal, or None if all literals failed."""
        if len(self.failed) == self.literals.size:
            return None
        return int(self.literals[-1 - len(self.failed)])


def _satisfy(
    path: _Path,
    random: np.random.Generator,
    requested: NDArray[np.bool_] | None,
    stopped: Stopped,
) -> bool:
    """Extend a path until all clauses are satisfied. Return False on failure or at a stop."""
    clause = path.shortest()
    if clause is None:
        return True
    stack = [_Branching(_shuffled(clause, random, requested))]
    steps = 0
    while stack:
        literal = stack[-1].next()
        if literal is None:
            for failed in stack.pop().failed:
                path.unbar(failed)
            _fail(path, stack)
            continue
        steps += 1
        if steps % _STEPS_UNASKED == 0 and stopped():
            return False
        path.fix(literal)
        clause = path.shortest()
        if clause is None:
            return True
        if clause.size:
            stack.append(_Branching(_shuffled(clause, random, requested)))
        else:
            _fail(path, stack)
    return False


def _fail(path: _Path, stack: list[_Branching]) -> None:
    """Release the last literal, and bar it below the same branching."""
    if stack:
        literal = path.release()
        path.bar(literal)
        stack[-1].failed.append(literal)


def _shuffled(
    clause: NDArray[np.int64], random: np.random.Generator, requested: NDArray[np.bool_] | None
) -> NDArray[np.int64]:
    """Shuffle literals, with the literals to try first at the end."""
    order = random.permutation(clause)
    if requested is None:
        return order
    agrees = requested[np.abs(order) - 1] == (order > 0)
    return np.concatenate([order[~agrees], order[agrees]])


Sampler: TypeAlias = Callable[
    [Pruned, Frontier[Partition], np.random.Generator, Stopped], PartitionRange | None
]
"""A function that draws a sublattice without pruned policies, or returns None if it cannot."""


def fixed_bits(
    pruned: Pruned,
    frontier: Frontier[Partition],  # noqa: ARG001 - other readings use it
    random: np.random.Generator,
    stopped: Stopped,
) -> PartitionRange | None:
    """Draw a sublattice, and fix a random number of its free bits at random."""
    within = pruned.avoiding(random, stopped=stopped)
    if within is None:
        return None
    order = random.permutation(np.flatnonzero(pruned.domains.bits(Partition(within.free))))
    fixed = order[: random.integers(order.size + 1)]
    kept = random.random(fixed.size) < 0.5  # noqa: PLR2004 - a fair coin
    return narrowed(pruned.domains, within, keep=fixed[kept], lack=fixed[~kept])


def narrowed(
    domains: OrderedDomains,
    within: PartitionRange,
    keep: NDArray[np.int64],
    lack: NDArray[np.int64],
) -> PartitionRange:
    """Fix further bits of a sublattice."""
    general, specific = domains.bits(within.general), domains.bits(within.specific)
    general[keep] = True
    specific[lack] = False
    return PartitionRange(domains.of_bits(general), domains.of_bits(specific))


_REMEMBERED = 1 << 12
"""The number of cached risks and losses of sublattice ends; ends are often drawn again."""

_REJECTED = 2
"""The number of evaluations for a sublattice that is not searched, because both ends count."""


@dataclass(frozen=True)
class SublatticeHeuristic:
    """Random sublattices, and chains through promising sublattices.

    A sublattice is searched if at least a share `threshold` of its box can improve the frontier. If
    the threshold is 0, all sublattices are searched and none is pruned. `sampler` draws
    sublattices, and `initial` starts the frontier.
    """

    seed: int = 0
    threshold: float = 0.5
    sampler: Sampler = fixed_bits
    initial: InitialFrontier = top_and_bottom
    name: str = "sublattice-heuristic"
    guarantee: str = (
        "a frontier from random policies near the best so far; exact if everything else is pruned"
    )

    def __post_init__(self) -> None:
        if not 0.0 <= self.threshold <= 1.0:
            raise SettingError(
                f"the threshold of sublattices is {self.threshold:g}",
                fix="use a share from 0 to 1",
            )

    def run(self, problem: FrontierProblem, control: Control) -> FrontierOutcome[Partition]:
        """Search until the search must stop, or until all policies are pruned."""
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
