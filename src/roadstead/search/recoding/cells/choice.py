"""Choose vectors of levels for cell suppression by their loss under first fit.

First fit assigns each row to the first pattern that gives the row a large enough class. In a small
lattice, the search tries vectors in ascending order of the loss of their levels alone. It stops
when this loss reaches the total loss of the best result. In a large lattice, the search moves from
a vector to a better neighbor until no neighbor is better.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import numpy as np

from roadstead.policies.full_domain import Levels, with_level
from roadstead.search.protocol import Control, Ending
from roadstead.search.recoding.cells.at_levels import Levelled
from roadstead.search.recoding.cells.pools import Fit, fitted

_LARGE = 1 << 20
"""In lattices with at most this many policies, all vectors are sorted."""
_STEPS = 2_000_000_000
"""The largest total number of (row, pattern) pairs to examine."""
_STEPS_AROUND = 2_000_000
"""The remaining work per vector takes about as long as this many steps."""
_AT_ONCE = 4
_KEPT = 4
"""The number of best vectors to keep."""


class Choice:
    """The best vectors of levels so far, with their losses under first fit over all records."""

    def __init__(self, levelled: Levelled, control: Control) -> None:
        self.levelled = levelled
        self.control = control
        self.best: list[tuple[float, Levels]] = []
        self.tried: set[Levels] = set()
        self.steps = 0
        self.ending: Ending | None = None

    def run(self) -> None:
        """Try vectors until the steps are used up or no vector is left."""
        space = self.levelled.problem.space
        self.try_all([space.bottom])
        if space.size <= _LARGE:
            self.try_all(self._by_mean())
            return
        here = None
        while self.ending is None and self.steps < _STEPS and here != self.best[0][1]:
            here = self.best[0][1]
            self.try_all(self._around(here))

    def fit(self, levels: Levels, most: float = np.inf) -> Fit:
        """Assign rows by first fit."""
        return fitted(self.levelled.at(levels), self.levelled.problem.k, most)

    def try_all(self, vectors: Iterable[Levels]) -> None:
        """Try vectors that have not been tried yet, several at a time."""
        new = (levels for levels in vectors if levels not in self.tried)
        with ThreadPoolExecutor(2) as cores:
            while (
                self.ending is None and self.steps < _STEPS and (some := [*islice(new, _AT_ONCE)])
            ):
                most = self.best[-1][0] if len(self.best) == _KEPT else np.inf
                fits = [cores.submit(self.fit, levels, most) for levels in some]
                self.tried.update(some)
                for levels, future in zip(some, fits, strict=True):
                    fit = future.result()
                    self.steps += fit.steps + _STEPS_AROUND
                    if fit.loss < np.inf:
                        self.best.append((fit.loss, levels))
                self.best = sorted(self.best)[:_KEPT]
                self.ending = self.control.ending(len(self.tried))

    def _by_mean(self) -> Iterator[Levels]:
        """Yield vectors in ascending order of their levels' loss, as long as this loss is small."""
        space, records = self.levelled.problem.space, self.levelled.problem.records
        shape = [high - low + 1 for low, high in zip(space.bottom, space.top, strict=True)]
        total = np.zeros(shape)
        for at, (low, high) in enumerate(zip(space.bottom, space.top, strict=True)):
            own = self.levelled.means[at][low : high + 1]
            total += own.reshape([-1 if j == at else 1 for j in range(len(shape))])
        flat = total.reshape(-1)
        for index in np.argsort(flat, kind="stable"):
            if self.best and flat[index] * records >= self.best[-1][0]:
                break
            place = np.unravel_index(index, shape)
            yield tuple(low + int(step) for low, step in zip(space.bottom, place, strict=True))

    def _around(self, levels: Levels) -> Iterator[Levels]:
        """Yield vectors one step away (cheap upward steps first) until one of them is better."""
        space, means = self.levelled.problem.space, self.levelled.means
        steps = [
            (float(means[at][level + step] - means[at][level]), at, level + step)
            for at, level in enumerate(levels)
            for step in (1, -1)
            if space.bottom[at] <= level + step <= space.top[at]
        ]
        for _, at, level in sorted(steps, key=lambda one: (one[0] < 0, *one)):
            if self.best[0][1] != levels:
                break
            yield with_level(levels, at, level)
