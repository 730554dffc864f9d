"""Noisy counts made consistent: plausible values that add up."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
import pytest
from diffgen_by_hand import Scripted
from effort import thorough, unhurried
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from private_tables import Case, Numbers, cases, private_table
from seeded_mechanisms import SeededMechanisms

from roadstead.differential.budget import Accountant, BudgetStep, Grant
from roadstead.differential.diffgen import Plan, stages
from roadstead.differential.domains import CutGroups, NumericCut, NumericDomain, SetCut
from roadstead.differential.listing import (
    believable,
    expected_false_records,
    few_false,
    one_deviation,
)
from roadstead.differential.synthesis import (
    TOTALS_SHARE,
    NoisyGroups,
    consistent,
    listed_and_released,
    with_total,
)
from roadstead_reproductions.mohammed2013.counting import counted_consistently


@thorough
@given(st.lists(st.integers(-3, 6), min_size=1, max_size=4), st.integers(0, 8))
@example([0], 0)
@example([-3, -3], 5)
def test_no_other_counts_with_the_total_are_nearer(counts: list[int], total: int) -> None:
    """All vectors of whole numbers, none below 0, with the sum."""
    found = with_total(np.array(counts, dtype=np.int64), total)
    assert found.min() >= 0
    assert found.sum() == total

    def distance(other: tuple[int, ...]) -> int:
        return sum((a - b) ** 2 for a, b in zip(counts, other, strict=True))

    possible = product(range(total + 1), repeat=len(counts))
    assert distance(tuple(found.tolist())) == min(
        distance(other) for other in possible if sum(other) == total
    )


@thorough
@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=50), st.integers(0, 10**8))
def test_counts_move_alike_and_keep_their_order(counts: list[int], total: int) -> None:
    """By one level, except for one record; counts below the level are 0."""
    before = np.array(counts, dtype=np.int64)
    after = with_total(before, total)
    assert after.sum() == total
    moved = (before - after)[after > 0]
    assert moved.size == 0 or moved.max() - moved.min() <= 1
    assert (before[after == 0] <= (moved.max() + 1 if moved.size else before.max())).all()
    order = np.argsort(before, kind="stable")
    assert (np.diff(after[order])[np.diff(before[order]) > 0] >= 0).all()


def test_a_worked_projection() -> None:
    """Level 2 for a surplus; a lack of five is given to all, the large ones first."""
    assert with_total(np.array([9, 5, 1, 3]), 11).tolist() == [7, 3, 0, 1]
    assert with_total(np.array([4, 1, 2]), 12).tolist() == [6, 2, 4]


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("least", [1, 3, 20])
def test_noise_alone_lists_as_many_records_as_expected(epsilon: float, least: int) -> None:
    """The probabilities of discrete Laplace noise, added up."""
    ratio = exp(-epsilon)
    values = np.arange(least, least + round(50 / epsilon))
    chances = (1 - ratio) / (1 + ratio) * ratio**values
    (found,) = expected_false_records(np.array([least]), 700, epsilon)
    assert found == pytest.approx(700 * float((values * chances).sum()), rel=1e-9)


@thorough
@given(
    st.lists(st.integers(0, 60), max_size=12),
    st.integers(12, 500),
    st.floats(0.1, 2),
    st.floats(0.001, 0.6),
    st.integers(1, 5),
)
def test_the_threshold_is_the_least_that_is_believable(
    counts: list[int], cells: int, epsilon: float, share: float, least: int
) -> None:
    """Every threshold from the least is tried."""

    def good(threshold: int) -> bool:
        listed = sum(count for count in counts if count >= threshold)
        (false,) = expected_false_records(np.array([threshold]), cells, epsilon)
        return listed > 0 and false <= share * listed

    found = believable(np.array(counts, dtype=np.int64), cells, epsilon, share, least)
    listed = {count for count in counts if count >= least}
    believed = [count for count in sorted(listed) if good(count)]
    assert found == (believed[0] if believed else max(listed) + 1 if listed else least)


def groups(counts: list[list[int]], all_groups: int, least: int) -> NoisyGroups:
    """Make noisy groups of one attribute, one for each row of counts."""
    size = len(counts)
    domain = NumericDomain("a", Decimal(0), Decimal(max(size - 1, 0)))
    cut = NumericCut(domain, tuple(range(size + 1)))
    classes = tuple("xyz"[: len(counts[0])])
    codes = (np.arange(size, dtype=np.int32),)
    return NoisyGroups(
        CutGroups((cut,), codes, (None,)),
        classes,
        np.array(counts, dtype=np.int64),
        all_groups,
        least,
    )


@thorough
@given(
    st.integers(1, 3).flatmap(
        lambda classes: st.tuples(
            st.lists(
                st.lists(
                    st.one_of(st.just(0), st.integers(3, 90)), min_size=classes, max_size=classes
                ),
                min_size=1,
                max_size=6,
            ),
            st.lists(st.integers(-9, 300), min_size=classes, max_size=classes),
        )
    ),
    st.integers(6, 5000),
)
def test_each_class_adds_up_over_the_groups_that_are_left(
    drawn: tuple[list[list[int]], list[int]], all_groups: int
) -> None:
    """Those with a count that is believable or surely true; class by class the nearest counts."""
    counts, totals = drawn
    noisy, epsilon = groups(counts, all_groups, 3), Fraction(1, 2)
    found, released = consistent(noisy, epsilon, np.array(totals, dtype=np.int64))
    cells = all_groups * len(totals)
    threshold = min(believable(noisy.counts, cells, 0.5, 0.01, 3), few_false(epsilon, cells))
    assert found.least == max(threshold, 3)
    left = [at for at, row in enumerate(counts) if max(row) >= found.least]
    values = np.zeros((len(counts), len(totals)), dtype=np.int64)
    places = found.groups.codes[0]
    values[places] = released
    assert places.tolist() == left
    assert found.counts.tolist() == [
        [one if one >= found.least else 0 for one in counts[at]] for at in left
    ]
    for label, total in enumerate(totals):
        if left:
            mine = [counts[at][label] for at in left]
            believed = np.array([one if one >= found.least else 0 for one in mine], dtype=np.int64)
            expected = with_total(believed, max(total, 0))
            assert values[left, label].tolist() == expected.tolist()
    assert (found.classes, found.all_groups) == (noisy.classes, noisy.all_groups)


def test_a_worked_reconciliation() -> None:
    """A group that may well be noise goes; 5, too, but it gets what its class lacks elsewhere."""
    noisy = groups([[400, 5], [0, 6], [300, 120]], 1000, 3)
    found, released = consistent(noisy, Fraction(1, 2), np.array([720, 130]))
    assert 6 < found.least <= 120
    assert found.groups.codes[0].tolist() == [0, 2]
    assert found.counts.tolist() == [[400, 0], [300, 120]]
    assert released.tolist() == [[410, 5], [310, 125]]


def test_a_class_of_which_nothing_is_believed_still_has_its_total() -> None:
    """And without any group there is nothing to give it to."""
    noisy = groups([[400, 0], [300, 7]], 1000, 3)
    _, released = consistent(noisy, Fraction(1, 2), np.array([700, 11]))
    assert released.tolist() == [[400, 6], [300, 5]]
    nothing, _ = consistent(groups([[4, 5]], 1000, 3), Fraction(1, 2), np.array([700, 11]))
    assert (nothing.groups.size, nothing.records) == (0, 0)


@unhurried
@given(cases(), st.integers(0, 4), st.integers(0, 999))
def test_all_that_is_left_is_spent_on_totals_and_counts(
    case: Case, specializations: int, seed: int
) -> None:
    """The totals are of all records; what is reconciled is what was listed by one deviation."""
    table, plan, accountant = private_table(case), Plan(specializations), Accountant(Fraction(4))
    slot = Fraction(2) / max(plan.slots(table.domains), 1)
    mechanisms = Scripted(seed)
    walked = list(stages(table, plan, slot, accountant, mechanisms))
    asked, left = len(mechanisms.asked), accountant.left
    found = counted_consistently(table, walked, accountant, mechanisms)
    price = accountant.total * TOTALS_SHARE
    true = [sum(label == one for _, label in case.records) for one in case.classes]
    groups = walked[-1].partitions.size
    cells = groups * len(case.classes)
    sets = any(isinstance(one, SetCut) and one.is_specialized for one in walked[-1].groups.cuts)
    if not sets and groups <= (left / price) ** 2:
        (counts,) = mechanisms.asked[asked:]
        assert counts[:3] == ("count", BudgetStep("groups"), left)
        assert isinstance(counts[3], tuple)
        assert len(counts[3]) == cells
    else:
        totals, counts, exceeding = mechanisms.asked[asked:]
        assert totals == ("count", BudgetStep("totals"), price, tuple(true))
        assert counts[:3] == ("count", BudgetStep("groups"), left - price)
        assert exceeding[1:3] == (BudgetStep("groups"), left - price)
        assert exceeding[4] == one_deviation(left - price, cells)
    assert accountant.left == 0
    assert found.ledger == accountant.ledger
    if found.steps:
        assert found.steps == tuple(stage.step for stage in walked[1:])
    elif specializations:  # no count was plausible, or no finer detail was possible
        assert found.groups.all_groups == 1


class _Silent(SeededMechanisms):
    """Adds no noise to counts."""

    def count(self, grant: Grant, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count exactly."""
        self.grants.append(grant)
        return counts.copy()


@unhurried
@given(cases(), st.integers(0, 3), st.integers(0, 999))
def test_without_noise_what_is_listed_is_true(case: Case, specializations: int, seed: int) -> None:
    """By a budget that lists single records; few groups are counted cell by cell."""
    table, plan = private_table(case), Plan(specializations)
    accountant = Accountant(Fraction(4_000))
    slot = Fraction(2_000) / max(plan.slots(table.domains), 1)
    mechanisms = _Silent(seed)
    walked = list(stages(table, plan, slot, accountant, mechanisms))
    found, released = listed_and_released(table, walked, accountant, mechanisms)
    assert found.groups.records == int(walked[-1].partitions.alive @ table.counts)
    assert found.groups.counts.any(axis=1).all()
    if walked[-1].partitions.alive.all():
        assert released.tolist() == found.groups.counts.tolist()


def test_few_groups_add_up_better_than_a_share_of_the_budget_buys() -> None:
    """One group: the totals are its counts, at the noise of all the budget that is left."""
    records = [((0,), "yes")] * 700 + [((1,), "no")] * 500
    table = private_table(Case((Numbers("n", 3),), ("yes", "no"), tuple(records)))
    off = []
    for seed in range(200):
        accountant = Accountant(Fraction(1, 10))
        mechanisms = SeededMechanisms(seed)
        walked = list(stages(table, Plan(0), Fraction(0), accountant, mechanisms))
        _, released = listed_and_released(table, walked, accountant, mechanisms)
        assert [one.step for one in accountant.ledger] == [BudgetStep("groups")]
        off.append(np.abs(released[0] - [700, 500]).mean())
    assert 5 < np.mean(off) < 15  # a twentieth of the budget would be off by 200


def test_totals_are_noisy_counts_of_the_classes() -> None:
    """On the average they are right."""
    records = [((0,), "yes")] * 7 + [((1,), "no")] * 5 + [((2,), "no")] * 3
    table = private_table(Case((Numbers("n", 3),), ("yes", "no"), tuple(records)))
    drawn = [
        SeededMechanisms(seed).count(Grant(BudgetStep("groups"), Fraction(1)), table.by_class)
        for seed in range(300)
    ]
    assert np.std(drawn, axis=0).min() > 1 / 2
    assert np.abs(np.mean(drawn, axis=0) - [7, 8]).max() < 4 * (1.84 / 300) ** 0.5
