"""Search large neighborhoods of the best policy; each neighborhood is a separate lattice.

In a neighborhood, some attributes may take any level, and the other attributes keep the levels of
the best policy (docs/methods/large-lattices.md). The free attributes are chosen at random with a
fixed seed. Their number increases after a complete search without success, and decreases after an
incomplete search (Shaw 1998, Using constraint programming and local search methods to solve vehicle
routing problems).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from roadstead.policies.full_domain import Levels
from roadstead.search.evaluator import Evaluator
from roadstead.search.node_queue import Dive
from roadstead.search.protocol import Candidate
from roadstead.search.sublattices import Gains, Sublattice, refuted

_SMALLEST, _LARGEST = 1_000.0, 1e9
_GROWTH = 1.5
_SEED = 1998


@dataclass
class Surroundings:
    """A search of one neighborhood, and its result.

    `evaluated` is the number of policies evaluated by the search. The evaluation with the number
    `first_met` found the policy in `best`. `settled` indicates whether the neighborhood was
    searched completely.
    """

    evaluator: Evaluator
    best: Candidate[Levels]
    lower: Levels
    top: Levels
    most: int
    evaluated: int = 0
    first_met: int = 0
    settled: bool = False

    def run(self) -> Surroundings:
        """Search until the neighborhood is complete, or until `most` policies are evaluated."""
        # Searches do not share this evaluation, because their order could change the result.
        upper = self.evaluator.evaluate(self.top, self.evaluator.start(), self.lower)
        self.evaluated += 1
        found = upper.candidate
        if found is not None and found.preference < self.best.preference:
            self.best, self.first_met = found, self.evaluated
        self.settled = upper.suppressed > self.evaluator.limit
        if not self.settled:
            self._below(Sublattice(0.0, self.lower, self.top, upper))
        return self

    def _below(self, whole: Sublattice) -> None:
        gains = Gains(self.evaluator.heights)
        left = [whole]
        while left and self.evaluated < self.most:
            dive = Dive(self.evaluator, gains, self.best, left.pop()).run()
            if dive.first_met and dive.best is not None:
                self.best, self.first_met = dive.best, self.evaluated + dive.first_met
            self.evaluated += dive.evaluated
            for split in dive.learned:
                gains.learn(*split)
            left += dive.left
        self.settled = all(refuted(node.bound, node.lower, self.best) for node in left)


@dataclass
class Neighborhoods:
    """A generator of neighborhoods.

    `failures` counts consecutive neighborhoods without success.
    """

    evaluator: Evaluator
    most: int
    failures: int = 0
    _size: float = field(default_factory=lambda: _SMALLEST)
    _chance: np.random.Generator = field(default_factory=lambda: np.random.default_rng(_SEED))

    def draw(self, best: Candidate[Levels]) -> Surroundings:
        """Draw a neighborhood around the best policy."""
        space = self.evaluator.space
        lower, top, size = list(best.policy), list(best.policy), 1.0
        for place in self._chance.permutation(len(lower)).tolist():
            if size >= self._size:
                break
            lower[place], top[place] = space.bottom[place], space.top[place]
            size *= top[place] - lower[place] + 1
        return Surroundings(self.evaluator, best, tuple(lower), tuple(top), self.most)

    def learn(self, look: Surroundings) -> None:
        """Adapt the number of free attributes to the result of a search."""
        self.failures = 0 if look.first_met else self.failures + 1
        if not look.settled:
            self._size = max(_SMALLEST, self._size / _GROWTH)
        elif not look.first_met:
            self._size = min(_LARGEST, self._size * _GROWTH)
