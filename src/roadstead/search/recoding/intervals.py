"""Search for a recoding by intervals, whose classes are boxes (docs/methods/recodings.md).

The search first splits the table into boxes, with the lowest possible remaining loss. It then
improves the boxes by simulated annealing, and puts each record into the cheapest box that covers
the record. Boxes that no longer satisfy the requirements are annealed again. The choices do not
depend on sensitive columns. If a privacy model uses a sensitive column, classes are merged
afterwards (`merging`). If people are counted, the search ends after the splits, because the model
would have to check each move of a single row.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.recoding.splitting import LOSS
from roadstead.search.protocol import Control, Ending, Progress
from roadstead.search.recoding.annealing import Annealing, near_points
from roadstead.search.recoding.dividing import divided
from roadstead.search.recoding.points import Points, points_of, without_gaps
from roadstead.search.recoding.protocol import OUT, RecodingOutcome, RecodingProblem
from roadstead.search.recoding.settling import Incumbent, cheapest_boxes, open_boxes

_NEAR = 32, 64
"""The number of near points per point is 4 k, but within these two bounds."""
_LARGE = 100_000
"""Tables with more points than this get fewer moves and fewer repairs."""
_REPAIRS, _REPAIRS_OF_LARGE, _WHOLE = 16, 8, 2
"""The largest number of repair rounds (two limits), and the number that cover all points."""
_SOME = 20_000
"""The search ends when fewer than one in this many records is in a box that is too small."""
_MOVES_WHOLE, _MOVES_AROUND, _FEWER = 20, 300, 40
"""Moves per point in repairs of all points, the limit in later repairs, and a divisor."""


@dataclass(frozen=True)
class IntervalSearch:
    """A search that cuts the table into boxes as cheaply as possible, and then anneals them.

    `moves` is the number of moves tried for each distinct row, in `rounds` rounds. The total is at
    most `most_moves`, or less for a very large table. Temperatures and prices are in units of the
    mean loss of a box after the splits. `hot` and `cold` are the first and the last temperature.
    `missing` is the price of each record that a box lacks. `conflict` is the price of each record
    that a cheaper box also covers. The price is 0 in the first rounds (a share `free` of all
    rounds). Then the price rises until it reaches `conflict` in the last rounds.
    """

    moves: int = 3000
    most_moves: int = 100_000_000
    rounds: int = 24
    hot: float = 0.3
    cold: float = 0.01
    missing: float = 0.6
    last_missing: float = 2.0
    conflict: float = 2.0
    free: float = 0.6
    rise: float = 0.3
    name: str = "intervals"
    guarantee: str = "every group meets the privacy models; there is no guarantee for the loss"

    def run(self, problem: RecodingProblem, control: Control) -> RecodingOutcome:
        """Split the table, anneal the boxes, and repair them."""
        control.begin()
        incumbent, points = Incumbent(problem), points_of(problem)
        box = divided(problem, points, LOSS, control)
        incumbent.offer_boxes(points, points.tight(box))
        ending, tried = control.ending(0), 0
        better = incumbent.best is not None and incumbent.loss > 0.0 and points.size > 1
        if ending is None and problem.alone and better:
            run = _Run(self, problem, control, incumbent, points, box)
            ending, tried = run.anneal() or run.repair(), run.state.tried
        return RecodingOutcome(
            incumbent.best, incumbent.loss, 0.0, control.seconds, ending or "complete", tried
        )


@dataclass
class _Run:
    search: IntervalSearch
    problem: RecodingProblem
    control: Control
    incumbent: Incumbent
    points: Points
    box: NDArray[np.int32]
    state: Annealing = field(init=False)

    def __post_init__(self) -> None:
        problem, least = self.problem, self.problem.k
        near = near_points(self.points, self.box, min(max(_NEAR[0], 4 * least), _NEAR[1]))
        unit = self.incumbent.loss * least
        self.state = Annealing(self.points, near, self.box, least, problem.limit, unit)

    def anneal(self) -> Ending | None:
        """Anneal the whole table, and return the reason to end the search now, if any."""
        search, rounds = self.search, self.search.rounds
        moves = min(search.moves, self._most_moves() // self.points.size)
        falling = (search.cold / search.hot) ** (1 / rounds)
        for at in range(rounds):
            heat = search.hot * falling**at
            risen = min(max((at / rounds - search.free) / search.rise, 0.0), 1.0)
            self.state.round(
                max(moves // rounds, 1),
                (heat, heat * falling),
                search.missing + (search.last_missing - search.missing) * risen,
                search.conflict * risen,
                self._over,
            )
            if (ending := self._pause()) is not None:
                return ending
        return None

    def repair(self) -> Ending | None:
        """Assign records to the cheapest boxes, and anneal invalid boxes until none is left."""
        state, region, ending = self.state, None, None
        state.repairing = True
        for at in range(_REPAIRS if self.points.size <= _LARGE else _REPAIRS_OF_LARGE):
            box = without_gaps(state.box)
            state.box = cheapest_boxes(self.problem, self.points, box)
            moved = np.flatnonzero(state.box != box)
            state.watch(moved)
            state.box = without_gaps(state.box)
            moves = _MOVES_WHOLE
            if at >= _WHOLE:
                region = state.region(moved)
                if not region.any() or self._too_small() * _SOME < self.points.total:
                    break
                inside = max(int(region[state.box[state.box != OUT]].sum()), 1)
                moves = min(_MOVES_AROUND, max(self._most_moves() // _FEWER // inside, 1))
            heat = 0.01 * 2 ** (at % 3)
            prices = self.search.last_missing * 1.35**at, self.search.conflict
            state.round(moves, (heat, heat / 4), *prices, self._over, region)
            if (ending := self._pause()) is not None:
                break
        box = cheapest_boxes(self.problem, self.points, without_gaps(state.box))
        parts = open_boxes(self.problem, self.points, without_gaps(box))
        self.incumbent.offer_boxes(self.points, parts)
        return ending

    def _most_moves(self) -> int:
        return self.search.most_moves * 4 * _LARGE // max(self.points.size, 4 * _LARGE)

    def _too_small(self) -> int:
        """Return the number of records in boxes with too few records."""
        inside = self.state.box != OUT
        sizes = np.bincount(self.state.box[inside], self.points.records[inside])
        return int(sizes[sizes < self.problem.k].sum())

    def _over(self) -> bool:
        return self._pause() is not None

    def _pause(self) -> Ending | None:
        self.control.report_progress(
            lambda: Progress(self.state.tried, self.control.seconds, self.incumbent.candidate)
        )
        return self.control.ending(self.state.tried)
