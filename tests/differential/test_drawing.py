"""Records distributed to cells: whole numbers as near to their shares as possible."""

from __future__ import annotations

import numpy as np
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.margins.drawing import dealt

EXACT = Mechanisms()
WEIGHTS = st.tuples(st.integers(1, 6), st.integers(1, 9)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.25, 1.0, 3.0, 1e9]))
)


@st.composite
def records(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Weights of some rows, and records that name rows."""
    weights = draw(WEIGHTS)
    rows = st.lists(st.integers(0, len(weights) - 1), min_size=1, max_size=60)
    return np.array(draw(rows)), weights


@given(records())
@examples(100)
def test_no_record_gets_a_cell_without_weight(asked: tuple[np.ndarray, np.ndarray]) -> None:
    """Where no cell of a row has any, each may be dealt."""
    condition, weights = asked
    found = dealt(condition, weights, EXACT)
    assert ((found >= 0) & (found < weights.shape[1])).all()
    possible = weights > 0
    possible[~possible.any(axis=1)] = True
    assert possible[condition, found].all()


@given(records())
@examples(100)
def test_halves_get_their_share_of_each_row_and_of_all(
    asked: tuple[np.ndarray, np.ndarray],
) -> None:
    """The first halving is of all cells: its share is rounded up or down, in a row and in all."""
    condition, weights = asked
    weights = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, 1.0)
    middle = 1 << max((weights.shape[1] - 1).bit_length() - 1, 0)
    first = dealt(condition, weights, EXACT) < middle
    numbers = np.bincount(condition, minlength=len(weights))
    shares = numbers * weights[:, :middle].sum(axis=1) / weights.sum(axis=1)
    inside = np.bincount(condition, weights=first, minlength=len(weights))
    assert (np.abs(inside - shares) < 1 + 1e-6).all()
    assert abs(inside.sum() - shares.sum()) < 1 + 1e-6


def test_each_cell_gets_its_share_on_average() -> None:
    """Seven records, and shares that are not whole numbers."""
    weights = np.array([[0.1, 0.2, 0.3, 0.15, 0.25], [0.5, 0.125, 0.125, 0.125, 0.125]])
    condition = np.array([0] * 4 + [1] * 3)
    runs = 2000
    counts = np.zeros_like(weights)
    for _ in range(runs):
        np.add.at(counts, (condition, dealt(condition, weights, EXACT)), 1)
    # Each count is within one of its share, so seven standard errors are at most 7 / sqrt(runs).
    assert np.abs(counts / runs - weights * [[4], [3]]).max() < 7 / np.sqrt(runs)
