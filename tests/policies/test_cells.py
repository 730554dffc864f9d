"""Cells and the classes that partitions make of them, against a count in plain Python."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from effort import unhurried
from frontier_cells import tiny_cells, worked_cells
from hypothesis import given
from hypothesis import strategies as st
from partition_definitions import any_policy, cells_of, counted, rows

from roadstead.errors import SettingError
from roadstead.policies import cells as module
from roadstead.policies.cells import Cells, PartitionClasses
from roadstead.policies.partition import OrderedDomains


def bag(classes: PartitionClasses) -> list[tuple[int, int]]:
    """Records and people of the classes, in whatever order."""
    return sorted(zip(classes.records.tolist(), classes.people.tolist(), strict=True))


def test_ten_ages_fall_into_the_intervals_of_their_bits() -> None:
    """010001000 of ten ages: {1-2}, {3-6}, {7-10}."""
    ages = cells_of((10,), {(age,): (1, age + 1) for age in range(10)})
    classes = ages.classes(ages.domains.of_bits([0, 1, 0, 0, 0, 1, 0, 0, 0]))
    assert bag(classes) == [(2, 1 + 2), (4, 3 + 4 + 5 + 6), (4, 7 + 8 + 9 + 10)]
    widths, records = classes.intervals[0]
    assert widths.tolist() == records.tolist() == [2, 4, 4]


def test_classes_of_the_worked_example() -> None:
    """Four ages and two sexes, 010|1: the ages in two halves."""
    cells = worked_cells()
    classes = cells.classes(cells.domains.of_bits([0, 1, 0, 1]))
    assert bag(classes) == [(1, 7), (1, 7), (2, 4), (3, 7)]
    assert [own.tolist() for own in classes.intervals[0]] == [[2, 2], [4, 3]]
    assert [own.tolist() for own in classes.intervals[1]] == [[1, 1], [4, 3]]
    assert cells.total == 7
    assert cells.number == 8


def test_the_most_specific_partition_leaves_the_cells_and_the_most_general_one_class() -> None:
    """Cells of people alone do not form a class of records; the most general class holds them."""
    cells = worked_cells()
    own = sorted((f, g) for _, f, g in rows(cells) if f)
    assert bag(cells.classes(cells.domains.most_specific)) == own
    assert bag(cells.classes(cells.domains.most_general)) == [(7, 25)]


@unhurried
@given(tiny_cells(), st.data())
@pytest.mark.parametrize("most_boxes", [1 << 22, 0])
def test_classes_are_those_of_the_definition(
    most_boxes: int, cells: Cells, data: st.DataObject
) -> None:
    """Counted by address and by refinement."""
    policy = data.draw(any_policy(cells))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MOST_BOXES", most_boxes)
        classes = cells.classes(policy)
    records, people = counted(cells, policy)
    assert bag(classes) == sorted((f, people[name]) for name, f in records.items() if f)
    assert classes.partition == policy
    assert classes.cells is cells


@unhurried
@given(tiny_cells(), st.data())
def test_intervals_tell_their_values_and_their_records(cells: Cells, data: st.DataObject) -> None:
    """Intervals without people are included."""
    policy = data.draw(any_policy(cells))
    for a, (widths, records) in enumerate(cells.classes(policy).intervals):
        cuts = cells.domains.intervals(policy)[a]
        assert widths.tolist() == [last - first + 1 for first, last in cuts]
        assert records.tolist() == [
            sum(f for codes, f, _ in rows(cells) if first <= codes[a] <= last)
            for first, last in cuts
        ]


@unhurried
@given(tiny_cells())
def test_records_are_counted_by_value(cells: Cells) -> None:
    """Values without records count 0."""
    for a, own in enumerate(cells.by_value):
        found = Counter[int]()
        for codes, f, _ in rows(cells):
            found[codes[a]] += f
        assert own.tolist() == [found[code] for code in range(cells.domains.sizes[a])]


def test_domains_of_more_combinations_than_an_integer_counts_have_classes() -> None:
    """Ten thousand values of each of six attributes are 10**24 combinations."""
    random = np.random.default_rng(1)
    codes = np.unique(random.integers(0, 10_000, (6, 300)), axis=1).astype(np.uint32)
    people = np.array(random.integers(1, 9, codes.shape[1]), dtype=np.int64)
    domains = OrderedDomains(tuple("abcdef"), (10_000,) * 6)
    cells = Cells(domains, codes, people.copy(), people)
    bottom = cells.classes(domains.most_specific)
    assert bag(bottom) == sorted((n, n) for n in people.tolist())
    halves = domains.of_boundaries(domains.boundary(a, 5_000) for a in range(6))
    found = Counter[tuple[bool, ...]]()
    for column, n in zip(codes.T, people.tolist(), strict=True):
        found[tuple(bool(code >= 5_000) for code in column)] += n
    assert bag(cells.classes(halves)) == sorted((n, n) for n in found.values())


@pytest.mark.parametrize(
    ("records", "people", "told"),
    [
        ([0, 0], [1, 2], "no cell has a record"),
        ([2, 1], [1, 2], "fewer people than records"),
        ([1, 0], [1, 0], "fewer people than records"),
        ([1, 1, 1], [1, 1, 1], "do not fit"),
        ([1, 1], [1, 1, 1], "do not fit"),
    ],
)
def test_cells_that_cannot_be_are_refused(records: list[int], people: list[int], told: str) -> None:
    """The error says what is wrong."""
    codes = np.array([[0, 1], [0, 0]], dtype=np.uint32)
    with pytest.raises(SettingError, match=told):
        Cells(OrderedDomains(("a", "b"), (2, 1)), codes, np.array(records), np.array(people))


def test_every_attribute_needs_its_codes() -> None:
    """Two attributes, one row of codes."""
    codes = np.array([[0, 1]], dtype=np.uint32)
    ones = np.ones(2, dtype=np.int64)
    with pytest.raises(SettingError, match="do not fit"):
        Cells(OrderedDomains(("a", "b"), (2, 1)), codes, ones, ones)
