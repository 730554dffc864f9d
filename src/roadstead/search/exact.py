"""Exact search: branch and bound over sublattices.

A *sublattice* [a, b] holds every policy between a and a more general b. One evaluation, of b,
bounds them all from below: the records suppressed at b are suppressed everywhere in it, and the
others lose at least what the levels of a lose. A sublattice is dropped when b already suppresses
too much, or when the bound is not better than the best policy known.

Otherwise it is made smaller. *Tightening* is free: where raising a's level of one attribute to l
pushes the bound past the best known, b's level can be lowered below l, for all attributes at
once; the new b is evaluated, and that again. *Branching* splits on one attribute at level l into
[a, b with level l - 1], which needs one evaluation, and [a with level l, b], which needs none.
The split is chosen so that both halves gain: the second half's bound is known, the first half's
gain is learned from earlier splits at the same place, as mixed-integer solvers do.

The search is anytime. Open sublattices wait in order of their bounds, so the smallest of them
bounds every policy not yet seen; the search dives from each into the better half, again and
again, which finds good policies early. It is deterministic: it uses no clock and no chance.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from math import inf
from typing import TypeAlias

from roadstead.policies.full_domain import Levels
from roadstead.search.evaluation import Evaluation, evaluate, start
from roadstead.search.protocol import (
    Candidate,
    Control,
    Ending,
    Outcome,
    Problem,
    Progress,
    preference,
)

_ROUNDING = 1e-12
_WEIGHT_OF_WORSE_HALF = 3.0
_MOST_BYTES_WAITING = 1 << 30

Split: TypeAlias = tuple[int, int, float]
"""An attribute, the level where the second half begins, and the bound of the second half."""


@dataclass(order=True, slots=True)
class _Sublattice:
    """All policies from `lower` up to `top`, none better than `bound`.

    `upper` is the evaluation of `top`, None where it was forgotten to save memory.
    """

    bound: float
    number: int
    lower: Levels = field(compare=False)
    top: Levels = field(compare=False)
    upper: Evaluation | None = field(compare=False)

    @property
    def nbytes(self) -> int:
        return 0 if self.upper is None else self.upper.kept.nbytes


@dataclass(frozen=True)
class Exact:
    """Branch and bound over sublattices."""

    name: str = "exact"
    guarantee: str = "the best policy of all, proven; stopped early, the best so far and a bound"

    def run(self, problem: Problem, control: Control) -> Outcome:
        """Search until every sublattice is settled, or until told to stop."""
        return _Run(problem, control).run()


class _Run:
    """The state of one search."""

    def __init__(self, problem: Problem, control: Control) -> None:
        self.problem = problem
        self.control = control
        self.best: Candidate | None = None
        self.evaluated = 0
        self.first_met = 0
        self.waiting: list[_Sublattice] = []
        self.bytes_waiting = 0
        self.next_dive: _Sublattice | None = None
        self.made = 0
        heights = problem.encoding.heights
        self.gains = [[0.0] * h for h in heights]
        self.tries = [[0] * h for h in heights]
        self.gains_of = [0.0] * len(heights)
        self.tries_of = [0] * len(heights)

    def run(self) -> Outcome:
        self.control.begin()
        space = self.problem.space
        origin = start(self.problem)
        self.next_dive = self.sublattice(0.0, space.bottom, self.look(space.top, origin))
        ending: Ending = "complete"
        while (node := self.take()) is not None:
            if (reason := self.control.ending()) is not None:
                self.put(node)
                ending = reason
                break
            self.control.tell(self.progress)
            self.explore(node)
        return Outcome(
            best=self.best,
            lower_bound=self.lower_bound(),
            evaluated=self.evaluated,
            first_met=self.first_met,
            seconds=self.control.seconds,
            ending=ending,
        )

    def sublattice(self, bound: float, lower: Levels, upper: Evaluation) -> _Sublattice:
        self.made += 1
        return _Sublattice(bound, self.made, lower, upper.levels, upper)

    def put(self, node: _Sublattice) -> None:
        """Let a sublattice wait; past a budget of memory, without its classes."""
        if self.bytes_waiting + node.nbytes > _MOST_BYTES_WAITING:
            node.upper = None
        self.bytes_waiting += node.nbytes
        heapq.heappush(self.waiting, node)

    def take(self) -> _Sublattice | None:
        """Take the sublattice dived into, else the waiting one of least bound."""
        node, self.next_dive = self.next_dive, None
        while node is None or self.refuted(node.bound, node.lower):
            if not self.waiting:
                return None
            node = heapq.heappop(self.waiting)
            self.bytes_waiting -= node.nbytes
        return node

    def look(self, levels: Levels, general: Evaluation) -> Evaluation:
        """Evaluate a policy and remember it if it is the best so far."""
        self.evaluated += 1
        evaluation = evaluate(self.problem, levels, general)
        found = evaluation.candidate
        if found and (self.best is None or found.preference < self.best.preference):
            self.best = found
            self.first_met = self.evaluated
        return evaluation

    def refuted(self, bound: float, lower: Levels) -> bool:
        """Whether nothing from `lower` upwards can be preferred to the best.

        All others of the sublattice have a higher rank than `lower`, so where the bound equals
        the best loss the tie is decided too.
        """
        return self.best is not None and preference(bound, lower) >= self.best.preference

    def explore(self, node: _Sublattice) -> None:
        """Tighten a sublattice and split what is left of it; dive into the better half."""
        lower = node.lower
        known = node.upper or evaluate(self.problem, node.top, start(self.problem))
        tight = self.tighten(node.bound, lower, known)
        if tight is None:
            return
        bound, upper, splits = tight
        attribute, level, second_bound = self.choose(bound, splits)
        halves = []
        raised = _with(lower, attribute, level)
        second_bound = max(bound, self.bound(raised, upper))
        if not self.refuted(second_bound, raised):
            halves.append(self.sublattice(second_bound, raised, upper))
        general = self.look(_with(upper.levels, attribute, level - 1), upper)
        first = self.tighten(bound, lower, general)
        if first is not None:
            halves.append(self.sublattice(first[0], lower, first[1]))
        self.learn(attribute, level, self.gain(bound, first[0] if first else inf))
        halves.sort()
        self.next_dive = halves[0] if halves else None
        for half in halves[1:]:
            self.put(half)

    def bound(self, lower: Levels, upper: Evaluation) -> float:
        return self.problem.quality.lower_bound(lower, upper.tally, upper.kept)

    def tighten(
        self, bound: float, lower: Levels, upper: Evaluation
    ) -> tuple[float, Evaluation, list[Split]] | None:
        """Lower the upper end as far as it can be shown that nothing is lost.

        Returns
        -------
        tuple or None
            Bound, upper end and the splits still open; None when the sublattice is settled.
        """
        while upper.suppressed <= self.problem.limit:
            bound = max(bound, self.bound(lower, upper))
            if self.refuted(bound, lower) or lower == upper.levels:
                return None
            levels, splits = self.open_splits(lower, upper)
            if levels == upper.levels:
                return bound, upper, splits
            upper = self.look(levels, upper)
        return None

    def open_splits(self, lower: Levels, upper: Evaluation) -> tuple[Levels, list[Split]]:
        """Find the splits whose second half is not refuted, and the levels they leave on top."""
        quality = self.problem.quality
        raised = quality.raised_bounds(lower, upper.levels, upper.tally, upper.kept)
        loss = inf if self.best is None else self.best.loss
        surely, barely = loss + _ROUNDING, loss - _ROUNDING
        top, splits = [], []
        for i, (low, bounds) in enumerate(zip(lower, raised, strict=True)):
            highest = low
            for level, value in enumerate(bounds, start=low + 1):
                if value > surely:
                    break  # and so are all higher levels
                if value >= barely:
                    corner = _with(lower, i, level)
                    if self.refuted(self.bound(corner, upper), corner):
                        break
                highest = level
                splits.append((i, level, value))
            top.append(highest)
        return tuple(top), splits

    def choose(self, bound: float, splits: list[Split]) -> Split:
        """Choose the split from which both halves are expected to gain most.

        The second half's gain is known. The first half's is the mean of what it was when the
        split was made before, or any on the attribute, or any at all. The smaller counts most: a
        split is as good as its worse half.
        """
        overall = _mean(sum(self.gains_of), sum(self.tries_of), otherwise=0.0)
        best_score, chosen = -inf, splits[0]
        for split in splits:
            i, level, value = split
            if self.tries[i][level]:
                first = self.gains[i][level] / self.tries[i][level]
            else:
                first = _mean(self.gains_of[i], self.tries_of[i], otherwise=overall)
            second = self.gain(bound, value)
            score = _WEIGHT_OF_WORSE_HALF * min(first, second) + max(first, second)
            if score > best_score:
                best_score, chosen = score, split
        return chosen

    def gain(self, bound: float, half: float) -> float:
        """Share of the distance from bound to best that a half's bound has gone, 1 if settled."""
        distance = (1.0 if self.best is None else self.best.loss) - bound
        return 1.0 if half - bound >= distance else max(0.0, half - bound) / distance

    def learn(self, attribute: int, level: int, gain: float) -> None:
        self.gains[attribute][level] += gain
        self.tries[attribute][level] += 1
        self.gains_of[attribute] += gain
        self.tries_of[attribute] += 1

    def lower_bound(self) -> float:
        """Smallest loss that is still possible; infinite when there is no admissible policy."""
        best = inf if self.best is None else self.best.loss
        dive = inf if self.next_dive is None else self.next_dive.bound
        return min(best, dive, self.waiting[0].bound if self.waiting else inf)

    def progress(self) -> Progress:
        return Progress(
            evaluated=self.evaluated,
            seconds=self.control.seconds,
            best=self.best,
            lower_bound=self.lower_bound(),
            open=len(self.waiting) + 1,
        )


def _with(levels: Levels, attribute: int, level: int) -> Levels:
    return (*levels[:attribute], level, *levels[attribute + 1 :])


def _mean(total: float, number: int, *, otherwise: float) -> float:
    return total / number if number else otherwise
