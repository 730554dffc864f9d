"""Partitions compared with dictionaries."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from effort import thorough, unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.differential.growth.partitions import DROPPED, Partitions, added_up, split, whole


@pytest.mark.parametrize("scale", [1, 1 << 58])
@unhurried
@given(st.lists(st.tuples(st.integers(0, 12), st.integers(1, 9)), max_size=12))
def test_counts_of_equal_keys_are_added_up(scale: int, drawn: list[tuple[int, int]]) -> None:
    """Keys close together and far apart, which are counted in different ways."""
    keys = np.array([key * scale for key, _ in drawn], dtype=np.int64)
    distinct, sums = added_up(keys, np.array([count for _, count in drawn], dtype=np.int64))
    expected: Counter[int] = Counter()
    for key, count in drawn:
        expected[key * scale] += count
    assert distinct.tolist() == sorted(expected)
    assert sums.tolist() == [expected[key] for key in sorted(expected)]
    assert sums.dtype == np.int64


def test_all_rows_begin_in_one_partition() -> None:
    first = whole((0, 4), 3)
    assert first.size == 1
    assert [column.tolist() for column in first.nodes] == [[0], [4]]
    assert first.of_row.tolist() == [0, 0, 0]


@st.composite
def partitioned(draw: st.DrawFn) -> Partitions:
    """Draw partitions of two attributes and up to eight rows, some in none."""
    pairs = draw(
        st.lists(
            st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=6, unique=True
        )
    )
    of_row = draw(st.lists(st.integers(DROPPED, len(pairs) - 1), max_size=8))
    nodes = tuple(np.array([pair[at] for pair in pairs], dtype=np.int32) for at in (0, 1))
    return Partitions(nodes, np.array(of_row, dtype=np.int32))


@thorough
@given(partitioned(), st.integers(0, 1), st.integers(0, 2), st.data())
def test_a_node_gives_way_to_its_children_everywhere(
    before: Partitions, attribute: int, node: int, data: st.DataObject
) -> None:
    """In the order of partitions and children; a row goes where its child is, or stays away."""
    children = (7, 8, 9)[: data.draw(st.integers(1, 3))]
    rows = before.of_row.size
    child = data.draw(st.lists(st.integers(0, len(children) - 1), min_size=rows, max_size=rows))
    after = split(before, attribute, node, np.array(child, dtype=np.int32), children)
    pairs = list(zip(*(column.tolist() for column in before.nodes), strict=True))
    expected = [
        (one, pair[1]) if attribute == 0 else (pair[0], one)
        for pair in pairs
        for one in (children if pair[attribute] == node else (pair[attribute],))
    ]
    found = list(zip(*(column.tolist() for column in after.nodes), strict=True))
    assert found == expected
    for row, old in enumerate(before.of_row.tolist()):
        new = int(after.of_row[row])
        if old == DROPPED:
            assert new == DROPPED
            continue
        own = children[child[row]] if pairs[old][attribute] == node else pairs[old][attribute]
        assert found[new][attribute] == own
        assert found[new][1 - attribute] == pairs[old][1 - attribute]
    assert after.of_row.dtype == np.int32


@thorough
@given(partitioned(), st.data())
def test_cells_are_counted_class_by_class(partitions: Partitions, data: st.DataObject) -> None:
    """Rows that are in no partition are in no cell."""
    rows = partitions.of_row.size
    target = data.draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    counts = data.draw(st.lists(st.integers(1, 5), min_size=rows, max_size=rows))
    keys, sums = partitions.cells(
        np.array(target, dtype=np.int32), np.array(counts, dtype=np.int64), 3
    )
    expected: Counter[int] = Counter()
    for partition, label, count in zip(partitions.of_row.tolist(), target, counts, strict=True):
        if partition != DROPPED:
            expected[partition * 3 + label] += count
    assert dict(zip(keys.tolist(), sums.tolist(), strict=True)) == expected
    assert keys.tolist() == sorted(expected)
