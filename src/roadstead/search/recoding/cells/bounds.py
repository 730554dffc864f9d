"""Compute a lower bound on the loss of cell suppression under any vector of levels.

The bound is found by best-first search over sublattices. A sublattice [a, b] contains all vectors
of levels between a and b. Consider the patterns under which a record is in a class of k records,
even at the levels b. Under each vector between a and b, the record loses at least as much as with
the cheapest of these patterns at the levels a. The sum of these losses over all records is the
bound of the sublattice. The sublattice with the lowest bound is halved next. The bound of a single
vector comes from prices (`location`), and is raised as long as it is the lowest of all bounds.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from roadstead.kernels.recoding.patterns import least_losses
from roadstead.policies.full_domain import Levels, with_level
from roadstead.search.recoding.cells.at_levels import Levelled, cheapest_patterns
from roadstead.search.recoding.cells.location import Location

_MOST_PATTERNS = 1 << 11
_STEPS = 1_000_000_000
"""The largest total number of (row, pattern) pairs to examine."""
_STEPS_AROUND = 1_000_000
"""The remaining work per sublattice takes about as long as this many steps."""
_MOST_HELD = 24_000_000
"""The largest number of entries in the lists of all vectors; each entry takes 20 bytes."""
_ROUNDS = 3
"""The number of rounds in which the prices of a vector are raised at a time."""
_MOST_ROUNDS = 14


@dataclass(eq=False)
class _Part:
    """A sublattice, or a single vector with its location."""

    low: Levels
    high: Levels
    looked_at: bool = False
    location: Location | None = None
    rounds: int = 0


class BestFirst:
    """Sublattices in ascending order of their bounds, which are sums over records."""

    def __init__(
        self,
        levelled: Levelled,
        locate: Callable[[Levels], Location | None],
        known: dict[Levels, Location],
        stopped: Callable[[], bool],
    ) -> None:
        self.levelled = levelled
        self.locate = locate
        self.known = known
        self.stopped = stopped
        self.steps = 0
        self.looks = 0
        self._waiting: list[tuple[float, int, _Part]] = []
        self._made = 0
        space = levelled.problem.space
        self._put(self._mean(space.bottom), _Part(space.bottom, space.top))

    @property
    def bound(self) -> float:
        """The lowest bound."""
        return self._waiting[0][0] if self._waiting else np.inf

    def run(self, most: float) -> float:
        """Raise and return the bound, up to `most` (the loss of the best known result)."""
        while self._waiting and self.bound < most and not self.stopped():
            bound, _, part = heapq.heappop(self._waiting)
            if part.low == part.high and part.looked_at:
                if not self._raise(part):
                    self._put(bound, part)
                    break
                location = part.location
                bound = bound if location is None else max(bound, location.bound)
                if bound >= most:  # this part is never examined again
                    self.known.pop(part.low, None)
                    part.location = None
                self._put(bound, part)
            elif self.steps >= _STEPS and self.looks:
                self._put(bound, part)
                break
            elif part.looked_at:
                for half in self._halves(part):
                    self._put(max(bound, self._mean(half.low)), half)
            else:
                part.looked_at = True
                self._put(max(bound, self._look(part)), part)
        return min(self.bound, most)

    def _put(self, bound: float, part: _Part) -> None:
        self._made += 1
        heapq.heappush(self._waiting, (bound, self._made, part))

    def _mean(self, levels: Levels) -> float:
        return self.levelled.mean(levels) * self.levelled.problem.records

    def _look(self, part: _Part) -> float:
        under = self.levelled.at(part.low, part.high)
        patterns, least = cheapest_patterns(under.free, under.least, _MOST_PATTERNS)
        losses, steps = least_losses(under.rows, patterns, least, self.levelled.problem.k)
        self.steps += steps + _STEPS_AROUND
        self.looks += 1
        return float(losses @ under.counts)

    def _halves(self, part: _Part) -> tuple[_Part, _Part]:
        """Halve a sublattice in the attribute whose levels differ most in their loss."""
        spans = [
            own[high] - own[low] if high > low else -1.0
            for own, low, high in zip(self.levelled.means, part.low, part.high, strict=True)
        ]
        at = int(np.argmax(spans))
        middle = (part.low[at] + part.high[at]) // 2
        return (
            _Part(part.low, with_level(part.high, at, middle)),
            _Part(with_level(part.low, at, middle + 1), part.high),
        )

    def _raise(self, part: _Part) -> bool:
        """Raise the prices of a vector, or return False if further work is not useful."""
        if part.location is None:
            held = sum(one.lists.classes.size for one in self.known.values())
            if part.low not in self.known and held >= _MOST_HELD:
                return False
            part.location = self.known.get(part.low) or self.locate(part.low)
            if part.location is None:
                return False
            self.known[part.low] = part.location
            return True
        if part.rounds >= _MOST_ROUNDS:
            return False
        before = part.location.bound
        part.location.raise_bound(_ROUNDS, self.stopped)
        part.rounds += _ROUNDS
        return part.location.bound > before
