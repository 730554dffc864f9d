"""Individual risk: closed forms, the sum over populations, the integral, two thousand digits."""

from __future__ import annotations

from decimal import Decimal, localcontext
from math import exp, inf, log

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from roadstead.errors import SettingError
from roadstead.risk.individual_risk import individual_risk

FRACTIONS = [
    *(1e-6, 1e-4, 0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.49, 0.499999999),
    *(0.5, 0.500000001, 0.51, 0.6, 0.8, 0.9, 0.99, 0.9999, 1.0 - 1e-9, 1.0),
]
SIZES = np.arange(1, 201, dtype=np.int64)

TABLE = {
    1: (0.15767012, 0.25584279, 0.51598834, 0.69314718, 0.89257421),
    2: (0.04433315, 0.08268413, 0.20743357, 0.30685282, 0.42970318),
    3: (0.02398247, 0.04636843, 0.12538561, 0.19314718, 0.28118728),
    4: (0.01628162, 0.03188499, 0.08912045, 0.14018615, 0.20858420),
    5: (0.01230097, 0.02423500, 0.06894838, 0.10981385, 0.16566321),
    10: (0.00552132, 0.01097601, 0.03217730, 0.05248774, 0.08150541),
}


def risk(size: int, fraction: float) -> float:
    """The risk of one class."""
    return float(individual_risk(np.array([size], dtype=np.int64), fraction)[0])


@pytest.mark.parametrize("size", TABLE)
def test_worked_numbers(size: int) -> None:
    """To eight decimals, for five fractions."""
    found = [risk(size, fraction) for fraction in (0.05, 0.1, 0.3, 0.5, 0.8)]
    assert found == pytest.approx(TABLE[size], rel=0, abs=6e-9)


@pytest.mark.parametrize("fraction", FRACTIONS[:-1])
def test_the_closed_forms_of_small_classes(fraction: float) -> None:
    """In so many digits that their cancellation does not matter."""
    with localcontext() as context:
        context.prec = 100
        p = Decimal(fraction)
        q = 1 - p
        forms = [
            -p / q * p.ln(),
            p / q**2 * (p * p.ln() + q),
            p / (2 * q**3) * (q * (3 * q - 2) - 2 * p**2 * p.ln()),
        ]
    found = [risk(size, fraction) for size in (1, 2, 3)]
    assert found == pytest.approx([float(form) for form in forms], rel=1e-10)


@pytest.mark.quick(3)
@pytest.mark.parametrize("fraction", FRACTIONS)
def test_as_precise_as_arithmetic_of_many_digits(fraction: float) -> None:
    """From one size to the next: losing no digits that matter, out of two thousand.

    By Euler's integral, q I(f + 1) = 1/f - p I(f) and the risk is p I(f); for p = 1, 1/f.
    """
    expected = []
    with localcontext() as context:
        context.prec = 2200  # the step is repeated 200 times, and each may cost nine digits
        p = Decimal(fraction)
        q = 1 - p
        integral = -p.ln() / q if q else Decimal(1)
        for size in SIZES.tolist():
            expected.append(float(p * integral))
            integral = (1 / Decimal(size) - p * integral) / q if q else 1 / Decimal(size + 1)
    found = individual_risk(SIZES, fraction)
    assert found == pytest.approx(np.array(expected), rel=1e-10, abs=0)


@pytest.mark.parametrize("size", [1, 2, 7, 19, 20, 21, 60, 200])
@pytest.mark.parametrize("fraction", [0.02, 0.1, 0.49, 0.5, 0.9])
def test_the_mean_of_one_over_the_people(size: int, fraction: float) -> None:
    """By its definition: people are met until the last of the class has come into the sample."""
    people, log_chance, total, left = size, size * log(fraction), 0.0, 1.0
    while left > 1e-13 and people < 100_000:
        chance = exp(log_chance)
        total += chance / people
        left -= chance
        log_chance += log(people / (people + 1 - size)) + log(1 - fraction)
        people += 1
    assert risk(size, fraction) == pytest.approx(total, rel=1e-10)


@pytest.mark.parametrize("size", [1, 2, 5, 19, 20, 50, 1000])
@pytest.mark.parametrize("fraction", [1e-6, 1e-3, 0.05, 0.3, 0.7, 1.0])
def test_the_integral(size: int, fraction: float) -> None:
    """Of p t^(f-1) / (p + (1-p) t) over t from 0 to 1, with t = e^-z."""

    def inner(z: float) -> float:
        return fraction * exp(-size * z) / (fraction + (1.0 - fraction) * exp(-z))

    bend = log(1.0 / fraction)
    parts = [(0.0, bend), (bend, bend + 5.0), (bend + 5.0, inf)]
    total = sum(quad(inner, *part, epsabs=0.0, epsrel=1e-12, limit=500)[0] for part in parts)
    assert risk(size, fraction) == pytest.approx(total, rel=1e-10)


@unhurried
@given(st.integers(1, 10**6), st.floats(1e-6, 1.0))
def test_it_lies_between_what_it_must(size: int, fraction: float) -> None:
    """F is f at least; and 1/F is not below 1 over the mean of F, by Jensen."""
    found = risk(size, fraction)
    assert fraction / size * (1 - 1e-13) <= found <= 1 / size


@unhurried
@given(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(1e-6, 1.0))
def test_more_records_are_less_risk(size: int, more: int, fraction: float) -> None:
    """Strictly, by more than rounding."""
    assert risk(size + more, fraction) < risk(size, fraction)


@unhurried
@given(st.integers(1, 300), st.floats(1e-6, 1.0), st.floats(1e-6, 1.0))
def test_a_larger_share_is_more_risk(size: int, one: float, other: float) -> None:
    """Where the shares differ by rounding, so may the risks."""
    low, high = sorted((one, other))
    assert risk(size, low) <= risk(size, high) * (1 + 1e-13)


def test_the_whole_population_leaves_no_doubt() -> None:
    """1/f to the last bit."""
    sizes = np.array([1, 2, 3, 19, 20, 7919, 10**6], dtype=np.int64)
    assert individual_risk(sizes, 1.0).tolist() == (1.0 / sizes).tolist()


@pytest.mark.parametrize("fraction", [1e-300, 1e-6, 0.5, 1.0])
def test_huge_classes_and_tiny_shares_overflow_nothing(fraction: float) -> None:
    """E[1/F] is p / (f - q) nearly, for many records."""
    sizes = np.array([10**6, 10**9, 10**15], dtype=np.int64)
    with np.errstate(all="raise", under="ignore"):
        found = individual_risk(sizes, fraction)
    assert found == pytest.approx(fraction / (sizes - (1 - fraction)), rel=1e-11, abs=0)


def test_sizes_come_in_any_order_and_shape() -> None:
    """Each gets its own risk; a class without a record has none."""
    sizes = np.array([[30, 1, 0], [1, 2, 30]], dtype=np.int64)
    found = individual_risk(sizes, 0.1)
    assert found.shape == (2, 3)
    expected = [[risk(30, 0.1), risk(1, 0.1), 0.0], [risk(1, 0.1), risk(2, 0.1), risk(30, 0.1)]]
    assert found.tolist() == expected
    assert individual_risk(np.array([], dtype=np.int64), 0.1).shape == (0,)


@pytest.mark.parametrize("fraction", [0.0, -0.1, 1.1, float("nan"), inf])
def test_a_share_that_is_none_is_refused(fraction: float) -> None:
    """The number of people instead of the share is refused too."""
    with pytest.raises(SettingError, match="above 0 and at most 1"):
        individual_risk(SIZES, fraction)


def test_a_class_of_fewer_than_no_records_is_refused() -> None:
    """It is a mistake of the caller."""
    with pytest.raises(SettingError, match="a group has a negative number of records"):
        individual_risk(np.array([-1], dtype=np.int64), 0.5)
