"""What a search through single policies has found so far.

Most searches of the literature look at one policy after another. A ledger evaluates the policy,
remembers the best candidate, counts, asks whether to stop, and makes the outcome. Which policy is
looked at next is all that distinguishes these searches.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from roadstead.policies.classes import refine
from roadstead.policies.full_domain import Levels
from roadstead.search.evaluation import judge, start
from roadstead.search.protocol import Candidate, Control, Ending, Outcome, Problem, Progress


@dataclass(frozen=True)
class Look:
    """What is known of a policy that was looked at.

    Attributes
    ----------
    levels
        The policy.
    suppressed
        Records suppressed by the monotone part of the privacy model: where they are too many, they
        are under every more specific policy.
    smallest
        Records in its smallest class, before anything is suppressed.
    candidate
        The policy as a candidate, None when it suppresses more than the limit.
    floor
        What it loses by generalization alone: no more general policy loses less.
    """

    levels: Levels
    suppressed: int
    smallest: int
    candidate: Candidate | None
    floor: float


class Ledger:
    """The books of one search.

    Attributes
    ----------
    best
        The best candidate met.
    evaluated, first_met
        Policies looked at, and at which of them the best was met.
    lower_bound
        For the search to raise: no admissible policy loses less.
    pruned, hits, open
        For the search to keep: policies shown to be no better without a look, times that an
        earlier look told about another policy, and policies still to be looked at.
    """

    def __init__(self, problem: Problem, control: Control) -> None:
        self.problem = problem
        self.control = control
        self.best: Candidate | None = None
        self.evaluated = 0
        self.first_met = 0
        self.pruned = 0
        self.hits = 0
        self.open = 0
        self.lower_bound = 0.0
        self._whole = start(problem)
        control.begin()

    def look(self, levels: Levels) -> Look:
        """Evaluate a policy, and remember it if it is the best so far."""
        problem, whole = self.problem, self._whole
        self.evaluated += 1
        classes = refine(problem.encoding, whole.kept, whole.levels, levels)
        found = judge(problem, levels, classes, whole.tally)
        candidate = found.candidate
        if candidate and (self.best is None or candidate.preference < self.best.preference):
            self.best, self.first_met = candidate, self.evaluated
        floor = problem.quality.lower_bound(levels, levels, whole.tally, classes)
        smallest = int(classes.sizes.min())
        return Look(levels, found.suppressed, smallest, candidate, floor)

    def ending(self) -> Ending | None:
        """Why the search must end now, or None; tells about progress on the way."""
        self.control.tell(self._progress)
        return self.control.ending()

    def outcome(self, ending: Ending, *, proven: bool) -> Outcome:
        """Close the books.

        Parameters
        ----------
        ending
            Why the search ended.
        proven
            Whether no other policy can be preferred to the best; if there is none, whether there
            is no admissible policy at all.
        """
        return Outcome(
            best=self.best,
            lower_bound=self._bound(proven=proven),
            evaluated=self.evaluated,
            first_met=self.first_met,
            seconds=self.control.seconds,
            ending=ending,
            proven=proven,
            pruned=self.pruned,
            hits=self.hits,
        )

    def _bound(self, *, proven: bool) -> float:
        if self.best is None:
            return inf if proven else self.lower_bound
        return self.best.loss if proven else min(self.best.loss, self.lower_bound)

    def _progress(self) -> Progress:
        return Progress(
            evaluated=self.evaluated,
            seconds=self.control.seconds,
            best=self.best,
            lower_bound=self._bound(proven=False),
            open=self.open,
        )
