"""Splits of a sublattice, found at once as they would be found one by one."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.kernels import splits
from roadstead.quality.aggregates import ArithmeticMean, GeometricMean

HEIGHT = 4
shares = st.floats(0.0, 1.0)


@st.composite
def ends(draw: st.DrawFn) -> tuple[list[list[float]], list[int], list[int]]:
    """Losses of a few attributes, that do not fall with the level, and two ends."""
    number = draw(st.integers(1, 4))
    row = st.lists(shares, min_size=HEIGHT, max_size=HEIGHT).map(sorted)
    losses = draw(st.lists(row, min_size=number, max_size=number))
    pairs = [sorted(draw(st.tuples(*[st.integers(0, HEIGHT - 1)] * 2))) for _ in losses]
    return losses, [low for low, _ in pairs], [high for _, high in pairs]


@unhurried
@given(ends(), st.sampled_from([0, 1]), st.sampled_from([None, (1, 2, 3, 4)]))
def test_raised_means_are_those_of_the_aggregate(
    given_ends: tuple[list[list[float]], list[int], list[int]],
    geometric: int,
    weights: tuple[int, ...] | None,
) -> None:
    """With one level raised; other levels have none."""
    losses, lower, upper = given_ends
    kind = GeometricMean if geometric else ArithmeticMean
    mean = kind(weights and weights[: len(losses)])
    own = mean.shares or (1 / len(losses),) * len(losses)
    at_lower = [row[low] for row, low in zip(losses, lower, strict=True)]
    found = splits.raised_means(
        np.array(losses), np.array(lower), np.array(upper), mean(at_lower), np.array(own), geometric
    )
    for i, (low, high) in enumerate(zip(lower, upper, strict=True)):
        for level in range(HEIGHT):
            if low < level <= high:
                raised = [*at_lower[:i], losses[i][level], *at_lower[i + 1 :]]
                assert found[i, level] == pytest.approx(mean(raised), rel=0, abs=1e-12)
            else:
                assert found[i, level] == inf


@unhurried
@given(ends(), st.integers(0, 10))
def test_levels_are_open_below_the_first_bound_that_is_not(
    given_ends: tuple[list[list[float]], list[int], list[int]], tenths: int
) -> None:
    """A bound between the two limits is too close to decide."""
    bounds, lower, upper = given_ends
    bounds = [[round(one, 1) for one in row] for row in bounds]
    surely, barely = tenths / 10 + 0.01, tenths / 10 - 0.01
    top, close = splits.open_levels(
        np.array(bounds), np.array(lower), np.array(upper), surely, barely
    )
    expected, near = [], False
    for row, low, high in zip(bounds, lower, upper, strict=True):
        shut = [level for level in range(low + 1, high + 1) if row[level] >= barely]
        near |= bool(shut) and row[shut[0]] <= surely
        expected.append(shut[0] - 1 if shut else high)
    assert top.tolist() == expected
    assert close == near


@unhurried
@given(ends(), st.data())
def test_the_split_chosen_has_the_best_worse_half(
    given_ends: tuple[list[list[float]], list[int], list[int]], data: st.DataObject
) -> None:
    """Three times the gain of the worse half and that of the better one; the first of equals."""
    bounds, lower, upper = given_ends
    raised = np.full((len(bounds), HEIGHT), inf)
    for i, (low, high) in enumerate(zip(lower, upper, strict=True)):
        raised[i, low + 1 : high + 1] = bounds[i][low + 1 : high + 1]
    row = st.lists(shares, min_size=HEIGHT, max_size=HEIGHT)
    means = np.array([data.draw(row) for _ in bounds])
    bound, best = data.draw(shares), data.draw(shares)
    scores = {}
    for i, level in np.argwhere(raised < inf).tolist():
        gained = 1.0 if best <= bound else min(1.0, (raised[i, level] - bound) / (best - bound))
        second, first = max(gained, 0.0), means[i, level]
        scores[i, level] = 3.0 * min(first, second) + max(first, second)
    if scores:
        assert splits.choose(raised, means, bound, best) == max(scores, key=lambda at: scores[at])
