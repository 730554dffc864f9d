"""The histogram kernels, each against a plain twin on random arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.kernels.compiled import Members
from roadstead.kernels.histograms import (
    Entries,
    class_histogram,
    count_dense,
    count_sorted,
)

MANY = 100_000


@dataclass(frozen=True)
class Rows:
    """Entries of rows, some of them looked at with a key each, and the class of every key."""

    entries: list[list[tuple[int, int]]]
    members: list[tuple[int, int]]
    numbers: list[int]
    classes: int
    values: int

    def twin(self) -> list[list[tuple[int, int]]]:
        """Count with a dictionary for each class."""
        found: list[Counter[int]] = [Counter() for _ in range(self.classes)]
        for row, key in self.members:
            for value, count in self.entries[row]:
                found[self.numbers[key]][value] += count
        return [sorted(one.items()) for one in found]

    @property
    def flat(self) -> Entries:
        """Entries of rows as the kernels want them."""
        starts = np.cumsum([0, *map(len, self.entries)], dtype=np.int64)
        flat = [entry for row in self.entries for entry in row]
        codes = np.array([value for value, _ in flat], dtype=np.int32)
        return starts, codes, np.array([count for _, count in flat], dtype=np.int64)

    @property
    def packed(self) -> Members:
        """Rows and keys in one word, by the words' arithmetic."""
        return np.array([row * 2**32 + key for row, key in self.members], dtype=np.uint64)

    def check(self, found: Entries) -> None:
        """Compare what a kernel gives with the twin."""
        starts, codes, counts = found
        assert [str(array.dtype) for array in found] == ["int64", "int32", "int64"]
        assert starts.size == self.classes + 1
        assert starts[-1] == codes.size == counts.size
        pairs = list(zip(codes.tolist(), counts.tolist(), strict=True))
        bounds = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
        assert [pairs[a:b] for a, b in bounds] == self.twin()


@st.composite
def rows(draw: st.DrawFn, most_values: int = 6) -> Rows:
    """Rows in any order, in up to seven classes of which some may be empty; a value may recur."""
    values = draw(st.integers(1, most_values))
    entry = st.tuples(st.integers(0, values - 1), st.integers(1, 9))
    entries = draw(st.lists(st.lists(entry, max_size=4), max_size=30))
    chosen = draw(st.permutations(range(len(entries))))[: draw(st.integers(0, len(entries)))]
    classes, keys = draw(st.integers(1, 7)), draw(st.integers(1, 9))
    number = st.integers(0, classes - 1)
    return Rows(
        entries=entries,
        members=[(row, draw(st.integers(0, keys - 1))) for row in chosen],
        numbers=draw(st.lists(number, min_size=keys, max_size=keys)),
        classes=classes,
        values=values,
    )


@pytest.mark.parametrize("kernel", [count_dense, count_sorted])
@unhurried
@given(example=rows() | rows(most_values=300))
def test_entries_of_rows_add_up_to_those_of_classes(
    kernel: Callable[..., Entries], example: Rows
) -> None:
    """Whichever way they are counted: by ascending value, each once, none of zero."""
    numbers = np.array(example.numbers, dtype=np.uint32)
    example.check(kernel(example.packed, numbers, example.classes, example.flat, example.values))


@unhurried
@given(rows() | rows(most_values=MANY))
def test_the_way_is_chosen_by_memory_and_makes_no_difference(example: Rows) -> None:
    """Many values do not make a large table."""
    numbers = np.array(example.numbers, dtype=np.uint32)
    example.check(
        class_histogram(example.packed, numbers, example.classes, example.flat, example.values)
    )


def test_many_classes_of_many_values_need_no_table_of_all() -> None:
    """As many classes as rows and as many values: the table would hold 10^10 numbers."""
    number = MANY
    example = np.arange(number, dtype=np.uint64) << np.uint64(32)
    members = example | np.arange(number, dtype=np.uint64)
    entries = (
        np.arange(number + 1, dtype=np.int64),
        np.arange(number, dtype=np.int32)[::-1].copy(),
        np.full(number, 3, dtype=np.int64),
    )
    numbers = np.arange(number, dtype=np.uint32)
    found = class_histogram(members, numbers, number, entries, number)
    for array, expected in zip(found, entries, strict=True):
        np.testing.assert_array_equal(array, expected)


def test_no_members_have_no_entries() -> None:
    """Everything may be suppressed."""
    empty = Rows([[(0, 1)]], [], [0], 0, 3)
    numbers = np.array(empty.numbers, dtype=np.uint32)
    for kernel in (count_dense, count_sorted):
        empty.check(kernel(empty.packed, numbers, 0, empty.flat, 3))
