"""Intervals: the search for boxes that lose least.

The table is split where that loses least, down to boxes that cannot be split. These are annealed:
single rows move between them, and changes that lose more are made too, ever more rarely. Then each
record is put into the cheapest box that holds it, as a release does, and what has come apart by
that is annealed again without heat. Choices follow from quasi-identifiers and sizes alone: no
sensitive column is looked at, unless a privacy model is declared that judges by it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from roadstead.kernels.recoding.splitting import LOSS, split
from roadstead.search.protocol import Control, Ending, Progress
from roadstead.search.recoding.annealing import Annealing, near_points
from roadstead.search.recoding.points import points_of, without_gaps
from roadstead.search.recoding.protocol import RecodingOutcome, RecodingProblem
from roadstead.search.recoding.settling import Incumbent, cheapest_boxes


@dataclass(frozen=True)
class IntervalSearch:
    """Boxes from the cheapest cuts, annealed.

    `moves` are those tried for each distinct row, and no more than `most_moves` altogether.
    """

    moves: int = 2000
    most_moves: int = 150_000_000
    rounds: int = 24
    last_rounds: int = 20
    hot: float = 0.3
    cold: float = 0.01
    conflict: float = 1.5
    ramp: float = 0.7
    ramp0: float = 0.0
    missing: float = 1.0
    name: str = "intervals"
    guarantee: str = "nothing but that each class keeps the privacy model"

    def run(self, problem: RecodingProblem, control: Control) -> RecodingOutcome:
        """Split, anneal, settle."""
        control.begin()
        incumbent = Incumbent(problem)
        points = points_of(problem)
        box = split(points.where, points.records, problem.k, LOSS)
        incumbent.offer_boxes(points, points.tight(box))
        start = incumbent.loss

        def outcome(ending: Ending, tried: int) -> RecodingOutcome:
            return RecodingOutcome(
                incumbent.best, incumbent.loss, 0.0, control.seconds, ending, tried
            )

        if points.size < 2 or start == 0.0:
            return outcome("complete", 0)
        near = near_points(points, box, min(max(32, 4 * problem.k), 64))
        state = Annealing(points, near, box, problem.k, problem.limit, start * problem.k)
        steps = max(min(self.moves, self.most_moves // points.size) // self.rounds, 1)
        hot, cold = self.hot, self.cold
        falling = (cold / hot) ** (1 / self.rounds)

        def pause() -> Ending | None:
            control.report_progress(
                lambda: Progress(state.tried, control.seconds, incumbent.candidate)
            )
            return control.ending(state.tried)

        for at in range(self.rounds):
            heat = hot * falling**at
            conflict = self.conflict * min(max(at/self.rounds-self.ramp0,0) / self.ramp, 1.0)
            state.round(steps, (heat, heat * falling), self.missing, conflict, lambda: pause() is not None)
            if (ending := pause()) is not None:
                return outcome(ending, state.tried)
        region, times = None, 30
        for at in range(self.last_rounds):
            box = without_gaps(state.box)
            state.box = cheapest_boxes(problem, points, box)
            moved = np.flatnonzero(state.box != box)
            state.watch(moved)
            incumbent.offer_boxes(points, points.tight(without_gaps(state.box)))
            if at > 1:
                region, times = state.region(moved), 300
                if not region.any():
                    break
            warm = cold * 2 ** (at % 4)
            state.round(times, (warm, warm / 4), 1.0 + at / 4, 2.0, lambda: pause() is not None, region)
            if (ending := pause()) is not None:
                return outcome(ending, state.tried)
        return outcome("complete", state.tried)
