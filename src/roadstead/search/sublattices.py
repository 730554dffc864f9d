"""One step of branch and bound: a sublattice is tightened and split in two.

A *sublattice* [a, b] holds every policy between a and a more general b. One evaluation, of b,
bounds them all from below: the records suppressed at b are suppressed everywhere in it, and the
others lose at least what the levels of a lose. *Tightening* lowers b below levels that push this
bound past the best policy known. *Splitting* on one attribute at level l gives [a, b with level l -
1], whose top must be evaluated, and [a with level l, b], whose bound is known. The split is chosen
so that both halves gain; what the first half gains is learned from earlier splits at the same
place, as solvers of mixed-integer programs do (pseudo-costs).

A step reads what the search knows and changes nothing, so steps can be taken side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf, prod
from typing import TypeAlias

from roadstead.policies.classes import Packed, no_class, pack, unpack
from roadstead.policies.full_domain import Levels, with_level
from roadstead.search.evaluation import Evaluation, Evaluator
from roadstead.search.protocol import Candidate, preference

_ROUNDING = 2e-12
_WEIGHT_OF_WORSE_HALF = 3.0

Split: TypeAlias = tuple[int, int, float]
"""An attribute, the level where the second half begins, and the bound of the second half."""


@dataclass(slots=True)
class Sublattice:
    """All policies from `lower` to `top`, none better than `bound`.

    `upper` is the evaluation of `top`, None where it was forgotten to save memory; while `packed`
    holds its classes, it has none.
    """

    bound: float
    lower: Levels
    top: Levels
    upper: Evaluation | None
    packed: Packed | None = None

    def pack(self, rows: int) -> None:
        """Take less memory until it is looked at; the table has so many rows."""
        if self.upper is not None:
            self.packed = pack(self.upper.kept, rows)
            if self.packed is not None:
                self.upper = replace(self.upper, kept=no_class())

    def unpack(self) -> None:
        """Make ready to be looked at."""
        if self.upper is not None and self.packed is not None:
            self.upper = replace(self.upper, kept=unpack(self.packed))
            self.packed = None

    @property
    def size(self) -> int:
        """Number of policies."""
        return prod(high - low + 1 for low, high in zip(self.lower, self.top, strict=True))

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        if self.packed is not None:
            return self.packed.nbytes
        return 0 if self.upper is None else self.upper.kept.nbytes


class Gains:
    """What first halves gained when they were split off, by attribute and level."""

    def __init__(self, heights: tuple[int, ...]) -> None:
        self._sums = [[0.0] * (h + 1) for h in heights]  # the last is that of all levels
        self._numbers = [[0] * (h + 1) for h in heights]

    def learn(self, attribute: int, level: int, gain: float) -> None:
        """Remember a gain."""
        for at in (level, -1):
            self._sums[attribute][at] += gain
            self._numbers[attribute][at] += 1

    def expected(self, attribute: int, level: int) -> float:
        """Mean gain at this place, else of the attribute, else of all; 0 before the first."""
        for at in (level, -1):
            if number := self._numbers[attribute][at]:
                return self._sums[attribute][at] / number
        return sum(own[-1] for own in self._sums) / max(1, sum(own[-1] for own in self._numbers))


@dataclass
class SublatticeStep:
    """A step on one sublattice, and what came of it.

    What the search knows, `gains` and `best`, is only read; better candidates met on the way
    replace `best`, and `first_met` is the evaluation that met it, 0 if it was known before.
    `halves` are what is left, the one of the smaller bound first, and `learned` is the gain of the
    split.
    """

    evaluator: Evaluator
    gains: Gains
    best: Candidate[Levels] | None
    evaluated: int = 0
    first_met: int = 0
    halves: list[Sublattice] = field(default_factory=list)
    learned: Split | None = None

    def look(self, levels: Levels, general: Evaluation, lower: Levels) -> Evaluation:
        """Evaluate the top of a sublattice and remember it if it is the best so far."""
        self.evaluated += 1
        evaluation = self.evaluator.evaluate(levels, general, lower)
        found = evaluation.candidate
        if found and (self.best is None or found.preference < self.best.preference):
            self.best = found
            self.first_met = self.evaluated
        return evaluation

    def explore(self, node: Sublattice) -> None:
        """Tighten the sublattice and split what is left of it."""
        lower = node.lower
        known = node.upper or self.evaluator.evaluate(node.top, self.evaluator.start(), lower)
        tight = self.tighten(node.bound, lower, known)
        if tight is None:
            return
        bound, upper, splits = tight
        attribute, level, _ = self.choose(bound, splits)
        raised = with_level(lower, attribute, level)
        second = max(bound, self.bound(raised, upper))
        if not refuted(second, raised, self.best):
            self.halves.append(Sublattice(second, raised, upper.levels, upper))
        general = self.look(with_level(upper.levels, attribute, level - 1), upper, lower)
        first = self.tighten(bound, lower, general)
        if first is not None:
            self.halves.append(Sublattice(first[0], lower, first[1].levels, first[1]))
        self.learned = attribute, level, self.gain(bound, inf if first is None else first[0])
        self.halves.sort(key=lambda half: half.bound)

    def bound(self, lower: Levels, upper: Evaluation) -> float:
        """Bound every policy from `lower` to the one evaluated."""
        bounds = self.evaluator.bounds
        return bounds.lower_bound(lower, upper.levels, upper.tally, upper.kept)

    def tighten(
        self, bound: float, lower: Levels, upper: Evaluation
    ) -> tuple[float, Evaluation, list[Split]] | None:
        """Lower the upper end while nothing is lost: bound, upper end and open splits; or None."""
        while upper.suppressed <= self.evaluator.limit:
            bound = max(bound, self.bound(lower, upper))
            if refuted(bound, lower, self.best) or lower == upper.levels:
                return None
            levels, splits = self.open_splits(lower, upper)
            if levels == upper.levels:
                return bound, upper, splits
            upper = self.look(levels, upper, lower)
        return None

    def open_splits(self, lower: Levels, upper: Evaluation) -> tuple[Levels, list[Split]]:
        """Find the splits whose second half is not refuted, and the levels they leave on top."""
        known = self.evaluator.bounds
        raised = known.raised_bounds(lower, upper.levels, upper.tally, upper.kept)
        loss = inf if self.best is None else self.best.loss
        surely, barely = loss + _ROUNDING, loss - _ROUNDING
        top, splits = [], []
        for i, (low, bounds) in enumerate(zip(lower, raised, strict=True)):
            highest = low
            for level, value in enumerate(bounds, start=low + 1):
                if value > surely:
                    break  # and so are all higher levels
                if value >= barely:
                    corner = with_level(lower, i, level)
                    if refuted(self.bound(corner, upper), corner, self.best):
                        break
                highest = level
                splits.append((i, level, value))
            top.append(highest)
        return tuple(top), splits

    def choose(self, bound: float, splits: list[Split]) -> Split:
        """Choose the split from which both halves are expected to gain most."""
        best_score, chosen = -inf, splits[0]
        for split in splits:
            attribute, level, value = split
            first = self.gains.expected(attribute, level)
            second = self.gain(bound, value)
            if (score := worth(first, second)) > best_score:
                best_score, chosen = score, split
        return chosen

    def gain(self, bound: float, half: float) -> float:
        """Share of the distance from bound to best that a half's bound has gone, 1 if settled."""
        distance = (1.0 if self.best is None else self.best.loss) - bound
        if distance <= 0.0 or half - bound >= distance:
            return 1.0
        return max(0.0, half - bound) / distance


def worth(first: float, second: float) -> float:
    """Score a split by the gains of its halves: it is as good as its worse half."""
    return _WEIGHT_OF_WORSE_HALF * min(first, second) + max(first, second)


def refuted(bound: float, lower: Levels, best: Candidate[Levels] | None) -> bool:
    """Whether nothing from `lower` upwards, of higher rank all, can be preferred to the best."""
    return best is not None and preference(bound, lower) >= best.preference
