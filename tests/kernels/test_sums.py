"""The cost kernel against a plain twin on random arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from roadstead.kernels.value_counts import add_costs


@dataclass(frozen=True)
class Prices:
    """Cost of each value of each attribute at each level, and a table with some rows chosen."""

    costs: list[list[list[int]]]
    codes: list[list[int]]
    counts: list[int]
    rows: list[int]

    def twin(self) -> list[list[int]]:
        """Add up cost by cost; zero above an attribute's height."""
        highest = max(map(len, self.costs))
        return [
            [
                sum(self.counts[row] * levels[level][column[row]] for row in self.rows)
                if level < len(levels)
                else 0
                for level in range(highest)
            ]
            for levels, column in zip(self.costs, self.codes, strict=True)
        ]

    def kernel(self) -> NDArray[np.int64]:
        """Lay the prices flat as the kernel wants them."""
        highest = max(map(len, self.costs))
        offsets = np.zeros((len(self.costs), highest), dtype=np.int64)
        flat: list[int] = []
        for i, levels in enumerate(self.costs):
            for level, costs in enumerate(levels):
                offsets[i, level] = len(flat)
                flat += costs
        return add_costs(
            np.array(self.rows, dtype=np.uint32),
            np.array(self.counts, dtype=np.int64),
            np.array(self.codes, dtype=np.uint32).reshape(len(self.costs), -1),
            np.array(flat, dtype=np.int64),
            offsets,
            np.array([len(levels) for levels in self.costs], dtype=np.int64),
            np.array([len(levels[0]) for levels in self.costs], dtype=np.int64),
        )


@st.composite
def prices(draw: st.DrawFn, most_rows: int, most_values: int) -> Prices:
    """One to three attributes of one to three levels each."""
    rows = draw(st.integers(0, most_rows))
    costs, codes = [], []
    for _ in range(draw(st.integers(1, 3))):
        values, levels = draw(st.integers(1, most_values)), draw(st.integers(1, 3))
        level = st.lists(st.integers(0, 1000), min_size=values, max_size=values)
        costs.append(draw(st.lists(level, min_size=levels, max_size=levels)))
        codes.append(draw(st.lists(st.integers(0, values - 1), min_size=rows, max_size=rows)))
    return Prices(
        costs=costs,
        codes=codes,
        counts=draw(st.lists(st.integers(1, 10**6), min_size=rows, max_size=rows)),
        rows=draw(st.permutations(range(rows)))[: draw(st.integers(0, rows))],
    )


@unhurried
@given(prices(most_rows=30, most_values=4) | prices(most_rows=4, most_values=30))
def test_costs_add_up_to_those_of_every_row(example: Prices) -> None:
    """Whether there are more rows than values, which are then priced once, or fewer."""
    assert example.kernel().tolist() == example.twin()


def test_no_rows_cost_nothing() -> None:
    """Sums of an empty choice are zero at every level."""
    assert Prices([[[3, 4], [7, 7]]], [[0, 1]], [1, 1], []).kernel().tolist() == [[0, 0]]


def test_sums_beyond_32_bits_are_exact() -> None:
    """A hundred million records in a domain of a hundred thousand values."""
    example = Prices([[[99_999] * 2]], [[0, 1]], [10**8, 3], [0, 1])
    assert example.kernel().tolist() == [[99_999 * (10**8 + 3)]]
