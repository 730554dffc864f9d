"""Search and bound of local recoding, compared with the optimum that a solver proves."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from recodings_by_definition import drawn, least_loss
from recodings_by_solver import (
    ROUNDED,
    Prices,
    cells_of,
    least_by_solver,
    levels_of,
    patterns_of,
    worth_using,
)

from roadstead.search.protocol import Control
from roadstead.search.recoding.bounds.nodes import node_bound
from roadstead.search.recoding.cells.search import CellSuppression
from roadstead.search.recoding.local import LocalSearch
from roadstead.search.recoding.solve import solve


def test_the_solver_finds_the_best_of_all_partitions() -> None:
    """It is a witness of its own: of tiny tables every partition is tried."""
    for seed in range(40):
        case = drawn(seed, 7, whole=seed % 2 == 0)
        problem, best = case.problem(intervals=False), least_loss(case, intervals=False)
        found = least_by_solver(problem, cells_of(problem, levels_of(problem)))
        assert found == pytest.approx(inf if best is None else float(best), abs=ROUNDED), seed


def test_what_is_left_out_changes_nothing_and_the_bound_is_below() -> None:
    """Also under prices of the bound; the search is never below the optimum, and mostly near it."""
    ratios = []
    for seed in range(40):
        problem = drawn(seed, 9).problem(intervals=False)
        bound, found = node_bound(problem, Control()), solve(problem, LocalSearch(), Control())
        cells = cells_of(problem, levels_of(problem))
        best = least_by_solver(problem, cells)
        if best is None or best == inf:
            continue
        prices = Prices(bound.prices, bound.suppression)
        fewer = worth_using(problem, cells, prices, found.loss)
        assert least_by_solver(problem, fewer) == pytest.approx(best, abs=ROUNDED), seed
        assert bound.value <= best + ROUNDED
        assert found.loss >= best - ROUNDED
        if best > 0.0:
            ratios.append(found.loss / best)
    assert np.mean(ratios) < 1.1


def test_cells_are_never_below_the_optimum_of_their_levels() -> None:
    """One vector of levels for all, and attributes suppressed: the least over all vectors."""
    for seed in range(12):
        problem = drawn(seed, 7).problem(intervals=False)
        found = solve(problem, CellSuppression(), Control())
        solved = [
            least_by_solver(problem, cells_of(problem, patterns_of(problem, levels)))
            for levels in levels_of(problem)
        ]
        assert None not in solved
        best = min(one for one in solved if one is not None)
        if best < inf:
            assert found.lower_bound <= best + ROUNDED
            assert found.loss >= best - ROUNDED
