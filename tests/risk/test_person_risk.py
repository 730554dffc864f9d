"""Risk by people compared with its definition, the matches with possible knowledge."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from effort import thorough
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.risk.persons import prosecutor as module
from roadstead.risk.persons.knowledge import RowsKnown
from roadstead.risk.persons.prosecutor import (
    LEFT_OUT,
    multisets_of_rows,
    person_risk,
    persons_fitting,
    persons_of_each_class,
)
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.persons.profiles import Persons, rows_of_persons

Rows = list[list[int]]
"""For each person the value of each record."""

PEOPLE: st.SearchStrategy[Rows] = st.lists(
    st.lists(st.integers(0, 4), min_size=1, max_size=6), min_size=1, max_size=12
)
KNOWS: tuple[RowsKnown, ...] = (1, 2, 3, "all")


def table_of(people: Rows) -> tuple[FrequencyTable, Persons]:
    """Make the frequency table of people with one attribute."""
    pairs = sorted(Counter((p, v) for p, own in enumerate(people) for v in own).items())
    person, values, counts = (
        np.array(column) for column in zip(*((p, v, n) for (p, v), n in pairs), strict=True)
    )
    table = FrequencyTable(("a",), (tuple("abcde"),), (values.astype(np.int32),), counts)
    table = rows_of_persons(table, "person", person, tuple(map(str, range(len(people)))))
    assert table.persons is not None
    return table, table.persons


@thorough
@given(PEOPLE, st.lists(st.integers(-1, 2), min_size=5, max_size=5))
def test_units_in_groups_are_those_counted_one_by_one(people: Rows, group_of: list[int]) -> None:
    """People once for each group of values, or all their records; a negative group is left out."""
    table, _ = table_of(people)
    groups = np.array(group_of, dtype=np.int64)[table.codes[0]]
    own = [[group_of[value] for value in values] for values in people]
    persons = Counter(group for groups_of_one in own for group in {*groups_of_one})
    records = Counter(group for groups_of_one in own for group in groups_of_one)
    assert table.units_in(groups, 3).tolist() == [persons[group] for group in range(3)]
    plain = FrequencyTable(table.attributes, table.domains, table.codes, table.counts)
    assert plain.units_in(groups, 3).tolist() == [records[group] for group in range(3)]


def least(people: Rows, one: int, knows: RowsKnown) -> int:
    """Count the people who match all possible knowledge about a person; give the least."""
    own = people[one]
    if knows == "all":
        return sum(Counter(other) == Counter(own) for other in people)
    return min(
        sum(not Counter(some) - Counter(other) for other in people)
        for some in combinations(own, min(knows, len(own)))
    )


def only(people: Rows, left_out: set[int]) -> Rows:
    """Leave out the records with some values; some people have none then."""
    return [[value for value in own if value not in left_out] for own in people]


@thorough
@given(PEOPLE, st.sets(st.integers(0, 4), max_size=3), st.sampled_from(KNOWS))
def test_the_least_number_who_fit_is_that_of_the_definition(
    people: Rows, left_out: set[int], knows: RowsKnown
) -> None:
    """For each person, with rows left out too."""
    table, persons = table_of(people)
    classes = np.where(np.isin(table.codes[0], list(left_out)), LEFT_OUT, table.codes[0])
    found = persons_fitting(persons, classes, knows)[persons.profiles]
    kept = only(people, left_out)
    wanted = [least(kept, one, knows) if own else 0 for one, own in enumerate(kept)]
    assert found.tolist() == wanted


@thorough
@given(PEOPLE, st.sets(st.integers(0, 4), max_size=3), st.sampled_from(KNOWS), st.integers(2, 5))
def test_the_risk_of_persons_follows(
    people: Rows, left_out: set[int], knows: RowsKnown, k: int
) -> None:
    """Highest, mean, above the threshold, alone, and how they are distributed."""
    table, persons = table_of(people)
    classes = np.where(np.isin(table.codes[0], list(left_out)), LEFT_OUT, table.codes[0])
    found = person_risk(persons, persons_fitting(persons, classes, knows), knows, 1 / k)
    kept = only(people, left_out)
    fits = [least(kept, one, knows) for one, own in enumerate(kept) if own]
    assert found.persons == len(fits)
    assert found.maximum == (1 / min(fits) if fits else 0)
    assert found.average == pytest.approx(sum(1 / n for n in fits) / max(len(fits), 1))
    assert found.above_threshold == sum(n < k for n in fits)
    assert found.uniques == fits.count(1)
    assert dict(found.sizes) == Counter(fits)


@thorough
@given(PEOPLE)
def test_distinct_persons_of_a_class(people: Rows) -> None:
    """However many rows a person has there."""
    table, persons = table_of(people)
    found = persons_of_each_class(persons, table.codes[0]).tolist()
    assert found == [
        sum(value in own for own in people) for value in range(int(table.codes[0].max()) + 1)
    ]


@thorough
@given(PEOPLE, st.sampled_from(KNOWS))
def test_the_cost_is_known_before(people: Rows, knows: RowsKnown) -> None:
    """It is the number of multisets of up to so many rows, profile by profile."""
    table, persons = table_of(people)
    profiles = {tuple(sorted(own)) for own in people}
    wanted = len(profiles)
    if knows != "all":
        wanted = sum(
            len({some for n in range(1, knows + 1) for some in combinations(own, n)})
            for own in profiles
        )
    assert multisets_of_rows(persons, table.codes[0], knows) == wanted


def test_what_is_not_affordable_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """With how much it would be."""
    table, persons = table_of([[0, 1, 2], [0, 1, 3]])
    monkeypatch.setattr(module, "MOST_MULTISETS", 11)
    with pytest.raises(SettingError, match="12 combinations of 2 rows"):
        persons_fitting(persons, table.codes[0], 2)
    assert persons_fitting(persons, table.codes[0], "all").tolist() == [1, 1]


@thorough
@given(PEOPLE, PEOPLE, st.sampled_from(KNOWS))
def test_persons_may_be_counted_among_others(ours: Rows, theirs: Rows, knows: RowsKnown) -> None:
    """In a table next to its population, the people in the population, or of either."""
    table, persons = table_of([*ours, *theirs])
    theirs_of = persons.profiles[len(ours) :]
    among = np.bincount(theirs_of, minlength=persons.people.size).astype(np.int64)
    for counted in ([among], [among, persons.people - among]):
        found = persons_fitting(persons, table.codes[0], knows, counted)[persons.profiles]

        def fit(own: list[int], counted: list[NDArray[np.int64]] = counted) -> int:
            groups = (theirs, ours)[: len(counted)]
            if knows == "all":
                return max(sum(Counter(one) == Counter(own) for one in group) for group in groups)
            return min(
                max(sum(not Counter(some) - Counter(one) for one in group) for group in groups)
                for some in combinations(own, min(knows, len(own)))
            )

        assert found[: len(ours)].tolist() == [fit(own) for own in ours]
