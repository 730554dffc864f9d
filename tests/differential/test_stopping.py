"""A number of specializations chosen privately."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, exp

import numpy as np
import pytest
from diffgen_by_hand import Scripted, in_words
from effort import sparing, thorough, unhurried
from hypothesis import given
from hypothesis import strategies as st
from private_tables import Case, cases, neighbors, private_table
from seeded_mechanisms import SeededMechanisms

from roadstead.differential.budget import Accountant, BudgetStep
from roadstead.differential.diffgen import Plan, Stage, stages
from roadstead.differential.domains import NumericDomain
from roadstead.differential.growth.partitions import DROPPED, Partitions
from roadstead.differential.listing import one_deviation
from roadstead.differential.private_table import PrivateTable
from roadstead.differential.scores import MaxGain
from roadstead.differential.stopping import (
    CHOICE_SHARE,
    SENSITIVITY,
    charge,
    right_despite_noise,
    walk_choosing,
)
from roadstead_reproductions.mohammed2013.counting import counted

CHOICE = BudgetStep("stopping")


@dataclass
class Told(Scripted):
    """Scripted, but with a given number of specializations."""

    stage: int = 0

    def choose(self, grant, scores, sensitivity, *, monotonic):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201, D102 - as the parent
        if grant.step != CHOICE:
            return super().choose(grant, scores, sensitivity, monotonic=monotonic)
        self._note("choose", grant, tuple(scores), sensitivity, monotonic)
        return self.stage


def by_hand(case: Case, stage: Stage, each: int) -> int:
    """Add up what the most frequent class has above the charge in each group.

    Those in no group are one more.
    """
    groups: dict[int, Counter[str]] = {}
    for place, record in enumerate(dict.fromkeys(case.records)):
        group = int(stage.partitions.of_row[place])
        groups.setdefault(group, Counter())[record[1]] += case.records.count(record)
    return sum(max(max(classes.values()) - each, 0) for classes in groups.values())


@thorough
@given(cases(), st.integers(0, 5), st.integers(0, 999))
def test_the_score_is_what_the_definition_says(case: Case, each: int, seed: int) -> None:
    """At every stage, records in no group together."""
    table = private_table(case)
    walk = stages(table, Plan(4), Fraction(1, 99), Accountant(Fraction(1)), Scripted(seed))
    for stage in walk:
        assert right_despite_noise(table, stage, each) == by_hand(case, stage, each)


@thorough
@given(neighbors("nc"), st.integers(0, 3), st.integers(0, 999))
def test_one_record_more_moves_all_scores_up_by_the_sensitivity_at_most(
    tables: tuple[Case, Case], each: int, seed: int
) -> None:
    """Along a walk of the same specializations, which do not depend on the records here."""

    def scores(case: Case) -> list[int]:
        table = private_table(case)
        plan = Plan(5, MaxGain())
        walk = stages(table, plan, Fraction(1, 99), Accountant(Fraction(1)), Scripted(seed))
        return [right_despite_noise(table, stage, each) for stage in walk]

    before, after = scores(tables[0]), scores(tables[1])
    assert len(before) == len(after)
    assert all(0 <= b - a <= SENSITIVITY for a, b in zip(before, after, strict=True))


@thorough
@given(
    st.lists(st.tuples(st.integers(DROPPED, 4), st.integers(0, 2)), min_size=1, max_size=30),
    st.integers(0, 6),
)
def test_so_does_a_record_in_any_group_or_in_none(
    records: list[tuple[int, int]], each: int
) -> None:
    """Groups and classes as they come; the last record is the one more."""

    def score(some: list[tuple[int, int]]) -> int:
        counts = np.ones(len(some), dtype=np.int64)
        of_row = np.array([group for group, _ in some], dtype=np.int32)
        target = np.array([label for _, label in some], dtype=np.int32)
        nodes = (np.arange(5, dtype=np.int32),)
        domain = NumericDomain("n", Decimal(0), Decimal(4))
        classes = ("a", "b", "c")
        table = PrivateTable((domain,), classes, (of_row,), (None,), target, counts)
        return right_despite_noise(table, Stage(0, (), Partitions(nodes, of_row), None), each)

    change = score(records) - score(records[:-1])
    assert 0 <= change <= SENSITIVITY


@pytest.mark.parametrize(
    "epsilon", [Fraction(1, 50), Fraction(1, 30), Fraction(1, 10), Fraction(1, 2)]
)
def test_a_group_is_charged_what_noise_costs_it_on_the_average(epsilon: Fraction) -> None:
    """Discrete noise on two counts, ties at a coin's toss, leads up to ten times its scale."""
    ratio = exp(-float(epsilon))
    reach = round(60 / float(epsilon))
    values = np.arange(-reach, reach + 1)
    noise = (1 - ratio) / (1 + ratio) * ratio ** np.abs(values)
    difference = np.convolve(noise, noise)  # symmetric, from -2 reach to 2 reach
    leads = range(round(10 / float(epsilon)))
    zero = 2 * reach
    losses = [
        lead * (difference[zero + lead + 1 :].sum() + difference[zero + lead] / 2) for lead in leads
    ]
    assert charge(epsilon) == ceil(round(sum(losses) / len(losses), 2))


@unhurried
@given(
    cases(),
    st.sampled_from((Fraction(3), Fraction(1, 20))),
    st.integers(0, 5),
    st.integers(0, 999),
    st.integers(0, 5),
)
def test_the_chosen_stage_of_one_walk_is_counted_with_all_that_is_left(
    case: Case, epsilon: Fraction, longest: int, seed: int, wanted: int
) -> None:
    """The walk is that of a fixed number; one more question, about all of its stages; one count."""
    table, plan = private_table(case), Plan(longest)
    slot = epsilon / 2 / max(plan.slots(table.domains), 1)
    before, fixed = Scripted(seed), Accountant(epsilon)
    walked = list(stages(table, plan, slot, fixed, before))
    stage = min(wanted, len(walked) - 1)
    mechanisms = Told(seed, stage=stage)
    purse = Accountant(epsilon)
    stages_kept = walk_choosing(table, plan, purse, mechanisms)
    found = counted(table, stages_kept, purse, mechanisms, one_deviation)

    chosen = len(walked) > 1
    left = fixed.left - (epsilon * CHOICE_SHARE if chosen else 0)
    asked = len(before.asked)
    assert mechanisms.asked[:asked] == before.asked
    if chosen:
        scores = tuple(by_hand(case, one, charge(left)) for one in walked)
        price = epsilon * CHOICE_SHARE
        assert mechanisms.asked[asked] == ("choose", CHOICE, price, scores, SENSITIVITY, True)
    rest = mechanisms.asked[asked + chosen :]
    assert [question[:3] for question in rest] == [
        ("count", BudgetStep("groups"), left),
        ("exceeding", BudgetStep("groups"), left),
    ]
    assert found.epsilon == epsilon == sum(grant.epsilon for grant in found.ledger)
    assert found.steps == tuple(one.step for one in walked[1 : stage + 1])
    assert set(in_words(found.groups.groups)) <= set(in_words(walked[stage].groups))
    assert found.groups.all_groups == walked[stage].partitions.size


def two_numbers(label: str, records: int = 3000) -> PrivateTable:
    """Make up two numbers below 16, and a class that is a coin's or follows from the first."""
    chance = np.random.default_rng(3)
    codes = [chance.integers(0, 16, records).astype(np.int32) for _ in range(2)]
    coin = chance.random(records) < 1 / 4
    target = coin if label == "coin" else codes[0] >= 7
    domains = tuple(NumericDomain(name, Decimal(0), Decimal(15)) for name in "ab")
    return PrivateTable(
        domains,
        ("no", "yes"),
        tuple(codes),
        (None, None),
        target.astype(np.int32),
        np.ones(records, dtype=np.int64),
    )


@pytest.mark.parametrize(
    ("label", "least", "most"), [("coin", 0, 1), ("first", 1, 2)], ids=("coin", "first")
)
def test_what_tells_nothing_is_hardly_specialized_and_what_tells_is(
    label: str, least: int, most: int
) -> None:
    """With a large budget, the mean over runs of a walk of ten."""
    table = two_numbers(label)
    chosen = []
    for seed in range(12):
        walked = walk_choosing(table, Plan(10), Accountant(Fraction(8)), SeededMechanisms(seed))
        chosen.append(len(walked) - 1)
    assert least <= sum(chosen) / len(chosen) <= most + 1 / 2


@sparing
@given(cases(), st.integers(0, 99))
def test_nine_twentieths_are_left(case: Case, seed: int) -> None:
    """Whatever was walked and chosen."""
    accountant = Accountant(Fraction(2))
    walked = walk_choosing(private_table(case), Plan(6), accountant, Scripted(seed))
    assert accountant.left >= accountant.total * Fraction(9, 20)
    assert [stage.specializations for stage in walked] == list(range(len(walked)))
