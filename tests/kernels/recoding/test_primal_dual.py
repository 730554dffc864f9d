"""Prices under columns, compared with a linear program and with plain Python."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from roadstead.kernels.recoding.primal_dual import PriceProgram, improve_prices


def drawn(seed: int) -> PriceProgram:
    """Draw a linear program of a few rows and columns, in which every row has a column."""
    chance = np.random.default_rng(seed)
    number = int(chance.integers(3, 9))
    counts = chance.integers(1, 4, number)
    members = [chance.choice(number, chance.integers(1, 4), replace=False) for _ in range(12)]
    members += [np.array([row]) for row in range(number)]
    many = [chance.integers(1, counts[rows] + 1) for rows in members]
    return PriceProgram(
        counts,
        np.full(number, -0.5),
        np.full(number, 1.0),
        np.cumsum([rows.size for rows in members]),
        chance.uniform(0.05, 0.6, len(members)),
        np.concatenate(members).astype(np.int32),
        np.concatenate(many).astype(np.int32),
        np.zeros(len(members)),
    )


def matrix(program: PriceProgram) -> np.ndarray:
    """How many of each row each column has."""
    found = np.zeros((program.ends.size, program.counts.size))
    column = np.repeat(np.arange(program.ends.size), np.diff(program.ends, prepend=0))
    found[column, program.rows] = program.many
    return found


def test_prices_come_near_the_optimum() -> None:
    """The optimum is a solver's for the linear program; columns' weights are its multipliers."""
    for seed in range(30):
        program = drawn(seed)
        many = matrix(program)
        sizes = many.sum(axis=1)
        solved = linprog(
            -program.counts,
            A_ub=many,
            b_ub=sizes * program.costs,
            bounds=list(zip(program.lowest, program.highest, strict=True)),
        )
        prices, _ = improve_prices(program, np.zeros(program.counts.size), 20_000, 0.3)
        assert abs(program.counts @ prices + solved.fun) < 2e-3 * abs(solved.fun)
        assert (many @ prices - sizes * program.costs).max() < 1e-2
        reduced = program.counts - many.T @ program.weights
        dual = (
            program.weights @ (sizes * program.costs)
            + np.maximum(reduced * program.lowest, reduced * program.highest).sum()
        )
        assert abs(dual + solved.fun) < 1e-2 * abs(solved.fun)


def test_each_turn_is_as_the_paper_has_it() -> None:
    """Worked out with matrices."""
    program, turns, scale = drawn(3), 7, 0.2
    many = matrix(program)
    sizes, load = many.sum(axis=1), np.maximum(many.sum(axis=0), 1.0)
    prices, weights, kept = np.full(program.counts.size, 0.1), program.weights.copy(), []
    for _ in range(turns):
        missing = program.counts - many.T @ weights
        after = np.clip(prices + scale / load * missing, program.lowest, program.highest)
        ahead = 2 * after - prices
        weights += (many @ ahead - sizes * program.costs) / (scale * sizes)
        weights = np.maximum(weights, 0.0)
        prices = after
        kept.append((after, missing))
    found, unmet = improve_prices(program, np.full(prices.size, 0.1), turns, scale)
    np.testing.assert_allclose(found, np.mean([after for after, _ in kept[-3:]], axis=0))
    np.testing.assert_allclose(unmet, np.mean([missing for _, missing in kept[-3:]], axis=0))
    np.testing.assert_allclose(program.weights, weights)
