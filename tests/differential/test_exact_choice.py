"""The exponential mechanism over intervals, compared with its formula in decimals."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from effort import sparing, thorough, unhurried
from goodness_of_fit import fits
from hypothesis import given
from hypothesis import strategies as st
from words import Words, from_number

from roadstead.differential.chance import exact_choice
from roadstead.differential.chance.exact_choice import Ruler, Uniform, choose_weighted, system_words

FACTS_LENGTHS = np.array([10, 10, 20, 30, 30])
FACTS_SCORES = np.array([2, 3, 4, 3, 2])


def shares(lengths: list[int], scores: list[int], rate: Fraction) -> list[Fraction]:
    """Where each interval ends, as a share of the ruler, to about 240 digits.

    Weights are relative to the best, so that those of equal scores are equal to the last digit.
    """
    best = max(scores)
    with localcontext(prec=250):
        weights = [
            length * (Decimal(rate.numerator) * (score - best) / Decimal(rate.denominator)).exp()
            for length, score in zip(lengths, scores, strict=True)
        ]
        whole = sum(weights)
        return [Fraction(end / whole) for end in accumulate(weights)]


intervals = st.lists(
    st.tuples(
        st.one_of(st.integers(0, 5), st.integers(0, 2**40)),
        st.one_of(st.integers(-3, 3), st.integers(-500, 500)),
    ),
    min_size=1,
    max_size=12,
).filter(lambda drawn: any(length for length, _ in drawn))
some_rates = st.fractions(min_value=Fraction(1, 1000), max_value=1, max_denominator=1000)


def check(lengths: list[int], scores: list[int], rate: Fraction, source: Words) -> None:
    """The choice is the first interval that ends behind the uniform number drawn."""
    chosen = choose_weighted(np.array(lengths), np.array(scores), rate, source)
    number = sum(Fraction(word, 2 ** (64 * (at + 1))) for at, word in enumerate(source.given))
    ends = shares(lengths, scores, rate)
    assert chosen == next(at for at, end in enumerate(ends) if number < end)


@unhurried
@given(intervals, some_rates, st.integers(0))
def test_a_choice_is_the_interval_at_a_uniform_place(
    drawn: list[tuple[int, int]], rate: Fraction, seed: int
) -> None:
    lengths, scores = (list(column) for column in zip(*drawn, strict=True))
    check(lengths, scores, rate, Words(seed))


@thorough
@given(st.data(), intervals, some_rates, st.sampled_from((-1, 0, 1)), st.integers(0))
def test_a_choice_next_to_an_end_is_right_too(
    data: st.DataObject,
    drawn: list[tuple[int, int]],
    rate: Fraction,
    aside: int,
    seed: int,
) -> None:
    """The first bits are those of an end: floats cannot decide, so decimals must."""
    lengths, scores = (list(column) for column in zip(*drawn, strict=True))
    end = data.draw(st.sampled_from(shares(lengths, scores, rate)))
    words = data.draw(st.integers(1, 3))
    first = min(max(int(end * 2 ** (64 * words)) + aside, 0), 2 ** (64 * words) - 1)
    check(lengths, scores, rate, Words(seed, from_number(first, 2 ** (64 * words), words)))


@sparing
@given(st.integers(0, 2**32), st.integers(1, 2000), st.integers(0, 400_000), some_rates)
def test_floats_never_rule_out_what_decimals_choose(
    seed: int, count: int, spread: int, rate: Fraction
) -> None:
    random = np.random.default_rng(seed)
    ruler = Ruler(
        random.integers(1, 2**40, count), random.integers(0, spread + 1, count), rate / 100
    )
    word = int(random.integers(0, 2**64, dtype=np.uint64))
    first, last = ruler.candidates(Uniform(word, Words(seed)))
    exact = ruler.narrow(0, count - 1, Uniform(word, Words(seed)))
    assert first <= exact <= last
    assert ruler.interval_at(Uniform(word, Words(seed))) == exact


def test_floats_decide_nearly_always() -> None:
    """Two bounds of 30,000 ends overlap in less than a millionth of the ruler."""
    random = np.random.default_rng(5)
    ruler = Ruler(
        random.integers(1, 2**40, 30_000), random.integers(0, 300_000, 30_000), Fraction(1, 10**5)
    )
    for seed in range(200):
        source = Words(seed)
        first, last = ruler.candidates(Uniform(int(source(1)[0]), source))
        assert first == last


def test_the_worked_example_of_the_facts() -> None:
    counts = np.zeros(5, dtype=np.int64)
    source = Words(7)
    for _ in range(20_000):
        counts[choose_weighted(FACTS_LENGTHS, FACTS_SCORES, Fraction(1, 2), source)] += 1
    expected = [0.0624, 0.1028, 0.3391, 0.3085, 0.1871]
    ends = [0.0, *map(float, shares([10, 10, 20, 30, 30], [2, 3, 4, 3, 2], Fraction(1, 2)))]
    assert np.diff(ends) == pytest.approx(expected, abs=6e-5)
    assert fits(counts, np.diff(ends).tolist())


def test_the_same_with_the_random_numbers_of_the_system() -> None:
    counts = np.zeros(5, dtype=np.int64)
    for _ in range(5_000):
        counts[choose_weighted(FACTS_LENGTHS, FACTS_SCORES, Fraction(1, 2), system_words)] += 1
    ends = [0.0, *map(float, shares([10, 10, 20, 30, 30], [2, 3, 4, 3, 2], Fraction(1, 2)))]
    assert fits(counts, np.diff(ends).tolist())


@pytest.mark.parametrize(("zeros", "chosen"), [(40, 1), (50, 0)])
def test_an_interval_of_probability_1_in_10_to_the_869_can_be_chosen(
    zeros: int, chosen: int
) -> None:
    """2**(-64 x 40) is 10**-771 and 2**(-64 x 50) is 10**-963; no float is below 10**-324."""
    source = Words(1, [0] * zeros + [2**64 - 1] * 60)
    assert choose_weighted(np.array([1, 1]), np.array([-2000, 0]), Fraction(1), source) == chosen


@pytest.mark.parametrize("word", [0, 2**63, 2**64 - 1])
def test_an_interval_without_length_is_never_chosen(word: int) -> None:
    """Not even when it has the best score by far."""
    lengths, scores = np.array([0, 3, 0]), np.array([10**6, 0, 10**6])
    assert choose_weighted(lengths, scores, Fraction(1), Words(1, [word])) == 1


def test_scores_and_lengths_can_be_as_large_as_they_come() -> None:
    lengths, scores = np.array([2**61, 2**61, 1]), np.array([-(2**60), 2**60, 2**60])
    for seed in range(20):
        assert choose_weighted(lengths, scores, Fraction(2**20), Words(seed)) == 1


@pytest.mark.parametrize("count", [30_000, 1_500_000])
def test_a_choice_among_many_needs_no_decimals(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Floats decide it, from one random word; the time, a benchmark measures."""
    asked: list[object] = []
    monkeypatch.setattr(exact_choice, "decay", lambda *given: asked.append(given))
    random = np.random.default_rng(3)
    scores = random.integers(0, 300_000, count)
    lengths = random.integers(1, 2**40, count)
    words = Words(9)
    for _ in range(3):
        choose_weighted(lengths, scores, Fraction(1, 28), words)
    assert (len(words.given), asked) == (3, [])
