"""Walk over all large cells of a table on two cores.

The tree of cells is split between two walks, in a way that depends only on the table and the
prices. Each walk visits cells, and lowers prices that are too high for a cell. For each row, the
lower of the two prices is valid for all cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.recoding.cells import (
    COUNTS,
    DEPTH,
    FILLED,
    FOUND,
    FRAME,
    STEPS,
    Columns,
    NumberedNodes,
    Task,
    Walk,
    go_on,
)
from roadstead.search.protocol import Control
from roadstead.search.recoding.bounds.columns import ColumnSet, column_set
from roadstead.search.recoding.protocol import RecodingProblem
from roadstead.search.recoding.side_by_side import side_by_side

TOLERANCE = 1e-9
"""The prices of a set may exceed the cost of its cell by at most this amount."""
_PARTS = 2
_QUOTA = 20_000_000
"""The number of steps of each part between two checks of the clock, about a fifth of a second."""
_WITHOUT_THREADS = 50_000
"""The number of steps of each part before threads start, which tiny tables never reach."""
_SPLIT_AT = 2
"""The work is split at this attribute, where there are enough sets but little work is done yet."""
_COLUMNS_A_ROW, _ENTRIES = 2, 16
"""The number of columns to reserve per row, and the number of entries per column."""


@dataclass(frozen=True)
class Walked:
    """The result of a walk.

    It consists of columns, and of prices that are valid for all cells if `complete` is true.
    """

    prices: NDArray[np.float64]
    columns: ColumnSet
    steps: int
    complete: bool


class CellWalk:
    """Walks that cover the cells of a problem, and that reuse the memory of the previous walk."""

    def __init__(self, problem: RecodingProblem) -> None:
        self._nodes = _nodes(problem)
        self._counts = self._nodes.counts

    def run(
        self, prices: NDArray[np.float64], *, least: int, take: int, steps: int, control: Control
    ) -> Walked:
        """Lower prices until the mean of the `take` highest in each large cell is at most its cost.

        A cell is large if it has at least `least` records. The walk stops after about `steps`
        steps, or when the control requests it.
        """
        order = np.argsort(-prices, kind="stable")
        order = order[
            self._counts[order] > 0
        ]  # the other rows represent people who are not in the table
        walks = [self._begin(prices, order, take, part) for part in range(_PARTS)]
        tasks = [
            Task(least, take, TOLERANCE, min(_SPLIT_AT, self._last), part, _PARTS)
            for part in range(_PARTS)
        ]
        for (walk, columns), task in zip(walks, tasks, strict=True):
            go_on(walk, self._nodes, task, columns, _WITHOUT_THREADS)

        def walk_on(part: int) -> None:
            walk, columns = walks[part]
            go_on(walk, self._nodes, tasks[part], columns, _QUOTA)

        while (taken := _steps(walks)) < steps and _unfinished(walks):
            if control.ending() is not None:
                break
            list(side_by_side(walk_on, range(_PARTS), _PARTS))
        return Walked(
            np.minimum.reduce([walk.lowered for walk, _ in walks]),
            self._found(walks, take),
            taken,
            not _unfinished(walks),
        )

    @property
    def _last(self) -> int:
        return int(self._nodes.codes.shape[0]) - 1

    @cached_property
    def _splits(self) -> int:
        """The largest number of splits from the whole table down to a cell."""
        return int((self._nodes.levels[:, 2] - self._nodes.levels[:, 0]).sum()) + 1

    @cached_property
    def _rooms(self) -> list[tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int32]]]:
        """The stack, costs, and rows of each part, for which memory is used only as needed."""
        rows, labels = self._counts.size, int(self._nodes.lookup.max()) + 1
        deep = self._splits * min(rows, labels) + self._last + 2
        return [
            (
                np.empty((deep, FRAME), np.int64),
                np.empty(deep),
                np.empty((self._splits + 1) * rows, np.int32),
            )
            for _ in range(_PARTS)
        ]

    def _begin(
        self, prices: NDArray[np.float64], order: NDArray[np.int64], take: int, part: int
    ) -> tuple[Walk, Columns]:
        stack, spent, arena = self._rooms[part]
        rows, nodes = order.size, self._nodes.losses.size
        counted = np.zeros(COUNTS, np.int64)
        counted[DEPTH] = 1
        arena[:rows] = order
        stack[0] = 0, self._nodes.levels[0, 2], 0, rows, rows
        spent[0] = 0.0
        room = _COLUMNS_A_ROW * rows if take > 1 else 0  # with one price, no columns are needed
        return (
            Walk(
                counted,
                stack,
                spent,
                arena,
                prices,
                prices.copy(),
                np.zeros(nodes, np.int64),
                np.zeros(nodes, np.int64),
                np.empty(nodes, np.int32),
                np.empty(take + 2, np.int32),
            ),
            Columns(
                np.empty(room, np.int64),
                np.empty(room),
                np.empty(room * min(take, _ENTRIES), np.int32),
                np.empty(room * min(take, _ENTRIES), np.int32),
                np.zeros(prices.size),
            ),
        )

    def _found(self, walks: list[tuple[Walk, Columns]], take: int) -> ColumnSet:
        """Return the columns that have the largest excess for at least one of their rows."""
        excess = np.maximum.reduce([columns.excess for _, columns in walks])
        prices = walks[0][0].prices
        chosen = ColumnSet.none()
        for walk, columns in walks:
            number, filled = int(walk.counted[FOUND]), int(walk.counted[FILLED])
            noted = column_set(
                columns.ends[:number],
                columns.costs[:number],
                columns.rows[:filled],
                columns.many[:filled],
            )
            over = noted.totals(prices) - take * noted.costs
            best = over[noted.column_of] >= excess[noted.rows] - TOLERANCE
            keep = np.zeros(number, dtype=np.bool_)
            keep[noted.column_of[best]] = True
            chosen = chosen.with_others(noted.only(keep))
        return chosen


def _steps(walks: list[tuple[Walk, Columns]]) -> int:
    return sum(int(walk.counted[STEPS]) for walk, _ in walks)


def _unfinished(walks: list[tuple[Walk, Columns]]) -> bool:
    return any(walk.counted[DEPTH] for walk, _ in walks)


def _nodes(problem: RecodingProblem) -> NumberedNodes:
    """Number all nodes, starting with attributes with few values, whose nodes cost the most."""
    encoding = problem.encoding
    order = sorted(range(len(encoding.attributes)), key=lambda at: encoding.labels[at][0])
    starts = np.zeros((len(order), max(encoding.heights)), np.int64)
    lookup: list[NDArray[np.uint32]] = []
    losses: list[NDArray[np.float64]] = []
    codes = nodes = 0
    for place, at in enumerate(order):
        for level, own in enumerate(encoding.lookups[at]):
            starts[place, level] = codes
            lookup.append(own + np.uint32(nodes))
            losses.append(problem.node_losses[at][level, : encoding.labels[at][level]])
            losses[-1] = losses[-1] * problem.shares[at]
            codes += own.size
            nodes += encoding.labels[at][level]
    space = problem.space
    levels = [(space.bottom[at], space.top[at], encoding.heights[at] - 1) for at in order]
    return NumberedNodes(
        np.ascontiguousarray(encoding.codes[order]),
        encoding.counts,
        np.concatenate(lookup).astype(np.uint32),
        starts,
        np.concatenate(losses),
        np.array(levels, dtype=np.int64),
    )
