"""What a search through single policies has found so far.

Most searches of the literature look at one policy after another. Which one is looked at next is
all that distinguishes them; the rest is here. Such a `WalkSearch` has a *walk*: a function that
gets a ledger, looks at policies through it, and says at its end whether it has shown that nothing
is preferred to the best. The ledger evaluates, remembers the best candidate, counts, and makes the
outcome. When the search is told to stop, the next look ends the walk.

A walk may rest on two properties that pass from one policy to others (paper 003, Predictive
properties). Both hold with every privacy model and every quality model:

- *Insufficient quality passes up.* What a policy loses by generalization alone, its `floor`, is a
  lower bound for every more general one. Where it is not better than the best, none of them is.
- *Too much suppressed passes down.* What the monotone part of the privacy model suppresses under a
  policy is suppressed under every more specific one. Where it exceeds the limit, none of them is
  admissible.

That a policy is admissible says nothing of the loss of others, because less suppression may pay
for more generalization.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TypeAlias

from roadstead.policies.classes import Classes, keep, refine
from roadstead.policies.full_domain import Levels
from roadstead.search.evaluation import FullDomainProblem, judge, start
from roadstead.search.protocol import Candidate, Control, Ending, Outcome, Progress
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


class Ledger:
    """The books of one search: the best candidate, how many looks, and which one met it.

    A walk counts the `hits`, looks that an earlier one made superfluous, and sets `open`, how many
    policies it will go on from, and `bound`: no admissible policy loses less than its answer, nor
    than the best. To begin with, that is the loss by generalization alone of the most specific
    policy.
    """

    def __init__(self, problem: FullDomainProblem, control: Control) -> None:
        self.problem = problem
        self.best: Candidate[Levels] | None = None
        self.looks = 0
        self.first_met = 0
        self.hits = 0
        self.open = 0
        self._control = control
        control.begin()
        self._grouped_before = problem.quality.groupings
        self._whole = whole = start(problem)
        least = problem.quality.lower_bound(
            problem.space.bottom, whole.levels, whole.tally, whole.kept
        )
        self.bound: Callable[[], float] = lambda: least

    @property
    def evaluated(self) -> int:
        """Policies whose classes were computed, for bounds too."""
        return self.looks + self.problem.quality.groupings - self._grouped_before

    def look(self, levels: Levels) -> Look:
        """Evaluate a policy, and remember it if it is the best so far."""
        return self._look(levels)[0]

    def appraise(self, levels: Levels) -> tuple[float, Look]:
        """Evaluate a policy, and give what it loses, be it a candidate or not.

        If it is none, that is what it loses when the monotone part of the model alone suppresses.
        """
        look, classes = self._look(levels)
        if look.candidate is not None:
            return look.candidate.loss, look
        model, quality = self.problem.privacy, self.problem.quality
        kept, dropped = keep(classes, model.monotone_part.satisfied(classes))
        return quality.loss(levels, quality.suppress(self._whole.tally, dropped), kept), look

    def _look(self, levels: Levels) -> tuple[Look, Classes]:
        self.pause()
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

    def pause(self) -> None:
        """Report progress, and end the walk (StoppedError) if it is time, but never before a look."""
        if not self.looks:
            return
        self._control.report_progress(self._progress)
        if (ending := self._control.ending(self.evaluated)) is not None:
            raise StoppedError(ending)

    def insufficient(self, look: Look) -> bool:
        """Whether neither the policy nor anything above it can be preferred to the best.

        Ties are decided too: what is above has a higher rank.
        """
        return refuted(look.floor, look.levels, self.best)

    def hopeless(self, look: Look) -> bool:
        """Whether neither the policy nor anything below it is admissible."""
        return look.suppressed > self.problem.limit

    def settled(self) -> bool:
        """Whether the bound leaves no room for a policy that is preferred to the best."""
        return refuted(self.bound(), self.problem.space.bottom, self.best)

    def outcome(self, ending: Ending, *, proven: bool) -> Outcome[Levels]:
        """Close the books; proven if nothing is preferred to the best, or nothing is admissible."""
        return Outcome(
            best=self.best,
            lower_bound=self._bound(proven=proven),
            evaluated=self.evaluated,
            first_met=self.first_met,
            seconds=self._control.seconds,
            ending=ending,
            proven=proven,
            pruned=self.problem.space.size - self.looks if proven else 0,
            hits=self.hits,
        )

    def _bound(self, *, proven: bool) -> float:
        best = inf if self.best is None else self.best.loss
        return best if proven else min(best, self.bound())

    def _progress(self) -> Progress:
        return Progress(
            evaluated=self.evaluated,
            seconds=self._control.seconds,
            best=self.best,
            lower_bound=self._bound(proven=False),
            open=self.open,
        )


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
        return ledger.outcome("complete", proven=proven)
