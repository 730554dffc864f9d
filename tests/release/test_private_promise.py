"""The words of a certificate agree with its numbers."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import pytest
from effort import thorough
from hypothesis import given
from hypothesis import strategies as st

from roadstead.differential.budget import BudgetStep
from roadstead.release.facts import amount
from roadstead.release.private.guarantee import (
    factor,
    guarantee,
    mechanisms,
    words,
)
from roadstead.release.private.units import PrivacyUnit


@pytest.mark.parametrize(
    ("epsilon", "text", "grows"),
    [
        ("1", "1", "2.72"),
        ("1/10", "0.1", "1.11"),
        ("1/4", "0.25", "1.29"),
        ("1/3", "1/3", "1.40"),
        ("1/100", "0.01", "1.011"),
        ("1/1000", "0.001", "1.0011"),
        ("5/2", "2.5", "12.19"),
        ("10", "10", "22,027"),
        ("20", "20", "4.86e+8"),
        ("1000", "1000", "more than 10^300"),
    ],
)
def test_epsilon_is_exact_and_its_factor_can_be_told_from_1(
    epsilon: str, text: str, grows: str
) -> None:
    """Worked by hand from e = 2.71828, and rounded up: it is a bound."""
    assert amount(Fraction(epsilon)) == text
    assert factor(Fraction(epsilon)) == grows


@thorough
@given(st.fractions(min_value=Fraction(1, 10**6), max_value=Fraction(1000)))
def test_an_amount_is_read_back_exactly(epsilon: Fraction) -> None:
    """As a decimal number or as a fraction."""
    assert Fraction(amount(epsilon)) == epsilon


@thorough
@given(st.fractions(min_value=Fraction(1, 10**6), max_value=Fraction(13)))
def test_a_factor_is_rounded_by_little(epsilon: Fraction) -> None:
    """Up, and by no more than 12% of what it differs from 1."""
    told = float(factor(epsilon).replace(",", ""))
    assert told >= exp(epsilon) * (1 - 1e-15)
    assert told == pytest.approx(exp(epsilon), abs=0.12 * (exp(epsilon) - 1))


def test_the_guarantee_is_a_sentence() -> None:
    """With the unit of privacy in it."""
    record = PrivacyUnit()
    assert guarantee(Fraction(1), record, {}) == (
        "epsilon-differential privacy with epsilon = 1: adding or removing one record of the table "
        "changes the probability of any output by a factor of at most e^1 = 2.72. "
        "The guarantee is for records, not for people: for a person with n records, epsilon is n "
        "times as large."
    )
    assert words(Fraction(1), record, (), {})["neighbors"] == (
        "Add or remove: two tables are neighbors if one table has one record of the table that the "
        "other table does not have."
    )
    assert "at most e^(1/3) = 1.40." in guarantee(Fraction(1, 3), record, {})


def test_only_where_persons_are_protected_the_words_speak_of_them() -> None:
    """Else they say what the guarantee is worth to a person with several records."""
    person = PrivacyUnit("persons", others=("codes.csv",))
    said = guarantee(Fraction(1), person, {})
    assert "one person with all records of the table and the rows of codes.csv that" in said
    assert "do not belong to another person changes" in said
    assert said.endswith("The guarantee is for people, however many records they have.")
    assert "n times" in words(Fraction(1), PrivacyUnit(), (), {})["not_protected"][0]


def test_mechanisms_are_those_of_the_steps() -> None:
    """Counts are in any release."""
    counts = [BudgetStep("combinations", ("x",)), BudgetStep("totals"), BudgetStep("groups")]
    assert [one.partition(":")[0] for one in mechanisms(counts)] == ["Counts"]
    steps = [
        BudgetStep("first-split", ("age",)),
        BudgetStep("choice", number=1),
        BudgetStep("groups"),
    ]
    told = [one.partition(":")[0] for one in mechanisms(steps)]
    assert told == ["Split points", "Other choices", "Counts"]


def test_a_request_to_stop_is_not_covered_by_the_guarantee() -> None:
    """Whether it stopped depends on the table, and nothing was paid for it."""
    stops = {"outside": "stop"}
    at_stop, usual = (words(Fraction(1), PrivacyUnit(), (), one) for one in (stops, {}))
    assert "does not release the table" in at_stop["outside"]
    assert "left out" in usual["outside"]
    assert len(at_stop["not_protected"]) == len(usual["not_protected"]) + 1
