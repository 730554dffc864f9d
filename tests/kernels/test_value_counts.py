"""The kernels over counts of values, against plain twins on random arrays."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from roadstead.kernels.value_counts import (
    MOST_CUT,
    count_values,
    cut_shares,
    label_logs,
    weigh_values,
)


@dataclass(frozen=True)
class Table:
    """Codes, counts, chosen rows, and by attribute and level a number for each value."""

    codes: list[list[int]]
    counts: list[int]
    rows: list[int]
    levels: list[list[list[int]]]

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the counts of each attribute begin."""
        return np.cumsum([0, *(len(own[0]) for own in self.levels)])

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where the run of each level begins."""
        found = np.zeros((len(self.levels), max(map(len, self.levels))), dtype=np.int64)
        run = 0
        for i, own in enumerate(self.levels):
            for level, numbers in enumerate(own):
                found[i, level], run = run, run + len(numbers)
        return found

    def flat(self) -> list[int]:
        """The numbers one after the other."""
        return [number for own in self.levels for numbers in own for number in numbers]

    def counted(self) -> NDArray[np.int64]:
        """The kernel's counts in the rows chosen."""
        return count_values(
            np.array(self.rows, dtype=np.uint32),
            np.array(self.counts, dtype=np.int64),
            np.array(self.codes, dtype=np.uint32).reshape(len(self.codes), -1),
            self.starts,
        )

    def records(self, i: int, value: int) -> int:
        """Records of the rows chosen with a value."""
        return sum(self.counts[row] for row in self.rows if self.codes[i][row] == value)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """One to three attributes of one to three levels each, up to twenty rows."""
    rows = draw(st.integers(0, 20))
    codes, levels = [], []
    for _ in range(draw(st.integers(1, 3))):
        values = draw(st.integers(1, 5))
        numbers = st.lists(st.integers(0, 4), min_size=values, max_size=values)
        levels.append(draw(st.lists(numbers, min_size=1, max_size=3)))
        codes.append(draw(st.lists(st.integers(0, values - 1), min_size=rows, max_size=rows)))
    counts = draw(st.lists(st.integers(1, 10**6), min_size=rows, max_size=rows))
    chosen = draw(st.permutations(range(rows)))[: draw(st.integers(0, rows))]
    return Table(codes, counts, chosen, levels)


@unhurried
@given(tables())
def test_every_value_is_counted_in_the_rows_chosen(table: Table) -> None:
    """The attributes one after the other."""
    expected = [
        table.records(i, value)
        for i, own in enumerate(table.levels)
        for value in range(len(own[0]))
    ]
    assert table.counted().tolist() == expected


@unhurried
@given(tables())
def test_logarithms_are_summed_over_the_labels(table: Table) -> None:
    """The sum is over the records with each label; no sum is above an attribute's height."""
    labels = np.zeros_like(table.offsets)
    for i, own in enumerate(table.levels):
        labels[i, : len(own)] = 5
    flat = np.array(table.flat(), dtype=np.uint32)
    found = label_logs(table.counted(), table.starts, flat, table.offsets, labels)
    for i, level in np.ndindex(*found.shape):
        expected = 0.0
        if level < len(table.levels[i]):
            lookup = table.levels[i][level]
            for label in range(5):
                values = [v for v, own in enumerate(lookup) if own == label]
                n = sum(table.records(i, value) for value in values)
                expected += n * log(n) if n else 0.0
        assert found[i, level] == pytest.approx(expected, rel=1e-12)


@unhurried
@given(tables())
def test_counts_are_summed_with_the_weights_of_their_values(table: Table) -> None:
    """At every level; nothing above an attribute's height."""
    heights = np.array([len(own) for own in table.levels], dtype=np.int64)
    flat = np.array(table.flat(), dtype=np.float64)
    found = weigh_values(table.counted(), table.starts, flat, table.offsets, heights)
    for i, level in np.ndindex(*found.shape):
        expected = 0
        if level < len(table.levels[i]):
            weights = table.levels[i][level]
            expected = sum(table.records(i, value) * w for value, w in enumerate(weights))
        assert found[i, level] == pytest.approx(expected, rel=1e-12)


@unhurried
@given(st.lists(st.tuples(st.integers(1, MOST_CUT), st.integers(0, 10)), min_size=1, max_size=5))
def test_shares_are_cut_in_whole_numbers(given: list[tuple[int, int]]) -> None:
    """As Python divides whole numbers of any size."""
    wholes = [whole for whole, _ in given]
    parts = [[whole * tenths // 10, whole // (tenths + 1)] for whole, tenths in given]
    found = cut_shares(np.array(parts), np.array(wholes))
    assert found.tolist() == [
        [part * 10**10 // whole / 10**10 for part in own]
        for own, whole in zip(parts, wholes, strict=True)
    ]
