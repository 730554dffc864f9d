"""DiffGen compared with its definition, question by question."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from diffgen_by_hand import ByHand, Scripted, Wish, in_words
from effort import thorough, unhurried
from hypothesis import example, given
from hypothesis import strategies as st
from private_tables import Case, Categories, Items, Numbers, cases, private_table, tree_of
from seeded_mechanisms import SeededMechanisms

from roadstead.differential import diffgen
from roadstead.differential.budget import Accountant
from roadstead.differential.diffgen import Plan, stages
from roadstead.differential.domains import NumericDomain
from roadstead.differential.listing import Threshold, few_false, one_deviation
from roadstead.differential.scores import InfoGain, Max, MaxGain, Score
from roadstead.errors import SettingError
from roadstead_reproductions.mohammed2013.counting import synthesize


def two(epsilon: Fraction, tests: int) -> int:  # noqa: ARG001 - a threshold
    """Keep counts of 2."""
    return 2


SCORES: tuple[Score, ...] = (Max(), Max(monotonic=False), MaxGain(), InfoGain())
THRESHOLDS: tuple[Threshold, ...] = (two, two, few_false, one_deviation)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Draw a plan: no, few or many specializations, sometimes with little room for groups."""
    return Plan(
        specializations=draw(st.sampled_from((6, 3, 2, 1, 0))),
        score=draw(st.sampled_from(SCORES)),
        threshold=draw(st.sampled_from(THRESHOLDS)),
        most_groups=draw(st.sampled_from((1000, 1000, 12, 4, 1))),
    )


def by_hand(case: Case, plan: Plan, epsilon: Fraction, seed: int) -> ByHand:
    """Run the second implementation."""
    score = plan.score
    wish = Wish(plan.specializations, score.name, score.monotonic, plan.threshold, plan.most_groups)
    run = ByHand(case, wish, epsilon, Scripted(seed))
    run.run()
    return run


@pytest.mark.parametrize("kinds", ["nci", "i", "ic"])
@thorough
@given(st.data(), plans(), st.sampled_from((Fraction(20), Fraction(1, 3))), st.integers(0, 999))
def test_it_asks_what_the_definition_asks_and_ends_with_its_groups(
    kinds: str, data: st.DataObject, plan: Plan, epsilon: Fraction, seed: int
) -> None:
    """Any attributes, classes, scores and thresholds: questions, ledger, steps, groups, counts."""
    case = data.draw(cases(kinds))
    expected = by_hand(case, plan, epsilon, seed)
    mechanisms = Scripted(seed)
    found = synthesize(private_table(case), epsilon, plan, mechanisms, listing=plan.threshold)
    assert mechanisms.asked == expected.mechanisms.asked
    assert [grant.epsilon for grant in found.ledger] == expected.spent
    assert tuple(one.words for one in found.steps) == tuple(expected.steps)
    assert found.groups.all_groups == len(expected.partitions)
    named = in_words(found.groups.groups)
    counted = {
        (partition, label): number
        for partition, numbers in zip(named, found.groups.counts.tolist(), strict=True)
        for label, number in zip(case.classes, numbers, strict=True)
        if number
    }
    assert counted == expected.counts


@thorough
@given(cases(), plans(), st.integers(0, 999))
def test_every_stage_partitions_the_records_that_are_left(
    case: Case, plan: Plan, seed: int
) -> None:
    """Groups are different, and each row is in the one whose nodes its values fall under."""
    table = private_table(case)
    accountant = Accountant(Fraction(1))
    slot = Fraction(1, 2) / max(plan.slots(table.domains), 1)
    last = list(stages(table, plan, slot, accountant, Scripted(seed)))[-1]
    named = in_words(last.groups)
    assert len(set(named)) == len(named) == last.partitions.size
    run = by_hand(case, plan, Fraction(1), seed)
    for row, record in enumerate(dict.fromkeys(case.records)):
        mine = [at for at, partition in enumerate(named) if run.fits(partition, record)]
        assert mine == [at for at in [int(last.partitions.of_row[row])] if at >= 0]


@pytest.mark.parametrize(
    ("specializations", "expected"),
    [
        (4, 0.035714),
        (7, 0.025),
        (10, 0.019231),
        (13, 0.015625),
        (15, 0.013889),
        (16, 0.013158),
    ],
)
def test_a_slot_is_the_epsilon_of_the_paper(specializations: int, expected: float) -> None:
    """Adult's six numbers at epsilon 1; what is not a number has no part in it."""
    numbers = tuple(NumericDomain(name, Decimal(0), Decimal(9)) for name in "abcdef")
    one_step = NumericDomain("g", Decimal(5), Decimal(5))
    others = private_table(Case((CATEGORIES, ITEMS), CLASSES, ())).domains
    slots = Plan(specializations).slots((*numbers, one_step, *others))
    assert 1 / (2 * slots) == pytest.approx(expected, abs=5e-7)


CLASSES = ("yes", "no")
CATEGORIES = Categories("c", tree_of("c", ((), ())))
ITEMS = Items("i", tree_of("i", ((), ((), ()))))
NUMBERS = Numbers("n", 8)
RECORD = (3, "c.0", frozenset(("i.0",)))


def none(epsilon: Fraction, tests: int) -> int:  # noqa: ARG001 - a threshold
    """Keep no combination."""
    return 10**6


def walked(case: Case, plan: Plan) -> tuple[list[str], tuple[str, ...], int]:
    """Give what was paid for, the steps, and how many groups there are at the end."""
    mechanisms = SeededMechanisms(0)
    found = synthesize(private_table(case), Fraction(1), plan, mechanisms, listing=two)
    assert sum(grant.epsilon for grant in found.ledger) == 1
    paid = [grant.step.words for grant in found.ledger]
    return paid, tuple(one.words for one in found.steps), found.groups.all_groups


def test_without_candidates_it_ends_and_the_counts_get_what_is_left() -> None:
    """A category of two values can be specialized once, one of one value not at all."""
    single = Categories("s", tree_of("s", ()))
    case = Case((CATEGORIES, single, Numbers("o", 1)), CLASSES, ((("c.0", "s.0", 0), "yes"),))
    paid, steps, groups = walked(case, Plan(6))
    assert paid == ["choice of specialization 1", "counts of the groups"]
    assert steps == ("c: c",)
    assert groups == 2


def test_when_every_combination_is_lost_it_ends_without_groups() -> None:
    """The records of dropped combinations are in no group, and no detail is left."""
    case = Case((ITEMS, CATEGORIES), CLASSES, (((frozenset(("i.0",)), "c.1"), "yes"),) * 3)
    paid, steps, groups = walked(case, Plan(6, Max(), none))
    assert paid[-2:] == ["combinations of i", "counts of the groups"]
    assert steps[-1] == "i: i"
    assert groups == 0


def test_a_node_that_no_partition_has_is_no_candidate() -> None:
    """Its combinations were not kept, so nothing would come of a specialization."""
    case = Case((ITEMS,), CLASSES, (((frozenset(("i.0",)),), "yes"),) * 1000)
    paid, steps, groups = walked(case, Plan(6, Max(), lambda _, __: 500))
    assert paid == ["choice of specialization 1", "combinations of i", "counts of the groups"]
    assert (steps, groups) == (("i: i",), 1)


def test_where_combinations_could_not_be_numbered_there_is_no_candidate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Keys of combinations stay within 64 bits whatever the partitions."""
    case = Case((ITEMS,), CLASSES, (((frozenset(("i.0",)),), "yes"),))
    monkeypatch.setattr(diffgen, "MOST_TESTS", 3)
    assert walked(case, Plan(2))[1] == ()
    monkeypatch.setattr(diffgen, "MOST_TESTS", 4)
    assert walked(case, Plan(1))[1] == ("i: i",)


@unhurried
@given(plans(), st.integers(0, 99))
@example(Plan(6, InfoGain(), none), 1)
def test_a_table_without_records_is_synthesized_like_any_other(plan: Plan, seed: int) -> None:
    """As many questions; noise is all there is to count."""
    case = Case((NUMBERS, CATEGORIES, ITEMS), CLASSES, ())
    found = synthesize(private_table(case), Fraction(1), plan, Scripted(seed))
    assert sum(grant.epsilon for grant in found.ledger) == 1


@pytest.mark.parametrize("score", SCORES)
def test_one_class_alone_can_be_predicted(score: Score) -> None:
    """There is nothing to gain, and nothing breaks."""
    case = Case((NUMBERS, CATEGORIES, ITEMS), ("yes",), ((RECORD, "yes"),))
    found = synthesize(private_table(case), Fraction(1), Plan(3, score), Scripted(1))
    assert found.groups.counts.shape[1] == 1


def test_no_specialization_leaves_one_group_and_two_classes() -> None:
    """H = 0 is a table of class counts."""
    case = Case((CATEGORIES,), CLASSES, ((("c.0",), "yes"),))
    paid, steps, groups = walked(case, Plan(0))
    assert paid == ["counts of the groups"]
    assert (steps, groups) == ((), 1)


@pytest.mark.parametrize(("specializations", "most_groups"), [(-1, 10), (1, 0)])
def test_a_plan_that_cannot_be_is_refused(specializations: int, most_groups: int) -> None:
    with pytest.raises(SettingError):
        Plan(specializations, most_groups=most_groups)


def test_a_group_of_too_many_groups_is_refused_before_anything_is_spent() -> None:
    """Combinations of 41 children are too many; of 40 they are not."""
    for children, fine in ((40, True), (41, False)):
        wide = Items("i", tree_of("i", ((),) * children))
        table = private_table(Case((wide,), CLASSES, ()))
        accountant = Accountant(Fraction(1))
        walk = stages(table, Plan(1, threshold=two), Fraction(1, 2), accountant, Scripted(0))
        if fine:
            assert next(walk).specializations == 0
            continue
        with pytest.raises(SettingError, match="41"):
            next(walk)
        assert accountant.spent == 0
