"""Find prices such that the prices of any k records add up to at most the cost of their box.

The highest possible prices are the dual solution of a linear program with one row for each set of k
records. Only some of these sets are known. The first known sets are in the smallest boxes around
rows. Each round raises the prices as far as the known sets allow, and moves the best proven prices
part of the way toward the raised prices. The round then searches around every row for further sets
whose prices exceed their cost.

The prices are proven even if the search is incomplete. In a set whose prices exceed its cost,
consider the record with the highest price (or the last such record). For each row, the search
proves a bound on the excess of all sets in which this row has the highest price. Reducing the price
of the row by this bound ensures that no set has an excess.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels.compiled import Real, Whole
from roadstead.kernels.recoding.primal_dual import PriceProgram, improve_prices
from roadstead.search.recoding.bounds.box_rows import RowSearch

_ROUNDS = 14
_ITERATIONS = 300
"""The number of solver iterations for the linear program in each round."""
_CELLS = 10
"""The number of set members that the linear program reads in the time of one step."""
_PART, _PART_OF_MANY, _FURTHER = 0.35, 0.25, 1.25
"""The first step toward the goal, as a share of the distance, and its growth factor per round."""
_GROWTH = 1.5
"""A price may be at most this many times its proven value, plus the mean proven price."""
_STEPS_OF_A_ROW = 100_000
MANY, _FIRST_STEPS = 10, 1000
"""For k >= `MANY`, each row starts with `_FIRST_STEPS` steps, which double every round."""
_ENOUGH = 1e-4
"""The rounds end when the gain of a round is below this share."""
_TOLERANCE = 1e-10


class PriceRounds:
    """The known sets and the best proven prices, beginning with the given prices."""

    def __init__(self, search: RowSearch, proven: Real) -> None:
        self._search, self._counts = search, search.tree.counts
        self.proven = proven
        self._sets = np.empty((0, search.k), np.int32)
        self._costs = np.empty(0)
        self._duals = np.empty(0)
        self._part = np.full(proven.size, _PART if search.k < MANY else _PART_OF_MANY)

    def run(self, budget: int) -> Real:
        """Raise prices until little more can be gained, or until the steps are used up."""
        search, until = self._search, self._search.steps + budget
        goal = self.proven.copy()
        self._learn(search.smallest_sets)
        for turn in range(_ROUNDS):
            left = until - search.steps
            if left <= 0 or search.ending:
                break
            caps = np.minimum(_GROWTH * self.proven + self.proven.mean(), 1.0)
            caps[self._counts >= search.k] = 0.0  # k records at one point lose nothing together
            # The prices are added one after another, so that every machine rounds in the same way.
            scale = np.cumsum(np.append(1e-6, goal / goal.size))[-1]
            improve_prices(self._program(caps), goal, _ITERATIONS, scale)
            search.steps += self._sets.size * _ITERATIONS // _CELLS
            before = self._total(self.proven)
            most = _STEPS_OF_A_ROW if search.k < MANY else _FIRST_STEPS << turn
            if not self._round(goal, min(left // search.rows * 4, most)):
                break
            after = self._total(self.proven)
            if before < after < before * (1 + _ENOUGH):
                break
        return self.proven

    def _program(self, caps: Real) -> PriceProgram:
        """Return the linear program of the known sets, in which the weights are the dual values."""
        number, k = self._sets.shape
        return PriceProgram(
            self._counts,
            np.zeros(caps.size),
            caps,
            np.arange(1, number + 1) * k,
            self._costs,
            self._sets.reshape(-1),
            np.ones(self._sets.size, np.int32),
            self._duals,
        )

    def _total(self, prices: Real) -> float:
        return float(self._counts @ prices)

    def _round(self, goal: Real, budget: int) -> bool:
        """Prove prices that are nearer to the goal, and return whether all rows were searched."""
        tried = self.proven + self._part * (goal - self.proven)
        kept, searched, sets = tried.copy(), 0, []
        # a set whose highest price is 0 has no excess
        rows = np.flatnonzero(tried > 0)
        for own, found in self._search.cheapest(
            tried, np.zeros(tried.size), rows, budget, every=False
        ):
            searched += own.size
            kept[own] += np.minimum(found.least, 0.0)
            sets.append(found.sets[found.value < -_TOLERANCE])
            cut = found.steps > budget
            self._part[own] = np.where(
                cut, self._part[own] / 2, np.minimum(self._part[own] * _FURTHER, 1.0)
            )
        if searched < rows.size:
            return False
        if self._total(kept) > self._total(self.proven):
            self.proven = kept
        else:
            self._part /= 2
        self._learn(np.concatenate(sets) if sets else np.empty((0, self._search.k), np.int64))
        return True

    def _learn(self, sets: Whole) -> None:
        new = np.unique(np.sort(sets, axis=1).astype(np.int32), axis=0)
        both, first = np.unique(np.concatenate([self._sets, new]), axis=0, return_index=True)
        order = np.argsort(first, kind="stable")
        fresh = both[order][self._sets.shape[0] :]
        corners = self._search.tree.points[fresh]
        costs = (corners.max(axis=1) - corners.min(axis=1)).sum(axis=1)
        self._sets = np.concatenate([self._sets, fresh])
        self._costs = np.concatenate([self._costs, costs])
        self._duals = np.concatenate([self._duals, np.zeros(costs.size)])
