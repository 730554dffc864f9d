"""Bounds for recodings by intervals, compared with every partition and box of tiny tables."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement, product
from math import inf

import numpy as np
import pytest
from effort import EXPLORING
from lattices import Attribute
from numpy.typing import NDArray
from recodings_by_definition import Tiny, drawn, group_cost, least_loss
from scipy.optimize import linprog

from roadstead.kernels.recoding.box_sets import cheapest_sets, grown_boxes
from roadstead.kernels.recoding.box_tree import (
    PointTree,
    highest_in_nodes,
    neighbor_costs,
    point_tree,
)
from roadstead.search.protocol import Control
from roadstead.search.recoding.bounds.box_rows import RowSearch
from roadstead.search.recoding.bounds.boxes import BoxBound, box_bound, tree_of

ROUNDED = 1e-9
PLENTY = 10**9
SEEDS, RECORDS = (500, 9) if EXPLORING else (150, 7)


def bounds(tiny: Tiny) -> tuple[BoxBound, float]:
    """Give the bound of a tiny table, and the loss of its best recoding."""
    best = least_loss(tiny, intervals=True)
    return box_bound(tiny.problem(intervals=True), Control()), inf if best is None else float(best)


def test_no_partition_loses_less() -> None:
    """Of hundreds of tables with ties, duplicates, weights of zero and limits on suppression."""
    ratios, improved = [], 0
    for seed in range(SEEDS):
        found, best = bounds(drawn(seed, RECORDS))
        assert found.neighbor <= found.smallest <= found.value <= best, seed
        if 0.0 < best < inf:
            ratios.append(found.value / best)
            improved += found.value > found.smallest + 1e-6
    assert np.mean(ratios) > 0.85
    assert improved > 20


def relaxed(tiny: Tiny) -> float:
    """Least loss where a record may be in several groups by parts, as a solver finds it."""
    number = len(tiny.records)
    groups = [
        (group, cost)
        for group in range(1, 1 << number)
        if (cost := group_cost(tiny, group, intervals=True)) is not None
    ]
    holds = np.array([[group >> at & 1 for group, _ in groups] for at in range(number)])
    costs = [*(float(cost) for _, cost in groups), *[1.0] * number]
    solved = linprog(costs, A_eq=np.hstack([holds, np.eye(number)]), b_eq=np.ones(number))
    return float(solved.fun) / number


@pytest.mark.nightly
def test_it_comes_near_the_linear_program() -> None:
    """The prices are its dual: never above its optimum, and on the mean close to it."""
    ratios = []
    for seed in range(30):
        tiny = drawn(seed, 7)
        if len(tiny.records) < tiny.k:
            continue
        best, found = relaxed(tiny), box_bound(tiny.problem(intervals=True), Control()).value
        assert found <= best + ROUNDED, seed
        if best > ROUNDED:
            ratios.append(found / best)
    assert np.mean(ratios) > 0.95


def points(seed: int) -> PointTree:
    """Draw distinct points in whole numbers, so that there are ties; one leaf or a few."""
    random = np.random.default_rng(seed)
    number, attributes = int(random.integers(3, 40)), int(random.integers(1, 3))
    drawn_points = np.unique(random.integers(0, 6, (number, attributes)), axis=0)
    counts = random.choice([1, 1, 1, 2, 5], drawn_points.shape[0])
    return point_tree(drawn_points * random.choice([1.0, 0.5, 3.0], attributes), counts)


def boxes(tree: PointTree) -> list[tuple[float, NDArray[np.bool_]]]:
    """Each box between values that occur: what it costs, and the points inside."""
    found = []
    sides = [
        [(low, high) for low, high in combinations_with_replacement(np.unique(column), 2)]
        for column in tree.points.T
    ]
    for box in product(*sides):
        low, high = np.array(box).T
        inside = ((tree.points >= low) & (tree.points <= high)).all(axis=1)
        found.append((float((high - low).sum()), inside))
    return found


def least_by_definition(
    tree: PointTree, prices: NDArray[np.float64], k: int, row: int, *, every: bool
) -> float:
    """Least of k times a box's cost less what k of its records pay, the row one of them."""
    found = inf
    for cost, inside in boxes(tree):
        if inside[row]:
            paying = [
                prices[one]
                for one in np.flatnonzero(inside)
                for _ in range(tree.counts[one] - (one == row))
                if every or (prices[one], one) <= (prices[row], row)
            ]
            if len(paying) >= k - 1:
                paid = prices[row] + sum(sorted(paying, reverse=True)[: k - 1])
                found = min(found, k * cost - paid)
    return found


@pytest.mark.quick(1)
@pytest.mark.parametrize("every", [True, False])
def test_the_least_around_a_row_is_that_of_all_boxes(*, every: bool) -> None:
    """With and without prices; too few steps also prove it, only more weakly."""
    met = 0
    for seed in range(25):
        tree = points(seed)
        random = np.random.default_rng(1000 + seed)
        k = int(random.integers(2, 6)) + 8 * (seed % 2)  # few are searched by points, many by sides
        prices = np.zeros(tree.counts.size)
        if not every:
            prices += random.integers(0, 9, tree.counts.size)
        tops = highest_in_nodes(tree, prices)
        rows = random.permutation(tree.counts.size)[:6]
        ceiling = 1e3 if every else 0.0
        least = [least_by_definition(tree, prices, k, row, every=every) for row in rows]
        for budget in (PLENTY, 3, 0):
            found = cheapest_sets(
                tree, prices, tops, np.full(rows.size, ceiling), k, rows, budget, every
            )
            assert (found.least <= np.minimum(least, ceiling) + ROUNDED).all()
            if budget == PLENTY:
                assert found.least == pytest.approx(np.minimum(least, ceiling), abs=ROUNDED)
            for row, value, own in zip(rows, found.value, found.sets, strict=True):
                assert (value < inf) == (own >= 0).all() == (own >= 0).any()
                if value < inf:
                    members, times = np.unique(own, return_counts=True)
                    assert row in members
                    assert (times <= tree.counts[members]).all()
                    cost = np.ptp(tree.points[own], axis=0).sum()
                    assert k * cost - prices[own].sum() <= value + ROUNDED
                    met += 1
    assert met > 20


def test_neighbors_and_grown_boxes() -> None:
    """The (k - 1)-th nearest with duplicates; a grown box is not cheaper than the best."""
    for seed in range(40):
        tree = points(seed)
        rows = np.arange(tree.counts.size)
        k = min(2 + seed % 5, int(tree.counts.sum()))
        near = neighbor_costs(tree, k, rows)
        grown = grown_boxes(tree, k, np.full(rows.size, 1e3), rows)
        found = boxes(tree)
        for row in rows[:10]:
            far = np.abs(tree.points - tree.points[row]).sum(axis=1)
            assert near[row] == pytest.approx(np.sort(np.repeat(far, tree.counts))[k - 1])
            holding = [c for c, i in found if i[row] and tree.counts[i].sum() >= k]
            assert min(holding) - ROUNDED <= grown[row]
            assert any(abs(cost - grown[row]) < ROUNDED for cost in holding)
    assert np.isinf(neighbor_costs(tree, int(tree.counts.sum()) + 1, rows)).all()


def test_smallest_boxes_are_those_of_all_boxes() -> None:
    """Through all passes and threads, and with steps that do not suffice never above."""
    for seed in range(20):
        tree, k = points(seed), 2 + seed % 4
        if tree.counts.sum() < k:
            continue
        found = boxes(tree)
        for budget in (PLENTY, 10):
            search = RowSearch(tree, k, Control())
            near = search.neighbors()
            small = search.smallest(near, budget)
            for row in range(min(tree.counts.size, 10)):
                least = min(c for c, i in found if i[row] and tree.counts[i].sum() >= k)
                assert near[row] <= small[row] <= least + ROUNDED
                assert budget < PLENTY or small[row] >= least - ROUNDED


def test_a_smallest_box_is_known_with_its_records() -> None:
    """For each row that may lose something: k records in its box, which prices must not exceed."""
    for seed in range(40):
        tree, k = points(seed), 2 + seed % 4
        if tree.counts.sum() < k:
            continue
        search = RowSearch(tree, k, Control())
        small = search.smallest(search.neighbors(), PLENTY)
        costs = np.ptp(tree.points[search.smallest_sets], axis=1).sum(axis=1)
        found = np.zeros(tree.counts.size)
        for members, cost in zip(search.smallest_sets, costs, strict=True):
            taken = np.sum(members[:, None] == members, axis=0)
            assert (taken <= tree.counts[members]).all()
            assert (small[members] <= cost + ROUNDED).all()
            found[members[small[members] >= cost - ROUNDED]] = cost
        assert found == pytest.approx(small)


def table(values: tuple[str, ...], records: str, k: int, limit: int = 0) -> Tiny:
    """Make a table of one attribute, a record a letter."""
    attribute = Attribute("a", values, (values, ("*",) * len(values)), (1,) * len(values))
    return Tiny((attribute,), tuple((one,) for one in records), k, limit, (1,), ((0, 1),))


def test_known_tables() -> None:
    """Bounds that can be worked out by hand."""
    five = tuple("abcde")
    assert box_bound(table(five, "aabb", 2).problem(intervals=True), Control()).value == 0.0
    pairs = box_bound(table(five, "abde", 2).problem(intervals=True), Control())
    assert pairs.value == pytest.approx(1 / 4)  # values that no record has are shown, too
    assert box_bound(table(five, "aae", 3).problem(intervals=True), Control()).smallest > 0.999
    hub = box_bound(table(five, "abc", 3).problem(intervals=True), Control())
    assert hub.neighbor < hub.smallest == pytest.approx(hub.value) == pytest.approx(1 / 2)


def test_fewer_records_than_a_class_needs() -> None:
    """All are suppressed, or there is no recoding; and classes of one record lose nothing."""
    for limit, least in ((2, 1.0), (1, inf)):
        problem = table(tuple("abc"), "ab", 3, limit).problem(intervals=True)
        assert box_bound(problem, Control()).value == least
    single = replace(table(tuple("abc"), "ab", 2).problem(intervals=True), k=1)
    assert box_bound(single, Control()).value == 0.0


def test_equal_steps_give_equal_bounds_and_few_give_less() -> None:
    """It is anytime: whatever is left undone, the bound holds."""
    for seed in range(20):
        tiny = drawn(seed, 7)
        problem = tiny.problem(intervals=True)
        whole = box_bound(problem, Control())
        assert whole == box_bound(problem, Control())
        for steps in (0, 5, 40):
            few = box_bound(problem, Control(), steps=steps)
            assert few == box_bound(problem, Control(), steps=steps)
            assert few.value <= float(least_loss(tiny, intervals=True) or 0) + ROUNDED
        stopped = box_bound(problem, Control(stopped=lambda: True))
        assert stopped.value <= whole.value
        if len(tiny.records) >= tiny.k:
            assert stopped.ending == "interrupted"


def test_equal_places_are_one_point() -> None:
    """An attribute without weight does not distinguish rows."""
    tiny = next(t for t in map(drawn, range(500)) if 0 in t.weights and len(set(t.records)) > 4)
    tree = tree_of(tiny.problem(intervals=True))
    assert tree.counts.sum() == len(tiny.records)
    assert np.unique(tree.points, axis=0).shape == tree.points.shape


def test_classes_of_many_records_on_a_line() -> None:
    """More than a search follows down one by one; the cheapest boxes are windows."""
    random = np.random.default_rng(5)
    for k in (45, 60):
        places = np.sort(random.choice(2000, 90, replace=False)).astype(np.float64)
        tree = point_tree(places[:, None], np.ones(90, np.int64))
        windows = [(places[at], places[at + k - 1]) for at in range(90 - k + 1)]
        search = RowSearch(tree, k, Control())
        near = search.neighbors()
        small = search.smallest(near, PLENTY // 1000)
        for row, place in enumerate(tree.points[:, 0]):
            least = min(high - low for low, high in windows if low <= place <= high)
            assert near[row] <= small[row] <= least + ROUNDED
