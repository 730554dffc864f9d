"""Minimality: conclusions about sensitive values, compared with all possible assignments."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from attacked import SENSITIVE, drawing, in_order, problem_of
from effort import sparing, unhurried
from hypothesis import given
from hypothesis import strategies as st
from small_tables import Row

from roadstead.attacks.recodings.attempt import Requirement, attempt
from roadstead.attacks.recodings.joint import divisions
from roadstead.attacks.recodings.sensitive import (
    attack_by_parts,
    attack_by_replay,
    column_of,
    distinct,
    refused_classes,
    share_if_one_fails,
    share_of_few,
)
from roadstead.attacks.recodings.view import truth_of, view_of
from roadstead.privacy.models.distinct_l_diversity import DistinctLDiversity
from roadstead.reports.recoding_attacks import attacked
from roadstead.search.protocol import Control
from roadstead.search.recoding.first_fit import first_fit_classes
from roadstead.search.recoding.protocol import Recoded, RecodingProblem

TOTALS = st.lists(st.integers(0, 3), min_size=2, max_size=3)


def values_of(totals: list[int]) -> list[int]:
    """Sensitive values of the records of a class."""
    return [value for value, number in enumerate(totals) for _ in range(number)]


@given(TOTALS, TOTALS, st.integers(2, 3), st.data())
@unhurried
def test_a_group_of_few_values(
    one: list[int], other: list[int], least: int, data: st.DataObject
) -> None:
    """Every order of the values in both classes; the first records of each are the group."""
    length = max(len(one), len(other))
    totals = [own + [0] * (length - len(own)) for own in (one, other)]
    if not all(map(sum, totals)) or max(map(sum, totals)) > 5:
        return
    sizes = [data.draw(st.integers(1, sum(own))) for own in totals]
    expected = np.zeros((2, length))
    ways = 0
    orders = [sorted(set(permutations(values_of(own)))) for own in totals]
    for both in product(*orders):
        group = [own[:size] for own, size in zip(both, sizes, strict=True)]
        if len({value for own in group for value in own}) < least:
            ways += 1
            for at, own in enumerate(group):
                for value in own:
                    expected[at, value] += 1 / sizes[at]
    found = share_of_few(np.array(totals), sizes, least)
    if not ways:
        assert found is None
    else:
        assert found == pytest.approx(expected / ways)


@given(TOTALS, st.integers(2, 3), st.data())
@unhurried
def test_one_of_two_parts_failed(totals: list[int], least: int, data: st.DataObject) -> None:
    """Every order of the values of the class."""
    records = sum(totals)
    if not 2 <= records <= 7:
        return
    size = data.draw(st.integers(1, records - 1))
    orders = sorted(set(permutations(values_of(totals))))
    failed = [own for own in orders if min(len({*own[:size]}), len({*own[size:]})) < least]
    found = share_if_one_fails(np.array(totals), size, distinct(least))
    if not failed:
        assert found is None
        return
    expected = [
        sum(Fraction(own[:size].count(value), size) for own in failed) / len(failed)
        for value in range(len(totals))
    ]
    assert found == pytest.approx(np.array(expected, dtype=np.float64))


def test_of_too_many_ways_some_are_drawn() -> None:
    """The expected share is then near to the one that all ways have."""
    totals = np.array([40, 30, 20, 10, 10, 10], dtype=np.int64)
    ways, weights = divisions(totals, 60)
    assert (ways.sum(axis=1) == 60).all()
    assert (ways <= totals).all()
    assert weights @ ways == pytest.approx(totals / 2, abs=0.2)


def test_classes_of_thousands_are_parted_without_overflow() -> None:
    """The number of ways to choose is beyond what a float holds; the chances are not."""
    ways, weights = divisions(np.array([3_000, 3_000], dtype=np.int64), 3_000)
    assert weights @ ways == pytest.approx(np.array([1_500.0, 1_500.0]))


PURE = [f"p{number:02d}" for number in range(12)]


def pure(groups: list[str]) -> list[Row]:
    """Two records of one disease, and three of another one, in each group."""
    return [
        (group, side, value)
        for group in groups
        for side, value, number in (("m", "flu", 2), ("w", "cancer", 3))
        for _ in range(number)
    ]


def solved(problem: RecodingProblem) -> Recoded:
    """Search by first fit."""
    found = first_fit_classes(problem, Control()).best
    assert found is not None
    return found


def test_2_diversity_is_broken_where_each_part_has_one_value() -> None:
    """Wong and others' example: only this reason explains the merging of men and women.

    A group has five records, flu twice and cancer three times. One of the two sides failed: either
    the men or the women have a single value. One way is that all women have cancer, the other that
    all men have flu.
    """
    problem = problem_of(pure(PURE), 2, DistinctLDiversity(SENSITIVE, 2))
    recoded = solved(problem)
    assert recoded.parts[:, 1, 0].tolist() == [1] * 12
    bolder = solved(problem_of(pure(PURE), 2))
    found = attempt(
        problem, recoded, requirements=[Requirement(SENSITIVE, distinct(2), 2)], bolder=bolder
    )
    by_replay = found.sensitive[1][1]
    assert by_replay.gain.guessing == pytest.approx(0.6)
    assert by_replay.gain.success == 1.0
    assert by_replay.sure == 1.0
    assert by_replay.above_noise
    assert attacked(found)[1].startswith(
        f"Warning: the choice of merged groups depends on {SENSITIVE}."
    )


def test_the_chances_are_those_of_all_tables_that_give_the_release() -> None:
    """Each assignment of the values to the records is searched; those that give this count."""
    rows = pure(PURE[:1])
    problem = problem_of(rows, 2, DistinctLDiversity(SENSITIVE, 2))
    recoded = solved(problem)
    quasi, values = [row[:-1] for row in rows], [row[-1] for row in rows]
    same = []
    for order in sorted(set(permutations(values))):
        table = [(*own, value) for own, value in zip(quasi, order, strict=True)]
        other = solved(problem_of(table, 2, DistinctLDiversity(SENSITIVE, 2)))
        if np.array_equal(other.parts, recoded.parts) and np.array_equal(other.rows, recoded.rows):
            same.append(order)
    assert same
    # Cancer is value 0 and flu value 1; the men are the first two records.
    men = np.array(
        [sum(own[:2].count(v) for own in same) / 2 / len(same) for v in ("cancer", "flu")]
    )
    totals = np.array([[3, 2]])
    (refused, *_) = refused_classes(problem, recoded, solved(problem_of(rows, 2)))
    assert problem.encoding.counts[refused].sum() == 2
    assert share_of_few(totals, [2], 2) is not None
    bold = share_if_one_fails(totals[0], 2, distinct(2))
    assert bold is not None
    assert men.tolist() == [0.0, 1.0]
    assert men[1] >= bold[1]  # an attacker who knows the search exactly knows at least as much


@given(st.integers(0, 10_000))
@sparing
def test_with_k_anonymity_alone_the_sensitive_column_does_not_matter(seed: int) -> None:
    """The column is shuffled, and the recoding stays what it was."""
    chance = drawing(seed)
    quasi = [(chance.choice("abcd"), chance.choice("xyz")) for _ in range(40)]
    values = [chance.choice(["flu", "cancer", "cold"]) for _ in quasi]
    found = []
    for _ in range(2):
        rows = [(*own, value) for own, value in zip(quasi, values, strict=True)]
        found.append(solved(problem_of(rows, 3)))
        chance.shuffle(values)
    assert np.array_equal(found[0].parts, found[1].parts)
    assert np.array_equal(found[0].rows, found[1].rows)


def test_values_given_out_by_chance_give_no_gain() -> None:
    """A release chosen without looking, attacked as if it had been chosen by 2-diversity."""
    chance = drawing(4)
    rows = [
        (group, side, chance.choice(["flu", "cancer"]))
        for group in PURE * 5
        for side in ("m", "m", "w", "w", "w")
    ]
    problem = problem_of(rows, 2)
    recoded = in_order(problem, [[(0, at), (1, 0)] for at in range(12)])
    view, truth = view_of(problem, recoded), truth_of(problem, recoded)
    column = column_of(problem.encoding.table.histogram(SENSITIVE))
    assert not attack_by_parts(view, truth, column, distinct(2)).above_noise
    refused = refused_classes(problem, recoded, solved(problem))
    assert not attack_by_replay(view, truth, column, 2, refused).above_noise
