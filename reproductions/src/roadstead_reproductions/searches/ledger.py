"""The record of a search that evaluates one policy after another.

A *walk* evaluates policies through a ledger, and reports at the end whether the best policy is
proven. The ledger evaluates policies, remembers the best, and counts evaluations. When the search
must stop, the next evaluation ends the walk.

A walk may use two properties (paper 003, Predictive properties) with every privacy model and every
quality model. Insufficient quality, which follows from a policy's `floor`, is inherited by all more
general policies. Too much suppression by the monotone part of the privacy model is inherited by all
more specific policies. An admissible policy gives no information about the loss of other policies
(docs/methods/lattice-searches.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.classes import Classes, refine
from roadstead.policies.full_domain import FullDomain, Levels, with_level
from roadstead.quality.protocol import GroupsForBounds
from roadstead.search.evaluation import FullDomainProblem, judge, start
from roadstead.search.protocol import Candidate, Control, Ending, Outcome, Tracker
from roadstead.search.sublattices import refuted


@dataclass(frozen=True, slots=True)
class Look:
    """The evaluation of a policy.

    `suppressed` is the number of records that the monotone part of the privacy model suppresses.
    `smallest` is the size of the smallest class before suppression. `candidate` is missing if the
    policy suppresses more than the limit. `floor` is the loss from generalization alone, and no
    more general policy has a lower loss.
    """

    levels: Levels
    suppressed: int
    smallest: int
    candidate: Candidate[Levels] | None
    floor: float


class Ledger(Tracker[Levels]):
    """The record of one walk, with the best candidate and the number of evaluations.

    A walk counts `hits`, and sets `open` and `bound`. `open` is the number of policies from which
    the walk will continue. `bound` returns a lower bound on the loss of admissible policies that
    beat the best. The initial bound is the loss of the most specific policy from generalization
    alone.
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
        """Evaluate a policy and its loss, using the monotone part if there is no candidate."""
        look, classes = self._look(levels)
        if look.candidate is not None:
            return look.candidate.loss, look
        model, quality = self.problem.privacy, self.problem.quality
        left = self.problem.leaves_out.kept(classes, model.monotone_part)
        tally = quality.suppress(self._whole.tally, left.dropped)
        return quality.loss(levels, tally, left.classes), look

    def _look(self, levels: Levels) -> tuple[Look, Classes]:
        self.go_on()
        problem, whole = self.problem, self._whole
        self.looks += 1
        classes = refine(problem.encoding, whole.kept, whole.levels, levels)
        found = judge(problem, levels, classes, whole.tally)
        candidate = found.candidate
        if candidate and (self.best is None or candidate.preference < self.best.preference):
            self.best, self.first_met = candidate, self.looks
        quality = problem.quality
        if isinstance(quality, GroupsForBounds):
            quality.remember(levels, whole.tally, whole.kept, classes)
        # The classes of `levels` give no bound for a payout: larger classes are attacked less.
        floor = quality.lower_bound(levels, whole.levels, whole.tally, whole.kept)
        smallest = int(classes.sizes.min())
        return Look(levels, found.suppressed, smallest, candidate, floor), classes

    def go_on(self) -> None:
        """Report progress, or raise StoppedError if the search must end."""
        if self.looks and (ending := self.pause()) is not None:
            raise StoppedError(ending)

    def insufficient(self, look: Look) -> bool:
        """Return whether neither the policy nor any more general policy can beat the best."""
        return refuted(look.floor, look.levels, self.best)

    def hopeless(self, look: Look) -> bool:
        """Return whether neither the policy nor any more specific policy is admissible."""
        return look.suppressed > self.problem.limit

    def settled(self) -> bool:
        """Return whether the bound proves that no policy beats the best."""
        return refuted(self.bound(), self.problem.space.bottom, self.best)

    def lower_bound(self) -> float:
        """Return the lowest loss that is still possible."""
        return min(self.ceiling, self.bound())


class StoppedError(Exception):
    """The search had to stop during a walk."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending)
        self.ending: Ending = ending


Walk: TypeAlias = Callable[[Ledger], bool]
"""A function that evaluates policies, and returns whether the result is proven to be optimal."""


def takes_all(problem: FullDomainProblem) -> str | None:  # noqa: ARG001 - accepts all problems
    """Accept every problem."""
    return None


@dataclass(frozen=True)
class WalkSearch:
    """A search from policy to policy, which may reject problems."""

    name: str
    guarantee: str
    walk: Walk
    refusal: Callable[[FullDomainProblem], str | None] = takes_all

    def run(self, problem: FullDomainProblem, control: Control) -> Outcome[Levels]:
        """Walk to the end, or until the search must stop."""
        ledger = Ledger(problem, control)
        try:
            proven = self.walk(ledger)
        except StoppedError as stop:
            return ledger.outcome(stop.ending, proven=False)
        ledger.pruned = problem.space.size - ledger.looks if proven else 0
        return ledger.outcome("complete", proven=proven)


MOST_POLICIES = 1 << 22
_CHUNK = 4096
_MOST_DIMENSIONS = 64
"""The largest number of dimensions of a NumPy array."""

SUFFICES = 1
"""The mark, inherited by more general policies, that suppression is within the limit."""
HOPELESS = 2
"""The mark, inherited by more specific policies, that suppression is above the limit."""
INSUFFICIENT = 4
"""The mark, inherited by more general policies, that a policy cannot beat an evaluated policy."""
VISITED = 8
"""The mark that the search has continued from a policy."""


def too_many(space: FullDomain) -> str | None:
    """Return the reason why a lattice is too large for marks, or None."""
    if space.size > MOST_POLICIES:
        return (
            f"it keeps a mark for every policy, and there are {space.size:,}, more than its limit "
            f"of {MOST_POLICIES:,}"
        )
    if len(space.attributes) > _MOST_DIMENSIONS:
        return (
            f"it supports at most {_MOST_DIMENSIONS} quasi-identifiers, and there are "
            f"{len(space.attributes)}"
        )
    return None


class Tags:
    """Marks of the policies in a space. A policy may have any marks, and has none at first."""

    def __init__(self, space: FullDomain) -> None:
        self._bottom = space.bottom
        self._marks: NDArray[np.uint8] = np.zeros(shape(space), dtype=np.uint8)

    def __getitem__(self, levels: Levels) -> int:
        """Return the marks of a policy."""
        return int(self._marks[self._place(levels)])

    def mark(self, levels: Levels, mark: int) -> None:
        """Mark one policy."""
        self._marks[self._place(levels)] |= mark

    def mark_up(self, levels: Levels, mark: int) -> None:
        """Mark a policy and all more general policies."""
        self._marks[tuple(slice(at, None) for at in self._place(levels))] |= mark

    def mark_down(self, levels: Levels, mark: int) -> None:
        """Mark a policy and all more specific policies."""
        self._marks[tuple(slice(at + 1) for at in self._place(levels))] |= mark

    def unmarked(self, lower: Levels, upper: Levels) -> bool:
        """Return whether a policy between two policies has no mark."""
        pairs = zip(self._place(lower), self._place(upper), strict=True)
        return not self._marks[tuple(slice(low, high + 1) for low, high in pairs)].all()

    def _place(self, levels: Levels) -> Levels:
        return tuple(level - low for level, low in zip(levels, self._bottom, strict=True))


def shape(space: FullDomain) -> tuple[int, ...]:
    """Return the number of levels of each attribute in a space."""
    return tuple(high - low + 1 for low, high in zip(space.bottom, space.top, strict=True))


def generalizations(space: FullDomain, levels: Levels) -> Iterator[Levels]:
    """Yield every policy of the space that raises exactly one attribute by one level."""
    for i, (level, highest) in enumerate(zip(levels, space.top, strict=True)):
        if level < highest:
            yield with_level(levels, i, level + 1)


def levels_of(space: FullDomain, numbers: NDArray[np.intp]) -> list[Levels]:
    """Return policies by their numbers in lexicographic order."""
    columns = np.unravel_index(numbers, shape(space))
    table = np.stack(columns, axis=1) + np.array(space.bottom)
    return [tuple(row) for row in table.tolist()]


def each_in_order(ledger: Ledger, numbers: NDArray[np.intp]) -> Iterator[Levels]:
    """Yield policies in the order of their numbers. The search can stop between two policies."""
    for at in range(0, numbers.size, _CHUNK):
        ledger.go_on()
        ledger.open = numbers.size - at
        yield from levels_of(ledger.problem.space, numbers[at : at + _CHUNK])


def sums(values: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the sum of the values of each policy's levels, in lexicographic order."""
    total = np.zeros(1)
    for own in values:
        total = np.add.outer(total, own).ravel()
    return total
