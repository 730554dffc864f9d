"""The largest releasable part under bounds of ratios, compared with all sets of its rows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

import numpy as np
import pytest
from effort import thorough, unhurried
from hypothesis import given
from hypothesis import strategies as st
from peopled import bounds, model_of

from roadstead.policies.classes import Classes
from roadstead.privacy.models.delta_presence import DeltaPresence, Presence
from roadstead.privacy.models.population_risk import AveragePopulationRisk
from roadstead.tables.frequency import FrequencyTable

Rows: TypeAlias = list[tuple[int, int]]
"""Records and people of each."""


@st.composite
def rows(draw: st.DrawFn, *, fewest: int = 0) -> Rows:
    """A few rows, of which one has records at least."""
    pairs = st.tuples(st.integers(fewest, 9), st.integers(1, 20)).map(
        lambda one: (one[0], sum(one))
    )
    return draw(st.lists(pairs, min_size=1, max_size=7).filter(lambda own: any(n for n, _ in own)))


def town_of(own: Rows) -> FrequencyTable:
    """Make a table of one attribute, with a value for each row."""
    return FrequencyTable(
        attributes=("a",),
        domains=(tuple(f"{i:05d}" for i in range(len(own))),),
        codes=(np.arange(len(own), dtype=np.int32),),
        counts=np.array([records for records, _ in own], dtype=np.int64),
        population=np.array([people for _, people in own], dtype=np.int64),
    )


def classes_of(own: Rows, numbers: list[int]) -> Classes:
    """Put each row into a class."""
    row = np.arange(len(own), dtype=np.uint64)
    key = np.array(numbers, dtype=np.uint64)
    sizes = np.zeros(max(numbers) + 1, dtype=np.int64)
    np.add.at(sizes, numbers, [records for records, _ in own])
    number = np.arange(sizes.size, dtype=np.uint32)
    return Classes((row << np.uint64(32)) | key, number, sizes)


def releasable(own: Rows, limits: tuple[Fraction, Fraction]) -> Iterator[tuple[int, ...]]:
    """All sets of rows that have a presence within the bounds."""
    for number in range(1, len(own) + 1):
        for some in combinations(range(len(own)), number):
            records, people = (sum(own[i][side] for i in some) for side in (0, 1))
            if records and limits[0] * people <= records <= limits[1] * people:
                yield some


def bound(own: Rows, limits: tuple[Fraction, Fraction]) -> Presence:
    """Bind the model to a table of these rows."""
    return model_of(limits).bind(town_of(own))


@thorough
@given(rows(), bounds())
def test_no_set_of_rows_within_the_bounds_has_more_records(
    own: Rows, limits: tuple[Fraction, Fraction]
) -> None:
    """Nor holds a row that is barred. The bound is no more than one row above the best set."""
    whole, model = classes_of(own, [0] * len(own)), bound(own, limits)
    most = model.most_released(whole, whole.sizes)
    barred = model.barred(whole, most)
    best = 0
    for some in releasable(own, limits):
        best = max(best, sum(own[i][0] for i in some))
        assert not any(barred[i] for i in some if own[i][0])
    assert best <= most[0] <= whole.sizes[0]
    if not limits[0]:
        assert most[0] <= best + max(n for n, _ in own)


@thorough
@given(rows(fewest=1), bounds())
def test_no_set_of_blocks_has_more_records(own: Rows, limits: tuple[Fraction, Fraction]) -> None:
    """Of two parts, each by itself."""
    model = bound(own, limits)
    assert model.bounds_blocks
    blocks = classes_of(own, list(range(len(own))))
    part = np.arange(len(own)) % 2
    sizes = np.bincount(part, weights=blocks.sizes, minlength=2).astype(np.int64)
    most, never = model.blocks_released(blocks, part, sizes)
    for number in range(2):
        inside = [row for row, place in zip(own, part, strict=True) if place == number]
        marked = never[part == number]
        assert most[number] <= sizes[number]
        for some in releasable(inside, limits):
            assert sum(inside[i][0] for i in some) <= most[number]
            assert not any(marked[i] for i in some)


def test_by_hand() -> None:
    """Half may be in the table: one of five has 1.5 in reserve, and 2 of 2 exceed by one each.

    So 3 of 4, which exceed by one, come in whole, and one of the 2 of 2 by half a row.
    """
    own = [(1, 5), (3, 4), (2, 2), (2, 2)]
    whole, model = classes_of(own, [0] * 4), bound(own, (Fraction(0), Fraction(1, 2)))
    assert model.most_released(whole, whole.sizes).tolist() == [1 + 3 + 1]
    assert not model.barred(whole, whole.sizes).any()
    own[1] = (5, 6)  # exceeds by two
    whole, model = classes_of(own, [0] * 4), bound(own, (Fraction(0), Fraction(1, 2)))
    assert model.barred(whole, whole.sizes).tolist() == [False, True, False, False]


def test_blocks_say_nothing_where_others_may_join_them() -> None:
    """Two of two people and two others who are like no record are a class of two of four."""
    assert not bound([(2, 2), (0, 2), (6, 6)], (Fraction(0), Fraction(1, 2))).bounds_blocks


def test_everybody_is_released_or_nobody() -> None:
    """A record less, or a person, and nothing is."""
    own = [(2, 5), (3, 6), (0, 1)]
    model = DeltaPresence(0.9, 0.1, everybody=True).bind(town_of(own))
    whole = classes_of(own, [0, 0, 0])
    assert model.most_together(whole, whole.sizes) == 5
    assert model.most_together(whole, whole.sizes - 1) == 0
    without = Classes(whole.members[:2], whole.numbers, whole.sizes)
    assert model.most_together(without, without.sizes) == 0


@unhurried
@given(rows(fewest=1), st.sampled_from([0.03, 0.1, 0.25, 0.5]), st.sampled_from([0.5, 1, 2]))
def test_classes_of_a_low_risk_are_no_more_than_is_said(
    own: Rows, maximum: float, gamma: float
) -> None:
    """With the people of a population, and with the records for these."""
    model = AveragePopulationRisk(maximum, gamma)
    classes = classes_of(own, list(range(len(own))))
    for table in (town_of(own), FrequencyTable(**{**vars(town_of(own)), "population": None})):
        bound = model.bind(table)
        kept = bound.satisfied(classes)
        records = int(classes.sizes[kept].sum())
        assert records <= bound.most_together(classes, classes.sizes)
        assert np.count_nonzero(kept) <= bound.most_classes(records)


@pytest.mark.parametrize("gamma", [0.5, 1.0, 2.0])
def test_as_many_classes_as_are_said_can_be(gamma: float) -> None:
    """Seven records, each among nine people; or seven classes of nine records."""
    model = AveragePopulationRisk(9.0**-gamma * (1 + 1e-8), gamma)
    assert model.bind(town_of([(1, 9)] * 7)).most_classes(7) == 7
    table = FrequencyTable(**{**vars(town_of([(9, 9)] * 7)), "population": None})
    most = model.bind(table).most_classes(63)
    assert most == 7 if gamma >= 1 else most >= 7
    assert model.bind(table).satisfied(classes_of([(9, 9)] * 7, list(range(7)))).all()


def test_records_among_most_people_are_released_first() -> None:
    """A mean of .1: 10 among 20 have .5 to spare, and each of 8 among 5 needs .1."""
    own = [(10, 20), (8, 5), (2, 1)]
    bound = AveragePopulationRisk(0.1).bind(town_of(own))
    classes = classes_of(own, [0, 1, 2])
    assert bound.most_together(classes, classes.sizes) == 15
