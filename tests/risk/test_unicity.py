"""The unicity curve compared with its definition: matches with known rows, person by person."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb

import numpy as np
import pytest
from effort import thorough
from hypothesis import given
from hypothesis import strategies as st

from roadstead.risk.persons import choices
from roadstead.risk.persons.unicity import Singled, _places_drawn, unicity_curve
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.persons.profiles import PersonTable, rows_of_persons

Rows = list[list[int]]
"""For each person the value of each record."""

PEOPLE: st.SearchStrategy[Rows] = st.lists(
    st.lists(st.integers(0, 4), min_size=1, max_size=6), min_size=1, max_size=12
)


def table_of(people: Rows) -> PersonTable:
    """Make the frequency table of people with one attribute."""
    pairs = sorted(Counter((p, v) for p, own in enumerate(people) for v in own).items())
    person, values, counts = (
        np.array(column) for column in zip(*((p, v, n) for (p, v), n in pairs), strict=True)
    )
    table = FrequencyTable(("a",), (tuple("abcde"),), (values.astype(np.int32),), counts)
    return rows_of_persons(table, "person", person, tuple(map(str, range(len(people)))))


def fitting(people: Rows, known: tuple[int, ...], *, whole: bool) -> int:
    """Count the people who have these rows, or exactly these rows."""
    wanted = Counter(known)
    if whole:
        return sum(Counter(own) == wanted for own in people)
    return sum(not wanted - Counter(own) for own in people)


def share(people: Rows, known: int | None, fewer_than: int) -> float:
    """Average over people, and over their possibly known rows, of whether too few match."""
    total = 0.0
    for own in people:
        some = list(combinations(own, len(own) if known is None else min(known, len(own))))
        few = [fitting(people, rows, whole=known is None) < fewer_than for rows in some]
        total += sum(few) / len(few)
    return total / len(people)


def curve(people: Rows, k: int) -> dict[int | None, Singled]:
    """Work the curve out, by what is known."""
    table = table_of(people)
    found = unicity_curve(table.persons, table.codes[0], k, seed=1, draws=400)
    return {one.known: one for one in found}


@thorough
@given(PEOPLE, st.integers(2, 4))
def test_a_small_table_is_counted(people: Rows, k: int) -> None:
    """Exactly as the definition has it."""
    for known, one in curve(people, k).items():
        assert one.below_k.exact
        assert one.below_k.share == pytest.approx(share(people, known, k), abs=1e-12)
        assert one.alone.share == pytest.approx(share(people, known, 2), abs=1e-12)


def test_a_curve_counts_few_choices_and_never_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exactly, if there are few; otherwise, the same people are drawn for all numbers of rows."""
    chance = np.random.default_rng(5)
    people = [chance.integers(0, 5, size=chance.integers(1, 8)).tolist() for _ in range(60)]
    table = table_of(people)

    def curves(seeds: range) -> list[tuple[Singled, ...]]:
        found = (
            unicity_curve(table.persons, table.codes[0], 5, seed=seed, draws=50) for seed in seeds
        )
        return list(found)

    (exact,) = curves(range(1))
    assert [one.known for one in exact] == [1, 2, 3, 4, 5, None]
    for one in exact:
        for found, fewer_than in ((one.below_k, 5), (one.alone, 2)):
            assert found.exact
            assert found.share == pytest.approx(share(people, one.known, fewer_than), abs=1e-12)
    monkeypatch.setattr(choices, "MOST_CHOICES", 400)  # enough for two rows
    for drawn in curves(range(20)):
        assert [one.below_k.exact for one in drawn[:2]] == [True, True]
        assert not all(one.below_k.exact for one in drawn[2:5])
        for part in ("below_k", "alone"):
            shares = [getattr(one, part) for one in drawn]
            assert [one.share for one in shares] == sorted(one.share for one in shares)
            assert all(one.low <= one.share <= one.high for one in shares)


@pytest.mark.nightly
def test_what_lies_between_is_drawn_with_its_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 300 people, the 95% interval holds the truth in nearly all of ten curves."""
    monkeypatch.setattr(choices, "MOST_CHOICES", 0)
    chance = np.random.default_rng(5)
    people = [chance.integers(0, 5, size=chance.integers(1, 7)).tolist() for _ in range(300)]
    truth = {known: share(people, known, 5) for known in (2, 3)}
    table = table_of(people)
    held = 0
    for seed in range(10):
        found = {
            one.known: one
            for one in unicity_curve(table.persons, table.codes[0], 5, seed=seed, draws=400)
        }
        held += sum(
            found[known].below_k.low <= one <= found[known].below_k.high
            for known, one in truth.items()
        )
    assert held >= 17


def test_the_curve_ends_where_nobody_has_more_rows() -> None:
    """Where each person has one row, that is all of them."""
    assert list(curve([[0], [1], [1]], 2)) == [None]


@thorough
@given(st.integers(1, 7), st.integers(1, 5))
def test_every_choice_of_rows_is_as_likely(records: int, known: int) -> None:
    """As many distinct places as requested or available, and none more often than others."""
    draws = 6000
    found = _places_drawn(np.full(draws, records), known, np.random.default_rng(records + known))
    assert found.shape == (draws, known)
    size = min(known, records)
    assert (found[:, size:] == -1).all()
    assert all(len(set(row[:size].tolist())) == size for row in found)
    assert found[:, :size].min() >= 0
    assert found[:, :size].max() < records
    seen = Counter(tuple(sorted(row[:size].tolist())) for row in found)
    expected = draws / comb(records, size)
    assert len(seen) == comb(records, size)
    assert all(abs(number - expected) < 6 * expected**0.5 for number in seen.values())
