"""The margin of noise is the least one that covers, by sums over the distribution itself."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log, sqrt

import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.reports.charts.marginal_bars import COVERAGE, noise_margin


def within(cells: int, epsilon: float, margin: int) -> float:
    """Give the probability that the noise of a sum is at most `margin`, either way, by adding up.

    One count's noise is the difference of two geometric numbers, so the noise of a sum is the
    difference of two negative binomial numbers.
    """
    ratio = exp(-epsilon)
    far = margin + int(cells * 2 / epsilon + 60 * sqrt(cells) / epsilon + 60)
    chance = [(1 - ratio) ** cells]
    for number in range(1, far):
        chance.append(chance[-1] * ratio * (cells + number - 1) / number)
    below = [0.0]
    for one in chance:
        below.append(below[-1] + one)
    return sum(
        one * (below[min(at + margin, far - 1) + 1] - below[max(at - margin, 0)])
        for at, one in enumerate(chance)
    )


@unhurried
@given(
    cells=st.integers(1, 40),
    epsilon=st.fractions(Fraction(1, 20), Fraction(6), max_denominator=50),
)
def test_it_is_the_least_margin_that_covers(cells: int, epsilon: Fraction) -> None:
    """One less would not."""
    margin = noise_margin(cells, epsilon)
    assert within(cells, float(epsilon), margin) >= COVERAGE - 1e-9
    assert margin == 0 or within(cells, float(epsilon), margin - 1) < COVERAGE


@pytest.mark.parametrize("epsilon", [Fraction(1, 500), Fraction(1, 2_000), Fraction(1, 10**9)])
def test_a_single_count_with_much_noise_is_covered_and_hardly_more(epsilon: Fraction) -> None:
    """Its noise is beyond t with probability exp(-epsilon t), as good as."""
    exact = log(1 / (1 - COVERAGE)) / float(epsilon)
    assert exact * 0.999 - 1 <= noise_margin(1, epsilon) <= exact * 1.03 + 1


def test_many_counts_have_the_noise_of_a_normal_distribution() -> None:
    """1.96 standard deviations, each count with a variance of 2 a / (1 - a)^2."""
    ratio = exp(-0.5)
    deviation = sqrt(2 * ratio) / (1 - ratio)
    for cells in (10_000, 10**8):
        expected = 1.96 * deviation * sqrt(cells)
        assert noise_margin(cells, Fraction(1, 2)) == pytest.approx(expected, rel=3e-3)


def test_both_ways_to_work_it_out_agree_where_they_meet() -> None:
    """At a standard deviation of 1,000: 125,000 counts of epsilon 1/2, by four times as many."""
    below, above = noise_margin(120_000, Fraction(1, 2)), noise_margin(480_000, Fraction(1, 2))
    assert above == pytest.approx(2 * below, rel=2e-3)


def test_no_counts_and_hardly_any_noise() -> None:
    """Nothing moves a sum of nothing, nor one whose noise is nearly always 0."""
    assert noise_margin(0, Fraction(1)) == 0
    assert noise_margin(1, Fraction(20)) == 0
    assert noise_margin(1_000, Fraction(2**20)) == 0
