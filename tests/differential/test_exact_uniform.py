"""Uniform numbers refined on demand, and decays between bounds, compared with fractions."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from effort import thorough, unhurried
from hypothesis import example, given
from hypothesis import strategies as st
from words import Words, from_number

from roadstead.differential.chance.exact_choice import (
    Between,
    Uniform,
    below_decay,
    decay,
    minus_log_of_complement,
    rational,
    system_words,
)

rates = st.fractions(min_value=Fraction(1, 10**9), max_value=3, max_denominator=10**9)


def exponential_between(exponent: Fraction) -> tuple[Fraction, Fraction]:
    """Bound exp(-x) by two partial sums of its alternating series, past the largest term."""
    total, term, count = Fraction(0), Fraction(1), 0
    while count <= exponent or term > Fraction(1, 10**90):
        total += term if count % 2 == 0 else -term
        count += 1
        term = term * exponent / count
    other = total + (term if count % 2 == 0 else -term)
    return min(total, other), max(total, other)


@given(st.integers(0, 2**64 - 1), st.lists(st.integers(1, 700), max_size=5))
def test_refining_keeps_the_bits_and_draws_no_more_than_needed(
    first: int, wishes: list[int]
) -> None:
    source = Words(1)
    uniform = Uniform(first, source)
    for wish in wishes:
        uniform.refine(wish)
        assert wish <= uniform.bits
    assert uniform.bits < max([64, *wishes]) + 64
    assert uniform.known >> (uniform.bits - 64) == first
    assert len(source.given) == uniform.bits // 64 - 1


@unhurried
@given(st.integers(1, 10**12), st.integers(1, 10**12), st.sampled_from((-1, 0, 1)), st.integers(0))
def test_a_comparison_is_that_of_the_whole_number(
    part: int, more: int, aside: int, seed: int
) -> None:
    """Words that agree with the share for 192 bits, and then are moved aside by a little."""
    whole = part + more
    digits = (part << 192) // whole + aside
    told = from_number(max(digits, 0), 1 << 192, 3)
    source = Words(seed, told[1:])
    uniform = Uniform(told[0], source)
    answer = uniform.is_below(lambda _: ((part, part), (whole, whole)))
    everything = [told[0], *source.given]
    number = sum(Fraction(word, 2 ** (64 * (at + 1))) for at, word in enumerate(everything))
    assert answer == (number < Fraction(part, whole))


def test_a_comparison_asks_for_digits_until_it_is_certain() -> None:
    asked = []

    def third(digits: int) -> tuple[Between, Between]:
        asked.append(digits)
        one = 10**digits
        return (one // 3, one // 3 + 1), (one, one)

    told = from_number(10**100 + 2, 3 * 10**100, 12)
    assert not Uniform(told[0], Words(1, told[1:])).is_below(third)
    assert asked == [40, 80, 160]


def test_the_systems_words_are_as_many_as_asked_and_each_bit_is_a_fair_coin() -> None:
    words = system_words(40_000)
    assert words.dtype == np.uint64
    assert len(words) == 40_000
    ones = np.array([np.count_nonzero(words >> np.uint64(bit) & np.uint64(1)) for bit in range(64)])
    # Seven standard deviations: 64 coins fail by chance once in 10**10 runs.
    assert np.abs(ones - 20_000).max() < 700
    assert not np.array_equal(words, system_words(40_000))


@thorough
@given(rates, st.integers(0, 25), st.sampled_from((5, 40, 60)))
@example(Fraction(1), 1, 40)
@example(Fraction(3), 0, 40)
def test_bounds_of_a_decay_hold_it_and_are_next_to_each_other(
    rate: Fraction, times: int, digits: int
) -> None:
    low, high = decay(rational(rate), times, digits)
    least, most = exponential_between(rate * times)
    assert low <= most * 10**digits
    assert least * 10**digits <= high
    assert 0 <= high - low <= 1


@given(st.integers(10**3, 2**61))
def test_a_decay_that_vanishes_still_is_not_zero(times: int) -> None:
    assert decay(rational(Fraction(1)), times, 40) == (0, 1)


def test_a_decay_beyond_all_floats_is_found_with_enough_digits() -> None:
    """exp(-2000) is 1.13...e-869."""
    low, high = decay(rational(Fraction(1)), 2000, 900)
    assert len(str(low)) == 900 - 868
    with localcontext(prec=60):
        assert Decimal(low) <= Decimal(-2000).exp().scaleb(900) <= Decimal(high)


def test_the_precision_of_the_caller_changes_nothing() -> None:
    rate = rational(Fraction(2, 7))
    expected = decay(rate, 11, 60), minus_log_of_complement(10**59, 10**59 + 1, 60)
    with localcontext(prec=3):
        assert (decay(rate, 11, 60), minus_log_of_complement(10**59, 10**59 + 1, 60)) == expected


@unhurried
@given(st.integers(0, 10**12 - 1), st.integers(0, 10**6))
def test_bounds_of_a_logarithm_hold_it(low: int, wide: int) -> None:
    """Their exponentials lie around the number."""
    high = min(low + wide, 10**12 - 1)
    least, most = minus_log_of_complement(low, high, 12)
    with localcontext(prec=60):
        assert (-least).exp() >= 1 - Decimal(low).scaleb(-12)
        assert (-most).exp() <= 1 - Decimal(high).scaleb(-12)
        # They are no wider than the number's own uncertainty, relative to the complement.
        assert most - least <= Decimal(high - low) / (10**12 - high) + Decimal("1e-25")


@unhurried
@given(rates, st.integers(1, 25), st.sampled_from((-1, 0, 1)), st.integers(0))
def test_below_a_decay_is_decided_however_near(
    rate: Fraction, times: int, aside: int, seed: int
) -> None:
    """The first 128 bits of the decay itself, moved aside by a little, then chance."""
    with localcontext(prec=250):
        value = Fraction((-Decimal(rate.numerator) * times / Decimal(rate.denominator)).exp())
    told = from_number(int(value * 2**128) + aside, 2**128, 2)
    source = Words(seed, told[1:])
    answer = below_decay(Uniform(told[0], source), rational(rate), times)
    drawn = [told[0], *source.given]
    number = sum(Fraction(word, 2 ** (64 * (at + 1))) for at, word in enumerate(drawn))
    assert answer == (number < value)
