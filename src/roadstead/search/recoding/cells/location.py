"""Choose the classes to open under one vector of levels, with prices, a core, and annealing.

A class of at least k records under a pattern is a *cell*. The choice of cells to open is a facility
location problem. The Lagrangian relaxation gives prices, and a lower bound on the loss of any
choice. A cell may be worth opening if its loss barely exceeds its prices. These cells form the
core. The search opens and closes only cells of the core, at a falling temperature. The work is
measured in steps, and random numbers have a fixed seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.recoding import facilities, openings, prices
from roadstead.kernels.recoding.openings import Lists, Open
from roadstead.kernels.recoding.patterns import cells_of_patterns, lists_of_rows
from roadstead.search.recoding.cells.at_levels import AtLevels, Levelled
from roadstead.search.recoding.protocol import Parts

_STEPS = 12
"""The number of price steps per round."""
_SHORTER = 0.5
_ACTIVE = 0.4
"""Steps examine only cells whose loss exceeds their prices by at most this number times k / 5."""
_SLACK = 0.15
"""A core contains cells whose loss exceeds their prices by at most this number times k / 5."""
_MOST_CORE = 8
"""The largest number of cells in a core per open cell."""
_HOT, _COLD = 0.4, 0.02
"""The first and the last temperature of annealing, in units of a record's loss."""
_CHUNK = 1 << 16
"""The number of tries between two checks of the clock."""
_MOST_TRIES = 3_000_000
_SEED = 0x9E3779B97F4A7C15


@dataclass(eq=False)
class Location:
    """The cells under one vector of levels, with their prices and their states (open or closed).

    `loss` and `bound` are sums over records. The bound is valid if `whole` is true, which means
    that all patterns are listed.
    """

    lists: Lists
    parts: Parts
    is_open: NDArray[np.int32]
    loss: float
    whole: bool
    bound: float
    prices: NDArray[np.float64]
    length: float = 1.0

    def settle(self) -> None:
        """Assign each row to its first open cell, and close cells that are too small."""
        state = opened(self.lists, self.is_open)
        self.is_open, self.loss = state.is_open, openings.loss_of(self.lists, state)

    def raise_bound(self, rounds: int, stopped: Callable[[], bool]) -> None:
        """Change the prices for `rounds` rounds, to raise the bound.

        The steps of a round use only the cells whose loss is slightly above their prices. At the
        end of the round, the bound is computed from all cells and the new prices.
        """
        for _ in range(rounds):
            if stopped() or not self.is_open.size:
                break
            short = prices.shortfalls(self.lists, self.prices)
            some = _only(self.lists, short <= _ACTIVE * max(self.lists.k / 5, 1.0))
            current = self._steps(some)
            bound = prices.bound_of(self.lists, current, np.empty_like(current))
            if bound > self.bound + 1e-3 * (self.loss - self.bound):
                self.bound, self.prices = bound, current
            else:
                self.length *= _SHORTER

    def _steps(self, some: Lists) -> NDArray[np.float64]:
        """Return the best prices found by the steps of a round."""
        current, cover = self.prices.copy(), np.empty_like(self.prices)
        best, found = 0.0, current
        for _ in range(_STEPS):
            bound = prices.bound_of(some, current, cover)
            if bound > best:
                best, found = bound, current.copy()
            prices.step(some, current, cover, self.length, bound, self.loss)
        return found

    def core(self) -> Location:
        """Return the core, which contains open cells and cells that may be worth opening."""
        short = prices.shortfalls(self.lists, self.prices)
        slack = _SLACK * max(self.lists.k / 5, 1.0)
        opened_now = int(self.is_open.sum())
        most = min(max(_MOST_CORE * opened_now, 1000), short.size)
        slack = min(slack, float(np.partition(short, most - 1)[most - 1])) if most else slack
        kept = (short <= slack) | (self.is_open > 0)
        lists = _only(self.lists, kept)
        found = Location(
            lists,
            self.parts[kept],
            self.is_open[kept].copy(),
            self.loss,
            whole=False,
            bound=self.bound,
            prices=self.prices,
        )
        found.settle()
        return found

    def anneal(self, tries: int, seed: int, stopped: Callable[[], bool]) -> None:
        """Open and close cells while the temperature falls; at the end, accept only gains.

        The method makes `tries` attempts for each cell, up to a limit.
        """
        if not self.is_open.size:
            return
        tries = min(tries * self.is_open.size, _MOST_TRIES)
        state = opened(self.lists, self.is_open)
        best, chance = state.is_open.copy(), np.array([_SEED ^ (seed << 1)], dtype=np.uint64)
        chunks = max(-(-tries // _CHUNK), 1)
        scale = max(self.lists.k / 5, 0.4)
        heats = scale * np.geomspace(_HOT, _COLD, chunks + 1)
        least = openings.loss_of(self.lists, state)
        for hot, cold in pairwise(heats.tolist()):
            if stopped():
                break
            least, _ = facilities.anneal(
                self.lists, state, best, chance, hot, cold, min(tries, _CHUNK), least
            )
        state = opened(self.lists, best)
        for _ in range(3):
            if stopped():
                break
            facilities.improve_by_opening(self.lists, state, 1 << 33)
        state = opened(self.lists, state.is_open)
        loss = openings.loss_of(self.lists, state)
        if loss < self.loss:
            self.is_open, self.loss = state.is_open, loss


def opened(lists: Lists, is_open: NDArray[np.int32]) -> Open:
    """Return the state in which the given cells are open, except cells with too few records."""
    rows, cells = lists.counts.size, is_open.size
    state = Open(
        is_open.copy(),
        np.zeros(cells, np.int64),
        np.full(rows, -1, np.int32),
        np.zeros(1, np.float64),
        np.zeros(1, np.int64),
        np.zeros(8 * (rows + cells) + 64, np.int64),
        np.zeros(1, np.int64),
        np.zeros(cells, np.int32),
    )
    openings.settle(lists, state)
    return state


def location_of(
    levelled: Levelled,
    under: AtLevels,
    patterns: NDArray[np.int64],
    chosen: NDArray[np.int32],
    *,
    whole: bool,
) -> Location:
    """List the cells of patterns, and open each row's cell under the pattern chosen for the row.

    A chosen pattern of -1 means that the row has no cell. `patterns` are in ascending order of
    price, and `whole` indicates whether the list of patterns is complete.
    """
    index = {int(pattern): at for at, pattern in enumerate(patterns)}
    attributes = len(under.levels)
    below = np.full((patterns.size, attributes), -1, dtype=np.int32)
    for pattern, at in index.items():
        for j in range(attributes):
            other = index.get(pattern & ~(1 << j), at) if pattern >> j & 1 else at
            below[at, j] = other if other < at else -1
    problem = levelled.problem
    cells, owner, first = cells_of_patterns(under.rows, patterns, below, problem.k)
    parts = levelled.parts(under, patterns[owner], first)
    starts, listed, losses = lists_of_rows(cells, owner, problem.costs(parts))
    is_open = np.zeros(owner.size, dtype=np.int32)
    some = np.flatnonzero(chosen >= 0)
    is_open[cells[some, chosen[some]]] = 1
    kept = np.ones(owner.size, dtype=np.bool_)
    lists = openings.lists_of(starts, listed, losses, under.counts, kept, problem.k, problem.limit)
    found = Location(lists, parts, is_open, 0.0, whole, 0.0, _first_prices(lists))
    found.settle()
    found.bound = float(found.prices @ under.counts)
    return found


def _first_prices(lists: Lists) -> NDArray[np.float64]:
    """Return each record's lowest loss as its price; the sum of these prices is the first bound."""
    prices_now = np.ones(lists.counts.size)
    some = lists.starts[:-1] < lists.starts[1:]
    prices_now[some] = lists.losses[lists.starts[:-1][some]]
    return np.minimum(prices_now, 1.0)


def _only(lists: Lists, kept: NDArray[np.bool_]) -> Lists:
    return openings.lists_of(
        lists.starts, lists.classes, lists.losses, lists.counts, kept, lists.k, lists.limit
    )
