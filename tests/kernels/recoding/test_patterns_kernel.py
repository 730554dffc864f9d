"""Loops over patterns of suppressed attributes, compared with dictionaries and tuples."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from roadstead.kernels.recoding.patterns import (
    PatternRows,
    cells_of_patterns,
    cheap_pattern,
    first_fit,
    least_losses,
    lists_of_rows,
    merged,
)


@dataclass
class Drawn:
    """Rows of a few attributes, and what the kernels get of them."""

    nodes: NDArray[np.int64]
    numbers: NDArray[np.uint64]
    rows: PatternRows

    def shown(self, row: int, pattern: int) -> tuple[int, ...]:
        """Cells of a row under a pattern."""
        return tuple(-1 if pattern >> at & 1 else int(v) for at, v in enumerate(self.nodes[:, row]))

    def loss(self, row: int, pattern: int) -> float:
        """Loss of a record of a row under a pattern."""
        added = sum(
            self.rows.more[at, row] for at in range(self.rows.more.shape[0]) if pattern >> at & 1
        )
        return float(self.rows.plain[row] + added)


def drawn(seed: int) -> Drawn:
    """Draw distinct rows; what a node loses depends on the node."""
    chance = np.random.default_rng(seed)
    attributes = int(chance.integers(1, 5))
    nodes = np.unique(chance.integers(0, 4, (attributes, int(chance.integers(2, 40)))), axis=1)
    rows = nodes.shape[1]
    own = chance.integers(1, 2**63, (attributes, 4), dtype=np.uint64)
    top = chance.integers(1, 2**63, attributes, dtype=np.uint64)
    numbers = np.stack([own[at][nodes[at]] for at in range(attributes)])
    lost = chance.random((attributes, 4)) / 4 / attributes
    plain = np.stack([lost[at][nodes[at]] for at in range(attributes)])
    return Drawn(
        nodes,
        numbers,
        PatternRows(
            counts=np.asarray(chance.integers(1, 4, rows)),
            plain=plain.sum(axis=0),
            more=1 / attributes - plain,
            full=np.add.reduce(numbers, axis=0),
            change=top[:, None] - numbers,
        ),
    )


def classes(one: Drawn, rows: list[int], pattern: int) -> Counter[tuple[int, ...]]:
    """Records of each class of rows under a pattern."""
    found: Counter[tuple[int, ...]] = Counter()
    for row in rows:
        found[one.shown(row, pattern)] += int(one.rows.counts[row])
    return found


def patterns_of(one: Drawn) -> NDArray[np.int64]:
    """All patterns, the cheapest first."""
    every = np.arange(1 << one.nodes.shape[0])
    price = [
        sum(one.rows.more[at].mean() for at in range(one.rows.more.shape[0]) if p >> at & 1)
        for p in every
    ]
    return every[np.argsort(price, kind="stable")].astype(np.int64)


@pytest.mark.parametrize("seed", range(30))
def test_first_fit_places_a_row_at_the_first_pattern_with_enough_alike(seed: int) -> None:
    """Among the rows that are not placed yet."""
    one, k = drawn(seed), 2 + seed % 4
    patterns = patterns_of(one)
    found, loss, _ = first_fit(one.rows, patterns, np.zeros(patterns.size), k, np.inf)
    left, expected, total = list(range(one.rows.plain.size)), [-1] * one.rows.plain.size, 0.0
    for at, pattern in enumerate(patterns.tolist()):
        sizes = classes(one, left, pattern)
        for row in [row for row in left if sizes[one.shown(row, pattern)] >= k]:
            expected[row] = at
            total += one.rows.counts[row] * one.loss(row, pattern)
            left.remove(row)
    total += sum(int(one.rows.counts[row]) for row in left)
    assert found.tolist() == expected
    assert loss == pytest.approx(total)
    if loss > 0:
        least = np.array(
            [
                sum(one.rows.more[at].min() for at in range(one.rows.more.shape[0]) if p >> at & 1)
                for p in patterns
            ]
        )
        least = np.minimum.accumulate(least[::-1])[::-1].copy()
        arguments = (one.rows, patterns, least, k)
        assert first_fit(*arguments, loss * 1.01)[1] == pytest.approx(loss)
        assert first_fit(*arguments, loss * 0.3)[1] >= loss * 0.3


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("share", [0.3, 1.0])
def test_the_least_loss_of_a_row_is_over_all_patterns_with_enough_alike(
    seed: int, share: float
) -> None:
    """Where some patterns are left out, never more than that."""
    one, k = drawn(seed), 2 + seed % 4
    least = one.rows.more.min(axis=1)
    every = np.arange(1 << least.size)
    price = np.array([sum(least[at] for at in range(least.size) if p >> at & 1) for p in every])
    order = np.argsort(price, kind="stable")
    number = max(int(order.size * share), 1)
    bound = np.append(price[order], np.inf)[: number + 1]
    found, _ = least_losses(one.rows, every[order][:number].astype(np.int64), bound, k)
    rows = list(range(one.rows.plain.size))
    for row in rows:
        fitting = [p for p in every.tolist() if classes(one, rows, p)[one.shown(row, p)] >= k]
        expected = min([1.0, *(one.loss(row, p) for p in fitting)])
        assert found[row] <= expected + 1e-12
        if share == 1.0:
            assert found[row] == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(20))
def test_cells_are_the_classes_with_enough_records_each_once(seed: int) -> None:
    """Among patterns with the same rows, the list has the pattern with least suppression."""
    one, k = drawn(seed), 2 + seed % 4
    patterns = patterns_of(one)
    index = {p: at for at, p in enumerate(patterns.tolist())}
    attributes = one.nodes.shape[0]
    below = np.full((patterns.size, attributes), -1, dtype=np.int32)
    for pattern, at in index.items():
        for j in range(attributes):
            if pattern >> j & 1 and index[pattern & ~(1 << j)] < at:
                below[at, j] = index[pattern & ~(1 << j)]
    cells, owner, first = cells_of_patterns(one.rows, patterns, below, k)
    rows = list(range(one.rows.plain.size))
    members: dict[int, set[int]] = {}
    for at, pattern in enumerate(patterns.tolist()):
        sizes = classes(one, rows, pattern)
        for row in rows:
            assert (cells[row, at] >= 0) == (sizes[one.shown(row, pattern)] >= k)
            if cells[row, at] >= 0:
                alike = {r for r in rows if one.shown(r, pattern) == one.shown(row, pattern)}
                assert members.setdefault(int(cells[row, at]), alike) == alike
    sets = [frozenset(own) for own in members.values()]
    assert len(sets) == owner.size
    losses = np.array(
        [one.loss(int(row), int(patterns[at])) for row, at in zip(first, owner, strict=True)]
    )
    starts, listed, own = lists_of_rows(cells, owner, losses)
    for row in rows:
        part = listed[starts[row] : starts[row + 1]].tolist()
        assert sorted(part) == sorted(cell for cell, rows_in in members.items() if row in rows_in)
        assert own[starts[row] : starts[row + 1]].tolist() == sorted(losses[part].tolist())


def test_rows_of_equal_sums_become_one() -> None:
    """Those without records are left out."""
    sums = np.array([7, 9, 7, 8, 9], dtype=np.uint64)
    target, first, records = merged(sums, np.array([1, 2, 3, 0, 4]))
    assert (target.tolist(), first.tolist(), records.tolist()) == ([0, 1, 0, -1, 1], [0, 1], [4, 6])


@pytest.mark.parametrize("seed", range(20))
def test_a_cheap_pattern_puts_the_row_among_enough(seed: int) -> None:
    """And there is none where the table has too few records."""
    one = drawn(seed)
    prices = one.rows.more.mean(axis=1)
    rows = list(range(one.rows.plain.size))
    for k in (2, 4, int(one.rows.counts.sum()) + 1):
        for row in rows[:5]:
            pattern = cheap_pattern(one.numbers, one.rows.counts, row, prices, k)
            if one.rows.counts.sum() < k:
                assert pattern == -1
            else:
                assert classes(one, rows, pattern)[one.shown(row, pattern)] >= k
