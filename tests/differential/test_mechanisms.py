"""The mechanisms for real releases, and their twin with a seed, compared with closed formulas."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from math import exp, factorial

import numpy as np
import pytest
from effort import sparing, unhurried
from goodness_of_fit import fits, geometric_probabilities, tally
from hypothesis import given
from hypothesis import strategies as st
from seeded_mechanisms import SeededMechanisms

from roadstead.differential.budget import BudgetStep, Grant
from roadstead.differential.chance import mechanisms
from roadstead.differential.chance.mechanisms import (
    Mechanisms,
    _laplace_measurement,
    _maximum_measurement,
    rate_of_noise,
)
from roadstead.errors import MissingExtraError, SettingError

EXACT = Mechanisms()
ONE = Grant(BudgetStep("groups"), Fraction(1))
BOTH = pytest.mark.parametrize("mechanisms", [EXACT, SeededMechanisms(11)], ids=["exact", "seeded"])
budgets = st.fractions(min_value=Fraction(1, 2**30), max_value=1000, max_denominator=2**30)


def permute_and_flip(scores: list[int], scale: float) -> list[float]:
    """Probability of each candidate, by all orders in which they can be asked."""
    top = max(scores)
    chances = [0.0] * len(scores)
    for order in permutations(range(len(scores))):
        still = 1 / factorial(len(scores))
        for candidate in order:
            takes = exp((scores[candidate] - top) / scale)
            chances[candidate] += still * takes
            still *= 1 - takes
    return chances


@BOTH
@pytest.mark.parametrize("monotonic", [False, True])
def test_a_choice_is_permute_and_flip(mechanisms: Mechanisms, *, monotonic: bool) -> None:
    """Scores in the hundreds of thousands, as those of large tables are."""
    grant, scores = (
        Grant(BudgetStep("groups"), Fraction(1, 2)),
        [300_007, 300_000, 299_995, 300_004],
    )
    counts = np.zeros(4, dtype=np.int64)
    for _ in range(3000):
        counts[mechanisms.choose(grant, scores, 3, monotonic=monotonic)] += 1
    scale = 3 / 0.5 if monotonic else 2 * 3 / 0.5
    assert fits(counts, permute_and_flip(scores, scale))


@BOTH
def test_a_choice_of_an_interval_is_the_exponential_mechanism(mechanisms: Mechanisms) -> None:
    scores, lengths = np.array([2, 3, 4, 3, 2]), np.array([10, 10, 20, 30, 30])
    counts = np.zeros(5, dtype=np.int64)
    for _ in range(5000):
        counts[mechanisms.choose_interval(ONE, scores, lengths, 1, monotonic=False)] += 1
    assert fits(counts, [0.062_367, 0.102_825, 0.339_058, 0.308_475, 0.187_275])


def test_scores_that_move_in_one_direction_count_twice() -> None:
    scores, lengths = np.array([0, 4]), np.array([30, 10])
    counts = np.zeros(2, dtype=np.int64)
    for _ in range(5000):
        counts[EXACT.choose_interval(ONE, scores, lengths, 4, monotonic=True)] += 1
    assert fits(counts, [30 / (30 + 10 * exp(1)), 10 * exp(1) / (30 + 10 * exp(1))])


@BOTH
def test_noise_on_counts_is_discrete_laplace(mechanisms: Mechanisms) -> None:
    noise = mechanisms.count(ONE, np.full(40_000, 7)) - 7
    expected = [0.4621, 0.1700, 0.0625, 0.0230]
    base = exp(-1)
    chances = [(1 - base) / (1 + base) * base ** abs(z) for z in range(-8, 9)]
    assert chances[8:12] == pytest.approx(expected, abs=5e-5)
    counts = np.bincount(np.clip(noise, -9, 9) + 9, minlength=19)
    tail = base**9 / (1 + base)
    assert fits(counts, [tail, *chances, tail])


@BOTH
def test_what_exceeds_is_the_tail_of_the_same_noise(mechanisms: Mechanisms) -> None:
    grant = Grant(BudgetStep("groups"), Fraction(1, 2))
    places, values = mechanisms.exceeding(grant, 60_000, 3)
    chance = exp(-1.5) / (1 + exp(-0.5))
    assert fits([len(places), 60_000 - len(places)], [chance, 1 - chance])
    assert fits(tally(values - 3, 8), geometric_probabilities(exp(-0.5), 8))
    assert (np.diff(places) > 0).all()


@BOTH
def test_places_are_even(mechanisms: Mechanisms) -> None:
    counts = np.bincount([mechanisms.place(7) for _ in range(7000)], minlength=7)
    assert fits(counts, [1 / 7] * 7)


def test_counts_keep_their_shape_and_the_largest_do_not_wrap_around() -> None:
    counts = np.array([[2**62, -(2**62)], [0, 5]])
    noisy = EXACT.count(Grant(BudgetStep("groups"), Fraction(1, 10**6)), counts)
    assert noisy.shape == (2, 2)
    assert noisy.dtype == np.int64
    assert np.abs(noisy - counts).max() < 10**9
    assert EXACT.count(ONE, np.zeros(0, dtype=np.int64)).shape == (0,)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32])
def test_scores_in_few_bits_do_not_wrap_around(kind: type[np.integer]) -> None:
    scores = np.array([100, 0] if kind is np.uint8 else [100, -100], dtype=kind)
    lengths = np.full(2, 100, dtype=kind)
    grant = Grant(BudgetStep("groups"), Fraction(4))
    assert {
        EXACT.choose_interval(grant, scores, lengths, 1, monotonic=True) for _ in range(50)
    } == {0}


@sparing
@given(budgets, st.integers(1, 1000), st.booleans())
def test_opendp_proves_that_no_measurement_costs_more_than_its_grant(
    epsilon: Fraction,
    sensitivity: int,
    monotonic: bool,  # noqa: FBT001 - drawn
) -> None:
    """Nor much less: the scale is the next float or the one after."""
    choice = Fraction(
        _maximum_measurement(epsilon, sensitivity, monotonic=monotonic)[0].map(sensitivity)
    )
    noise = Fraction(_laplace_measurement(epsilon)[0].map(1))
    assert epsilon * (1 - Fraction(1, 2**50)) <= choice <= epsilon
    assert epsilon * (1 - Fraction(1, 2**50)) <= noise <= epsilon


SECRET = 987_654_321_987_654_321_987
WRONG: dict[str, Callable[[], object]] = {
    "epsilon too small": lambda: EXACT.choose(
        Grant(BudgetStep("groups"), Fraction(1, 2**41)), [1], 1, monotonic=True
    ),
    "epsilon too large": lambda: EXACT.count(
        Grant(BudgetStep("groups"), Fraction(2**21)), np.zeros(1, np.int64)
    ),
    "epsilon 0": lambda: EXACT.exceeding(Grant(BudgetStep("groups"), Fraction(0)), 5, 1),
    "no candidates": lambda: EXACT.choose(ONE, [], 1, monotonic=True),
    "score too large": lambda: EXACT.choose(ONE, [0, SECRET], 1, monotonic=True),
    "score not whole": lambda: EXACT.choose_interval(
        ONE, np.array([0.5]), np.array([1]), 1, monotonic=True
    ),
    "scores as a table": lambda: EXACT.choose_interval(
        ONE, np.zeros((2, 2), np.int64), np.array([1, 1]), 1, monotonic=True
    ),
    "score below": lambda: EXACT.choose_interval(
        ONE, np.array([-(2**61), 0]), np.array([1, 1]), 1, monotonic=True
    ),
    "sensitivity 0": lambda: EXACT.choose(ONE, [1], 0, monotonic=True),
    "length below 0": lambda: EXACT.choose_interval(
        ONE, np.array([0, 0]), np.array([3, -1]), 1, monotonic=True
    ),
    "no length": lambda: EXACT.choose_interval(
        ONE, np.array([0, 0]), np.array([0, 0]), 1, monotonic=True
    ),
    "lengths that wrap around": lambda: EXACT.choose_interval(
        ONE, np.zeros(4, np.int64), np.full(4, 2**62), 1, monotonic=True
    ),
    "other number of lengths": lambda: EXACT.choose_interval(
        ONE, np.array([0, 0]), np.array([1]), 1, monotonic=True
    ),
    "count too large": lambda: EXACT.count(ONE, np.array([2**62 + 1])),
    "count not whole": lambda: EXACT.count(ONE, np.array([1.0])),
    "cells below 0": lambda: EXACT.exceeding(ONE, -1, 1),
    "too many cells": lambda: EXACT.exceeding(ONE, 2**62 + 1, 40),
    "threshold 0": lambda: EXACT.exceeding(ONE, 5, 0),
    "too much to find": lambda: EXACT.exceeding(ONE, 2**62, 5),
    "no place": lambda: EXACT.place(0),
}


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG.keys())
def test_what_is_out_of_range_is_refused_without_telling_data(call: Callable[[], object]) -> None:
    with pytest.raises(SettingError) as caught:
        call()
    assert caught.value.fix
    assert str(SECRET) not in caught.value.message


def test_a_missing_opendp_names_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    mechanisms._laplace_measurement.cache_clear()
    with pytest.raises(MissingExtraError, match=r"pip install 'roadstead\[dp\]'"):
        EXACT.count(ONE, np.array([1]))


@unhurried
@given(budgets)
def test_cells_with_and_without_records_have_the_same_noise(epsilon: Fraction) -> None:
    """The rate at which empty cells are drawn is one over the scale that OpenDP proves."""
    measurement, scale = _laplace_measurement(epsilon)
    assert rate_of_noise(epsilon) == 1 / Fraction(scale)
    assert rate_of_noise(epsilon) <= epsilon
    assert Fraction(measurement.map(1)) <= epsilon


def test_the_twin_repeats_itself_and_remembers_its_grants() -> None:
    one, other = SeededMechanisms(3), SeededMechanisms(3)
    for twin in (one, other):
        twin.count(ONE, np.arange(5))
        twin.place(100)
    assert one.grants == [ONE]
    assert one.place(2**40) == other.place(2**40)
