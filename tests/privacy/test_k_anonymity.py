"""k-anonymity: class by class."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from lattices import Case, cases, chains

from roadstead.errors import PolicyError, SettingError
from roadstead.policies.classes import classes_at
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.settings import model_from


@unhurried
@given(cases(), st.data())
def test_a_class_satisfies_it_with_k_records_or_more(case: Case, data: st.DataObject) -> None:
    """One answer a class, from its size alone."""
    levels, _, _ = data.draw(chains(case))
    classes = classes_at(case.encoding(), levels)
    satisfied = KAnonymity(case.k).satisfied(classes)
    assert satisfied.dtype == np.bool_
    assert satisfied.tolist() == [size >= case.k for size in classes.sizes.tolist()]


def test_it_is_its_own_monotone_part() -> None:
    """The identity, not an equal: a search compares the two to save a pass."""
    model = KAnonymity(5)
    assert model.monotone_part is model


def test_it_says_what_it_is() -> None:
    """To people and to the certificate."""
    assert KAnonymity(11).name == "11-anonymity"
    assert "with at least 10 other records (11-anonymity)" in KAnonymity(11).promise
    assert KAnonymity(11).settings() == {"kind": "k-anonymity", "k": 11}


def test_the_risk_it_accepts_is_that_of_a_record_in_a_class_of_k() -> None:
    """One in k."""
    assert KAnonymity(4).threshold == 0.25


@pytest.mark.parametrize("k", [1, 0, -5])
def test_a_class_of_one_is_no_protection(k: int) -> None:
    """The message names the option and the value."""
    with pytest.raises(SettingError, match=f"k: k is {k}, but must be at least 2"):
        KAnonymity(k)


@pytest.mark.parametrize("write", [int, str, lambda number: f"000{number}"])
def test_a_k_above_any_table_is_refused_by_its_number(write: Callable[[int], int | str]) -> None:
    """Also written as text, where Python refuses to read thousands of digits."""
    most = 10**15
    assert model_from({"kind": "k-anonymity", "k": most}, where="a policy") == KAnonymity(most)
    for number in (most + 1, 2 * most, 10**30):
        with pytest.raises(PolicyError, match="'k' of k-anonymity is above 1,000,000,000,000,000"):
            model_from({"kind": "k-anonymity", "k": write(number)}, where="a policy")
    with pytest.raises(PolicyError, match="is above"):
        model_from({"kind": "k-anonymity", "k": "9" * 5_000}, where="a policy")
