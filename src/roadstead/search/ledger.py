"""What a search through single policies has found so far.

Most searches of the literature look at one policy after another. Which one is looked at next is all
that distinguishes them: a *walk* gets a ledger, looks at policies through it, and says at its end
whether it has shown that nothing is preferred to the best. The ledger evaluates, remembers and
counts; when the search is told to stop, the next look ends the walk.

A walk may rest on two properties (paper 003, Predictive properties), with every privacy model and
every quality model: insufficient quality passes up, by a policy's `floor`, and too much suppressed
by the monotone part of the privacy model passes down. That a policy is admissible says nothing of
the loss of others, because less suppression may pay for more generalization
(docs/methods/lattice-searches.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from roadstead.policies.classes import Classes, keep, refine
from roadstead.policies.full_domain import Levels
from roadstead.search.evaluation import FullDomainProblem, judge, start
from roadstead.search.protocol import Candidate, Control, Ending, Outcome, Tracker
from roadstead.search.sublattices import refuted


@dataclass(frozen=True, slots=True)
class Look:
    """What is known of a policy that was looked at.

    The monotone part of the privacy model suppresses so many records: where they are too many, they
    are under every more specific policy. `smallest` is the size of its smallest class, before
    anything is suppressed, and `candidate` None when it suppresses more than the limit. The `floor`
    is what it loses by generalization alone: no more general policy loses less.
    """

    levels: Levels
    suppressed: int
    smallest: int
    candidate: Candidate[Levels] | None
    floor: float


class Ledger(Tracker[Levels]):
    """The books of one walk: the best candidate, how many looks, and which one met it.

    A walk counts `hits` and sets `open`, how many policies it will go on from, and `bound`: no
    admissible policy loses less than its answer, nor than the best. At first that is the loss by
    generalization alone of the most specific policy.
    """

    def __init__(self, problem: FullDomainProblem, control: Control) -> None:
        super().__init__(control, lambda: problem.quality.groupings)
        self.problem = problem
        self._whole = whole = start(problem)
        least = problem.quality.lower_bound(
            problem.space.bottom, whole.levels, whole.tally, whole.kept
        )
        self.bound: Callable[[], float] = lambda: least

    def look(self, levels: Levels) -> Look:
        """Evaluate a policy, and remember it if it is the best so far."""
        return self._look(levels)[0]

    def appraise(self, levels: Levels) -> tuple[float, Look]:
        """Evaluate a policy, and its loss; of no candidate, by the model's monotone part alone."""
        look, classes = self._look(levels)
        if look.candidate is not None:
            return look.candidate.loss, look
        model, quality = self.problem.privacy, self.problem.quality
        kept, dropped = keep(classes, model.monotone_part.satisfied(classes))
        return quality.loss(levels, quality.suppress(self._whole.tally, dropped), kept), look

    def _look(self, levels: Levels) -> tuple[Look, Classes]:
        self.go_on()
        problem, whole = self.problem, self._whole
        self.looks += 1
        classes = refine(problem.encoding, whole.kept, whole.levels, levels)
        found = judge(problem, levels, classes, whole.tally)
        candidate = found.candidate
        if candidate and (self.best is None or candidate.preference < self.best.preference):
            self.best, self.first_met = candidate, self.looks
        floor = problem.quality.lower_bound(levels, levels, whole.tally, classes)
        smallest = int(classes.sizes.min())
        return Look(levels, found.suppressed, smallest, candidate, floor), classes

    def go_on(self) -> None:
        """Report progress; StoppedError where the search must end, but never before a look."""
        if self.looks and (ending := self.pause()) is not None:
            raise StoppedError(ending)

    def insufficient(self, look: Look) -> bool:
        """Whether neither the policy nor anything above it can be preferred to the best."""
        return refuted(look.floor, look.levels, self.best)

    def hopeless(self, look: Look) -> bool:
        """Whether neither the policy nor anything below it is admissible."""
        return look.suppressed > self.problem.limit

    def settled(self) -> bool:
        """Whether the bound leaves no room for a policy that is preferred to the best."""
        return refuted(self.bound(), self.problem.space.bottom, self.best)

    def lower_bound(self) -> float:
        """Smallest loss that is still possible."""
        return min(self.ceiling, self.bound())


class StoppedError(Exception):
    """The search was told to stop in the middle of a walk."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending)
        self.ending: Ending = ending


Walk: TypeAlias = Callable[[Ledger], bool]
"""Looks at policies; True when the best is proven, or that there is no admissible policy."""


def takes_all(problem: FullDomainProblem) -> str | None:  # noqa: ARG001 - every one
    """Refuse nothing: the search takes every model, and lattices of any size."""
    return None


@dataclass(frozen=True)
class WalkSearch:
    """A search that goes from policy to policy, and may refuse problems."""

    name: str
    guarantee: str
    walk: Walk
    refusal: Callable[[FullDomainProblem], str | None] = takes_all

    def run(self, problem: FullDomainProblem, control: Control) -> Outcome[Levels]:
        """Walk to the end, or until told to stop."""
        ledger = Ledger(problem, control)
        try:
            proven = self.walk(ledger)
        except StoppedError as stop:
            return ledger.outcome(stop.ending, proven=False)
        ledger.pruned = problem.space.size - ledger.looks if proven else 0
        return ledger.outcome("complete", proven=proven)
