"""Find boundary policies, which are acceptable but border on an unacceptable policy.

A boundary policy has an unacceptable policy directly below it. A rule decides which policies are
acceptable, and evaluating the rule is slow. There are two searches: *bisecting* search (paper 004,
section 2.4, algorithm 1) and *directed* search (section 2.4.1). The paper's formulas for the
weights are not preserved, and docs/methods/boundary-policies.md explains how Roadstead reconstructs
them. If two policies differ in five boundaries, a step of the bisecting search removes three of
these boundaries. If the policies differ in three boundaries, the step removes two, as in table 1 of
the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.partition import OrderedDomains, Partition, is_below
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead.search.protocol import Control, Ending, Search

Acceptance: TypeAlias = Callable[[Partition], bool]
"""A function that returns whether a policy and all more general policies are acceptable."""

AT_THE_EDGE = "acceptable policies, each with an unacceptable policy directly below it"
"""The guarantee that the searches in this module give."""

Iteration: TypeAlias = Generator[Partition, bool, Partition]
"""A generator that asks whether policies are acceptable, and returns a boundary policy."""


@dataclass(frozen=True, eq=False)
class RiskBelow:
    """A rule that accepts policies whose risk is at most a threshold, in the measure's units."""

    problem: FrontierProblem
    threshold: float

    def __call__(self, partition: Partition) -> bool:
        """Return whether a policy's risk is at most the threshold."""
        return self.risk(partition) <= self.threshold

    def risk(self, partition: Partition) -> float:
        """Return the risk of a policy, in the measure's units."""
        return self.problem.risk.of(self.problem.cells.classes(partition))


@dataclass(frozen=True, eq=False)
class BoundaryProblem:
    """The problem of finding boundary policies under a rule that accepts policies."""

    domains: OrderedDomains
    accepts: Acceptance = field(repr=False)


@dataclass(frozen=True)
class BoundaryPolicy:
    """A boundary policy that one iteration found. An earlier iteration may also have found it.

    The iteration checked whether `searched` policies are acceptable. For `evaluated` of these
    policies, the answer was not known before. `non_dominated` is the number of distinct policies
    found so far, excluding policies that are more general than another policy found.
    """

    policy: Partition
    searched: int
    evaluated: int
    seconds: float
    non_dominated: int


@dataclass(frozen=True)
class BoundaryOutcome:
    """The results of all iterations of a search for boundary policies, in order.

    `non_dominated` contains the distinct policies, excluding policies that are more general than
    another policy found. Before the first iteration, `ends_evaluated` evaluations were needed for
    the top and the bottom of the lattice. The search counts as complete if no policy is acceptable,
    or if all policies are acceptable.
    """

    found: tuple[BoundaryPolicy, ...]
    non_dominated: tuple[Partition, ...]
    ends_evaluated: int
    seconds: float
    ending: Ending

    @property
    def searched(self) -> int:
        """The number of policies that the iterations checked, including repetitions."""
        return sum(one.searched for one in self.found)

    @property
    def evaluated(self) -> int:
        """The number of policies that were evaluated, including the top and the bottom."""
        return self.ends_evaluated + sum(one.evaluated for one in self.found)


BoundarySearch: TypeAlias = Search[BoundaryProblem, BoundaryOutcome]


def discover(
    problem: BoundaryProblem, control: Control, iterate: Callable[[], Iteration]
) -> BoundaryOutcome:
    """Find boundary policies by repeating an iteration.

    An iteration may assume that the top policy is acceptable and the bottom policy is not.
    """
    control.begin()
    answers = lru_cache(maxsize=None)(problem.accepts)
    found: list[BoundaryPolicy] = []
    best: list[Partition] = []

    def take(policy: Partition, searched: int, evaluated: int, since: float) -> None:
        # A policy that is more general than another acceptable policy is dominated: it loses more
        # than necessary.
        if not any(is_below(other, policy) for other in best):
            best[:] = [*(other for other in best if not is_below(policy, other)), policy]
        seconds = control.seconds - since
        found.append(BoundaryPolicy(policy, searched, evaluated, seconds, len(best)))

    ending: Ending = "complete"
    if answers(problem.domains.most_general):
        if answers(problem.domains.most_specific):
            take(problem.domains.most_specific, 0, 0, control.seconds)
        else:
            ending = "iterations"
    ends = answers.cache_info().misses
    while ending == "iterations" and len(found) < control.iterations:
        since, before = control.seconds, answers.cache_info()
        policy = _carry_out(iterate(), answers, control)
        if not isinstance(policy, Partition):
            ending = policy
            break
        after = answers.cache_info()
        evaluated = after.misses - before.misses
        take(policy, evaluated + after.hits - before.hits, evaluated, since)
    return BoundaryOutcome(tuple(found), tuple(best), ends, control.seconds, ending)


def _carry_out(iteration: Iteration, answers: Acceptance, control: Control) -> Partition | Ending:
    """Answer an iteration's questions, and return its policy, or the reason for stopping early."""
    try:
        policy = next(iteration)
        while True:
            if (ending := control.ending()) is not None:
                return ending
            policy = iteration.send(answers(policy))
    except StopIteration as done:
        found: Partition = done.value
        return found


Middle: TypeAlias = Callable[[Partition, Partition], Partition]
"""Returns a policy between a general and a specific policy that differ in at least two boundaries.
"""
Weighing: TypeAlias = Callable[[OrderedDomains, NDArray[np.float64]], NDArray[np.float64]]
"""A function that maps the share of solutions with each boundary to a weight above 0."""


def even(domains: OrderedDomains, kept: NDArray[np.float64]) -> NDArray[np.float64]:  # noqa: ARG001 - as the other
    """Give the same weight to all boundaries."""
    return np.ones(domains.boundaries)


def diverse(domains: OrderedDomains, kept: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weight boundaries by the size of their domain and by their frequency in earlier solutions.

    `kept` is the share of earlier solutions that keep each boundary, or 1 if there are no earlier
    solutions.
    """
    sizes = np.array(domains.sizes, dtype=np.float64)
    by_domain = np.repeat(sizes / sizes.max(initial=1.0), np.array(domains.sizes) - 1)
    return by_domain + kept


def halfway(
    general: Partition,
    specific: Partition,
    weights: NDArray[np.float64],
    domains: OrderedDomains,
    random: np.random.Generator,
) -> Partition:
    """Remove half of the boundaries that only the specific policy keeps, rounded up.

    The boundaries are drawn one by one, without replacement, with probabilities proportional to
    their weights. The specific policy must keep all boundaries that the general policy keeps.
    """
    differing = np.flatnonzero(domains.bits(Partition(specific.kept & ~general.kept)))
    # Sorting independent exponential variables with these rates gives the same distribution.
    times = random.standard_exponential(differing.size) / weights[differing]
    removed = differing[np.argsort(times, kind="stable")[: (differing.size + 1) // 2]]
    return Partition(specific.kept & ~domains.of_boundaries(removed.tolist()).kept)


@dataclass(frozen=True)
class Bisecting:
    """Binary searches for boundary policies.

    `weighing` decides which boundaries are removed more often: `diverse` as in the paper, or
    `even`.
    """

    seed: int = 0
    weighing: Weighing = diverse
    name: str = "bisecting"
    guarantee: str = AT_THE_EDGE

    def run(self, problem: BoundaryProblem, control: Control) -> BoundaryOutcome:
        """Find the requested number of boundary policies, unless the search is stopped earlier."""
        domains, random = problem.domains, np.random.default_rng(self.seed)
        solutions: list[Partition] = []
        keeping = np.zeros(domains.boundaries)

        def iterate() -> Iteration:
            shares = keeping / len(solutions) if solutions else np.ones(domains.boundaries)
            weights = self.weighing(domains, shares)

            def middle(general: Partition, specific: Partition) -> Partition:
                return halfway(general, specific, weights, domains, random)

            policy = yield from bisect(domains, middle)
            solutions.append(policy)
            np.add(keeping, domains.bits(policy), out=keeping)
            return policy

        return discover(problem, control, iterate)


def bisect(domains: OrderedDomains, middle: Middle) -> Iteration:
    """Find a boundary policy by bisection; the top must be acceptable, but not the bottom."""
    general, specific = domains.most_general, domains.most_specific
    while Partition(specific.kept ^ general.kept).rank > 1:
        current = middle(general, specific)
        if (yield current):
            general = current
        else:
            specific = current
    return general


@dataclass(frozen=True)
class Directed:
    """Directed random walks to boundary policies."""

    seed: int = 0
    name: str = "directed"
    guarantee: str = AT_THE_EDGE

    def run(self, problem: BoundaryProblem, control: Control) -> BoundaryOutcome:
        """Find the requested number of boundary policies, unless the search is stopped earlier."""
        random = np.random.default_rng(self.seed)
        return discover(problem, control, partial(straight, problem.domains, random))


def straight(domains: OrderedDomains, random: np.random.Generator) -> Iteration:
    """Walk from a random policy to a boundary policy.

    The top policy must be acceptable, and the bottom policy must be unacceptable.
    """
    bits = random.integers(2, size=domains.boundaries).astype(np.bool_)
    policy = domains.of_bits(bits)
    if (yield policy):
        for boundary in random.permutation(np.flatnonzero(~bits)):
            below = Partition(policy.kept | 1 << int(boundary))
            if not (yield below):
                break
            policy = below
        return policy
    for boundary in random.permutation(np.flatnonzero(bits)):
        policy = Partition(policy.kept & ~(1 << int(boundary)))
        if (yield policy):
            break
    return policy
