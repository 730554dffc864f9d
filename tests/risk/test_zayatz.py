"""Zayatz's model against its definition, with fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.risk.population_uniques import sample
from roadstead.risk.zayatz import conditional_uniqueness, zayatz_uniques

samples = st.lists(st.integers(1, 12), min_size=1, max_size=20).map(lambda sizes: [1, *sizes])


def one_drawn(people: int, records: int, size: int) -> Fraction:
    """Hypergeometric probability that of a class exactly one is drawn."""
    return Fraction(size * comb(people - size, records - 1), comb(people, records))


@unhurried
@given(samples, st.integers(1, 300))
def test_the_probability_is_bayes_theorem(sizes: list[int], more: int) -> None:
    """Over the sizes of the sample's classes, in whole numbers."""
    records, people = sum(sizes), sum(sizes) + more
    likely = {
        size: Fraction(sizes.count(size), len(sizes)) * one_drawn(people, records, size)
        for size in set(sizes)
    }
    expected = likely[1] / sum(likely.values())
    drawn = np.array(sizes, dtype=np.int64)
    found = conditional_uniqueness(sample(drawn, people))
    assert found == pytest.approx(float(expected), rel=1e-12)
    uniques = sizes.count(1) * expected * Fraction(people, records)
    assert zayatz_uniques(drawn, people).uniques == pytest.approx(float(uniques), rel=1e-12)


def test_a_class_larger_than_what_was_left_out_shows_more_than_one() -> None:
    """If 5 people match and 3 are not drawn, at least two are."""
    found = conditional_uniqueness(sample(np.array([1, 5]), 9))
    assert found == 1.0


def test_large_classes_of_large_populations_lose_no_digits() -> None:
    """A class of a million, of whom one in a million people is drawn, has one drawn for 1/e."""
    drawn = sample(np.array([1, 10**6]), 10**12)
    odds = drawn.fraction * 10**6 / drawn.fraction * np.exp(-((10**6 - 1) * drawn.fraction))
    assert conditional_uniqueness(drawn) == pytest.approx(1 / (1 + odds), rel=1e-5)
