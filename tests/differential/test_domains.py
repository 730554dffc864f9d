"""Declared ranges: the step of a value, the name of an interval, and the refusals."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from effort import thorough
from hypothesis import given
from hypothesis import strategies as st

from roadstead.differential.domains import CategoricalDomain, NumericDomain, SetDomain
from roadstead.errors import HierarchyError, SettingError
from roadstead.hierarchies.taxonomy import NOT_LISTED, from_branches


def domain(low: str, high: str, step: str = "1") -> NumericDomain:
    """Declare a range."""
    return NumericDomain("age", Decimal(low), Decimal(high), Decimal(step))


tenths = st.integers(-200, 200).map(lambda tenths: Decimal(tenths) / 10)


@thorough
@given(tenths, st.integers(0, 60), st.sampled_from(("0.1", "0.5", "1", "3")), tenths)
def test_a_value_counts_as_the_step_at_or_below_it(
    low: Decimal, width: int, step: str, value: Decimal
) -> None:
    """By fractions; a value beyond an end counts as that end."""
    one = NumericDomain("age", low, low + width, Decimal(step))
    inside = min(max(Fraction(value), Fraction(low)), Fraction(low + width))
    place = (inside - Fraction(low)) // Fraction(step)
    assert one.locate([str(value)]).tolist() == [place]
    assert 0 <= place < one.size
    assert one.at(one.size - 1) <= one.high < one.at(one.size)
    assert Fraction(one.at(int(place))) <= inside


def test_values_beyond_an_end_are_told() -> None:
    """Values in the last step are not beyond it."""
    ages = domain("15", "94")
    told = {value: ages.beyond(value) for value in ("14.9", "15", "94", "94.9", "95", "inf", "x")}
    assert told == {
        "14.9": True,
        "15": False,
        "94": False,
        "94.9": False,
        "95": True,
        "inf": True,
        "x": False,
    }
    assert not domain("0", "10", "3").beyond("11.9")
    assert domain("0", "10", "3").beyond("12")


def test_texts_that_are_no_numbers_have_no_step() -> None:
    ages = domain("15", "94")
    values = ["", "?", "nan", "sNaN", "abc", " 16 ", "1.6e1", "-inf", "inf", "1e999999"]
    expected = [NOT_LISTED] * 5 + [1, 1, 0, 79, 79]
    assert ages.locate(values).tolist() == expected
    assert ages.locate([]).shape == (0,)


def test_intervals_are_called_by_their_first_and_last_number() -> None:
    assert domain("15", "94").words(0, 80) == "15 to 94"
    assert domain("15", "94").words(3, 4) == "18"
    assert domain("0", "2", "0.5").words(1, 4) == "0.5 to 1.5"


def test_a_range_of_one_number_has_one_step() -> None:
    assert domain("5", "5").size == 1
    assert domain("0", "1", "3").size == 1


@pytest.mark.parametrize(
    ("low", "high", "step", "what"),
    [
        ("0", "10", "0", "step"),
        ("0", "10", "-1", "step"),
        ("10", "0", "1", "ends below"),
        ("nan", "10", "1", "finite"),
        ("0", "inf", "1", "finite"),
        ("0", "10", "nan", "finite"),
        ("0", str(2**31), "1", "steps"),
        ("0", "1", "1e-10", "steps"),
    ],
)
def test_a_range_that_cannot_be_is_refused(low: str, high: str, step: str, what: str) -> None:
    with pytest.raises(SettingError, match=what):
        domain(low, high, step)


def test_the_largest_range_has_steps_that_fit() -> None:
    """The last step is a number of 32 bits."""
    widest = domain("0", str(2**31 - 1))
    assert widest.size == 2**31
    assert widest.locate([str(2**40)]).tolist() == [2**31 - 1]


def test_categories_and_sets_have_the_attribute_of_their_taxonomy() -> None:
    taxonomy = from_branches("work", "any", ("a", "b", "c"), origin="test")
    assert CategoricalDomain(taxonomy).attribute == SetDomain(taxonomy).attribute == "work"
    assert CategoricalDomain(taxonomy).size == 3


def test_a_taxonomy_without_values_is_refused() -> None:
    with pytest.raises(HierarchyError, match="no value"):
        from_branches("work", "any", (), origin="test")
