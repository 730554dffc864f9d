"""The slide negative binomial model: its equations, its solutions, and the number of classes."""

from __future__ import annotations

from math import comb, exp, lgamma, log

import numpy as np
import pytest
from effort import sparing
from hypothesis import given
from hypothesis import strategies as st
from populations_drawn import draw, slide_negative_binomial

from roadstead.risk.population_uniques import Sample, sample
from roadstead.risk.snb import (
    SlideNegativeBinomial,
    _log_alone,
    population_classes,
    snb_uniques,
    solve,
)


def drawn_of(one: SlideNegativeBinomial, fraction: float, size: int) -> float:
    """Expected classes of so many records: sum over all sizes, each person drawn or not."""
    total = 0.0
    for people in range(size, 4000):
        others = people - 1
        weight = lgamma(one.alpha + others) - lgamma(one.alpha) - lgamma(others + 1)
        likely = exp(weight + one.alpha * log(one.beta) + others * log(1.0 - one.beta))
        total += likely * comb(people, size) * fraction**size * (1 - fraction) ** (people - size)
    return one.classes * total


@sparing
@given(st.integers(2, 400), st.integers(1, 200), st.integers(0, 60), st.floats(0.03, 0.95))
def test_solutions_expect_as_many_of_one_and_two_as_there_are(
    alone: int, pairs: int, large: int, fraction: float
) -> None:
    """Whatever the classes estimated; checked by adding up the model's law."""
    sizes = np.array([1] * alone + [2] * pairs + [5] * large)
    drawn = sample(sizes, round(int(sizes.sum()) / fraction))
    if drawn.fraction == 1.0:
        return
    one = solve(drawn, population_classes(drawn))
    if one and 0.01 < one.beta < 0.999:  # Otherwise the sum needs more terms, or digits.
        assert drawn_of(one, drawn.fraction, 1) == pytest.approx(alone, rel=1e-6)
        assert drawn_of(one, drawn.fraction, 2) == pytest.approx(pairs, rel=1e-6)


@pytest.mark.parametrize("alpha", [0.05, 0.5, 1.0, 4.0])
@pytest.mark.parametrize("beta", [0.05, 0.3, 0.8])
@pytest.mark.parametrize("fraction", [0.01, 0.1, 0.5])
def test_the_parameters_of_expected_samples_are_recovered(
    alpha: float, beta: float, fraction: float
) -> None:
    """Samples with the numbers that the model expects, nearly: 10^12 classes leave little rest."""
    truth = SlideNegativeBinomial(alpha, beta, 1e12)
    numbers = np.array([round(drawn_of(truth, fraction, size)) for size in (1, 2)])
    records = int(numbers @ [1, 2])
    drawn = Sample(np.array([1, 2]), numbers, people=round(records / fraction))
    found = solve(drawn, truth.classes)
    assert found is not None
    assert found.alpha == pytest.approx(alpha, rel=1e-3)
    assert found.beta == pytest.approx(beta, rel=1e-3)
    assert found.uniques == pytest.approx(1e12 * beta**alpha, rel=1e-3)


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.2), (1.0, 0.3), (0.1, 0.05)])
@pytest.mark.parametrize("fraction", [0.1, 0.5])
def test_with_the_true_number_of_classes_samples_give_the_true_uniques(
    alpha: float, beta: float, fraction: float
) -> None:
    """Within 5% of the mean, and the people of the solutions within 10%."""
    population = slide_negative_binomial(alpha, beta, 20_000, seed=1)
    people = int(population.sum())
    found = []
    for seed in range(8):
        one = solve(sample(draw(population, fraction, seed), people), 20_000.0)
        assert one is not None
        found.append(one)
    uniques = np.mean([one.uniques for one in found])
    assert uniques == pytest.approx((population == 1).sum(), rel=0.05)
    assert np.mean([one.people for one in found]) == pytest.approx(people, rel=0.1)


def test_the_number_of_classes_is_haas_and_stokess() -> None:
    """Ten of one and four of two records, half of the people: term by term."""
    p = 0.5
    f = {1: 10, 2: 4}
    pairs = sum(i * p**2 * (1 - p**2) ** (i - 1) * n for i, n in f.items())
    seen = sum((1 - p) ** i * ((1 + p) ** i - 1) * n for i, n in f.items())
    missed = sum((1 - p) ** i * n for i, n in f.items())
    one = sum(i * p * (1 - p) ** (i - 1) * n for i, n in f.items())
    expected = 14 + 10 * pairs / seen * (missed / one) ** 2
    drawn = sample(np.array([1] * 10 + [2] * 4), 36)
    assert population_classes(drawn) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("fraction", [0.3, 0.5])
def test_the_number_of_classes_is_near_the_truth_in_large_samples(fraction: float) -> None:
    """Within 3% of 20,000; in samples of a tenth it is 40% too large."""
    population = slide_negative_binomial(0.5, 0.2, 20_000, seed=1)
    people = int(population.sum())
    drawn = [sample(draw(population, fraction, seed), people) for seed in range(5)]
    assert np.mean([population_classes(one) for one in drawn]) == pytest.approx(20_000, rel=0.03)


@given(st.floats(-9.0, -1e-3), st.floats(-9.0, 6.0))
def test_there_is_one_solution_or_none(fraction: float, ratio: float) -> None:
    """The equation for beta is increasing, for any logarithms of the fraction and of f2/f1."""
    numbers = np.array([10**9, round(10**9 * exp(ratio))])
    people = round(int(numbers @ [1, 2]) / exp(fraction))
    rising = _log_alone(np.linspace(-80.0, 36.0, 500), Sample(np.array([1, 2]), numbers, people))
    assert (np.diff(rising) > -1e-9).all()


@given(st.integers(1, 300), st.lists(st.integers(1, 50), max_size=30), st.integers(1, 10**6))
def test_there_are_never_more_classes_than_people(alone: int, sizes: list[int], more: int) -> None:
    """As many where every record is alone."""
    records = alone + sum(sizes)
    classes = population_classes(sample(np.array([1] * alone + sizes), records + more))
    assert classes <= (records + more) * (1 + 1e-9)
    if set(sizes) <= {1}:
        assert classes == pytest.approx(records + more, rel=1e-9)


@pytest.mark.parametrize(
    ("sizes", "people", "reason"),
    [
        ([1, 1, 3], 50, "no group has two records"),
        ([1, *[2] * 40, *[3] * 30], 200, "no parameters of the model match"),
    ],
)
def test_what_cannot_be_solved_has_no_answer(sizes: list[int], people: int, reason: str) -> None:
    """And says why."""
    found = snb_uniques(np.array(sizes), people)
    assert found.uniques is None
    assert reason in found.reason
