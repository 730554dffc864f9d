"""Marketer risk: the expected share of records an attacker gets right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError
from roadstead.risk.journalist import estimated_journalist_risk, journalist_risk
from roadstead.risk.marketer import estimated_marketer_risk, marketer_risk, sample_marketer_risk

RECORDS = np.array([1, 0, 2, 5], dtype=np.int64)
PEOPLE = np.array([4, 7, 2, 20], dtype=np.int64)


def test_every_class_adds_its_records_over_its_people() -> None:
    """1/4 + 2/2 + 5/20 of 8 records; with nobody else to choose from, 3 of 8."""
    known = marketer_risk(RECORDS, PEOPLE)
    assert (known.expected, known.share, known.records) == (1.5, 1.5 / 8, 8)
    alone = sample_marketer_risk(RECORDS)
    assert (alone.expected, alone.share, alone.records) == (3.0, 3 / 8, 8)


def test_an_attacker_who_guesses_is_right_that_often() -> None:
    """Links of each record to anybody alike, at random, many times."""
    rng = np.random.default_rng(1)
    # The people of a class are numbered, and its records are of the first of them.
    truth = np.concatenate([np.arange(records) for records in RECORDS])
    alike = np.repeat(PEOPLE, RECORDS)
    right = [(rng.integers(0, alike) == truth).mean() for _ in range(20_000)]
    assert marketer_risk(RECORDS, PEOPLE).share == pytest.approx(np.mean(right), abs=0.004)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=40), st.floats(0.001, 1.0))
def test_it_is_the_mean_risk_of_the_records(sizes: list[int], fraction: float) -> None:
    """The journalist's; a sample can only look riskier where nothing is known of the others."""
    records = np.array(sizes, dtype=np.int64)
    people = records * 3
    known = marketer_risk(records, people)
    assert known.share == pytest.approx(journalist_risk(records, people, 0.2).average)
    guessed = estimated_marketer_risk(records, fraction)
    assert guessed.share == pytest.approx(estimated_journalist_risk(records, fraction, 0.2).average)
    alone = sample_marketer_risk(records)
    assert guessed.share <= alone.share * (1 + 1e-9)
    assert known.share == pytest.approx(alone.share / 3)


def test_no_record_is_never_found() -> None:
    """As after everything was suppressed."""
    none = np.zeros(3, dtype=np.int64)
    found = (
        marketer_risk(none, none),
        sample_marketer_risk(none),
        estimated_marketer_risk(none, 0.5),
    )
    assert [(one.share, one.expected, one.records) for one in found] == [(0.0, 0.0, 0)] * 3


def test_nobody_is_in_the_table_without_being_of_the_population() -> None:
    """As in the journalist's risk."""
    with pytest.raises(SettingError, match="fewer people than records"):
        marketer_risk(np.array([3]), np.array([2]))
