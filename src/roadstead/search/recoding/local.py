"""Local recoding by first fit, improved by large neighborhood search.

In each part of the table, classes are dissolved one after another, each with a few nearby classes.
Their records are then divided again (`kernels.recoding.redivision`). The work is measured in these
steps and not in seconds. Therefore, a search that is not stopped finds the same result on every
machine. If a privacy model requires more than a minimum number of records, the search returns the
classes of first fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from roadstead.search.protocol import Candidate, Control, Ending, Progress
from roadstead.search.recoding.divisions import Division, Nodes, division_of, nodes_of
from roadstead.search.recoding.first_fit import first_fit_classes
from roadstead.search.recoding.protocol import (
    OUT,
    Recoded,
    RecodingOutcome,
    RecodingProblem,
    within_limit,
)
from roadstead.search.recoding.redivision import DividedPart, TablePart, joined, parts_of, prepared
from roadstead.search.recoding.side_by_side import side_by_side

TURNS = 12
_ROWS_IN_ALL_TURNS = 1_000_000
"""A larger table gets fewer turns (at least two), because each turn assigns all rows."""
STEPS = 60_000
"""The total number of classes to dissolve in all turns."""
_MOST_ROWS_OF_PART = 8_000
_FEWEST_ROWS, _MOST_ROWS, _ROWS_BY_K = 24, 40, 3
"""The limits on the number of rows divided at once, and this number as a multiple of k."""
_BRANCHES = 4_000
"""The largest number of search tree nodes to visit for each division."""
_AT_ONCE = 128
"""The number of steps between two checks for whether to stop."""
_THREADS = 2


class LocalSearch:
    """First fit, improved by repeatedly dividing the records of nearby classes again."""

    name = "local"
    guarantee = "never worse than the simpler first-fit search"

    def run(self, problem: RecodingProblem, control: Control) -> RecodingOutcome:
        """Search until all steps are complete, or until the search is stopped."""
        control.begin()
        start = first_fit_classes(problem, control.rest(0))
        best = None if start.best is None else within_limit(problem, start.best)
        if best is None:
            best = start.best
        state = _State(problem, control, start.tried, best)
        ending: Ending | None = None if start.ending == "complete" else start.ending
        if best is not None and problem.alone and ending is None:
            ending = state.improve()
        return RecodingOutcome(
            state.best, state.loss, 0.0, control.seconds, ending or "complete", state.tried
        )


@dataclass
class _State:
    problem: RecodingProblem
    control: Control
    tried: int
    best: Recoded | None

    @property
    def loss(self) -> float:
        return 1.0 if self.best is None else self.best.loss(self.problem)

    def improve(self) -> Ending | None:
        """Run all turns, and return the reason why the search ended early, if it did."""
        problem, best = self.problem, self.best
        assert best is not None  # noqa: S101 - the only caller ensures this
        nodes = nodes_of(problem)
        division = division_of(nodes, best, problem)
        turns = min(TURNS, max(_ROWS_IN_ALL_TURNS // problem.encoding.counts.size, 2))
        for turn in range(turns):
            parts = parts_of(nodes, problem.encoding.counts, division, _MOST_ROWS_OF_PART, turn)
            spare = problem.limit - best.suppressed(problem)
            work = partial(self._part, nodes, division, spare, turn)
            done = list(side_by_side(work, parts, _THREADS))
            new = joined(division, [part for part, _ in done])
            found = new.recoded(problem, nodes)
            self.tried += sum(steps for _, steps in done)
            if found.loss(problem) < best.loss(problem) - 1e-12:
                best = self.best = found
                division = division_of(nodes, found, problem, new)
            self.control.report_progress(partial(self._progress, best))
            if (ending := self.control.ending(self.tried)) is not None:
                return ending
        return None

    def _progress(self, best: Recoded) -> Progress:
        loss, out = best.loss(self.problem), best.suppressed(self.problem)
        return Progress(self.tried, self.control.seconds, Candidate(best, loss, out))

    def _part(
        self, nodes: Nodes, division: Division, spare: int, turn: int, part: TablePart
    ) -> tuple[DividedPart, int]:
        """Improve one part, and return the part with the number of steps."""
        rows = self.problem.encoding.counts.size
        ready = prepared(
            self.problem, nodes, division, part, max(spare, 0) * part.rows.size // rows
        )
        seeds = _seeds(ready, turn)[: STEPS // TURNS * part.rows.size // rows + 1]
        steps = 0
        number = min(max(_ROWS_BY_K * self.problem.k, _FEWEST_ROWS), _MOST_ROWS)
        for at in range(0, seeds.size, _AT_ONCE):
            ready.improve(seeds[at : at + _AT_ONCE], number, _BRANCHES)
            steps = min(at + _AT_ONCE, seeds.size)
            if self.control.ending(self.tried) is not None:
                break
        return ready, steps


def _seeds(ready: DividedPart, turn: int) -> NDArray[np.int32]:
    """Return one row of each class with a loss, starting with the largest losses."""
    cells = ready.cells.cell_of
    costs = ready.cells.cost_of
    order = np.lexsort((np.arange(cells.size) * (2 * turn + 1) % 101, -costs))
    order = order[costs[order] > 0]
    out = order[cells[order] == OUT]
    inside = order[cells[order] != OUT]
    inside = inside[~ready.cells.fixed[cells[inside]]]
    first = np.sort(np.unique(cells[inside], return_index=True)[1])
    return np.concatenate([out, inside[first]]).astype(np.int32)
