"""Boundary policies: acceptable ones that have an unacceptable policy directly below.

A rule says which policies are acceptable, such as "the risk is not above Safe Harbor's". Whatever
is more general than an acceptable policy must be acceptable, too. Then the acceptable policies lie
at the top of the lattice, and those at their edge lose little: removing one more boundary was
needed (paper 004, section 2.4). Finding the edge takes nothing but the rule. So any monotone rule
will do, k-anonymity or l-diversity as well as a risk (paper 004, section 5).

A search finds one boundary policy after another, and asks the rule as rarely as it can. The top and
the bottom are asked first. If the top is not acceptable there is nothing to find; if the bottom is,
it is the only answer. Answers are remembered by policy.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from roadstead.policies.partition import OrderedDomains, Partition, is_below
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead.search.protocol import Control, Ending, Search

Acceptance: TypeAlias = Callable[[Partition], bool]
"""Whether a policy is acceptable; if it is, so must be all that are more general."""

AT_THE_EDGE = "acceptable policies, each with an unacceptable one directly below it"
"""What these searches guarantee."""

Iteration: TypeAlias = Generator[Partition, bool, Partition]
"""Asks whether policies are acceptable, one after another, and returns a boundary policy."""


@dataclass(frozen=True, eq=False)
class RiskBelow:
    """Accepts policies whose risk is not above a threshold, in the measure's units.

    For `PopulationRisk` these are records that are expected to be re-identified.
    """

    problem: FrontierProblem
    threshold: float

    def __call__(self, partition: Partition) -> bool:
        """Evaluate a policy's risk."""
        return self.risk(partition) <= self.threshold

    def risk(self, partition: Partition) -> float:
        """Risk of a policy, in the measure's units."""
        return self.problem.risk.of(self.problem.cells.classes(partition))


@dataclass(frozen=True, eq=False)
class BoundaryProblem:
    """Policies are sought at the edge of those that a rule accepts."""

    domains: OrderedDomains
    accepts: Acceptance = field(repr=False)


@dataclass(frozen=True)
class BoundaryPolicy:
    """What one iteration found: a boundary policy, which may have been found before.

    The iteration `searched` for whether so many policies are acceptable; of those `evaluated` it
    was not known. `non_dominated` are the distinct policies found so far of which none is more
    specific than another.
    """

    policy: Partition
    searched: int
    evaluated: int
    seconds: float
    non_dominated: int


@dataclass(frozen=True)
class BoundaryOutcome:
    """What a search for boundary policies found: that of each iteration, in order.

    `non_dominated` are the distinct ones of which none is more specific than another. Top and
    bottom took `ends_evaluated` evaluations before the first iteration. The ending is complete if
    no policy is acceptable, or all are.
    """

    found: tuple[BoundaryPolicy, ...]
    non_dominated: tuple[Partition, ...]
    ends_evaluated: int
    seconds: float
    ending: Ending

    @property
    def searched(self) -> int:
        """Policies that the iterations had to know about, repetitions included."""
        return sum(one.searched for one in self.found)

    @property
    def evaluated(self) -> int:
        """Policies that were evaluated, top and bottom included."""
        return self.ends_evaluated + sum(one.evaluated for one in self.found)


BoundarySearch: TypeAlias = Search[BoundaryProblem, BoundaryOutcome]


def discover(
    problem: BoundaryProblem, control: Control, iterate: Callable[[], Iteration]
) -> BoundaryOutcome:
    """Find boundary policies by repeating an iteration.

    An iteration may take for granted that the top is acceptable and the bottom is not.
    """
    control.begin()
    answers = lru_cache(maxsize=None)(problem.accepts)
    found: list[BoundaryPolicy] = []
    best: list[Partition] = []

    def take(policy: Partition, searched: int, evaluated: int, since: float) -> None:
        # More general than another acceptable policy is dominated: it gives away more than it must.
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
    """Answer an iteration's questions until it has its policy, or say why it was broken off."""
    try:
        policy = next(iteration)
        while True:
            if (ending := control.ending()) is not None:
                return ending
            policy = iteration.send(answers(policy))
    except StopIteration as done:
        found: Partition = done.value
        return found
