"""The budget: exact, and never overspent, for any requests."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.differential.budget import Accountant, BudgetStep, OverspentError
from roadstead.errors import SettingError

amounts = st.fractions(min_value=-1, max_value=3, max_denominator=10**6)


@given(st.fractions(min_value=Fraction(1, 1000), max_value=5), st.lists(amounts, max_size=30))
def test_no_sequence_of_steps_spends_more_than_there_is(
    total: Fraction, wishes: list[Fraction]
) -> None:
    purse = Accountant(total)
    granted = []
    for number, wish in enumerate(wishes):
        before = purse.left
        try:
            grant = purse.spend(BudgetStep("choice", number=number), wish)
        except OverspentError:
            assert wish <= 0 or wish > before
            assert purse.left == before
        else:
            assert 0 < wish <= before
            assert (grant.step.number, grant.epsilon) == (number, wish)
            granted.append(grant)
        assert purse.ledger == tuple(granted)
        assert purse.spent == sum((one.epsilon for one in granted), Fraction(0))
        assert purse.spent + purse.left == total
        assert purse.left >= 0


def test_a_hundred_steps_of_a_hundredth_are_all_of_it_and_not_nearly() -> None:
    """As floats they would be 1.0000000000000007."""
    purse = Accountant(Fraction(1))
    for step in range(100):
        purse.spend(BudgetStep("choice", number=step), Fraction(1, 100))
    assert purse.left == 0
    with pytest.raises(OverspentError, match="0 is left"):
        purse.spend(BudgetStep("groups"), Fraction(1, 10**30))


@pytest.mark.parametrize("amount", [Fraction(0), Fraction(-1)])
def test_nothing_and_less_cannot_be_spent(amount: Fraction) -> None:
    purse = Accountant(Fraction(1))
    with pytest.raises(SettingError, match="counts of the groups: an epsilon of"):
        purse.spend(BudgetStep("groups"), amount)
    assert purse.ledger == ()
