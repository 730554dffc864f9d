"""Noise on empty cells and on every cell compared, and geometric numbers and decimals."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import exp, log1p
from typing import Any

import numpy as np
import pytest
from effort import sparing, unhurried
from goodness_of_fit import fits, geometric_probabilities, tally
from hypothesis import given
from hypothesis import strategies as st
from words import Words, from_number

from roadstead.differential.chance import sparse_noise
from roadstead.differential.chance.exact_choice import below_decay, rational, system_words
from roadstead.differential.chance.sparse_noise import (
    FARTHEST,
    exceeding_cells,
    expected_exceeding,
    gap_rate,
    geometric,
)

HUGE = 2**62


def exceeds(epsilon: float, least: int) -> float:
    """Probability that discrete Laplace noise reaches a threshold."""
    return exp(-epsilon * least) / (1 + exp(-epsilon))


@pytest.mark.parametrize(
    ("rate", "terms"),
    [("5", 4), ("1", 10), ("1/2", 20), ("499/1000", 20), ("1/3", 30), ("1/28", 200)],
)
def test_geometric_numbers_have_their_distribution(rate: str, terms: int) -> None:
    drawn = geometric(rational(Fraction(rate)), 60_000, Words(3))
    expected = geometric_probabilities(exp(-Fraction(rate)), terms)
    assert fits(tally(drawn, terms), expected)


@pytest.mark.parametrize("scale", [10**6, 10**12, 2**61])
def test_large_geometric_numbers_have_their_distribution(scale: int) -> None:
    """In bins of a sixteenth of their scale, with ends between those of blocks."""
    width = scale // 16
    drawn = geometric(rational(Fraction(1, scale)), 60_000, Words(4))
    assert drawn.min() >= 0
    terms = 24
    expected = geometric_probabilities(exp(-width / scale), terms)
    assert fits(tally(drawn // width, terms), expected)


def test_the_last_bits_of_large_geometric_numbers_are_even() -> None:
    """No float has cut them off."""
    drawn = geometric(rational(Fraction(1, 2**58)), 20_000, Words(5))
    ones = np.array([np.count_nonzero(drawn >> bit & 1) for bit in range(40)])
    assert np.abs(ones - 10_000).max() < 500


@unhurried
@given(
    st.fractions(min_value=Fraction(1, 2), max_value=20, max_denominator=100),
    st.integers(1, 30),
    st.sampled_from((-1, 0, 1)),
    st.integers(0),
)
def test_a_geometric_number_next_to_the_next_one_is_exact(
    rate: Fraction, number: int, aside: int, seed: int
) -> None:
    """Blocks of one: the largest n with uniform < exp(-rate n), with the bits given here."""
    if rate == Fraction(1, 2):
        rate = Fraction(501, 1000)
    with localcontext(prec=150):
        step = -Decimal(rate.numerator) / Decimal(rate.denominator)
        ends = [Fraction((step * at).exp()) for at in range(number + 3)]
    words = 6
    first = max(int(ends[number] * 2 ** (64 * words)) + aside, 0)
    source = Words(seed, from_number(first, 2 ** (64 * words), words))
    drawn = int(geometric(rational(rate), 1, source)[0])
    uniform = sum(Fraction(word, 2 ** (64 * (at + 1))) for at, word in enumerate(source.given))
    assert drawn == next(at for at in range(number + 2, -1, -1) if uniform < ends[at])


@sparing
@given(st.sampled_from((-2, 2)), st.integers(0, 7), st.integers(0, 2**64 - 1))
def test_a_remainder_next_to_its_probability_is_exact(
    aside: int, remainder: int, rest: int
) -> None:
    """Rate 1/10: blocks of 8. Given: no whole block, the remainder, whether to keep it.

    The last is given to 128 bits, 2 units from the probability, and then anything. If the remainder
    is not kept, the next is 5, with a uniform number of nearly 0.
    """
    with localcontext(prec=200):
        value = Fraction((Decimal(-remainder) / 10).exp())
    keep = from_number(min(int(value * 2**128) + aside, 2**128 - 1), 2**128, 2)
    source = Words(1, [2**64 - 1, remainder << 61, *keep, rest, 5 << 61, 0])
    drawn = int(geometric(rational(Fraction(1, 10)), 1, source)[0])
    assert drawn == (remainder if aside < 0 or remainder == 0 else 5)


def test_numbers_beyond_the_farthest_are_the_farthest() -> None:
    drawn = geometric(rational(Fraction(1, 2**90)), 1000, Words(1))
    assert set(drawn.tolist()) == {FARTHEST}


@pytest.mark.parametrize(
    ("epsilon", "least"), [("1", 1), ("1", 30), ("1/28", 100), ("7", 3), ("1/10000", 14142)]
)
def test_the_rate_of_gaps_is_that_of_the_closed_formula(epsilon: str, least: int) -> None:
    low, high = gap_rate(Fraction(epsilon), least)(60)
    with localcontext(prec=80):
        base = (-Decimal(Fraction(epsilon).numerator) / Fraction(epsilon).denominator).exp()
        chance = base**least / (1 + base)
        assert low <= -(1 - chance).ln() <= high
    assert float(high) == pytest.approx(-log1p(-exceeds(float(Fraction(epsilon)), least)))
    assert high - low < Decimal("1e-58")


def test_an_empty_cell_survives_one_standard_deviation_as_the_facts_say() -> None:
    """E.4: half of exp(-sqrt 2), 0.1216, which the discrete noise approaches."""
    assert expected_exceeding(Fraction(1, 10_000), 10**6, 14142) / 10**6 == pytest.approx(
        -log1p(-0.1216), rel=2e-3
    )


def test_a_threshold_out_of_reach_is_not_of_rate_zero() -> None:
    low, high = gap_rate(Fraction(1), HUGE)(60)
    assert low == 0
    assert 0 < high < Decimal("1e-58")
    places, values = exceeding_cells(Fraction(1), HUGE, HUGE, system_words)
    assert len(places) == len(values) == 0


def test_a_first_number_of_all_ones_is_settled_by_more_bits() -> None:
    """The floats cannot rule out a cell of probability exp(-60), and the next words can."""
    source = Words(1, [2**64 - 1, 2**63])
    places, _ = exceeding_cells(Fraction(1), 1, 60, source)
    assert len(places) == 0


@pytest.mark.parametrize(("epsilon", "least"), [("1", 1), ("1/3", 2), ("2", 1)])
def test_pairs_of_cells_are_as_if_each_had_been_noised(epsilon: str, least: int) -> None:
    """The data of two neighboring cells: places, values, and their independence, in one table."""
    pairs, terms = 60_000, 3
    places, values = exceeding_cells(Fraction(epsilon), 2 * pairs, least, Words(8))
    shown = np.zeros(2 * pairs, dtype=np.int64)
    shown[places] = np.minimum(values - least + 1, terms)
    base, chance = exp(-Fraction(epsilon)), exceeds(float(Fraction(epsilon)), least)
    one = [1 - chance]
    one += [chance * share for share in geometric_probabilities(base, terms - 1)]
    both = [left * right for left, right in product(one, one)]
    counts = np.bincount(shown[::2] * (terms + 1) + shown[1::2], minlength=(terms + 1) ** 2)
    assert fits(counts, both)


def test_few_cells_are_as_if_each_had_been_noised() -> None:
    """Three cells, again and again: the ends of the row are cells like all others."""
    runs = 1000
    counts = np.zeros(8, dtype=np.int64)
    source = Words(9)
    for _ in range(runs):
        places, _ = exceeding_cells(Fraction(1, 2), 3, 1, source)
        counts[sum(1 << int(place) for place in places)] += 1
    chance = exceeds(0.5, 1)
    ones = [pattern.bit_count() for pattern in range(8)]
    assert fits(counts, [chance**found * (1 - chance) ** (3 - found) for found in ones])


@unhurried
@given(
    st.fractions(min_value=Fraction(1, 50), max_value=4, max_denominator=50),
    st.integers(1, 40),
    st.integers(0, 3000),
    st.integers(0),
)
def test_places_ascend_within_the_cells_and_values_reach_the_threshold(
    epsilon: Fraction, least: int, cells: int, seed: int
) -> None:
    places, values = exceeding_cells(epsilon, cells, least, Words(seed))
    assert len(places) == len(values)
    assert (np.diff(places) > 0).all()
    assert ((places >= 0) & (places < cells)).all()
    assert (values >= least).all()


def test_places_among_as_many_cells_as_there_can_be_are_even() -> None:
    """2**62 cells: a sixteenth of the places in each sixteenth, and even last bits."""
    places, values = exceeding_cells(Fraction(1), HUGE, 32, Words(10))
    assert (np.diff(places) > 0).all()
    assert abs(len(places) - HUGE * exceeds(1, 32)) < 7 * (HUGE * exceeds(1, 32)) ** 0.5
    assert fits(np.bincount(places >> 58, minlength=16), [1 / 16] * 16)
    assert fits(np.bincount(places & 15, minlength=16), [1 / 16] * 16)
    assert fits(tally(values - 32, 6), geometric_probabilities(exp(-1), 6))


def test_what_is_drawn_grows_with_the_cells_found_and_not_with_all_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A few words for each of those, hardly ever decimals; the time, a benchmark measures."""
    asked: list[object] = []

    def counted(*given: Any) -> bool:  # noqa: ANN401 - as what it stands for
        asked.append(given)
        return below_decay(*given)

    monkeypatch.setattr(sparse_noise, "below_decay", counted)
    words = Words(6)
    places, _ = exceeding_cells(Fraction(1), HUGE, 31, words)
    assert len(places) > 100_000
    assert len(words.given) < 10 * len(places)
    assert len(asked) < len(places) / 1_000
