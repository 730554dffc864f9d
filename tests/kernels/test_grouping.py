"""The grouping kernels, each against a plain twin on random arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from roadstead.kernels import grouping
from roadstead.kernels.compiled import Codes, Members

MANY = 1_000_000


@dataclass(frozen=True)
class Column:
    """Some rows of a table with their classes, and a column to split them by."""

    rows: list[int]
    ids: list[int]
    classes: int
    column: list[int]
    lookup: list[int]
    labels: int
    counts: list[int]

    @property
    def members(self) -> Members:
        """Rows and classes packed as the kernels want them, by the words' arithmetic."""
        return np.array(
            [row * 2**32 + i for row, i in zip(self.rows, self.ids, strict=True)], dtype=np.uint64
        )

    @property
    def codes(self) -> Codes:
        """Value code of every row of the table."""
        return np.array(self.column, dtype=np.uint32)

    @property
    def label_codes(self) -> Codes:
        """Label code of every value code."""
        return np.array(self.lookup, dtype=np.uint32)

    @property
    def records(self) -> NDArray[np.int64]:
        """Records of every row of the table."""
        return np.array(self.counts, dtype=np.int64)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Class and label of each row looked at."""
        labels = [self.lookup[self.column[row]] for row in self.rows]
        return list(zip(self.ids, labels, strict=True))


@st.composite
def columns(draw: st.DrawFn, most_labels: int = 6) -> Column:
    """Any rows in any order, in up to seven classes, by values with up to `most_labels` labels.

    Sometimes there are rows without records.
    """
    values = draw(st.integers(1, 8))
    labels = draw(st.integers(1, most_labels))
    fewest = draw(st.integers(0, 1))
    cells = st.tuples(st.integers(0, values - 1), st.integers(fewest, draw(st.integers(1, 20))))
    table = draw(st.lists(cells, max_size=40))
    chosen = draw(st.permutations(range(len(table))))[: draw(st.integers(0, len(table)))]
    classes = draw(st.integers(1, 7))
    number = st.integers(0, classes - 1)
    return Column(
        rows=chosen,
        ids=draw(st.lists(number, min_size=len(chosen), max_size=len(chosen))),
        classes=classes,
        column=[value for value, _ in table],
        lookup=draw(st.lists(st.integers(0, labels - 1), min_size=values, max_size=values)),
        labels=labels,
        counts=[count for _, count in table],
    )


def numbered(pairs: list[tuple[int, int]]) -> list[int]:
    """Number pairs by first appearance: the twin of both ways to refine."""
    numbers: dict[tuple[int, int], int] = {}
    return [numbers.setdefault(pair, len(numbers)) for pair in pairs]


def check_refined(c: Column, refined: tuple[Members, int]) -> None:
    """Same rows in the same order, classes as the twin numbers them."""
    members, found = refined
    assert members.dtype == np.uint64
    assert grouping.rows_of(members).tolist() == c.rows
    assert grouping.keys_of(members).tolist() == numbered(c.pairs)
    assert found == len(set(c.pairs))


@unhurried
@given(columns())
def test_refining_through_a_table_of_all_pairs_numbers_them_by_first_appearance(c: Column) -> None:
    """Every (class, label) pair that occurs becomes a class."""
    pairs = c.classes * c.labels
    refined = grouping.refine_dense(c.members, c.codes, c.label_codes, c.labels, pairs)
    check_refined(c, refined)


@unhurried
@given(columns() | columns(most_labels=MANY))
def test_refining_through_a_hash_table_does_the_same(c: Column) -> None:
    """Labels may be far apart; only as many slots are needed as there are rows."""
    check_refined(c, grouping.refine_hashed(c.members, c.codes, c.label_codes))


@unhurried
@given(columns() | columns(most_labels=MANY))
def test_refine_gives_the_same_classes_whichever_way_it_takes(c: Column) -> None:
    """The choice between the two is about memory alone."""
    check_refined(c, grouping.refine(c.members, c.classes, c.codes, c.label_codes, c.labels))


@pytest.mark.parametrize("stride", [2, 1 << 12, 1 << 16])
def test_a_hash_table_filled_to_its_limit_keeps_all_pairs_apart(stride: int) -> None:
    """As many pairs as rows, at strides that make slots collide."""
    rows = 8191
    c = Column(
        rows=list(range(rows)),
        ids=[row % 7 for row in range(rows)],
        classes=7,
        column=list(range(rows)),
        lookup=[row * stride for row in range(rows)],
        labels=rows * stride,
        counts=[1] * rows,
    )
    assert not grouping.fits_dense(c.classes * c.labels, rows)
    check_refined(c, grouping.refine_hashed(c.members, c.codes, c.label_codes))


def test_few_pairs_fit_beside_the_rows_and_many_do_not() -> None:
    """A table of all pairs is made if it is small, or small relative to the rows."""
    assert grouping.fits_dense(0, 0)
    assert grouping.fits_dense(1024, 0)
    assert not grouping.fits_dense(1025, 0)
    assert grouping.fits_dense(MANY, MANY)
    assert not grouping.fits_dense(MANY, 1000)


def records_of_pairs(c: Column) -> dict[tuple[int, int], int]:
    """Add the records of each (class, label) pair up."""
    totals = dict.fromkeys(c.pairs, 0)
    for row, pair in zip(c.rows, c.pairs, strict=True):
        totals[pair] += c.counts[row]
    return totals


@unhurried
@given(columns())
def test_size_pairs_splits_and_counts_in_one_pass(c: Column) -> None:
    """Classes are numbered in the order of their pairs, and each counts its records.

    A pair without records has the number of the next.
    """
    members, numbers, sizes = grouping.size_pairs(
        c.members, c.codes, c.label_codes, c.labels, c.classes * c.labels, c.records
    )
    totals = records_of_pairs(c)
    occurring = sorted(pair for pair, records in totals.items() if records)
    expected = [sum(pair < other for pair in occurring) for other in c.pairs]
    assert grouping.rows_of(members).tolist() == c.rows
    assert numbers[grouping.keys_of(members)].tolist() == expected
    assert sizes.tolist() == [totals[pair] for pair in occurring]


@unhurried
@given(columns())
def test_rows_of_pairs_without_records_are_left_out(c: Column) -> None:
    """Those of other pairs stay, in their order, also rows that have no records themselves."""
    members, numbers, sizes = grouping.size_pairs(
        c.members, c.codes, c.label_codes, c.labels, c.classes * c.labels, c.records
    )
    left = grouping.with_records(members, numbers, sizes.size)
    totals = records_of_pairs(c)
    stay = [(row, pair) for row, pair in zip(c.rows, c.pairs, strict=True) if totals[pair]]
    assert grouping.rows_of(left).tolist() == [row for row, _ in stay]
    occurring = sorted({pair for _, pair in stay})
    found = numbers[grouping.keys_of(left)].tolist()
    assert found == [occurring.index(pair) for _, pair in stay]
    added = grouping.class_totals(left, numbers, sizes.size, c.records)
    np.testing.assert_array_equal(added, sizes)


@unhurried
@given(columns(), st.data())
def test_a_value_of_rows_is_added_up_over_classes(c: Column, data: st.DataObject) -> None:
    """By the class of each row's key; several keys may mean one class."""
    number = st.integers(0, 4)
    numbers = data.draw(st.lists(number, min_size=c.classes, max_size=c.classes), label="numbers")
    value = st.integers(-(2**40), 2**40)
    size = len(c.counts)
    values = data.draw(st.lists(value, min_size=size, max_size=size), label="values")
    expected = [0] * 5
    for row, i in zip(c.rows, c.ids, strict=True):
        expected[numbers[i]] += values[row]
    totals = grouping.class_totals(
        c.members, np.array(numbers, dtype=np.uint32), 5, np.array(values, dtype=np.int64)
    )
    assert totals.tolist() == expected


@unhurried
@given(columns())
def test_class_sizes_are_the_records_of_each_class(c: Column) -> None:
    """Classes without a row have size zero."""
    expected = np.zeros(c.classes, dtype=np.int64)
    np.add.at(expected, np.array(c.ids, dtype=np.int64), c.records[c.rows])
    sizes = grouping.class_sizes(c.members, c.classes, c.records)
    np.testing.assert_array_equal(sizes, expected)


@unhurried
@given(columns(), st.data())
def test_splitting_members_keeps_the_order_and_closes_the_gaps(
    c: Column, data: st.DataObject
) -> None:
    """Rows of classes kept, with new classes in the old order, and the rows of the others."""
    classes = data.draw(st.integers(1, c.classes), label="classes")
    number = st.integers(0, classes - 1)
    numbers = data.draw(st.lists(number, min_size=c.classes, max_size=c.classes), label="numbers")
    kept = data.draw(st.lists(st.booleans(), min_size=classes, max_size=classes), label="kept")
    inside, outside = grouping.split_members(
        c.members, np.array(numbers, dtype=np.uint32), np.array(kept, dtype=np.bool_)
    )
    stay = [(row, numbers[i]) for row, i in zip(c.rows, c.ids, strict=True) if kept[numbers[i]]]
    assert grouping.rows_of(inside).tolist() == [row for row, _ in stay]
    assert grouping.keys_of(inside).tolist() == [sum(kept[:number]) for _, number in stay]
    leave = [row for row, i in zip(c.rows, c.ids, strict=True) if not kept[numbers[i]]]
    assert outside.dtype == np.uint32
    assert outside.tolist() == leave


@unhurried
@given(columns(), st.data())
def test_pairs_counted_can_be_split_at_once(c: Column, data: st.DataObject) -> None:
    """Keys of pairs that do not occur, also after the last that does, disturb nothing."""
    members, numbers, sizes = grouping.size_pairs(
        c.members, c.codes, c.label_codes, c.labels, c.classes * c.labels, c.records
    )
    members = grouping.with_records(members, numbers, sizes.size)
    draw = st.lists(st.booleans(), min_size=sizes.size, max_size=sizes.size)
    kept = np.array(data.draw(draw, label="kept"), dtype=np.bool_)
    inside, outside = grouping.split_members(members, numbers, kept)
    sizes_inside = grouping.class_sizes(inside, int(kept.sum()), c.records)
    np.testing.assert_array_equal(sizes_inside, sizes[kept])
    both = [*grouping.rows_of(inside).tolist(), *outside.tolist()]
    assert sorted(both) == sorted(grouping.rows_of(members).tolist())


def test_no_rows_make_no_classes() -> None:
    """Everything may be suppressed: empty arrays go in, empty arrays come out."""
    empty = Column([], [], 0, [0, 1], [0, 1], 2, [1, 1])
    check_refined(empty, grouping.refine_dense(empty.members, empty.codes, empty.label_codes, 2, 0))
    check_refined(empty, grouping.refine_hashed(empty.members, empty.codes, empty.label_codes))
    members, numbers, sizes = grouping.size_pairs(
        empty.members, empty.codes, empty.label_codes, 2, 0, empty.records
    )
    assert (members.size, numbers.size, sizes.size) == (0, 0, 0)
    assert grouping.class_sizes(members, 0, empty.records).size == 0
    inside, outside = grouping.split_members(members, numbers, np.zeros(0, dtype=np.bool_))
    assert (inside.size, outside.size) == (0, 0)


@unhurried
@given(st.integers(0, 50))
def test_packing_puts_every_row_into_one_class(rows: int) -> None:
    """Rows and classes are read back from the halves of the words."""
    members = grouping.pack(rows)
    assert grouping.rows_of(members).tolist() == list(range(rows))
    assert grouping.keys_of(members).tolist() == [0] * rows


@unhurried
@given(columns(), st.data())
def test_by_two_columns_at_once_it_is_as_by_one_after_the_other(
    c: Column, data: st.DataObject
) -> None:
    """The same members and numbers, and the same records of each."""
    other = data.draw(columns())
    code = st.integers(0, len(other.lookup) - 1)
    column = data.draw(st.lists(code, min_size=len(c.column), max_size=len(c.column)))
    second, lookup = np.array(column, dtype=np.uint32), other.label_codes
    pairs = c.classes * c.labels * other.labels
    both = (c.labels, other.labels, pairs)
    ways = (c.codes, c.label_codes, second, lookup, both)
    members, number = grouping.refine_dense(
        c.members, c.codes, c.label_codes, c.labels, c.classes * c.labels
    )
    first, found = grouping.refine_dense(
        members, second, lookup, other.labels, number * other.labels
    )
    at_once, as_many = grouping.refine_twice(c.members, *ways)
    assert at_once.tolist() == first.tolist()
    assert as_many == found
    sized, numbers, sizes = grouping.size_twice(c.members, *ways, c.records)
    keys = numbers[grouping.keys_of(sized)].tolist()
    totals: dict[int, int] = {}
    for row, key in zip(c.rows, grouping.keys_of(first).tolist(), strict=True):
        totals[key] = totals.get(key, 0) + c.counts[row]
    assert grouping.rows_of(sized).tolist() == c.rows
    for key, old in zip(keys, grouping.keys_of(first).tolist(), strict=True):
        if totals[old]:
            assert sizes[key] == totals[old]
    assert sizes.size == sum(one > 0 for one in totals.values())


@unhurried
@given(columns(), st.integers(1, 30))
def test_records_of_small_pairs_are_those_of_pairs_below_the_least(c: Column, least: int) -> None:
    """Counted by plain Python."""
    found = grouping.records_in_small(
        c.members, c.codes, c.label_codes, c.labels, c.classes * c.labels,
        c.records.astype(np.uint32), least,
    )  # fmt: skip
    assert found == sum(one for one in records_of_pairs(c).values() if one < least)
