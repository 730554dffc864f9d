"""Journalist risk against its definition, record by record."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError
from roadstead.risk.individual_risk import individual_risk
from roadstead.risk.journalist import estimated_journalist_risk, journalist_risk
from roadstead.risk.prosecutor import prosecutor_risk

peopled = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 40)).map(lambda one: (one[0], sum(one))),
    min_size=1,
    max_size=30,
).filter(lambda classes: any(records for records, _ in classes))
"""Records and people of classes, some without people in the sample."""


def columns(classes: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Records and people as the measures take them."""
    records, people = zip(*classes, strict=True)
    return np.array(records, dtype=np.int64), np.array(people, dtype=np.int64)


@unhurried
@given(peopled, st.integers(1, 60))
def test_a_record_is_found_among_the_people_alike(classes: list[tuple[int, int]], k: int) -> None:
    """Mean and maximum over records of classes that have one; 1/k itself is not above 1/k."""
    of_records = [Fraction(1, people) for records, people in classes for _ in range(records)]
    alone = sum(records > 0 and people == 1 for records, people in classes)
    found = journalist_risk(*columns(classes), 1.0 / k)
    assert found.maximum == float(max(of_records))
    assert found.average == pytest.approx(float(sum(of_records) / len(of_records)), rel=1e-12)
    above = sum(risk > Fraction(1, k) for risk in of_records)
    assert found.share_above_threshold == above / len(of_records)
    assert (found.uniques, found.estimated) == (alone, False)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=40))
def test_where_everybody_is_in_the_table_it_is_the_prosecutors(sizes: list[int]) -> None:
    """Records are then all the people there are; so it is with a sampling fraction of 1."""
    records = np.array(sizes, dtype=np.int64)
    prosecutor = prosecutor_risk(records, 0.2)
    for found in (
        journalist_risk(records, records, 0.2),
        estimated_journalist_risk(records, 1.0, 0.2),
    ):
        assert found.maximum == pytest.approx(prosecutor.maximum, rel=1e-12)
        assert found.average == pytest.approx(prosecutor.average, rel=1e-12)
        assert found.share_above_threshold == prosecutor.share_above_threshold


def test_people_like_no_record_are_not_at_risk() -> None:
    """A person alone in the population is not found through a record that is not there."""
    found = journalist_risk(np.array([0, 2]), np.array([1, 8]), 0.2)
    assert (found.maximum, found.uniques) == (1 / 8, 0)


def test_a_record_alone_in_the_sample_need_not_be_at_risk() -> None:
    """One record of a hundred matching people, next to two records that are all there are."""
    found = journalist_risk(np.array([1, 2]), np.array([100, 2]), 0.2)
    assert found.maximum == 0.5
    assert found.average == pytest.approx((0.01 + 0.5 + 0.5) / 3)
    assert found.share_above_threshold == 2 / 3


def test_the_estimate_takes_the_expected_risk_of_each_class() -> None:
    """For p = 0.1 and classes of 1, 1 and 3 records: .25584279 and .04636843 by hand."""
    found = estimated_journalist_risk(np.array([1, 0, 3, 1]), 0.1, 0.2)
    assert found.maximum == pytest.approx(0.25584279, abs=5e-9)
    assert found.average == pytest.approx((2 * 0.25584279 + 3 * 0.04636843) / 5, abs=5e-9)
    assert found.share_above_threshold == 2 / 5
    assert (found.uniques, found.estimated) == (None, True)


def test_the_estimate_is_right_on_average() -> None:
    """Samples of a tenth; the estimate takes classes of all sizes to be as likely as others."""
    rng = np.random.default_rng(5)
    population = rng.integers(1, 2000, 400)
    truth, estimates = [], []
    for _ in range(30):
        records = rng.binomial(population, 0.1)
        truth.append(journalist_risk(records, population, 0.2).average)
        estimates.append(estimated_journalist_risk(records, 0.1, 0.2).average)
    assert np.mean(estimates) == pytest.approx(np.mean(truth), rel=0.05)


def test_a_marketer_who_guesses_is_right_that_often() -> None:
    """Random links of each record to any matching person, many times."""
    records, people = np.array([1, 0, 2, 5]), np.array([4, 7, 2, 20])
    rng = np.random.default_rng(1)
    # The people of a class are numbered, and its records are of the first of them.
    truth = np.concatenate([np.arange(number) for number in records])
    alike = np.repeat(people, records)
    right = [(rng.integers(0, alike) == truth).mean() for _ in range(20_000)]
    found = journalist_risk(records, people, 0.2)
    assert found.average == pytest.approx(np.mean(right), abs=0.004)
    assert found.average == (1 / 4 + 2 / 2 + 5 / 20) / 8


@given(st.lists(st.integers(1, 60), min_size=1, max_size=40), st.floats(0.001, 1.0))
def test_a_sample_can_only_look_riskier_where_nothing_is_known_of_the_others(
    sizes: list[int], fraction: float
) -> None:
    """Where the sample alone is known, a marketer's share is the prosecutor's average."""
    records = np.array(sizes, dtype=np.int64)
    alone = prosecutor_risk(records, 0.2).average
    assert estimated_journalist_risk(records, fraction, 0.2).average <= alone * (1 + 1e-9)
    assert journalist_risk(records, records * 3, 0.2).average == pytest.approx(alone / 3)


def test_no_record_has_no_risk() -> None:
    """As after everything was suppressed."""
    none = np.zeros(2, dtype=np.int64)
    for found in (
        journalist_risk(none, np.array([3, 4]), 0.2),
        estimated_journalist_risk(none, 0.1, 0.2),
    ):
        assert (found.maximum, found.average, found.share_above_threshold) == (0.0, 0.0, 0.0)


def test_nobody_is_in_the_table_without_being_of_the_population() -> None:
    """A class of more records than people is reported, whatever the other classes have."""
    with pytest.raises(SettingError, match="1 group has fewer people than records"):
        journalist_risk(np.array([3, 1]), np.array([2, 9]), 0.2)


def test_a_fraction_is_asked_for_as_it_is_elsewhere() -> None:
    """Nothing was drawn from a population of which nothing was drawn."""
    with pytest.raises(SettingError, match="sampling fraction"):
        estimated_journalist_risk(np.array([1]), 0.0, 0.2)
    assert estimated_journalist_risk(np.array([4]), 0.3, 0.2).average == pytest.approx(
        individual_risk(np.array([4]), 0.3)[0]
    )
