"""Heuristics over partitions: bottom-up generalization, descent, and a genetic algorithm.

*Bottom-up generalization* (Wang, Yu, and Chakraborty 2004) starts with the most specific partition.
Each step removes the boundary whose removal lowers the cost most, or raises the cost least, until
no class is too small. The result is the best partition on the way.

*Descent* repeatedly changes the boundary whose change lowers the cost most. When no change lowers
the cost, descent tries to exchange two boundaries. One pass over the cells measures all boundaries.

*Iyengar's genetic algorithm* (Iyengar 2002, section 5, with GENITOR) sorts bit strings by cost. Two
parents, preferably good ones, are crossed between two points, and a few bits are flipped. The child
replaces the worst partition if the child is better and new. Partitions that suppress too many
records come last, in the order of the excess.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.kernels import partitions as kernels
from roadstead.kernels.compiled import Flags
from roadstead.policies.partition import Partition
from roadstead.search.partition_problem import PartitionProblem
from roadstead.search.protocol import Control, Ending, Outcome
from roadstead_reproductions.searches import cut_changes
from roadstead_reproductions.searches.partition_tracker import PartitionTracker, cells_of


@dataclass(frozen=True)
class PartitionGreedy:
    """Bottom-up generalization."""

    name: str = "partition-greedy"
    guarantee: str = "a good partition in as many steps as there are boundaries; no bound"

    def run(self, problem: PartitionProblem, control: Control) -> Outcome[Partition]:
        """Merge until no class is too small, or until the search must stop."""
        track = PartitionTracker(problem, control)
        return track.outcome(climb(track), proven=False)


def climb(track: PartitionTracker) -> Ending:
    """Merge until no class is too small or the search must stop, and keep the best policy."""
    problem = track.problem
    codes, counts = problem.cells
    kept = problem.cuttable.copy()
    prices = problem.prices.array
    while True:
        cost, _, gone = kernels.sum_costs(counts, problem.k, prices)
        track.looks += 1
        track.offer(kept, cost, gone)
        if gone == 0 or not kept.any():
            return "complete"
        if (reason := track.pause()) is not None:
            return reason
        following = problem.following(kept)
        change = cut_changes.weigh_merges(
            codes, counts, following, problem.offsets, kept, problem.k, prices
        )[0]
        kept[np.argmin(np.where(kept, change, np.iinfo(np.int64).max))] = False
        codes, counts = problem.grouped(codes, counts, kept)


def descend(track: PartitionTracker) -> None:
    """Improve the best partition until no neighbor is better, or until the search must stop."""
    while track.best is not None:
        kept = track.problem.places(track.best.policy)
        before = track.ceiling
        _try_changes(track, kept)
        if track.ceiling == before:
            _try_exchanges(track, kept)
        if track.ceiling == before or track.control.ending(track.evaluated) is not None:
            return


def _try_changes(track: PartitionTracker, kept: Flags) -> None:
    """Offer the best partition that differs in one boundary."""
    problem = track.problem
    codes, counts = problem.grouped(*problem.cells, kept)
    prices = problem.prices.array
    track.looks += 1
    cost, _, gone = kernels.sum_costs(counts, problem.k, prices)
    change, fewer = cut_changes.weigh_merges(
        codes, counts, problem.following(kept), problem.offsets, kept, problem.k, prices
    )[:2]
    track.offer_neighbor(kept, kept, cost + change, gone + fewer)
    _try_additions(track, kept, ~kept & problem.cuttable)


def _try_exchanges(track: PartitionTracker, kept: Flags) -> None:
    """Offer partitions in which one boundary is exchanged, until a partition is better."""
    before = track.ceiling
    for place in np.flatnonzero(kept):
        without = kept.copy()
        without[place] = False
        _try_additions(track, without, ~without & track.problem.cuttable)
        if track.ceiling < before or track.control.ending(track.evaluated) is not None:
            return


def _try_additions(track: PartitionTracker, kept: Flags, allowed: Flags) -> None:
    """Offer the best partition with one more boundary."""
    problem = track.problem
    codes, counts = problem.cells
    prices = problem.prices.array
    classes, totals = problem.assigned(kept)
    track.looks += 1
    cost, _, gone = kernels.sum_costs(totals, problem.k, prices)
    alive = totals.sum(axis=1) >= problem.k
    weighed = cut_changes.weigh_cuts(
        *cells_of(alive, codes, counts, classes), totals[alive], problem.offsets, problem.k, prices
    )
    track.offer_neighbor(
        kept, allowed, cost + weighed[cut_changes.COST], gone + weighed[cut_changes.GONE]
    )


Bits: TypeAlias = NDArray[np.bool_]
Ranked: TypeAlias = tuple[int, int, bytes]
"""The records suppressed beyond the limit, the cost, and the bits. A smaller value is fitter."""

_FEWEST_PARENTS = 2
_BIAS = 1.5
"""The ratio of the probabilities of drawing the best and the median individual."""


@dataclass(frozen=True)
class PartitionGenetic:
    """A steady-state genetic algorithm with a fixed population and a limit on evaluations."""

    seed: int = 0
    population: int = 200
    evaluations: int = 20_000
    name: str = "partition-genetic"
    guarantee: str = "a partition found by random variation and selection; no bound"

    def __post_init__(self) -> None:
        if self.population < _FEWEST_PARENTS:
            raise SettingError(f"the population is {self.population}", fix="use 2 or more")

    def run(self, problem: PartitionProblem, control: Control) -> Outcome[Partition]:
        """Create children until no evaluations are left or the search must stop."""
        return _Run(self, problem, control).run()


class _Run(PartitionTracker):
    """The state of one search."""

    def __init__(
        self, settings: PartitionGenetic, problem: PartitionProblem, control: Control
    ) -> None:
        super().__init__(problem, control)
        self.settings = settings
        self.random = np.random.default_rng(settings.seed)
        self.length = problem.domains.boundaries
        self.individuals: list[Ranked] = []
        self.known: set[bytes] = set()

    def run(self) -> Outcome[Partition]:
        ending: Ending = "complete"
        self.add(np.zeros(self.length, dtype=np.bool_))  # admissible if any partition is
        while self.evaluated < max(1, self.settings.evaluations):
            if (reason := self.pause()) is not None:
                ending = reason
                break
            breeding = len(self.individuals) >= self.settings.population
            self.add(self.child() if breeding else self.stranger())
        return self.outcome(ending, proven=False)

    def add(self, bits: Bits) -> None:
        """Evaluate an individual. Keep it if there is room or if it is fitter than the worst."""
        kept = np.zeros_like(self.problem.cuttable)
        kept[self.problem.cuttable] = bits
        self.looks += 1
        cost, gone = self.problem.weigh(kept)
        self.offer(kept, cost, gone)
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
        """Return random bits of random density."""
        return self.random.random(self.length) < self.random.random()

    def parent(self) -> Bits:
        """Draw an individual by linear ranking."""
        slope, chance = _BIAS - 1.0, self.random.random()
        share = (_BIAS - np.sqrt(_BIAS**2 - 4.0 * slope * chance)) / (2.0 * slope)
        place = min(int(share * len(self.individuals)), len(self.individuals) - 1)
        packed = np.frombuffer(self.individuals[place][2], np.uint8)
        return np.unpackbits(packed, count=self.length).astype(np.bool_)

    def child(self) -> Bits:
        """Cross two parents between two points, and flip a few bits."""
        bits, other = self.parent(), self.parent()
        begin, end = np.sort(self.random.integers(0, self.length + 1, 2))
        bits[begin:end] = other[begin:end]
        flipped: Bits = bits ^ (self.random.random(self.length) < 1.0 / max(1, self.length))
        return flipped
