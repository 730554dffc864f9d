"""Distinctness and separation against brute force over pairs of records."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError
from roadstead.risk.separation import greedy_separations, separations
from roadstead.tables.frequency import FrequencyTable, canonical

Record = tuple[int, ...]

records_of = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[st.integers(0, 3)] * width), min_size=1, max_size=20)
)


def table_of(records: list[Record]) -> FrequencyTable:
    """Count records whose attributes are a, b, c, d with values 0 to 3."""
    width = len(records[0])
    codes = [np.array([record[at] for record in records], dtype=np.int32) for at in range(width)]
    names = tuple("abcd"[:width])
    ones = np.ones(len(records), dtype=np.int64)
    return canonical(names, (tuple("0123"),) * width, codes, ones)[0]


def by_hand(records: list[Record], attributes: tuple[str, ...]) -> tuple[float, float]:
    """Distinct values over records, and pairs that differ over pairs."""
    seen = [tuple(record["abcd".index(name)] for name in attributes) for record in records]
    pairs = [one != other for one, other in combinations(seen, 2)]
    return len(set(seen)) / len(seen), sum(pairs) / len(pairs) if pairs else 1.0


@unhurried
@given(records_of, st.integers(1, 5))
def test_every_small_set_is_measured(records: list[Record], limit: int) -> None:
    """All of them, the smaller ones first."""
    found = separations(table_of(records), limit)
    names = "abcd"[: len(records[0])]
    expected = [
        attributes
        for size in range(1, min(limit, len(names)) + 1)
        for attributes in combinations(names, size)
    ]
    assert [one.attributes for one in found] == expected
    for one in found:
        assert (one.distinctness, one.separation) == by_hand(records, one.attributes)


@unhurried
@given(records_of)
def test_the_greedy_set_grows_by_what_separates_the_most(records: list[Record]) -> None:
    """Of equals the one that makes more distinct combinations, then the first."""
    names = "abcd"[: len(records[0])]
    chosen: tuple[str, ...] = ()
    found = greedy_separations(table_of(records))
    for one in found:
        candidates = [(*chosen, name) for name in names if name not in chosen]
        chosen = max(candidates, key=lambda c: tuple(reversed(by_hand(records, c))))
        assert one.attributes == chosen
        assert (one.distinctness, one.separation) == by_hand(records, chosen)
    assert len(found) == len(names)
    assert all(a.separation <= b.separation for a, b in pairwise(found))


def test_two_records_in_three_are_told_apart_by_their_age() -> None:
    """Ages 0, 0, 1: two of three pairs differ, and there are two values."""
    (one,) = separations(table_of([(0,), (0,), (1,)]))
    assert (one.distinctness, one.separation) == (2 / 3, 2 / 3)


def test_a_set_has_an_attribute() -> None:
    """At least one."""
    with pytest.raises(SettingError, match="at least 1"):
        separations(table_of([(1, 2)]), 0)
