"""The shown ledger has every step once, and adds up exactly."""

from __future__ import annotations

from fractions import Fraction

from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from private_releases import patients_table
from seeded_mechanisms import SeededMechanisms

from roadstead.differential.budget import Accountant, BudgetStep, Grant
from roadstead.differential.diffgen import Plan, stages
from roadstead.differential.stopping import walk_choosing
from roadstead.reports.synthesis.page import CHOICES, TOTALS, LedgerRow, rows_of
from roadstead_reproductions.mohammed2013.counting import counted_consistently

STEPS = (
    BudgetStep("first-split", ("age",)),
    BudgetStep("first-split", ("sex",)),
    BudgetStep("choice", number=1),
    BudgetStep("choice", number=12),
    BudgetStep("splits", ("age",)),
    BudgetStep("combinations", ("codes\nof two lines",)),
    BudgetStep("stopping"),
    BudgetStep("totals"),
    BudgetStep("groups"),
    BudgetStep("table"),
)


@unhurried
@given(
    st.lists(
        st.builds(
            Grant,
            st.sampled_from(STEPS),
            st.fractions(Fraction(1, 1000), Fraction(1), max_denominator=1000),
        ),
        max_size=30,
    )
)
def test_nothing_is_lost_and_sums_are_exact(ledger: list[Grant]) -> None:
    """For any steps; the cost of each is shown only if all costs are equal."""
    shown = rows_of(ledger)
    assert sum(one.total for one in shown) == sum(one.epsilon for one in ledger)
    assert sum(one.times for one in shown) == len(ledger)
    assert len({one.name for one in shown}) == len(shown)
    for one in shown:
        assert one.each is None or one.each * one.times == one.total


def test_steps_of_a_kind_stand_together_with_their_attributes() -> None:
    """In the order in which kinds first occur; each attribute once."""
    third = Fraction(1, 3)
    ledger = [
        Grant(step, third)
        for step in (
            BudgetStep("first-split", ("age",)),
            BudgetStep("first-split", ("first split point of x",)),
            BudgetStep("choice", number=1),
            BudgetStep("splits", ("age",)),
            BudgetStep("choice", number=2),
            BudgetStep("splits", ("age",)),
        )
    ]
    first, choices, later = rows_of([*ledger, Grant(BudgetStep("choice", number=3), 2 * third)])
    assert (first.name, first.of, first.times, first.each) == (
        "First splits",
        ("age", "first split point of x"),
        2,
        third,
    )
    assert (choices.name, choices.of, choices.each, choices.total) == (CHOICES, (), None, 4 * third)
    assert (later.of, later.times, later.total) == (("age",), 2, 2 * third)


def test_a_step_of_no_known_kind_stands_under_its_own_words() -> None:
    """And says nothing of what it was for."""
    one = Fraction(1)
    assert rows_of([Grant(BudgetStep("table"), one)]) == (
        LedgerRow("contingency table", "", (), 1, one, one),
    )


def test_every_step_of_a_real_ledger_is_of_a_known_kind() -> None:
    """A walk over numbers, categories and sets has them all."""
    table, names = patients_table(), set()
    for seed in range(5):
        mechanisms, accountant = SeededMechanisms(seed), Accountant(Fraction(8))
        walked = walk_choosing(table, Plan(8), accountant, mechanisms)
        if seed == 0:  # with the whole walk, which includes sets
            walked = list(stages(table, Plan(8), Fraction(1, 20), accountant, mechanisms))
        ledger = counted_consistently(table, walked, accountant, mechanisms).ledger
        shown = rows_of(ledger)
        assert all(one.meaning for one in shown)
        assert sum(one.total for one in shown) == 8
        names |= {one.name for one in shown}
    assert {CHOICES, TOTALS, "First splits", "Combinations", "How many", "Group counts"} <= names
