"""A person's chosen rows: few, random, and independent of other people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from math import comb

import numpy as np
import pytest
from effort import thorough
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from roadstead.differential.persons.bounded_rows import at_most
from roadstead.differential.persons.person_rows import counted
from roadstead.errors import SettingError
from roadstead.tables.frequency import FrequencyTable

Row = tuple[str, str, str]
"""A person, and two cells of a row."""
KEY = b"0123456789abcdef"

rows_of_some = st.lists(
    st.tuples(
        st.sampled_from(("", "a", "ab", "b", "c")),
        st.sampled_from(("", "b", "bb", "x")),
        st.sampled_from(("x", "bx")),
    ),
    max_size=30,
)
keys = st.binary(min_size=16, max_size=64)


def table_of(rows: Iterable[Row]) -> FrequencyTable:
    """Count rows by two columns and their person, as an engine would."""
    found = Counter((first, second, who) for who, first, second in rows)
    domains = tuple(tuple(sorted({entry[at] for entry in found})) for at in range(3))
    codes = [
        np.array([domains[at].index(entry[at]) for entry in found], dtype=np.int32)
        for at in range(3)
    ]
    counts = np.array(list(found.values()), dtype=np.int64)
    return counted(("first", "second", "who"), domains, codes, counts)


def chosen(rows: Iterable[Row], most: int, key: bytes) -> Counter[tuple[str, str]]:
    """Give the remaining rows, without their people."""
    table = at_most(table_of(rows), "who", most, key)[0]
    assert table.attributes == ("first", "second")
    texts = [
        [domain[code] for code in codes.tolist()]
        for domain, codes in zip(table.domains, table.codes, strict=True)
    ]
    found: Counter[tuple[str, str]] = Counter()
    for first, second, count in zip(*texts, table.counts.tolist(), strict=True):
        found[first, second] += count
    return found


@thorough
@given(rows_of_some, st.integers(1, 4), keys)
def test_all_together_are_what_each_person_would_have_alone(
    rows: list[Row], most: int, key: bytes
) -> None:
    """One person more or less changes no other person's rows, and only `most` rows of the table."""
    alone: Counter[tuple[str, str]] = Counter()
    for who in {row[0] for row in rows} - {""}:
        own = [row for row in rows if row[0] == who]
        found = chosen(own, most, key)
        assert found.total() == min(len(own), most)
        assert not found - Counter((first, second) for _, first, second in own)
        alone += found
    assert chosen(rows, most, key) == alone


@thorough
@given(rows_of_some, st.integers(1, 4), keys, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(
    rows: list[Row], most: int, key: bytes, random: object
) -> None:
    """Nothing is the first of anything."""
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined] # of the standard library
    assert chosen(rows, most, key) == chosen(shuffled, most, key)


@thorough
@given(rows_of_some, st.integers(1, 4))
def test_what_the_custodian_hears_adds_up(rows: list[Row], most: int) -> None:
    """People, rows without a person, and rows that were not chosen."""
    table, said = at_most(table_of(rows), "who", most, KEY)
    persons = {row[0] for row in rows} - {""}
    nobodys = sum(row[0] == "" for row in rows)
    assert (said.persons, said.nobodys) == (len(persons), nobodys)
    assert table.records + said.not_chosen + said.nobodys == len(rows)


@pytest.mark.nightly
def test_every_choice_is_as_likely_as_every_other() -> None:
    """Over keys: two of five rows, two of them equal, for two people with identical rows.

    The false alarm rate is one in a million runs, and the keys are the same in each.
    """
    own = [("x", "1"), ("x", "2"), ("x", "3"), ("x", "y"), ("x", "y")]
    found: Counter[tuple[tuple[str, str], ...]] = Counter()
    runs = 4_000
    for seed in range(runs):
        key = seed.to_bytes(16, "big")
        one, other = (chosen([(who, *row) for row in own], 2, key) for who in ("a", "b"))
        found[tuple(sorted(one.elements()))] += 1
        found[(*sorted(one.elements()), ("|", "|"), *sorted(other.elements()))] += 1
    expected = Counter(tuple(sorted(pair)) for pair in combinations(own, 2))
    single = [found[pair] for pair in expected]
    shares = [runs * times / comb(5, 2) for times in expected.values()]
    assert sum(single) == runs
    assert chisquare(single, shares).pvalue > 1e-6
    both = [found[(*a, ("|", "|"), *b)] for a in expected for b in expected]
    together = [
        runs * expected[a] * expected[b] / comb(5, 2) ** 2 for a in expected for b in expected
    ]
    assert chisquare(both, together).pvalue > 1e-6


def test_texts_that_run_into_each_other_are_told_apart() -> None:
    """Person "a" with "bx" and person "ab" with "x" have tags of their own."""
    same = 0
    for seed in range(64):
        key = seed.to_bytes(16, "big")
        first = chosen([("a", "bx", "1"), ("a", "by", "1")], 1, key)
        second = chosen([("ab", "x", "1"), ("ab", "y", "1")], 1, key)
        same += (("bx", "1") in first) == (("x", "1") in second)
    assert 0 < same < 64


def test_the_first_rows_of_a_table_would_be_convicted() -> None:
    """The tests forbid a choice by place, because other people's rows shift the places."""

    def first_of_all(rows: list[Row], most: int) -> list[Row]:
        # The first rows after a sort by the frequency of a cell, which depends on all people.
        often = Counter(row[1] for row in rows)
        kept: list[Row] = []
        for row in sorted(rows, key=lambda one: (-often[one[1]], one)):
            if sum(one[0] == row[0] for one in kept) < most:
                kept.append(row)
        return kept

    own = [("a", "x", "1"), ("a", "y", "1")]
    other = [("b", "y", "1"), ("b", "y", "1")]
    alone = [row for row in first_of_all(own, 1) if row[0] == "a"]
    among = [row for row in first_of_all(own + other, 1) if row[0] == "a"]
    assert alone != among
    assert chosen([*own, *other], 1, KEY) == chosen(own, 1, KEY) + chosen(other, 1, KEY)


def test_no_rows_and_no_choice_are_refused_or_empty() -> None:
    """A table without rows is one without rows; nothing at most is refused, and a short key."""
    assert at_most(table_of([]), "who", 3, KEY)[0].records == 0
    assert at_most(table_of([("", "x", "1")]), "who", 3, KEY)[0].records == 0
    with pytest.raises(SettingError, match="the largest number of rows per person cannot be 0"):
        at_most(table_of([]), "who", 0, KEY)
    with pytest.raises(ValueError, match="guessed"):
        at_most(table_of([]), "who", 1, b"short")
