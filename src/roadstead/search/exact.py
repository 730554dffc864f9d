"""Exact search: branch and bound over sublattices.

The whole lattice is one sublattice. A step (`sublattices`) bounds it by one evaluation, makes it
smaller, and splits it in two; a half is dropped when it must suppress too much, or when its bound
is not better than the best policy known. When nothing is left, the best is proven.

Sublattices wait in order of their bounds, so the smallest of them bounds every policy not yet seen.
From each the search dives into the better half, again and again; a long search also looks around
the best it has (`polish`), and on a large table it dives twice, side by side, one a core. It uses
no clock and no chance, and steps side by side do not see each other.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from roadstead.policies.full_domain import FullDomain, Levels
from roadstead.search.evaluation import Evaluation, Evaluator, FullDomainProblem
from roadstead.search.ledger import takes_all
from roadstead.search.protocol import (
    THE_BEST,
    Candidate,
    Control,
    Ending,
    Outcome,
    Tracker,
    preference,
)
from roadstead.search.sublattices import Gains, Sublattice, SublatticeStep, refuted

_MOST_BYTES_WAITING = 3 << 27
"""384 MiB of classes; as much again for what is put off."""
_LARGE = 40_000
"""Rows from which the classes of a policy take much longer than handing work to a thread."""
_LONG = 500
"""Evaluations after which a search is long: a second dive, and a search around the best, pay."""
_VAST = 100_000
"""Policies of a lattice in which the best is met late."""


@dataclass(frozen=True)
class Exact:
    """Branch and bound over sublattices, of whatever evaluates policies."""

    name: str = "exact"
    guarantee: str = THE_BEST

    def refusal(self, problem: FullDomainProblem) -> str | None:
        """It takes every model, and lattices of any size."""
        return takes_all(problem)

    def run(self, problem: Evaluator, control: Control) -> Outcome[Levels]:
        """Search until every sublattice is settled, or until told to stop."""
        return _Run(problem, control).run()


class _Run(Tracker[Levels]):
    """The state of one search."""

    def __init__(self, evaluator: Evaluator, control: Control) -> None:
        super().__init__(control, lambda: evaluator.bounds.groupings)
        self.evaluator = evaluator
        self.gains = Gains(evaluator.heights)
        self.general: Evaluation
        self.polished: Candidate[Levels] | None = None
        self.made = 0
        self.diving: list[Sublattice] = []
        self.waiting: list[tuple[float, int, Sublattice]] = []
        self.put_off: list[Sublattice] = []
        self.bytes_held = 0

    def run(self) -> Outcome[Levels]:
        self.begin()
        ending: Ending = "complete"
        with ThreadPoolExecutor(1) as other_core:
            while nodes := self.take():
                self.open = len(self.waiting) + len(self.put_off) + len(self.diving)
                if (reason := self.pause()) is not None:
                    ending = reason
                    break
                steps = [SublatticeStep(self.evaluator, self.gains, self.best) for _ in nodes]
                others = [
                    other_core.submit(step.explore, node)
                    for step, node in zip(steps[1:], nodes[1:], strict=True)
                ]
                steps[0].explore(nodes[0])
                for result in others:
                    result.result()
                self.diving = []
                for step in steps:
                    self.follow(step)
                # In a small lattice the best is met soon anyway.
                long = self.evaluated >= _LONG and self.evaluator.space.size >= _VAST
                if long and self.best is not self.polished:
                    self.improve()
        self.pruned = max(0, self.evaluator.space.size - self.looks - self.unsettled)
        return self.outcome(ending, proven=ending == "complete")

    @property
    def queries(self) -> int:
        return self.evaluator.queries

    @property
    def unsettled(self) -> int:
        """Policies of the sublattices that are left, but for their tops, which were looked at."""
        left = [*self.diving, *self.put_off, *(node for _, _, node in self.waiting)]
        return sum(node.size - 1 for node in left)

    def begin(self) -> None:
        """Evaluate the most general policy; everything below it is the first sublattice."""
        space = self.evaluator.space
        step = SublatticeStep(self.evaluator, self.gains, None)
        self.general = top = step.look(space.top, self.evaluator.start(), space.bottom)
        if top.suppressed <= self.evaluator.limit:
            step.halves.append(Sublattice(0.0, space.bottom, space.top, top))
        self.follow(step)

    def improve(self) -> None:
        """Search around the best policy, until told to stop."""
        if self.best is not None:
            for found in polish(self.evaluator, self.general, self.best):
                self.looks += 1
                if found is not None:
                    self.best, self.first_met = found, self.looks
                if self.control.ending() is not None:
                    break
        self.polished = self.best

    def take(self) -> list[Sublattice]:
        """Choose what to work on: sublattices dived into, those put off, those of least bound."""
        nodes = [n for n in self.diving if not refuted(n.bound, n.lower, self.best)]
        dives = 2 if self.evaluator.rows >= _LARGE and self.evaluated >= _LONG else 1
        while (self.put_off or self.waiting) and len(nodes) < dives:
            node = self.put_off.pop() if self.put_off else heapq.heappop(self.waiting)[2]
            self.bytes_held -= node.nbytes
            if not refuted(node.bound, node.lower, self.best):
                node.unpack()
                nodes.append(node)
        self.diving = nodes
        return nodes

    def follow(self, step: SublatticeStep) -> None:
        """Take over what a step found; its better half is dived into."""
        found = step.best if step.first_met else None
        if found and (self.best is None or found.preference < self.best.preference):
            self.best, self.first_met = found, self.looks + step.first_met
        self.looks += step.evaluated
        if step.learned is not None:
            self.gains.learn(*step.learned)
        self.diving += step.halves[:1]
        self.put(step.halves[1:])

    def put(self, nodes: Iterable[Sublattice]) -> None:
        """Let sublattices wait, packed, for their turn by bound, while there is memory for them.

        After that they are put off only until what came after them is done, depth first, so that
        few are held at once. Past a second budget they are held without their classes.
        """
        for node in nodes:
            if self.bytes_held > 2 * _MOST_BYTES_WAITING:
                node.upper = None
            if self.bytes_held > _MOST_BYTES_WAITING:
                self.put_off.append(node)
            else:
                node.pack(self.evaluator.rows)
                self.made += 1
                heapq.heappush(self.waiting, (node.bound, self.made, node))
            self.bytes_held += node.nbytes

    def lower_bound(self) -> float:
        waiting = [self.waiting[0][0]] if self.waiting else []
        return min([self.ceiling, *waiting, *(one.bound for one in (*self.diving, *self.put_off))])


_EXCHANGES = ((-1, 1), (-2, 1), (-1, 2))
"""Steps of one attribute and of another."""


def polish(
    evaluator: Evaluator, general: Evaluation, best: Candidate[Levels]
) -> Iterator[Candidate[Levels] | None]:
    """Look at better and better neighbors; give after each the candidate, or None if no better."""
    seen = {best.policy}
    moved = True
    while moved:
        moved = False
        for levels in neighbors(evaluator.space, best.policy):
            if levels in seen:
                continue
            seen.add(levels)
            bound = evaluator.bounds.lower_bound(
                levels, evaluator.space.top, general.tally, general.kept
            )
            if preference(bound, levels) >= best.preference:
                continue
            found = evaluator.evaluate(levels, general, levels).candidate
            if found is not None and found.preference < best.preference:
                best, moved = found, True
                yield found
                break
            yield None


def neighbors(space: FullDomain, levels: Levels) -> Iterator[Levels]:
    """Policies one step away, then those one exchange away."""
    places = range(len(levels))
    for i in places:
        for step in (-1, 1):
            yield from _within(space, levels, {i: step})
    for i in places:
        for j in places:
            if i != j:
                for down, up in _EXCHANGES:
                    yield from _within(space, levels, {i: down, j: up})


def _within(space: FullDomain, levels: Levels, steps: dict[int, int]) -> Iterator[Levels]:
    moved = list(levels)
    for i, step in steps.items():
        moved[i] += step
        if not space.bottom[i] <= moved[i] <= space.top[i]:
            return
    yield tuple(moved)
