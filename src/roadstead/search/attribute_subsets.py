"""Compute a lower bound on the loss by searching smaller lattices with fewer attributes.

Each smaller lattice varies a subset of the attributes, and all other attributes stay at their most
general level. The attributes are arranged in blocks on a circle, and each subset is a window of
consecutive blocks. The module uses the largest bound that a family of windows gives. The proof is
in docs/methods/large-lattices.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd, inf

from roadstead.policies.full_domain import Levels
from roadstead.search.evaluator import Evaluator
from roadstead.search.node_queue import Dive, NodeQueue
from roadstead.search.protocol import Candidate
from roadstead.search.sublattices import Gains, Sublattice

_BLOCK = 4
"""The approximate number of attributes in a block."""
_MOST_BYTES_WAITING = 1 << 25
_ROUNDING = 2e-12


class SmallerLattice:
    """A search for the lowest loss in a subset of the attributes."""

    def __init__(self, evaluator: Evaluator, weight: float) -> None:
        self.evaluator, self.weight = evaluator, weight
        self.gains = Gains(evaluator.heights)
        self.best: Candidate[Levels] | None = None
        self.queue = NodeQueue(evaluator.rows, _MOST_BYTES_WAITING, for_bound=True)
        self.begun = False
        self.evaluated = 0

    @property
    def done(self) -> bool:
        """Return whether the search is complete."""
        return self.begun and not len(self.queue)

    @property
    def bound(self) -> float:
        """The lowest loss in these attributes that the search has not ruled out."""
        if not self.begun:
            return 0.0
        ceiling = inf if self.best is None else self.best.loss
        return min(ceiling, self.queue.bound)

    def advance(self, most: int) -> int:
        """Evaluate about `most` more policies, and return the number evaluated."""
        before = self.evaluated
        if not self.begun:
            self._begin()
        while self.evaluated - before < most and (nodes := self.queue.take(1, self.best)):
            dive = Dive(self.evaluator, self.gains, self.best, nodes[0], 0).run()
            self.best = dive.best
            self.evaluated += dive.evaluated
            for split in dive.learned:
                self.gains.learn(*split)
            self.queue.follow(dive)
        return self.evaluated - before

    def _begin(self) -> None:
        self.begun = True
        space = self.evaluator.space
        top = self.evaluator.evaluate(space.top, self.evaluator.start(), space.bottom)
        self.evaluated += 1
        self.best = top.candidate
        if top.suppressed <= self.evaluator.limit:
            self.queue.put([Sublattice(0.0, space.bottom, space.top, top)])


@dataclass(frozen=True)
class Family:
    """Subsets of attributes in which each attribute occurs `times` times."""

    parts: tuple[SmallerLattice, ...]
    times: int

    def bound(self, evaluator: Evaluator) -> float:
        """Return a lower bound on the loss of every policy, from the bounds of the parts."""
        known = [(part.weight / self.times, part.bound) for part in self.parts]
        if any(loss == inf for _, loss in known):
            return inf
        return evaluator.whole(known) - _ROUNDING


class Parts:
    """Searches of smaller lattices that give a bound for the whole lattice."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.best_bound = 0.0
        self._families = _families(evaluator)
        self._family: Family | None = next(self._families, None)

    def next(self, number: int) -> list[SmallerLattice]:
        """Return up to `number` parts to continue with, starting with the least evaluated parts."""
        while self._family is not None:
            open_ones = [part for part in self._family.parts if not part.done]
            if open_ones:
                return sorted(open_ones, key=lambda part: part.evaluated)[:number]
            self._family = next(self._families, None)
        return []

    def learn(self) -> None:
        """Update the bound with the results of the parts."""
        if self._family is not None:
            self.best_bound = max(self.best_bound, self._family.bound(self.evaluator))


def _families(evaluator: Evaluator) -> Iterator[Family]:
    """Yield families of increasingly large windows, or nothing if the loss cannot be divided."""
    blocks = _blocks(evaluator)
    number = len(blocks)
    for width in range(2, number):
        step = gcd(number, width)
        parts = []
        for begin in range(0, number, step):
            window = [blocks[at % number] for at in range(begin, begin + width)]
            part = evaluator.part(sorted(place for block in window for place in block))
            if part is None:
                return
            parts.append(SmallerLattice(*part))
        yield Family(tuple(parts), width // step)


def _blocks(evaluator: Evaluator) -> list[list[int]]:
    """Divide the attributes that can be generalized into blocks with similar numbers of levels."""
    space = evaluator.space
    spans = [high - low for low, high in zip(space.bottom, space.top, strict=True)]
    free = sorted((i for i, span in enumerate(spans) if span), key=lambda i: -spans[i])
    number = -(-len(free) // _BLOCK)
    return [free[at::number] for at in range(number)]
