"""Distances of releases from their original, next to the definition in plain Python."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from roadstead.analysis.distances import distances
from roadstead.policies.value_sets import ShownColumn, ShownTable, numbers_of, original_column

Cell = frozenset[int]


def table_of(rows: list[list[Cell]], weights: list[int], sizes: list[int]) -> ShownTable:
    """Put rows of sets of value codes into a table."""
    columns: list[ShownColumn] = []
    codes = []
    for at, size in enumerate(sizes):
        cells = sorted({row[at] for row in rows}, key=sorted)
        sets = [np.array(sorted(cell), dtype=np.int32) for cell in cells]
        column = original_column(f"c{at}", [f"v{code}" for code in range(size)])
        columns.append(column.with_parts(sets))
        codes.append(np.array([cells.index(row[at]) for row in rows], dtype=np.int32))
    return ShownTable(tuple(columns), tuple(codes), np.array(weights, dtype=np.int64))


def spread(
    rows: list[list[Cell]], weights: list[int], left_out: int, sizes: list[int], at: tuple[int, ...]
) -> Counter[tuple[int, ...]]:
    """Spread records evenly over what their cells can be."""
    found: Counter[tuple[int, ...]] = Counter()
    every = [frozenset(range(sizes[one])) for one in at]
    for cells, weight in [
        *(([row[one] for one in at], weight) for row, weight in zip(rows, weights, strict=True)),
        (every, left_out),
    ]:
        values = list(product(*cells))
        for value in values:
            found[value] += weight / len(values)  # type: ignore[assignment] # shares of records
    return found


@st.composite
def two_tables(draw: st.DrawFn) -> dict[str, Any]:
    """An original, and a release of some of its records."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    number = draw(st.integers(1, 6))
    value = [[draw(st.integers(0, size - 1)) for size in sizes] for _ in range(number)]
    weights = draw(st.lists(st.integers(1, 5), min_size=number, max_size=number))
    cells = [
        [
            frozenset({code, *draw(st.sets(st.integers(0, size - 1)))})
            for code, size in zip(row, sizes, strict=True)
        ]
        for row in value
    ]
    kept = draw(st.lists(st.booleans(), min_size=number, max_size=number).filter(any))
    return {
        "sizes": sizes,
        "original": ([[frozenset({code}) for code in row] for row in value], weights),
        "release": (
            [row for row, stays in zip(cells, kept, strict=True) if stays],
            [one for one, stays in zip(weights, kept, strict=True) if stays],
        ),
    }


@given(two_tables())
@examples(60)
def test_distances_are_those_of_the_definition(made: dict[str, Any]) -> None:
    """Half the sum of the differences of shares, of each column and of each pair."""
    sizes, (before, old), (after, new) = made["sizes"], made["original"], made["release"]
    left_out = sum(old) - sum(new)
    found = distances(table_of(before, old, sizes), table_of(after, new, sizes), left_out)
    places: list[tuple[int, ...]] = [(at,) for at in range(len(sizes))]
    wanted = {}
    for at in [*places, *combinations(range(len(sizes)), 2)]:
        first = spread(before, old, 0, sizes, at)
        second = spread(after, new, left_out, sizes, at)
        wanted[at] = sum(abs(first[v] - second[v]) for v in {*first, *second}) / 2 / sum(old)
    for place, name in enumerate(found.columns):
        assert found.columns[name] == pytest.approx(wanted[(place,)], abs=1e-12)
    for (one, other), far in found.pairs.items():
        assert far == pytest.approx(wanted[int(one[1:]), int(other[1:])], abs=1e-12)


def test_what_a_cell_loses_is_the_length_of_its_interval() -> None:
    """By numbers where there are some, else by how many values it can be."""
    numbers = original_column("age", ["10", "20", "50"])
    parts = [np.array(one, dtype=np.int32) for one in ([0], [0, 1], [1, 2])]
    assert numbers.with_parts(parts).losses.tolist() == [0, 0.25, 0.75, 1]
    texts = original_column("city", ["a", "b", "c"])
    assert texts.with_parts(parts).losses.tolist() == [0, 0.5, 0.5, 1]


def test_columns_of_numbers_and_of_dates_are_ordered() -> None:
    """A missing value has no place; one text among numbers makes all texts."""
    assert numbers_of(["1", "2.5"]).tolist() == [1, 2.5]  # type: ignore[union-attr] # they are numbers
    days = numbers_of(["", "2024-01-01", "2024-01-03"])
    assert days is not None
    assert np.isnan(days[0])
    assert days[2] - days[1] == 2
    assert numbers_of(["1", "x"]) is None
    assert numbers_of(["02139", "10001"]) is None, "a ZIP code is no number"
    assert numbers_of([""]) is None


def test_pairs_of_many_values_are_looked_at_in_groups() -> None:
    """Two columns of two thousand values, which are a table of a million cells."""
    number = 2000
    column = original_column("n", [str(one) for one in range(number)])
    other = original_column("m", [str(one) for one in range(number)])
    codes = np.arange(number, dtype=np.int32)
    original = ShownTable((column, other), (codes, codes), np.ones(number, dtype=np.int64))
    found = distances(original, original, 0)
    assert found.pairs["n", "m"] == 0
    nothing = column.with_parts([]), other.with_parts([])
    none = np.zeros(number, dtype=np.int32)
    hidden = ShownTable(nothing, (none, none), original.weights)
    assert distances(original, hidden, 0).pairs["n", "m"] == pytest.approx(0.999)
