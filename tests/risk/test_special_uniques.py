"""Minimal sample uniques against brute force over all records and all sets of attributes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import factorial
from pathlib import Path

import numpy as np
import pytest
from effort import thorough
from hypothesis import given
from hypothesis import strategies as st
from published_tables import TABLES

from roadstead.errors import SettingError
from roadstead.risk.special_uniques import (
    contributions_of,
    set_score,
    special_uniques,
)
from roadstead.tables.frequency import FrequencyTable, canonical, summarize
from roadstead.tables.persons.profiles import rows_of_persons
from roadstead.tables.reading import read

Record = tuple[int, ...]

records_of = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.tuples(*[st.integers(0, 3)] * width), min_size=1, max_size=25)
)


def table_of(records: Sequence[Record]) -> FrequencyTable:
    """Count records whose attributes are a, b, c, ... with values 0 to 3."""
    width = len(records[0])
    codes = [np.array([record[at] for record in records], dtype=np.int32) for at in range(width)]
    names = tuple("abcde"[:width])
    ones = np.ones(len(records), dtype=np.int64)
    return canonical(names, (tuple("0123"),) * width, codes, ones)[0]


def minimal_sets(records: Sequence[Record], limit: int) -> list[list[Record]]:
    """For each record the sets it is unique on, and on no subset of them."""
    width = len(records[0])
    every = [places for size in range(1, width + 1) for places in combinations(range(width), size)]

    def unique(record: Record, places: Record) -> bool:
        alike = [one for one in records if all(one[at] == record[at] for at in places)]
        return len(alike) == 1

    found = []
    for record in records:
        sets = [places for places in every if unique(record, places)]
        found.append(
            [
                places
                for places in sets
                if len(places) <= limit and not any(set(one) < set(places) for one in sets)
            ]
        )
    return found


@thorough
@given(records_of, st.integers(1, 6))
def test_all_minimal_sets_are_found_and_scored(records: list[Record], limit: int) -> None:
    """Numbers and contributions, by attribute and by set."""
    width = len(records[0])
    sets = minimal_sets(records, limit)
    found = special_uniques(table_of(records), limit)
    every = Counter(places for own in sets for places in own)
    limit = min(limit, width)
    total = sum(set_score(len(p), width, limit) for own in sets for p in own)
    for at, one in enumerate(found.attributes):
        own = [places for places in every.elements() if at in places]
        weight = sum(set_score(len(places), width, limit) for places in own)
        assert (one.attribute, one.keys) == ("abcde"[at], len(own))
        assert one.contribution == pytest.approx(weight / total if total else 0.0)
    names = {tuple("abcde"[at] for at in places): places for places in every}
    assert {one.attributes for one in found.combinations} == set(names)
    for key in found.combinations:
        places = names[key.attributes]
        assert key.records == every[places]
        weight = every[places] * set_score(len(places), width, limit)
        assert key.contribution == pytest.approx(weight / total)
    shares = [one.contribution for one in found.combinations]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1.0 if total else 0.0)


@thorough
@given(records_of)
def test_the_separation_of_an_attribute_is_that_of_the_attribute_alone(
    records: list[Record],
) -> None:
    """The share of the pairs of records with different values, with and without person IDs."""
    table = table_of(records)
    owners = np.arange(table.distinct) // 2
    of_persons = rows_of_persons(table, "person", owners, tuple(map(str, np.unique(owners))))
    pairs = list(combinations(records, 2))
    wanted = {
        "abcde"[at]: sum(one[at] != other[at] for one, other in pairs) / len(pairs) if pairs else 1
        for at in range(len(records[0]))
    }
    for found, _ in (contributions_of(table), contributions_of(of_persons)):
        assert {one.attribute: one.separation for one in found} == pytest.approx(wanted)


def test_people_who_are_not_in_the_table_make_nobody_less_unique() -> None:
    """A row of a population without a record is not another record."""
    rows = [np.array([0, 0, 1], dtype=np.int32), np.array([0, 1, 1], dtype=np.int32)]
    counts = np.array([1, 0, 2], dtype=np.int64)
    table = FrequencyTable(("a", "b"), (("0", "1"),) * 2, tuple(rows), counts)
    found = special_uniques(table)
    assert [one.attributes for one in found.combinations] == [("a",), ("b",)]


def test_a_score_counts_the_ways_to_all_attributes() -> None:
    """(m - k)! without a limit; with one, less a constant that all sizes share."""
    assert [set_score(k, 6, 6) for k in range(1, 7)] == [factorial(6 - k) for k in range(1, 7)]
    # Four attributes, sets of up to three: 3 * 2 * 1, 2 * 1, and 1.
    assert [set_score(k, 4, 3) for k in (1, 2, 3)] == [6, 2, 1]
    assert [set_score(k, 9, 3) * factorial(5) for k in (1, 2, 3)] == [
        factorial(9 - k) for k in (1, 2, 3)
    ]


def test_a_special_unique_is_seen_in_its_attributes() -> None:
    """A widow of 16: unique by age (a) and marital status (c), and not with the place (b)."""
    records = [(age, place, 0) for age in (0, 1) for place in (0, 1)] * 2
    records += [(age, place, mark) for age in (2, 3) for place in (0, 1) for mark in (0, 1)] * 2
    records.append((0, 0, 1))
    found = special_uniques(table_of(records))
    assert [(one.attributes, one.records) for one in found.combinations] == [(("a", "c"), 1)]
    assert [one.contribution for one in found.attributes] == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("limit", [0, -1])
def test_a_set_has_an_attribute(limit: int) -> None:
    """At least one."""
    with pytest.raises(SettingError, match="at least 1"):
        special_uniques(table_of([(1, 2)]), limit)


def test_adult_is_searched_to_the_end(data_dir: Path) -> None:
    """All 511 sets: most are unique through age."""
    with read(data_dir / TABLES["adult"].file) as source:
        table = summarize(source, TABLES["adult"].columns.split())
    found = special_uniques(table, 9)
    assert len({len(one.attributes) for one in found.combinations}) > 3
    shares = {one.attribute: one.contribution for one in found.attributes}
    assert max(shares, key=shares.__getitem__) == "age"
    # Those of up to three attributes are the same whatever the limit.
    small = {one.attributes: one.records for one in special_uniques(table, 3).combinations}
    assert sum(small.values()) == 16_096
    every = {one.attributes: one.records for one in found.combinations}
    assert small == {names: n for names, n in every.items() if len(names) <= 3}
