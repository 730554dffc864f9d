"""The walk over cells, compared with a look at every vector of levels."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from recodings_by_definition import drawn

from roadstead.search.protocol import Control
from roadstead.search.recoding.bounds import cell_walk
from roadstead.search.recoding.bounds.cell_walk import TOLERANCE, CellWalk, Walked
from roadstead.search.recoding.protocol import RecodingProblem

ENDLESS = 10**9


def cells(problem: RecodingProblem) -> list[tuple[float, NDArray[np.int64]]]:
    """Cost and rows of every cell of at least k records."""
    encoding, space, found = problem.encoding, problem.space, []
    ranges = [range(low, high + 1) for low, high in zip(space.bottom, space.top, strict=True)]
    for levels in product(*ranges):
        shown = np.array(
            [encoding.lookups[at][level][encoding.codes[at]] for at, level in enumerate(levels)]
        )
        nodes, cell_of = np.unique(shown, axis=1, return_inverse=True)
        parts = np.stack([np.tile(levels, (nodes.shape[1], 1)), nodes.T], axis=2).astype(np.int32)
        for number, cost in enumerate(problem.costs(parts)):
            rows = np.flatnonzero(cell_of.reshape(-1) == number)
            if encoding.counts[rows].sum() >= problem.k:
                found.append((float(cost), rows))
    return found


def highest(
    prices: NDArray[np.float64], counts: NDArray[np.int64], rows: NDArray[np.int64], take: int
) -> float:
    """Sum of the highest prices of the records of rows."""
    each = np.repeat(prices[rows], counts[rows])
    return float(np.sort(each)[::-1][:take].sum())


def walked(
    problem: RecodingProblem, prices: NDArray[np.float64], take: int, steps: int = ENDLESS
) -> Walked:
    """Walk over a problem's cells."""
    return CellWalk(problem).run(prices, least=problem.k, take=take, steps=steps, control=Control())


@pytest.mark.quick(1)
@pytest.mark.parametrize("whole", [True, False])
def test_lowered_prices_suit_every_cell(*, whole: bool) -> None:
    """No more, no less: what suited already stays, and nothing is raised."""
    for seed in range(150):
        problem = drawn(seed, 40, whole=whole).problem(intervals=False)
        chance = np.random.default_rng(seed)
        prices = chance.uniform(-0.3, chance.choice([0.2, 0.6, 1.5]), problem.encoding.counts.size)
        counts, k = problem.encoding.counts, problem.k
        found = walked(problem, prices, k)
        assert found.complete
        assert (found.prices <= prices).all()
        touched = np.zeros(prices.size, dtype=np.bool_)
        for cost, rows in cells(problem):
            assert highest(found.prices, counts, rows, k) <= k * cost + 2 * TOLERANCE
            if highest(prices, counts, rows, k) > k * cost:
                touched[rows] = True
        assert np.array_equal(found.prices[~touched], prices[~touched])
        assert walked(problem, found.prices, k).columns.number == 0


def test_to_take_one_gives_the_least_cost_of_each_row() -> None:
    """Where all start at the same price."""
    for seed in range(150):
        problem = drawn(seed, 40, whole=seed % 2 == 0).problem(intervals=False)
        least = np.full(problem.encoding.counts.size, 2.0)
        for cost, rows in cells(problem):
            least[rows] = np.minimum(least[rows], cost)
        found = walked(problem, np.full(least.size, 2.0), 1)
        np.testing.assert_allclose(found.prices, least, atol=2 * TOLERANCE)


def test_columns_are_of_cells_and_exceed() -> None:
    """Each has k records, no more of a row than there are, that lie in a cell of its cost."""
    found_any = 0
    for seed in range(60):
        problem = drawn(seed, 40).problem(intervals=False)
        counts, k = problem.encoding.counts, problem.k
        prices = np.random.default_rng(seed).uniform(0.0, 1.0, counts.size)
        columns = walked(problem, prices, k).columns
        all_cells = cells(problem)
        begins = [0, *columns.ends[:-1]][: columns.number]
        for begin, end, cost in zip(begins, columns.ends, columns.costs, strict=True):
            rows, many = columns.rows[begin:end], columns.many[begin:end]
            assert many.sum() == k
            assert (many <= counts[rows]).all()
            assert np.unique(rows).size == rows.size
            assert prices[rows] @ many > k * cost
            assert any(
                abs(own - cost) < 1e-12 and np.isin(rows, inside).all() for own, inside in all_cells
            )
        found_any += columns.number > 0
    assert found_any > 30


def test_it_can_stop_and_go_on_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """And says whether it came to the end."""
    problem = drawn(11, 40).problem(intervals=False)
    prices = np.full(problem.encoding.counts.size, 0.9)
    whole = walked(problem, prices, problem.k)
    monkeypatch.setattr(cell_walk, "_QUOTA", 1)
    monkeypatch.setattr(cell_walk, "_WITHOUT_THREADS", 1)
    by_steps = walked(problem, prices, problem.k)
    assert np.array_equal(whole.prices, by_steps.prices)
    assert whole.steps == by_steps.steps
    broken_off = walked(problem, prices, problem.k, steps=1)
    assert not broken_off.complete
    assert broken_off.steps < whole.steps
