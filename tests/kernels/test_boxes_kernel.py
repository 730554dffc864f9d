"""The loops of the search for boxes, compared with plain twins that try and count everything."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from roadstead.kernels.recoding.annealing import (
    Boxes,
    BoxPrices,
    Move,
    anneal,
    boxes_of,
    changed,
    conflicts_near,
    conflicts_within,
    covers,
    price,
)
from roadstead.kernels.recoding.nearest import block_boxes, nearest
from roadstead.kernels.recoding.splitting import LOSS, MEDIAN, cuts, split


def points(seed: int, rows: int, axes: int = 3) -> NDArray[np.float64]:
    """Draw points on a grid, so that many are at equal distances; no two are at one place."""
    chance = np.random.default_rng(seed)
    found = np.unique(chance.integers(0, 7, size=(4 * rows, axes)), axis=0)
    return np.ascontiguousarray(chance.permutation(found)[:rows] / 8.0)


def weights(seed: int, rows: int) -> NDArray[np.int64]:
    """Draw numbers of records, mostly 1."""
    return np.random.default_rng(seed).geometric(0.6, size=rows).astype(np.int64)


def width(inside: NDArray[np.float64]) -> float:
    """Width of the smallest box of some points, all axes together."""
    return float((inside.max(axis=0) - inside.min(axis=0)).sum()) if inside.size else 0.0


@pytest.mark.parametrize("size", [1, 4, 100])
def test_the_nearest_are_the_nearest(size: int) -> None:
    """Blocks are passed over only where they hold nothing that is nearer."""
    where = points(1, 60)
    order = np.lexsort(where.T)
    low, high = block_boxes(where, order, size)
    for block in range(low.shape[0]):
        inside = where[order[block * size : (block + 1) * size]]
        assert np.array_equal(low[block], inside.min(axis=0))
        assert np.array_equal(high[block], inside.max(axis=0))
    found = nearest(where, order, size, low, high, 0, low.shape[0], 9, 1000)
    for row, near in zip(order.tolist(), found.tolist(), strict=True):
        distances = np.abs(where - where[row]).sum(axis=1)
        assert row not in near
        assert len(set(near)) == 9
        others = np.sort(np.delete(distances, row))
        assert np.allclose(distances[near], others[:9])
    middle = nearest(where, order, size, low, high, 0, 1, 9, 1000)
    assert np.array_equal(middle, found[:size])
    few = nearest(where, order, size, low, high, 0, low.shape[0], 9, 1)
    assert all(
        len({row, *near}) == 10 for row, near in zip(order.tolist(), few.tolist(), strict=True)
    )


@pytest.mark.parametrize("seed", range(8))
def test_the_best_cut_is_the_best_of_all_cuts(seed: int) -> None:
    """By either rule, of every axis."""
    where, records, least = points(seed, 25), weights(seed, 25), 4
    rows = np.random.default_rng(seed).permutation(25)[:18]
    total = records[rows].sum()
    for rule in (MEDIAN, LOSS):
        front, badness = cuts(where, records, rows, least, rule)
        for axis in range(where.shape[1]):
            along = where[rows, axis]
            tried = {}
            for value in np.unique(along)[:-1]:
                sides = [rows[along <= value], rows[along > value]]
                sizes = [records[side].sum() for side in sides]
                if min(sizes) >= least:
                    lost = sum(
                        size * width(where[side]) / np.log2(1 + size / least)
                        for side, size in zip(sides, sizes, strict=True)
                    )
                    off = abs(sizes[0] - total / 2)
                    tried[sides[0].size] = off if rule == MEDIAN else lost
            if not tried:
                assert front[axis] == -1
                continue
            assert tried[front[axis]] == pytest.approx(min(tried.values()))
            expected = -float(along.max() - along.min()) if rule == MEDIAN else min(tried.values())
            assert badness[axis] == pytest.approx(expected)


@pytest.mark.parametrize("rule", [MEDIAN, LOSS])
def test_splits_end_where_no_box_can_be_split(rule: int) -> None:
    """Boxes keep the least number of records, and have no cut that both sides survive."""
    where, records = points(3, 120), weights(3, 120)
    boxes = split(where, records, 5, rule)
    assert set(boxes.tolist()) == set(range(int(boxes.max()) + 1))
    for box in range(int(boxes.max()) + 1):
        inside = np.flatnonzero(boxes == box)
        assert records[inside].sum() >= 5
        assert (cuts(where, records, inside, 5, rule)[0] == -1).all()


def state(seed: int, rows: int, number: int) -> Boxes:
    """Put points into boxes at random, and suppress some."""
    where, chance = points(seed, rows), np.random.default_rng(seed)
    box = chance.integers(-1, number, size=rows).astype(np.int32)
    distances = np.abs(where[:, None] - where[None]).sum(axis=2)
    near = np.argsort(distances, axis=1, kind="stable")[:, 1:].astype(np.int32)
    return boxes_of(where, weights(seed, rows), near, box, number + 3, rows)


def assert_whole(boxes: Boxes) -> None:
    """Every box is what its rows make of it."""
    for box in range(boxes.rows.size):
        inside = np.flatnonzero(boxes.box == box)
        assert set(boxes.members[box, : boxes.rows[box]].tolist()) == set(inside.tolist())
        assert boxes.records[box] == boxes.weights[inside].sum()
        assert boxes.width[box] == pytest.approx(width(boxes.points[inside]))
        if inside.size:
            assert np.array_equal(boxes.low[box], boxes.points[inside].min(axis=0))
            assert np.array_equal(boxes.high[box], boxes.points[inside].max(axis=0))
        for row in inside.tolist():
            assert boxes.members[box, boxes.slot[row]] == row


def test_a_box_that_changes_is_as_wide_as_if_it_were_made_anew() -> None:
    """With any row out of it, any other into it, or both."""
    boxes = state(1, 30, 8)
    assert_whole(boxes)
    for box in range(8):
        inside = np.flatnonzero(boxes.box == box).tolist()
        for out in [-1, *inside]:
            for into in [-1, *np.flatnonzero(boxes.box != box).tolist()]:
                rows = [row for row in [*inside, into] if row not in (out, -1)]
                expected = width(boxes.points[rows])
                assert changed(boxes, box, out, into) == pytest.approx(expected)


def test_conflicts_are_rows_that_cheaper_boxes_hold() -> None:
    """Where all rows are near, all are found."""
    boxes, clock = state(2, 40, 9), np.zeros(1, dtype=np.int64)
    seen = 0
    holding = [
        [box for box in range(9) if boxes.rows[box] and covers(boxes, box, row)]
        for row in range(40)
    ]
    for row, by in enumerate(holding):
        for box in by:
            inside = boxes.points[boxes.box == box]
            assert (inside.min(axis=0) <= boxes.points[row]).all()
            assert (boxes.points[row] <= inside.max(axis=0)).all()
    for box in range(9):
        expected = sum(
            int(boxes.weights[row])
            for row in np.flatnonzero(boxes.box == box).tolist()
            for other in holding[row]
            if other != box and boxes.width[other] <= boxes.width[box]
        )
        assert conflicts_within(boxes, box, clock) == expected
        seen += expected
    assert seen > 0
    expected = sum(
        int(boxes.weights[row])
        for row in range(1, 40)
        for box in holding[row]
        if box in (3, 4) and boxes.box[row] not in (3, 4)
        if boxes.width[box] <= (1.0 if boxes.box[row] < 0 else boxes.width[boxes.box[row]])
    )
    assert conflicts_near(boxes, 0, Move(0, -1, 3, 4)) == expected


def test_a_small_box_has_its_price() -> None:
    """As if it were full, and for what is missing; none costs nothing."""
    prices = BoxPrices(4, 0.5, 0.0, 0)
    assert price(prices, 5, 0.2) == pytest.approx(1.0)
    assert price(prices, 3, 0.2) == pytest.approx(0.8 + 0.5)
    assert price(prices, 2, 0.2) == pytest.approx(0.8 + 0.5 * 2**0.5)
    assert price(prices, 0, 0.2) == 0.0


@pytest.mark.parametrize("conflict", [0.0, 0.3])
def test_annealing_keeps_the_books_and_lowers_the_loss(conflict: float) -> None:
    """Boxes stay what their rows make of them, no more is suppressed than allowed, less is lost."""
    boxes = state(4, 80, 20)
    limit = int(boxes.weights[boxes.box < 0].sum()) + 2
    prices = BoxPrices(4, 0.3, conflict, limit)

    def lost() -> float:
        boxed = sum(
            price(prices, int(boxes.records[one]), float(boxes.width[one]))
            for one in range(boxes.rows.size)
        )
        return boxed + float(boxes.weights[boxes.box < 0].sum())

    before = lost()
    for turn, (hot, cold) in enumerate(((1.0, 0.3), (0.3, 0.01), (0.01, 0.001))):
        assert anneal(boxes, prices, hot, cold, 4000, turn) > 0
        assert_whole(boxes)
        assert boxes.weights[boxes.box < 0].sum() <= limit
    assert lost() < before / 2


def test_without_heat_no_move_loses_more() -> None:
    """A move at a time."""
    boxes = state(5, 60, 15)
    prices = BoxPrices(3, 0.3, 0.0, 60)
    last = np.inf
    for turn in range(300):
        anneal(boxes, prices, 1e-12, 1e-13, 20, turn)
        now = sum(
            price(prices, int(boxes.records[one]), float(boxes.width[one]))
            for one in range(boxes.rows.size)
        ) + float(boxes.weights[boxes.box < 0].sum())
        assert now <= last + 1e-9
        last = now
