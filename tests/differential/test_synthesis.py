"""A synthesis as a whole: the budget, and the mechanisms of releases."""

from __future__ import annotations

from fractions import Fraction

import pytest
from diffgen_by_hand import in_words
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from private_tables import Case, Categories, Items, Numbers, cases, private_table, tree_of
from seeded_mechanisms import SeededMechanisms

from roadstead.differential.budget import OverspentError
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.diffgen import Plan
from roadstead.differential.scores import SCORES, Max
from roadstead_reproductions.mohammed2013.counting import synthesize

EPSILONS = (Fraction(1, 10), Fraction(1), Fraction(7, 3))
ALL_KINDS = (
    Numbers("n", 100),
    Categories("c", tree_of("c", ((), ((), ())))),
    Items("i", tree_of("i", ((), ((), ()), ()))),
)
CLASSES = ("yes", "no")


@unhurried
@given(
    cases(),
    st.sampled_from(EPSILONS),
    st.integers(0, 8),
    st.sampled_from(sorted(SCORES)),
    st.integers(0, 999),
)
def test_epsilon_is_spent_to_the_last_bit(
    case: Case, epsilon: Fraction, specializations: int, score: str, seed: int
) -> None:
    """Each grant in the ledger is used, none is used that is not, and the counts get half."""
    mechanisms = SeededMechanisms(seed)
    plan = Plan(specializations, SCORES[score])
    found = synthesize(private_table(case), epsilon, plan, mechanisms)
    assert sum(grant.epsilon for grant in found.ledger) == epsilon == found.epsilon
    used = list(dict.fromkeys(id(grant) for grant in mechanisms.grants))
    assert used == [id(grant) for grant in found.ledger]
    assert found.ledger[-1].step.kind == "groups"
    assert found.ledger[-1].epsilon >= epsilon / 2
    assert len({grant.epsilon for grant in found.ledger[:-1]}) <= 1
    assert len(found.steps) <= specializations


@unhurried
@given(cases(), st.integers(0, 999))
def test_the_same_chance_gives_the_same_synthesis(case: Case, seed: int) -> None:
    first, second = (
        synthesize(private_table(case), Fraction(1), Plan(4), SeededMechanisms(seed))
        for _ in range(2)
    )
    assert first.steps == second.steps
    assert first.ledger == second.ledger
    assert in_words(first.groups.groups) == in_words(second.groups.groups)
    assert first.groups.counts.tolist() == second.groups.counts.tolist()


def test_with_much_budget_the_truth_comes_out() -> None:
    """A thousand equal records, and one class determined by a number, a category, and a set."""
    kinds = (
        ((10, "c.0", frozenset(("i.0",))), "yes"),
        ((90, "c.1.0", frozenset(("i.1.0", "i.2"))), "no"),
    )
    case = Case(ALL_KINDS, CLASSES, tuple(kind for kind in kinds for _ in range(1000)))
    found = synthesize(private_table(case), Fraction(1000), Plan(3, Max()), SeededMechanisms(1))
    assert abs(found.groups.records - 2000) <= 2
    assert found.groups.groups.size == 2
    assert sorted(map(max, found.groups.counts.tolist())) == pytest.approx([1000, 1000], abs=1)
    assert sorted(map(min, found.groups.counts.tolist())) == [0, 0]


@pytest.mark.parametrize("specializations", [0, 4])
@pytest.mark.parametrize("score", sorted(SCORES))
@pytest.mark.parametrize("records", [0, 50])
def test_the_exact_mechanisms_synthesize_any_table(
    specializations: int, score: str, records: int
) -> None:
    """All kinds of attributes, with and without records."""
    pytest.importorskip("opendp")
    one = ((10, "c.0", frozenset(("i.0",))), "yes")
    case = Case(ALL_KINDS, CLASSES, (one,) * records)
    plan = Plan(specializations, SCORES[score])
    found = synthesize(private_table(case), Fraction(3), plan, Mechanisms())
    assert sum(grant.epsilon for grant in found.ledger) == 3
    assert (found.groups.counts[found.groups.counts > 0] >= found.groups.least).all()


@pytest.mark.parametrize("specializations", [0, 2])
def test_without_a_budget_nothing_is_synthesized(specializations: int) -> None:
    table = private_table(Case(ALL_KINDS, CLASSES, ()))
    mechanisms = SeededMechanisms(0)
    for epsilon in (Fraction(0), Fraction(-1)):
        with pytest.raises(OverspentError):
            synthesize(table, epsilon, Plan(specializations), mechanisms)
    assert not mechanisms.grants
