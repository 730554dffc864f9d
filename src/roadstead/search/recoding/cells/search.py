"""Choose one vector of levels, and the cells to suppress under these levels.

First, the search chooses levels by their loss under first fit. Under the best few vectors of
levels, it solves a facility location problem for the classes to open (`location`). In parallel, a
second core raises the bound (`bounds`).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.full_domain import Levels
from roadstead.search.protocol import Candidate, Control, Ending, Progress
from roadstead.search.recoding.cells.at_levels import Levelled
from roadstead.search.recoding.cells.bounds import BestFirst
from roadstead.search.recoding.cells.choice import Choice
from roadstead.search.recoding.cells.location import Location, location_of
from roadstead.search.recoding.cells.pools import Fit, placed_by_model
from roadstead.search.recoding.protocol import (
    Recoded,
    RecodingOutcome,
    RecodingProblem,
    settled,
    within_limit,
)
from roadstead.search.recoding.side_by_side import side_by_side

_MOST_ENTRIES = 1 << 25
"""The largest number of (row, pattern) pairs that are listed."""
_SEARCHED = 3
"""The number of level vectors for which the search chooses classes."""
_ROUNDS = 6
_ENTRIES_READ = 24_000_000
"""The number of entries to read in all price rounds; there is at least one round."""
_ROUNDING = 1e-9
"""The largest rounding error of sums over records, which is subtracted from the bound."""
_SHORT, _LONG = 24, 160
"""The number of annealing tries for each cell."""


@dataclass(frozen=True)
class CellSuppression:
    """A search for one vector of levels, in which single cells are suppressed where necessary."""

    name: str = "cells"
    guarantee: str = (
        "the best cell suppression found, and a lower bound on the loss of any cell suppression"
    )

    def run(self, problem: RecodingProblem, control: Control) -> RecodingOutcome:
        """Search until the steps are used up, or until the search is stopped."""
        control.begin()
        return _Run(problem, control).run()


class _Run:
    def __init__(self, problem: RecodingProblem, control: Control) -> None:
        self.problem = problem
        self.control = control
        self.levelled = Levelled(problem)
        self.choice = Choice(self.levelled, control)
        self.best: Recoded | None = None
        self.loss = np.inf
        self.locations: dict[Levels, Location] = {}
        self.ended: Ending | None = None
        self.bounds = BestFirst(self.levelled, self.locate, self.locations, self.stopped)

    def run(self) -> RecodingOutcome:
        self.choice.run()
        fits = [self.choice.fit(levels) for _, levels in self.choice.best[:_SEARCHED]]
        bound = self.bounds.bound
        stopped = self.stopped()
        if stopped or not self.problem.alone:
            self.take([self.parts_of(fit) for fit in fits[: 1 if stopped else None]])
        if not stopped:
            cores = self.search(self.affordable(fits)) if self.problem.alone else []
            if cores and cores[0].loss > self.choice.best[0][0]:  # too many cells to list
                self.take([self.parts_of(fits[0])])
            most = min(self.loss, 1.0) * self.problem.records
            with ThreadPoolExecutor(2) as threads:
                bounding = threads.submit(self.bounds.run, most)
                if cores:
                    cores[0].anneal(_LONG, 1, self.stopped)
                    self.take([chosen(cores[0])])
                bound = bounding.result()
        loss = 1.0 if self.best is None else self.loss
        ending: Ending = self.choice.ending or self.ended or "complete"
        return RecodingOutcome(
            self.best,
            loss,
            min(max(bound / max(self.problem.records, 1) - _ROUNDING, 0.0), loss),
            self.control.seconds,
            ending,
            len(self.choice.tried),
        )

    def stopped(self) -> bool:
        """Return whether to end with the current result; once True, the answer stays True."""
        if self.ended is None:
            self.ended = self.choice.ending or self.control.ending(len(self.choice.tried))
        return self.ended is not None

    def parts_of(self, fit: Fit) -> NDArray[np.int32]:
        """Return the classes that first fit chose."""
        if not self.problem.alone:
            return placed_by_model(self.levelled, fit, self.stopped)
        placed = np.flatnonzero(fit.chosen >= 0).astype(np.int32)
        if not placed.size:
            return np.empty((0, len(fit.under.levels), 2), dtype=np.int32)
        patterns = fit.patterns[fit.chosen[placed]]
        return np.unique(self.levelled.parts(fit.under, patterns, placed), axis=0)

    def take(self, found: Sequence[NDArray[np.int32]]) -> None:
        for parts in found:
            recoded = within_limit(self.problem, settled(self.problem, parts))
            if recoded is not None and recoded.loss(self.problem) < self.loss:
                self.best, self.loss = recoded, recoded.loss(self.problem)
        self.control.report_progress(self.progress)

    def progress(self) -> Progress:
        best = None
        if self.best is not None:
            best = Candidate(self.best, self.loss, self.best.suppressed(self.problem))
        return Progress(
            evaluated=len(self.choice.tried),
            seconds=self.control.seconds,
            best=best,
            lower_bound=self.bounds.bound / max(self.problem.records, 1),
            open=len(self.locations),
        )

    def locate(self, levels: Levels) -> Location | None:
        """List the cells under levels unless there are too many, and open first fit's cells."""
        fit = self.choice.fit(levels)
        if not fit.whole or not self.holds_all(fit):
            return None
        return self.located(fit)

    def located(self, fit: Fit) -> Location:
        """List the cells of a fit's patterns, up to the limit."""
        rows = max(fit.under.counts.size, 1)
        most = max(_MOST_ENTRIES // rows, 1)
        if fit.patterns.size <= most:
            return location_of(self.levelled, fit.under, fit.patterns, fit.chosen, whole=fit.whole)
        some = fit.chosen >= 0
        used = np.bincount(fit.chosen[some], fit.under.counts[some], minlength=fit.patterns.size)
        kept = np.sort(np.argsort(-used, kind="stable")[:most])
        numbers = np.full(fit.patterns.size + 1, -1, dtype=np.int32)
        numbers[kept] = np.arange(kept.size)
        return location_of(
            self.levelled, fit.under, fit.patterns[kept], numbers[fit.chosen], whole=False
        )

    def holds_all(self, fit: Fit) -> bool:
        """Return whether the total number of a fit's cells is within the limit."""
        return fit.patterns.size * fit.under.counts.size <= _MOST_ENTRIES

    def affordable(self, fits: Sequence[Fit]) -> Sequence[Fit]:
        """Return the first fit, and the next fits as long as all of their cells can be listed."""
        entries = np.cumsum([fit.under.counts.size * fit.patterns.size for fit in fits])
        return fits[: max(int(np.searchsorted(entries, _MOST_ENTRIES, side="right")), 1)]

    def search(self, fits: Sequence[Fit]) -> list[Location]:
        """Choose the classes to open under vectors of levels, and return the best core first."""
        cores = [core for core in side_by_side(self.core, fits, 2) if core is not None]
        found = sorted(cores, key=lambda core: core.loss)
        self.take([chosen(core) for core in found])
        return found

    def core(self, fit: Fit) -> Location | None:
        """Search briefly under a vector of levels, or return None if it cannot be the best."""
        location = self.located(fit)
        if location.whole:
            self.locations[fit.under.levels] = location
        rounds = _ENTRIES_READ // max(location.lists.classes.size, 1)
        location.raise_bound(min(max(rounds, 1), _ROUNDS), self.stopped)
        most = self.choice.best[0][0] + _ROUNDING * self.problem.records
        if location.whole and location.bound > most:
            return None
        core = location.core()
        core.anneal(_SHORT, 0, self.stopped)
        return core


def chosen(location: Location) -> NDArray[np.int32]:
    """Return the open classes."""
    return location.parts[location.is_open > 0]
