"""The loops over labels against plain twins that keep every way to divide the first values."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from effort import sparing
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from roadstead.kernels import pareto_paths as kernels

Table = NDArray[np.float64]
Pair = tuple[float, float]
CLOSE = 1e-12


def whole_costs(size: int, seed: int) -> Table:
    """Risks and losses of intervals in whole numbers, so that there are ties."""
    random = np.random.default_rng(seed)
    return random.integers(0, 6, (2, size, size)).astype(np.float64)


def ways(costs: Table, begin: int, end: int) -> list[Pair]:
    """Risk and loss of every way to divide the values from one place to another."""
    found = []
    for number in range(max(end - begin, 1)):
        for cuts in combinations(range(begin + 1, end), number):
            places = [begin, *cuts, end] if end > begin else [begin]
            pairs = list(pairwise(places))
            found.append(
                tuple(float(sum(own[first, after - 1] for first, after in pairs)) for own in costs)
            )
    return [(risk, loss) for risk, loss in found]


def efficient(points: list[Pair]) -> list[Pair]:
    """Points that no other point dominates, in ascending order of risk."""
    return sorted(
        {
            one
            for one in points
            if not any(o != one and o[0] <= one[0] and o[1] <= one[1] for o in points)
        }
    )


def labels_of(costs: Table) -> tuple[Table, NDArray[np.int64], NDArray[np.int64]]:
    """Labels of all places, the first of each, and their parents."""
    labels, offsets, parents = np.zeros((3, 1)), np.array([0, 1]), np.zeros(1, np.int64)
    for node in range(1, costs.shape[1] + 1):
        risks, losses = costs[:, :node, node - 1].copy()
        new, own = kernels.extend(labels, offsets, risks, losses, CLOSE)
        labels, parents = np.concatenate([labels, new], axis=1), np.concatenate([parents, own])
        offsets = np.append(offsets, labels.shape[1])
    return labels, offsets, parents


@sparing
@given(st.integers(1, 7), st.integers(0, 1000))
def test_labels_are_the_efficient_ways(size: int, seed: int) -> None:
    costs = whole_costs(size, seed)
    labels, offsets, parents = labels_of(costs)
    for node in range(1, size + 1):
        mine = labels[:, offsets[node] : offsets[node + 1]]
        pairs = zip(mine[kernels.RISK], mine[kernels.LOSS], strict=True)
        assert list(pairs) == efficient(ways(costs, 0, node))
        assert (mine[kernels.LOW] == mine[kernels.RISK]).all()
    for label in range(1, labels.shape[1]):
        before, at = np.searchsorted(offsets, [parents[label], label], side="right") - 1
        step = labels[1:, label] - labels[1:, parents[label]]
        assert step.tolist() == costs[:, before, at - 1].tolist()


@sparing
@given(st.lists(st.integers(0, 40), min_size=1, unique=True), st.sampled_from([0.0, 3.0, 100.0]))
def test_labels_made_one_keep_the_least_of_both(risks: list[int], width: float) -> None:
    """Every label is covered by one that stays, whose low risk is less by the width at most."""
    low = np.array(sorted(risks), dtype=np.float64)
    labels = np.array([low, low, np.arange(low.size, 0, -1, dtype=np.float64)])
    before = labels.copy()
    stay = kernels.thin(labels, width)
    kept = labels[:, stay]
    for risk, loss in before[1:].T:
        assert any(k[kernels.LOW] <= risk and k[kernels.LOSS] <= loss for k in kept.T)
    assert (kept[kernels.RISK] - kept[kernels.LOW] <= width).all()
    assert (kept[1:] == before[1:, stay]).all()
    assert (np.diff(kept[kernels.LOW]) > width).all()


@sparing
@given(st.integers(1, 7), st.integers(0, 1000))
def test_hulls_have_the_least_cost_for_every_price(size: int, seed: int) -> None:
    costs = whole_costs(size, seed)
    prices = np.array([0.0, 0.5, 2.0, np.inf])
    risks, losses = kernels.hulls_to_go(costs[0].copy(), costs[1].copy(), prices)
    for node in range(size):
        points = np.array(ways(costs, node, size))
        for number, price in enumerate(prices):
            own, other = (0.0, 1.0) if np.isinf(price) else (1.0, price)
            least = (own * points[:, 0] + other * points[:, 1]).min()
            found = own * risks[node, number] + other * losses[node, number]
            assert found == pytest.approx(least)
            assert (risks[node, number], losses[node, number]) in set(map(tuple, points.tolist()))


@sparing
@given(st.integers(2, 7), st.integers(0, 1000), st.data())
def test_labels_that_reach_beyond_the_frontier_stay(
    size: int, seed: int, data: st.DataObject
) -> None:
    """None that has a completion beyond goes; and without a frontier all stay."""
    costs = whole_costs(size, seed)
    labels, offsets, _ = labels_of(costs)
    prices = np.array([0.0, 0.25, 1.0, 4.0, np.inf])
    risks, losses = kernels.hulls_to_go(costs[0].copy(), costs[1].copy(), prices)
    share = st.integers(0, 20).map(float)
    frontier = efficient(data.draw(st.lists(st.tuples(share, share), max_size=4)))
    steps, heights = np.array(frontier, dtype=np.float64).reshape(-1, 2).T.copy()
    for node in range(1, size):
        mine = labels[:, offsets[node] : offsets[node + 1]].copy()
        stay = kernels.promising(mine, (risks[node], losses[node]), (steps, heights), CLOSE)
        if not frontier:
            assert stay.size == mine.shape[1]
        for label in set(range(mine.shape[1])) - set(stay.tolist()):
            for risk, loss in ways(costs, node, size):
                whole = mine[kernels.RISK, label] + risk, mine[kernels.LOSS, label] + loss
                assert any(r <= whole[0] and u <= whole[1] for r, u in frontier)
