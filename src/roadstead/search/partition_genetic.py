"""Iyengar's genetic algorithm over bit strings of boundaries.

Each individual is a bit string (Iyengar 2002, section 5, who used GENITOR). The population is
sorted by cost. In every step two parents are drawn, the better ones more often; their bits are
crossed between two points, a few are flipped, and the child takes the place of the worst if it is
better and new. A partition that suppresses too many records ranks behind all that do not, by how
many too many they are.

Chance comes from a seed, so a run can be repeated. There is no bound on what it misses.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.policies.partition import Partition
from roadstead.search.partition_problem import PartitionProblem, Tracker
from roadstead.search.protocol import Control, Ending, Outcome

Bits: TypeAlias = NDArray[np.bool_]
Ranked: TypeAlias = tuple[int, int, bytes]
"""Records suppressed beyond the limit, cost, and the bits: the smaller is the fitter."""

_FEWEST_PARENTS = 2


@dataclass(frozen=True)
class PartitionGenetic:
    """A steady-state genetic algorithm of so many individuals and evaluations in all.

    `bias` is how much likelier the best is to be drawn than the median, from 1 (as likely) to 2;
    `flips` are the bits that mutation flips in a child, on average.
    """

    seed: int = 0
    population: int = 200
    evaluations: int = 20_000
    bias: float = 1.5
    flips: float = 1.0
    name: str = "partition-genetic"
    guarantee: str = "a partition that random variation and selection find; no bound"

    def __post_init__(self) -> None:
        if self.population < _FEWEST_PARENTS:
            raise SettingError(f"the population is {self.population}", fix="use 2 or more")
        if not 1.0 <= self.bias <= 2.0:  # noqa: PLR2004 - the range of a linear ranking
            raise SettingError(f"the bias is {self.bias}", fix="use 1 to 2")
        if self.flips < 0.0:
            raise SettingError(f"{self.flips} bits are flipped", fix="use 0 or more")

    def run(self, problem: PartitionProblem, control: Control) -> Outcome[Partition]:
        """Breed until the evaluations are used up, or until told to stop."""
        control.begin()
        return _Run(self, problem, control).run()


class _Run:
    """The state of one search."""

    def __init__(
        self, settings: PartitionGenetic, problem: PartitionProblem, control: Control
    ) -> None:
        self.settings = settings
        self.problem = problem
        self.track = Tracker(problem, control)
        self.random = np.random.default_rng(settings.seed)
        self.length = problem.domains.boundaries
        self.individuals: list[Ranked] = []
        self.known: set[bytes] = set()

    def run(self) -> Outcome[Partition]:
        ending: Ending = "complete"
        self.add(np.zeros(self.length, dtype=np.bool_))  # if any is admissible, this one is
        while self.track.evaluated < max(1, self.settings.evaluations):
            if (reason := self.track.control.ending(self.track.evaluated)) is not None:
                ending = reason
                break
            self.track.report(0.0, 1)
            breeding = len(self.individuals) >= self.settings.population
            self.add(self.child() if breeding else self.stranger())
        return self.track.outcome(0.0, ending, proven=False)

    def add(self, bits: Bits) -> None:
        """Evaluate an individual; it lives if there is room, or if it is fitter than the worst."""
        kept = np.zeros_like(self.problem.cuttable)
        kept[self.problem.cuttable] = bits
        self.track.evaluated += 1
        cost, gone = self.problem.weigh(kept)
        self.track.offer(kept, cost, gone)
        packed = np.packbits(bits).tobytes()
        ranked = (max(0, gone - self.problem.most_suppressed), cost, packed)
        full = len(self.individuals) >= self.settings.population
        if full and (packed in self.known or ranked >= self.individuals[-1]):
            return
        if full:
            self.known.discard(self.individuals.pop()[2])
        insort(self.individuals, ranked)
        self.known.add(packed)

    def stranger(self) -> Bits:
        """Random bits, of a random density."""
        return self.random.random(self.length) < self.random.random()

    def parent(self) -> Bits:
        """Draw an individual, by linear ranking."""
        bias, chance = self.settings.bias, self.random.random()
        share = chance
        if bias > 1.0:
            share = (bias - np.sqrt(bias**2 - 4.0 * (bias - 1.0) * chance)) / (2.0 * (bias - 1.0))
        place = min(int(share * len(self.individuals)), len(self.individuals) - 1)
        packed = np.frombuffer(self.individuals[place][2], np.uint8)
        return np.unpackbits(packed, count=self.length).astype(np.bool_)

    def child(self) -> Bits:
        """Cross two parents between two points, and flip a few bits."""
        bits, other = self.parent(), self.parent()
        begin, end = np.sort(self.random.integers(0, self.length + 1, 2))
        bits[begin:end] = other[begin:end]
        rate = min(1.0, self.settings.flips / max(1, self.length))
        flipped: Bits = bits ^ (self.random.random(self.length) < rate)
        return flipped
