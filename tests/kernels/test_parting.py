"""Classes that lie together are split as in plain Python, and small ones are dropped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.kernels import grouping, parting
from roadstead.kernels.compiled import Members


@dataclass(frozen=True)
class Table:
    """Codes of each row by column, its records and its class, and the label of each value code."""

    codes: list[list[int]]
    counts: list[int]
    classes: list[int]
    lookups: list[list[int]]
    labels: int

    @property
    def number(self) -> int:
        """Classes, numbered without gaps."""
        return len(set(self.classes))

    @property
    def members(self) -> Members:
        """Rows and classes packed as the kernels want them."""
        own = np.array(self.classes, dtype=np.uint64)
        return grouping.pack(len(self.classes)) | own

    @property
    def together(self) -> dict[tuple[int, ...], list[int]]:
        """Rows of each class and labels."""
        found: dict[tuple[int, ...], list[int]] = {}
        for row, own in enumerate(self.classes):
            seen = zip(self.lookups, self.codes, strict=True)
            key = (own, *(lookup[codes[row]] for lookup, codes in seen))
            found.setdefault(key, []).append(row)
        return found


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Up to 60 rows in a few classes, split by up to three columns."""
    rows, columns, values = draw(st.integers(1, 60)), draw(st.integers(1, 3)), 5
    labels = draw(st.integers(1, 4))
    cells = st.lists(st.integers(0, values - 1), min_size=rows, max_size=rows)
    own = draw(st.lists(st.integers(0, draw(st.integers(0, 6))), min_size=rows, max_size=rows))
    numbers = {one: number for number, one in enumerate(dict.fromkeys(own))}
    lookup = st.lists(st.integers(0, labels - 1), min_size=values, max_size=values)
    return Table(
        codes=[draw(cells) for _ in range(columns)],
        counts=draw(st.lists(st.integers(1, 9), min_size=rows, max_size=rows)),
        classes=[numbers[one] for one in own],
        lookups=[draw(lookup) for _ in range(columns)],
        labels=labels,
    )


@unhurried
@given(tables(), st.integers(1, 20), st.integers(0, 60))
def test_classes_of_enough_records_are_kept_unless_too_many_are_dropped(
    t: Table, least: int, most: int
) -> None:
    """The same classes with the same records, and the other rows, each once."""
    numbers = np.arange(t.number, dtype=np.uint32)
    members, begins = parting.make_contiguous(t.members, numbers, t.number)
    counts = np.array(t.counts, dtype=np.uint32)
    of_each = np.bincount(t.classes, counts).astype(np.int64)
    dropped, kept, starts, sizes, gone = parting.part(
        members,
        begins,
        parting.smallest_first(of_each),
        np.array(t.codes, dtype=np.uint32),
        np.concatenate([np.array(own, dtype=np.uint32) for own in t.lookups]),
        np.array([(x, 5 * x, t.labels) for x in range(len(t.codes))]),
        counts,
        least,
        most,
    )
    parts = {frozenset(rows): sum(t.counts[r] for r in rows) for rows in t.together.values()}
    small = sum(size for size in parts.values() if size < least)
    if small > most:
        assert most < dropped <= small
        return
    assert dropped == small
    rows, own = grouping.rows_of(kept), grouping.keys_of(kept)
    found = {}
    for number, size in enumerate(sizes.tolist()):
        inside = rows[starts[number] : starts[number + 1]].tolist()
        assert set(own[starts[number] : starts[number + 1]].tolist()) == {number}
        assert len(set(inside)) == len(inside)
        found[frozenset(inside)] = size
    assert found == {rows: size for rows, size in parts.items() if size >= least}
    assert sorted([*rows.tolist(), *gone.tolist()]) == list(range(len(t.classes)))


@unhurried
@given(tables())
def test_members_are_sorted_by_class(t: Table) -> None:
    """Rows of one class stay in their order."""
    numbers = np.arange(t.number, dtype=np.uint32)
    members, begins = parting.make_contiguous(t.members, numbers, t.number)
    expected = sorted(zip(t.classes, range(len(t.classes)), strict=True))
    assert (
        list(
            zip(grouping.keys_of(members).tolist(), grouping.rows_of(members).tolist(), strict=True)
        )
        == expected
    )
    assert np.diff(begins).tolist() == np.bincount(t.classes).tolist()


@unhurried
@given(st.lists(st.integers(1, 5000), max_size=30))
def test_small_classes_come_first(sizes: list[int]) -> None:
    """By the number of binary digits, and then in their original order."""
    order = parting.smallest_first(np.array(sizes, dtype=np.int64))
    assert order.tolist() == sorted(range(len(sizes)), key=lambda c: sizes[c].bit_length())
