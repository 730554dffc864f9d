"""Pitman's law: the likelihood at its maximum, and the uniques that it expects."""

from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np
import pytest
from effort import sparing
from hypothesis import given
from hypothesis import strategies as st
from populations_drawn import pitman_population

from roadstead.risk.pitman import (
    PitmanLaw,
    _reciprocals,
    fit,
    pitman_exact_uniques,
    pitman_uniques,
)
from roadstead.risk.population_uniques import sample

samples = st.lists(st.integers(1, 15), min_size=2, max_size=25).filter(lambda sizes: max(sizes) > 1)


def likelihood(sizes: list[int], theta: float, alpha: float) -> float:
    """Logarithm of the probability of a partition, term by term."""
    new = sum(log(theta + i * alpha) for i in range(1, len(sizes)))
    seated = sum(log(theta + i) for i in range(1, sum(sizes)))
    return new - seated + sum(log(j - alpha) for size in sizes for j in range(1, size))


def expected_uniques(law: PitmanLaw, people: int) -> Fraction:
    """One of N is alone when each of the others, counted after, joins or makes another class."""
    theta, alpha = Fraction(law.theta), Fraction(law.alpha)
    alone = Fraction(1)
    for counted in range(1, people):
        alone *= (theta + counted - 1 + alpha) / (theta + counted)
    return people * alone


@sparing
@given(samples, st.floats(0.0, 0.999), st.floats(-12.0, 16.0))
def test_no_other_law_makes_the_sample_likelier(
    sizes: list[int], alpha: float, logarithm: float
) -> None:
    """Nowhere in the range of theta and alpha."""
    law = fit(sample(np.array(sizes, dtype=np.int64), 10**6))
    assert law is not None
    assert 0.0 <= law.alpha < 1.0
    assert law.theta > -law.alpha
    best = likelihood(sizes, law.theta, law.alpha)
    assert likelihood(sizes, np.exp(logarithm) - alpha, alpha) <= best + 1e-9
    for a in (law.alpha + 0.01, max(law.alpha - 0.01, 0.0)):
        for shifted in (0.9, 1.0, 1.1):
            if a < 1.0:
                theta = (law.theta + law.alpha) * shifted - a
                assert likelihood(sizes, theta, a) <= best + 1e-9


@sparing
@given(st.floats(0.0, 0.99), st.floats(0.01, 300.0), st.integers(1, 200))
def test_the_expectation_is_that_of_the_law(alpha: float, shifted: float, people: int) -> None:
    """Against the product, in fractions."""
    law = PitmanLaw(shifted - alpha, alpha)
    found = law.expected_uniques(people)
    assert found == pytest.approx(float(expected_uniques(law, people)), rel=1e-9)


def test_populations_of_the_law_have_the_expected_uniques() -> None:
    """Twenty of 3,000 people with theta 50 and alpha 0.4."""
    law = PitmanLaw(50.0, 0.4)
    uniques = [(pitman_population(50.0, 0.4, 3000, seed) == 1).sum() for seed in range(20)]
    assert np.mean(uniques) == pytest.approx(law.expected_uniques(3000), rel=0.05)


def test_the_formula_of_large_populations_is_the_limit() -> None:
    """It is 1.4% too much where there are twenty times theta people, and right beyond."""
    law = PitmanLaw(3000.0, 0.72)
    ratios = [law.limit_uniques(n) / law.expected_uniques(n) for n in (60_000, 10**7, 10**10)]
    assert ratios[0] == pytest.approx(1.014, abs=5e-4)
    assert ratios[1:] == pytest.approx([1.0, 1.0], abs=1e-4)


def test_a_sample_recovers_the_law_of_its_population() -> None:
    """All 20,000 of a population are a sample of the law."""
    law = fit(sample(pitman_population(200.0, 0.5, 20_000, 3), 10**6))
    assert law is not None
    assert law.alpha == pytest.approx(0.5, abs=0.05)
    assert law.theta == pytest.approx(200.0, rel=0.2)


def test_where_classes_are_too_even_for_any_alpha_the_law_is_ewenss() -> None:
    """With a unique in classes of five, alpha is 0, not a number below."""
    law = fit(sample(np.array([1] + [5] * 20), 1000))
    assert law is not None
    assert law.alpha == 0.0
    assert law.limit_uniques(10**9) == pytest.approx(law.theta, rel=1e-12)


def test_where_every_record_is_alone_there_is_no_law() -> None:
    """The growth of classes is unknown, and nothing is claimed."""
    for model in (pitman_uniques, pitman_exact_uniques):
        found = model(np.ones(50, dtype=np.int64), 1000)
        assert found.uniques is None
        assert "every record is unique" in found.reason
    assert fit(sample(np.array([50]), 1000)) is None


def test_a_formula_for_large_populations_does_not_answer_for_small_ones() -> None:
    """With theta far above the population it gives more than all people; the law itself does not.

    One pair in a thousand classes: theta is 500,000.
    """
    sizes = np.array([1] * 999 + [2])
    found = pitman_uniques(sizes, 3000)
    assert found.uniques is None
    assert "more people than the population has" in found.reason
    exact = pitman_exact_uniques(sizes, 3000).uniques
    assert exact is not None
    assert 2900 < exact < 3000


@pytest.mark.parametrize("start", [0.01, 0.7, 3.0, 1e6, 1e12])
@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 1000])
def test_reciprocals_are_added_up(start: float, count: int) -> None:
    """Term by term."""
    expected = float(np.sum(1.0 / (start + np.arange(count))))
    assert _reciprocals(start, count) == pytest.approx(expected, rel=1e-10, abs=1e-300)
