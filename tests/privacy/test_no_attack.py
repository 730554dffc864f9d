"""No attack pays: the smallest class follows from an attacker's gain and cost."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from sensitive import Sample

from roadstead.errors import SettingError
from roadstead.privacy.models.no_attack import NoAttack, least_alike
from roadstead.privacy.models.no_attack_journalist import NoAttackByJournalist

MONEY = st.decimals(0, 500, places=2).map(str)


@unhurried
@given(MONEY, MONEY.filter(lambda text: float(text) > 0))
def test_a_class_is_just_so_large_that_an_attack_does_not_pay(gain: str, cost: str) -> None:
    """One record fewer, and it would pay or come out even; decided in fractions."""
    least = least_alike(float(gain), float(cost))
    assert Fraction(gain) / least < Fraction(cost)
    if least > 1:
        assert Fraction(gain) / (least - 1) >= Fraction(cost)


def test_the_example_of_the_page() -> None:
    """300 dollars at 4: classes of 76; at 299, of 75."""
    sample = Sample(("x",), ((75,), (76,)), ((0,), (1,)))
    classes = sample.classes(sample.groups)
    assert NoAttack(300.0, 4.0).satisfied(classes).tolist() == [False, True]
    assert NoAttack(299.0, 4.0).satisfied(classes).all()
    assert NoAttack(300.0, 4.0).threshold == 1 / 76
    assert NoAttack(0.3, 0.1).least_records == 4  # as decimals: 3, and one more


def test_a_journalist_counts_people() -> None:
    """The same number, of the population."""
    table = Sample(("x",), ((2,), (2,)), ((0,), (1,))).table()
    sample = Sample(("x",), ((2,), (2,)), ((0,), (1,)))
    classes = sample.classes(sample.groups)
    peopled = type(table)(
        table.attributes,
        table.domains,
        table.codes,
        table.counts,
        table.alongside,
        population=np.array([6, 5]),
    )
    model = NoAttackByJournalist(5.0, 1.0)
    assert model.bind(peopled).satisfied(classes).tolist() == [True, False]
    with pytest.raises(SettingError, match="population"):
        model.bind(table)


@pytest.mark.parametrize(
    ("gain", "cost"),
    [(-1.0, 1.0), (1.0, 0.0), (float("nan"), 1.0), (1e308, 1.0), (1.0, 1e-308)],
)
def test_what_makes_no_sense_is_refused(gain: float, cost: float) -> None:
    """A free attack always pays, and a class of 10 to the power of 308 records is a mistake."""
    for kind in (NoAttack, NoAttackByJournalist):
        with pytest.raises(SettingError, match="must be"):
            kind(gain, cost)
