"""Exact search by branch and bound over sublattices (docs/methods/exact-search.md).

Open sublattices wait in a queue in ascending order of their bounds. The smallest of these bounds is
a lower bound on the loss of every policy that was not evaluated. In large lattices, dives into
sublattices alternate with searches of `neighborhoods` and `attribute_subsets`
(docs/methods/large-lattices.md).

Every run gives the same result. The search does not use a clock, and its random numbers have a
fixed seed. Parallel tasks do not read each other's results, and their turns depend only on the
number of evaluations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeAlias

from roadstead.policies.full_domain import FullDomain, Levels
from roadstead.search.attribute_subsets import Parts, SmallerLattice
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.evaluator import Evaluation, Evaluator
from roadstead.search.neighborhoods import Neighborhoods, Surroundings
from roadstead.search.node_queue import Dive, NodeQueue
from roadstead.search.protocol import (
    THE_BEST,
    Candidate,
    Control,
    Ending,
    Outcome,
    Tracker,
    preference,
)
from roadstead.search.sublattices import Gains, Sublattice, SublatticeStep

_MOST_BYTES_WAITING = 3 << 27
"""The memory limit for waiting classes (384 MiB), and also for classes that are put off."""
_LARGE = 10_000
"""In tables with this many rows, computing classes takes much longer than starting a thread."""
_LONG = 500
"""After this many evaluations, a second dive and a search near the best policy are worthwhile."""
_VAST = 100_000
"""In lattices with at least this many policies, the best policy is usually found late."""
_ENDLESS = 100_000_000
"""Lattices with at least this many policies can rarely be searched completely."""
_CORES = 2
_ROWS_A_TURN, _MOST_A_TURN = 2_000_000, 48
"""The number of rows and the largest number of evaluations that a core processes per turn."""
_MOST_A_NEIGHBORHOOD = 6
"""The largest number of turns spent on a neighborhood."""
_IN_VAIN = 40
"""After this many unsuccessful neighborhoods, the search tries neighborhoods only rarely."""
_RARELY = 8
_BEHIND = 3
"""The weight of a dive when attribute subsets give the better bound and thus get more turns."""


@dataclass(frozen=True)
class Exact:
    """Branch and bound over sublattices, with any evaluator of policies."""

    name: str = "exact"
    guarantee: str = THE_BEST

    def refusal(self, problem: FullDomainProblem) -> str | None:  # noqa: ARG002 - accepts all
        """Return None, because the search accepts every model and lattices of any size."""
        return None

    def run(self, problem: Evaluator, control: Control) -> Outcome[Levels]:
        """Search until no sublattice is open, or until the search is stopped."""
        return _Run(problem, control).run()


class _Run(Tracker[Levels]):
    def __init__(self, evaluator: Evaluator, control: Control) -> None:
        super().__init__(control, lambda: evaluator.bounds.groupings)
        self.evaluator = evaluator
        self.gains = Gains(evaluator.heights)
        self.queue = NodeQueue(evaluator.rows, _MOST_BYTES_WAITING)
        self.general: Evaluation
        self.polished: Candidate[Levels] | None = None
        self.aside = 0
        endless = evaluator.space.size >= _ENDLESS
        self.a_turn = max(1, min(_ROWS_A_TURN // max(evaluator.rows, 1), _MOST_A_TURN))
        self.around = Neighborhoods(evaluator, self.a_turn * _MOST_A_NEIGHBORHOOD)
        self.parts = Parts(evaluator) if endless else None
        self.spent = {"dives": 0, "parts": 0, "neighborhoods": 0}

    def run(self) -> Outcome[Levels]:
        self.begin()
        ending: Ending = "complete"
        with ThreadPoolExecutor(1) as other_core:
            while turns := self.turns():
                self.open = len(self.queue)
                if (reason := self.pause()) is not None:
                    ending = reason
                    break
                others = [other_core.submit(turn) for turn in turns[1:]]
                follow = [turns[0](), *(other.result() for other in others)]
                for done in follow:
                    done()
                # In a small lattice, the best policy is found soon in any case.
                long = self.evaluated >= _LONG and self.evaluator.space.size >= _VAST
                if long and self.best is not self.polished:
                    self.improve()
        self.pruned = max(0, self.evaluator.space.size - self.evaluated - self.unsettled)
        return self.outcome(ending, proven=ending == "complete")

    @property
    def evaluated(self) -> int:
        """The number of policies whose classes were computed, also for bounds and parts."""
        return super().evaluated + self.aside

    @property
    def queries(self) -> int:
        return self.evaluator.queries

    @property
    def unsettled(self) -> int:
        """The number of policies in open sublattices, excluding evaluated ends."""
        return sum(node.size - 1 - (node.looked > 0) for node in self.queue.left)

    def begin(self) -> None:
        """Evaluate the most general policy, and open the sublattice of all policies below it."""
        space = self.evaluator.space
        step = SublatticeStep(self.evaluator, self.gains, None)
        self.general = top = step.look(space.top, self.evaluator.start(), space.bottom)
        self.looks, self.best, self.first_met = 1, step.best, step.first_met
        if top.suppressed <= self.evaluator.limit:
            self.queue.going_on.append(Sublattice(0.0, space.bottom, space.top, top))

    def improve(self) -> None:
        if self.best is not None:
            for found in polish(self.evaluator, self.general, self.best):
                self.looks += 1
                if found is not None:
                    self.best, self.first_met = found, self.evaluated
                if self.control.ending() is not None:
                    break
        self.polished = self.best

    def turns(self) -> list[_Turn]:
        """Return the next tasks for the processor, or an empty list if the search is complete."""
        long = self.evaluator.rows >= _LARGE and self.evaluated >= _LONG
        cores = _CORES if long else 1
        nodes = self.queue.take(cores, self.best)
        if not nodes or self.parts is None or not self.evaluated >= _LONG:
            most = self.a_turn if long else 0
            return [self.dive(node, most) for node in nodes]
        turns: list[_Turn] = []
        open_parts, dives = self.parts.next(cores), list(nodes)
        behind = self.queue.bound < self.parts.best_bound
        rare = _RARELY if self.around.failures >= _IN_VAIN else 1
        weights = {"dives": _BEHIND if behind else 1, "parts": 1, "neighborhoods": rare}
        spent = {kind: turns * weights[kind] for kind, turns in self.spent.items()}
        while len(turns) < cores:
            kinds = [
                *(["dives"] if dives else []),
                *(["parts"] if open_parts else []),
                *(["neighborhoods"] if self.best is not None else []),
            ]
            if not kinds:
                break
            kind = min(kinds, key=lambda one: spent[one])
            spent[kind] += self.a_turn * weights[kind]
            if kind == "dives":
                turns.append(self.dive(dives.pop(0), self.a_turn))
            elif kind == "parts":
                turns.append(self.part(open_parts.pop(0)))
            else:
                turns.append(self.look_around())
        return turns

    def dive(self, node: Sublattice, most: int) -> _Turn:
        dive = Dive(self.evaluator, self.gains, self.best, node, most)

        def follow() -> None:
            self.found(dive.best, dive.first_met)
            self.looks += dive.evaluated
            self.spent["dives"] += dive.evaluated
            for split in dive.learned:
                self.gains.learn(*split)
            self.queue.follow(dive)

        def turn() -> _Follow:
            dive.run()
            return follow

        return turn

    def part(self, part: SmallerLattice) -> _Turn:
        def turn() -> _Follow:
            evaluated = part.advance(self.a_turn)

            def follow() -> None:
                self.aside += evaluated
                self.spent["parts"] += evaluated
                if self.parts is not None:
                    self.parts.learn()

            return follow

        return turn

    def look_around(self) -> _Turn:
        assert self.best is not None  # noqa: S101 - turns() has checked this
        look: Surroundings = self.around.draw(self.best)

        def follow() -> None:
            self.found(look.best, look.first_met)
            self.aside += look.evaluated
            self.spent["neighborhoods"] += look.evaluated
            self.around.learn(look)

        def turn() -> _Follow:
            look.run()
            return follow

        return turn

    def found(self, best: Candidate[Levels] | None, met: int) -> None:
        """Replace the best policy with the policy that a turn found, if that policy is better."""
        if not met or best is None:
            return
        if self.best is None or best.preference < self.best.preference:
            self.best, self.first_met = best, self.evaluated + met

    def lower_bound(self) -> float:
        if self.parts is None:
            return min(self.ceiling, self.queue.bound)
        return min(self.ceiling, max(self.queue.bound, self.parts.best_bound))


_Follow: TypeAlias = Callable[[], None]
_Turn: TypeAlias = Callable[[], _Follow]
"""The task of a core, which returns a function that applies the results in a fixed order."""


_EXCHANGES = ((-1, 1), (-2, 1), (-1, 2))
"""Pairs of steps that move one attribute down and another attribute up."""


def polish(
    evaluator: Evaluator, general: Evaluation, best: Candidate[Levels]
) -> Iterator[Candidate[Levels] | None]:
    """Move to better neighbors; yield each better candidate, or None for a worse neighbor."""
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
    """Yield the policies one step away, and then the policies one exchange away."""
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
