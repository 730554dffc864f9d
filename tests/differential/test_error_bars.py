"""Error bars of noisy counts: as wide as they must be, and no wider."""

from __future__ import annotations

from fractions import Fraction
from math import exp, sqrt

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from roadstead.differential.budget import BudgetStep, Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.margins.error_bars import half_width, standard_error
from roadstead.reports.charts.marginal_bars import noise_margin

RATES = st.fractions(min_value=Fraction(1, 2000), max_value=20, max_denominator=5000)


def chances(rate: Fraction) -> tuple[np.ndarray, np.ndarray]:
    """List noises and their probabilities, far enough."""
    ratio = exp(-float(rate))
    noises = np.arange(-(int(60 / float(rate)) + 5), int(60 / float(rate)) + 6)
    return noises, (1 - ratio) / (1 + ratio) * ratio ** np.abs(noises)


@given(RATES)
@examples(40)
def test_an_interval_has_the_true_count_often_enough_and_is_the_shortest(rate: Fraction) -> None:
    """By the sum of all probabilities; a shorter one would not do."""
    noises, probabilities = chances(rate)
    width = half_width(rate)
    inside = probabilities[np.abs(noises) <= width].sum()
    assert inside >= 0.95 - 1e-9
    assert width == 0 or probabilities[np.abs(noises) < width].sum() < 0.95
    assert np.isclose(standard_error(rate), sqrt((probabilities * noises**2).sum()))


@given(RATES)
@examples(20)
def test_reports_work_out_the_same_margin_of_one_count(rate: Fraction) -> None:
    """By a characteristic function, where the noise is small."""
    if standard_error(rate) < 900:
        assert half_width(rate) == noise_margin(1, rate)


def test_intervals_cover_true_counts_with_the_noise_of_releases() -> None:
    """Of 4,000 counts at least 94% are covered; fewer would be a chance of one in a hundred."""
    pytest.importorskip("opendp")
    rate = Fraction(1, 7)
    true = np.arange(4000)
    noisy = Mechanisms().count(Grant(BudgetStep("groups"), rate), true)
    covered = np.abs(noisy - true) <= half_width(rate)
    assert covered.mean() > 0.935


def test_a_huge_budget_leaves_no_width() -> None:
    """The count is the true one."""
    assert half_width(Fraction(2**20)) == 0
    assert standard_error(Fraction(2**20)) == 0
