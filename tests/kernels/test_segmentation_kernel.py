"""The loops over intervals against plain twins that count every interval and every partition."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from roadstead.kernels import segmentation as kernels


@dataclass(frozen=True)
class Sparse:
    """For each group, records and people by value; 0 people if the value does not occur."""

    groups: tuple[tuple[tuple[int, int], ...], ...]
    small: tuple[float, ...]
    power: float

    @property
    def size(self) -> int:
        """Values of the domain."""
        return len(self.groups[0])

    @property
    def cells(self) -> list[tuple[int, int, int, int]]:
        """Group, value, records and people of every cell."""
        return [
            (j, v, *pair)
            for j, own in enumerate(self.groups)
            for v, pair in enumerate(own)
            if pair[1]
        ]

    def arrays(self, *, with_records: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First cell of each group; value, records and people of each cell."""
        cells = [cell for cell in self.cells if cell[2] or not with_records]
        starts = [sum(cell[0] < j for cell in cells) for j in range(len(self.groups) + 1)]
        columns = np.array(cells, dtype=np.int64).reshape(-1, 4).T
        return np.array(starts, dtype=np.int64), columns[1:].copy()

    def weight(self, people: int) -> float:
        """Look up by hand."""
        return self.small[people] if people < len(self.small) else 3.0 * people**-self.power

    def total(self, group: int, first: int, last: int) -> tuple[int, int]:
        """Records and people of a group in an interval."""
        inside = self.groups[group][first : last + 1]
        return sum(f for f, _ in inside), sum(g for _, g in inside)


@st.composite
def sparse_tables(draw: st.DrawFn) -> Sparse:
    """Few groups, many holes, people without records."""
    size = draw(st.integers(1, 8))
    count = st.sampled_from([0, 0, 1, 2, 5])
    cell = st.tuples(count, count).map(lambda pair: (pair[0], pair[0] + pair[1]))
    row = st.lists(cell, min_size=size, max_size=size).map(tuple)
    groups = draw(st.lists(row, min_size=1, max_size=4).map(tuple))
    small = draw(st.lists(st.floats(0.0, 2.0), min_size=1, max_size=12).map(tuple))
    return Sparse(groups, small, draw(st.sampled_from([1.0, 0.5, 2.0])))


@unhurried
@given(sparse_tables())
def test_risks_of_intervals_are_those_counted_one_by_one(table: Sparse) -> None:
    found = kernels.interval_sums(
        *table.arrays(with_records=False),
        table.size,
        np.empty(0),
        np.array(table.small),
        3.0,
        table.power,
    )
    for first in range(table.size):
        for last in range(table.size):
            totals = [table.total(j, first, last) for j in range(len(table.groups))]
            expected = sum(f * table.weight(g) for f, g in totals if f > 0)
            assert found[first, last] == pytest.approx(expected, abs=1e-12)


@unhurried
@given(sparse_tables(), st.integers(0, 9))
def test_losses_of_intervals_are_those_counted_one_by_one(table: Sparse, seed: int) -> None:
    by_class = np.random.default_rng(seed).normal(size=200)
    by_class[0] = 0.0
    found = kernels.interval_sums(
        *table.arrays(with_records=True), table.size, by_class, np.array(table.small), 3.0, 1.0
    )
    for first in range(table.size):
        for last in range(table.size):
            totals = [table.total(j, first, last)[0] for j in range(len(table.groups))]
            expected = sum(by_class[f] for f in totals)
            assert found[first, last] == pytest.approx(expected, abs=1e-11)


@unhurried
@given(st.integers(1, 8), st.integers(0, 1000), st.sampled_from([0.0, 0.3, 4.0]))
def test_the_cheapest_partition_is_the_cheapest_of_all(size: int, seed: int, price: float) -> None:
    """Against every set of begins."""
    risks, losses = np.random.default_rng(seed).normal(size=(2, size, size))
    best, source = kernels.cheapest(risks, losses, price)

    def cost(firsts: tuple[int, ...]) -> float:
        ends = [*firsts[1:], size]
        pairs = [(first, end - 1) for first, end in zip(firsts, ends, strict=True)]
        return float(sum(risks[pair] + price * losses[pair] for pair in pairs))

    every = [cost((0, *cuts)) for n in range(size) for cuts in combinations(range(1, size), n)]
    assert best[size] == pytest.approx(min(every), abs=1e-12)
    end, firsts = size, []
    while end:
        end = int(source[end])
        firsts.append(end)
    assert cost(tuple(firsts[::-1])) == pytest.approx(min(every), abs=1e-12)
