"""Perform a step of branch and bound, which tightens a sublattice and splits it in two.

A *sublattice* [a, b] contains every policy between a and a more general policy b. *Tightening*
lowers b while all removed policies have bounds above the best loss. *Splitting* on one attribute at
level l gives two halves: [a, b with level l - 1], and [a with level l, b]
(docs/methods/exact-search.md). Steps can run in parallel, because a step does not change the state
of the search.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf, prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels import splits
from roadstead.policies.classes import Classes, Packed, no_class, pack, unpack
from roadstead.policies.full_domain import Levels, with_level
from roadstead.search.evaluator import Evaluation, Evaluator
from roadstead.search.protocol import Candidate, preference

_ROUNDING = 2e-12
_ENDS = 2
"""The number of policies in a sublattice that consists only of its two ends."""
_NEAR = 0.5
"""The lower end is evaluated only if the gap to its bound is below this share of the best loss."""
_FEWER = 3
"""The lower end is evaluated again only if the sublattice has shrunk by this factor.

The factor must be above 1. Otherwise, the search would evaluate the same lower end forever.
"""

Split: TypeAlias = tuple[int, int, float]
"""An attribute, the level at which the second half begins, and the gain of the first half."""
Raised: TypeAlias = NDArray[np.float64]
"""The bound of each second half by attribute and level, or infinity if there is no such split."""
Tight: TypeAlias = tuple[Candidate[Levels] | None, Raised]


@dataclass(slots=True)
class Sublattice:
    """All policies from `lower` to `top`, none of which has a loss below `bound`.

    `upper` is the evaluation of `top`, or None if the evaluation was dropped to save memory.
    `looked` is the number of policies in the sublattice when `lower` was evaluated, or 0 if `lower`
    was not evaluated. `fine` contains the classes of `lower` from that evaluation. If `packed`
    contains the classes of both ends, `upper` and `fine` do not contain them. `tight` contains the
    best candidate at the time of tightening, and the bounds of the open splits.
    """

    bound: float
    lower: Levels
    top: Levels
    upper: Evaluation | None
    packed: tuple[Packed | None, Packed | None] = (None, None)
    looked: int = 0
    tight: Tight | None = None
    fine: Classes | None = None

    def pack(self, rows: int) -> None:
        """Save memory until the sublattice is needed; the table has `rows` rows."""
        self.tight = None
        upper = pack(self.upper.kept, rows) if self.upper is not None else None
        fine = pack(self.fine, rows) if self.fine is not None else None
        if self.upper is not None and upper is not None:
            self.upper = replace(self.upper, kept=no_class())
        self.fine = self.fine if fine is None else None
        self.packed = upper, fine

    def forget(self) -> None:
        """Free the memory of the evaluation, which is computed again when needed."""
        self.upper = self.tight = self.fine = None

    def unpack(self) -> None:
        """Unpack the classes, so that the sublattice can be examined."""
        upper, fine = self.packed
        if self.upper is not None and upper is not None:
            self.upper = replace(self.upper, kept=unpack(upper))
        self.fine = self.fine if fine is None else unpack(fine)
        self.packed = None, None

    @property
    def size(self) -> int:
        """The number of policies in the sublattice."""
        return prod(high - low + 1 for low, high in zip(self.lower, self.top, strict=True))

    @property
    def nbytes(self) -> int:
        """The size of all stored classes, in bytes."""
        held: list[Packed | Classes | None] = [*self.packed, self.fine]
        held += [] if self.upper is None else [self.upper.kept]
        return sum(one.nbytes for one in held if one is not None)


class Gains:
    """The gains of first halves in earlier splits by attribute and level."""

    def __init__(self, heights: tuple[int, ...]) -> None:
        self._sums = [[0.0] * (h + 1) for h in heights]  # the last entry is the mean of all levels
        self._numbers = [[0] * (h + 1) for h in heights]
        self.means = np.zeros((len(heights), max(heights, default=0)))
        """The expected gain, by attribute and level."""
        self._new = set(range(len(heights)))

    def learn(self, attribute: int, level: int, gain: float) -> None:
        """Add the gain of a split."""
        for at in (level, -1):
            self._sums[attribute][at] += gain
            self._numbers[attribute][at] += 1
        self._mean(attribute, self._sums[attribute][-1] / self._numbers[attribute][-1])
        self._new.discard(attribute)
        if self._new:
            whole = sum(own[-1] for own in self._sums) / sum(own[-1] for own in self._numbers)
            for other in self._new:
                self._mean(other, whole)

    def _mean(self, attribute: int, otherwise: float) -> None:
        places = zip(self._sums[attribute][:-1], self._numbers[attribute], strict=False)
        own = [a / number if number else otherwise for a, number in places]
        self.means[attribute, : len(own)] = own

    def expected(self, attribute: int, level: int) -> float:
        """Return the mean gain of a split, of its attribute, or of all splits, as far as known."""
        return float(self.means[attribute, level])


@dataclass
class SublatticeStep:
    """A step on one sublattice, and its result.

    The step does not change the state of the search. If the step finds a better candidate, this
    candidate replaces the step's `best`, and `first_met` is the number of the evaluation that found
    the candidate. Otherwise, `first_met` is 0. `halves` contains the remaining halves, with the
    smaller bound first, and `learned` contains the gain of the split.
    """

    evaluator: Evaluator
    gains: Gains
    best: Candidate[Levels] | None
    evaluated: int = 0
    first_met: int = 0
    halves: list[Sublattice] = field(default_factory=list)
    learned: Split | None = None

    def look(self, levels: Levels, general: Evaluation, lower: Levels) -> Evaluation:
        """Evaluate the top of a sublattice, and store the policy if it is the best so far."""
        self.evaluated += 1
        evaluation = self.evaluator.evaluate(levels, general, lower)
        self.meet(evaluation.candidate)
        return evaluation

    def explore(self, node: Sublattice) -> None:
        """Tighten the sublattice, and split the remaining sublattice."""
        lower = node.lower
        raised: Raised | None
        if node.tight is not None and node.tight[0] is self.best:
            raised = node.tight[1]
        else:
            known = node.upper or self.evaluator.evaluate(node.top, self.evaluator.start(), lower)
            raised = self.tighten(node, known)
        if raised is None or node.upper is None:
            return
        bound, upper = node.bound, node.upper
        attribute, level = splits.choose(raised, self.gains.means, bound, self.loss_to_beat)
        corner = with_level(lower, attribute, level)
        second = self.second_half(Sublattice(bound, corner, upper.levels, upper), upper)
        if second is not None:
            self.halves.append(second)
        top = with_level(upper.levels, attribute, level - 1)
        first = Sublattice(bound, lower, top, None, looked=node.looked, fine=node.fine)
        left = None
        if not (node.looked and top == lower):
            left = self.tighten(first, self.look(top, upper, lower))
        if left is not None:
            first.tight = self.best, left
            self.halves.append(first)
        self.learned = attribute, level, self.gain(bound, inf if left is None else first.bound)
        self.halves.sort(key=lambda half: half.bound)

    def bound(self, lower: Levels, upper: Evaluation) -> float:
        """Return a lower bound on the loss of every policy from `lower` to the evaluated policy."""
        bounds = self.evaluator.bounds
        return bounds.lower_bound(lower, upper.levels, upper.least, upper.kept)

    def second_half(self, node: Sublattice, upper: Evaluation) -> Sublattice | None:
        """Return the half with the evaluated top and its bound, or None if the half is settled."""
        upper = self.with_lower(node, upper)
        if upper.suppressed > self.evaluator.limit or (node.looked and node.size == _ENDS):
            return None
        node.upper, node.bound = upper, max(node.bound, self.bound(node.lower, upper))
        return None if refuted(node.bound, node.lower, self.best) else node

    def with_lower(self, node: Sublattice, upper: Evaluation) -> Evaluation:
        """Evaluate the lower end if a bound would cost as much; return the improved upper end."""
        settled = self.best is None or (node.looked and node.size <= _ENDS)
        if settled or not self.evaluator.groups(node.lower, upper):
            return upper
        return self.look_at_lower(node, upper) or upper

    def tighten(self, node: Sublattice, upper: Evaluation) -> Raised | None:
        """Lower the upper end while no better policy is lost, and return the open splits.

        `upper` is an evaluation of the node's top. The method returns None if the sublattice is
        settled.
        """
        lower = node.lower
        while upper.suppressed <= self.evaluator.limit:
            node.top = upper.levels
            upper = self.with_lower(node, upper)
            if upper.suppressed > self.evaluator.limit or (node.looked and node.size == _ENDS):
                return None
            node.bound = max(node.bound, self.bound(lower, upper))
            node.upper, node.top = upper, upper.levels
            if refuted(node.bound, lower, self.best) or lower == upper.levels:
                return None
            raised = self.raised(lower, upper)
            levels = self.open_levels(lower, upper, raised, node.bound)
            if levels == upper.levels:
                sharper = self.look_at_lower(node, upper) if self.worth_a_look(node) else None
                if sharper is None:
                    return raised
                upper = sharper
            elif node.looked and levels == lower:
                return None
            else:
                upper = self.look(levels, upper, lower)
        return None

    def worth_a_look(self, node: Sublattice) -> bool:
        """Return whether the lower end should also be evaluated, to raise the bound."""
        if self.best is None or self.best.loss - node.bound >= _NEAR * self.best.loss:
            return False
        size = node.size
        return size > _ENDS and (not node.looked or _FEWER * size <= node.looked)

    def look_at_lower(self, node: Sublattice, upper: Evaluation) -> Evaluation | None:
        """Evaluate the lower end, and return the upper end with the new information."""
        found = self.evaluator.look_below(node.lower, upper, node.fine)
        if found is None:
            return None
        own, upper, fine = found
        self.evaluated += node.fine is None
        node.looked, node.fine = node.size, fine
        self.meet(own)
        return upper

    def meet(self, found: Candidate[Levels] | None) -> None:
        """Store a candidate if it is the best so far."""
        if found and (self.best is None or found.preference < self.best.preference):
            self.best = found
            self.first_met = self.evaluated

    def raised(self, lower: Levels, upper: Evaluation) -> Raised:
        """Return the bounds of all second halves."""
        known = self.evaluator.bounds
        given = lower, upper.levels, upper.least, upper.kept
        if (at_once := getattr(known, "raised_at_once", None)) is not None:
            found: Raised = at_once(*given)
            return found
        found = np.full((len(lower), max(upper.levels) + 1), inf)
        for own, low, bounds in zip(found, lower, known.raised_bounds(*given), strict=True):
            own[low + 1 : low + 1 + len(bounds)] = bounds
        return found

    def surely_refuted(self, lower: Levels, upper: Evaluation, bound: float) -> bool:
        """Return whether the given or the exact bound of a second half refutes this half.

        An exact bound that costs as much as an evaluation is computed only when the half is
        created.
        """
        if refuted(bound, lower, self.best):
            return True
        if self.best is not None and self.evaluator.groups(lower, upper):
            return False
        return refuted(self.bound(lower, upper), lower, self.best)

    def open_levels(self, lower: Levels, upper: Evaluation, raised: Raised, bound: float) -> Levels:
        """Find, for each attribute, the highest level with an open second half.

        No policy of the sublattice loses less than `bound`.
        """
        loss = inf if self.best is None else self.best.loss
        surely, barely = loss + _ROUNDING, loss - _ROUNDING
        ends = np.array((lower, upper.levels))
        top, close = splits.open_levels(raised, ends[0], ends[1], surely, barely)
        if not close:
            return tuple(top.tolist())
        levels = []
        for i, (low, bounds) in enumerate(zip(lower, raised.tolist(), strict=True)):
            highest = low
            for level, value in enumerate(bounds[low + 1 : upper.levels[i] + 1], start=low + 1):
                if value > surely:
                    break  # all higher levels are also refuted
                corner = with_level(lower, i, level)
                if value >= barely and self.surely_refuted(corner, upper, bound):
                    break
                highest = level
            levels.append(highest)
        return tuple(levels)

    @property
    def loss_to_beat(self) -> float:
        """The loss of the best policy, or the maximum loss of 1 if there is no policy yet."""
        return 1.0 if self.best is None else float(self.best.loss)

    def gain(self, bound: float, half: float) -> float:
        """Return a half's gain relative to the distance to the best loss, or 1 if settled."""
        distance = self.loss_to_beat - bound
        if distance <= 0.0 or half - bound >= distance:
            return 1.0
        return max(0.0, half - bound) / distance


def worth(first: float, second: float) -> float:
    """Score a split by the gains of its halves, where the smaller gain counts more."""
    return splits.WEIGHT_OF_WORSE_HALF * min(first, second) + max(first, second)


def refuted(bound: float, lower: Levels, best: Candidate[Levels] | None) -> bool:
    """Return whether a bound shows that no policy above `lower` is preferred to the best policy."""
    if best is None or abs(bound - best.loss) > _ROUNDING:
        return best is not None and bound > best.loss
    return preference(bound, lower) >= best.preference
