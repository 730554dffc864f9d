"""Entropy l-diversity by Grassberger's estimate, compared with sums of fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import log

import numpy as np
import pytest
from effort import sparing, unhurried
from hypothesis import given
from hypothesis import strategies as st
from sensitive import COLUMN, Records, Sample, sample_of, samples

from roadstead.errors import SettingError
from roadstead.privacy.models.grassberger_l_diversity import GrassbergerLDiversity, instead_of_log

WORDS = ("10", "2", "b", "ä", "*", "c")
EULER = 0.577_215_664_901_532_86


def g(n: int) -> Fraction:
    """G(n), less G(1), which cancels: 2/1 + 2/3 + ... for each two records."""
    return sum((Fraction(2, 2 * k - 1) for k in range(1, n // 2 + 1)), Fraction(0))


def estimate(records: Records) -> Fraction:
    """The estimated entropy of records by value."""
    total = sum(records)
    return g(total) - sum((n * g(n) for n in records), Fraction(0)) / total


def answers(sample: Sample, least: float) -> list[bool]:
    """Ask about the classes of a sample."""
    bound = GrassbergerLDiversity(COLUMN, least).bind(sample.table())
    found: list[bool] = bound.satisfied(sample.classes(sample.groups)).tolist()
    return found


def test_what_takes_the_place_of_the_logarithm_is_grassbergers_series() -> None:
    """G(1) by hand, and the sum of fractions from there; it comes near the logarithm."""
    numbers = np.arange(1, 400)
    expected = [float(g(n)) - EULER - log(2.0) for n in numbers.tolist()]
    assert instead_of_log(numbers) == pytest.approx(expected, rel=1e-12)
    assert instead_of_log(np.array([10**9]))[0] == pytest.approx(log(10**9), abs=1e-9)


def test_the_examples_of_the_page() -> None:
    """One of each of two values; two of each; three and one."""
    found = [estimate(one) for one in ((1, 1), (2, 2), (3, 1))]
    assert found == [2, Fraction(2, 3), Fraction(7, 6)]
    sample = sample_of(("a", "b"), (1, 1), (2, 2), (3, 1))
    assert answers(sample, 2.0) == [True, False, True]
    assert answers(sample, 1.9) == [True, True, True]
    assert answers(sample, 2.1) == [False, False, False]  # two values are not three


@unhurried
@given(samples(WORDS), st.sampled_from(["1.2", "2", "2.5", "3", "4"]))
def test_a_class_satisfies_the_model_if_its_definition_says_so(sample: Sample, least: str) -> None:
    """Enough values, and enough estimated entropy."""
    records = [sample.added(group) for group in sample.groups]
    expected = [
        sum(n > 0 for n in one) >= Fraction(least)
        and float(estimate(one)) >= log(Fraction(least)) * (1 - 1e-9)
        for one in records
    ]
    assert answers(sample, float(least)) == expected


@sparing
@given(samples(WORDS), st.sampled_from([1.2, 2.0, 2.5, 4.0]))
def test_the_monotone_part_is_weaker(sample: Sample, least: float) -> None:
    """A class that fails it fails the model."""
    bound = GrassbergerLDiversity(COLUMN, least).bind(sample.table())
    classes = sample.classes(sample.groups)
    assert not (bound.satisfied(classes) & ~bound.monotone_part.satisfied(classes)).any()
    assert not bound.merges


@pytest.mark.parametrize("least", [1.1, 2.0, 2.3, 3.0, 5.0, 30.0])
def test_one_record_of_each_value_is_enough(least: float) -> None:
    """So nothing sharper than a number of values is monotone."""
    domain = tuple(f"{n:02d}" for n in range(31))
    sample = sample_of(domain[: int(-(-least // 1))], tuple(1 for _ in range(int(-(-least // 1)))))
    assert answers(sample, least) == [True]


def test_it_accepts_what_the_entropy_refuses_and_the_other_way_around() -> None:
    """Over all small classes of three values, at l = 2."""
    both = {True: 0, False: 0}
    for records in product(range(4), repeat=3):
        if sum(records):
            shares = [n / sum(records) for n in records if n]
            plain = -sum(p * log(p) for p in shares) >= log(2) - 1e-12
            if answers(sample_of(("a", "b", "c"), records, rest=(1, 1, 1)), 2.0) != [plain]:
                both[plain] += 1
    assert both[True] > 0
    assert both[False] > 0


@pytest.mark.parametrize("least", [1.0, 0.0, float("nan"), float("inf")])
def test_an_l_that_is_not_above_1_is_refused(least: float) -> None:
    """A name and a way out."""
    with pytest.raises(SettingError, match="l is"):
        GrassbergerLDiversity(COLUMN, least)


@sparing
@given(samples(("", "2", "b", "ä")), st.sampled_from([1.2, 2.0, 2.5]))
def test_blanks_change_nothing(sample: Sample, least: float) -> None:
    """A class is judged as if its records without a value were not there."""
    records = [sample.added(group) for group in sample.groups]
    valued = [
        tuple(n for n, value in zip(one, sample.domain, strict=True) if value) for one in records
    ]
    expected = [
        sum(n > 0 for n in one) >= least and float(estimate(one)) >= log(least) * (1 - 1e-9)
        for one in valued
    ]
    assert answers(sample, least) == expected
