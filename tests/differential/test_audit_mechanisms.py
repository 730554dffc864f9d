"""Audits of mechanisms: Roadstead's own pass, and broken ones fail.

The bound of a sound mechanism is above its epsilon with a probability of at most 1 in a million.
The bound of each broken one is above it by at least seven of its standard deviations. The same
margin applies to the bounds that test whether sound ones use their epsilon.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from numpy.typing import NDArray

from roadstead.attacks.membership.audit import audited_epsilon
from roadstead.differential.budget import BudgetStep, Grant
from roadstead.differential.chance.mechanisms import Mechanisms

CONFIDENCE = 1 - 1e-6
RUNS = 25_000
"""Of mechanisms that take many cells at once."""
EXACT = Mechanisms()
ONE = Grant(BudgetStep("groups"), Fraction(1))
TWO = Grant(BudgetStep("groups"), Fraction(2))


def repeated(runs: int, run: Callable[[], Hashable]) -> list[Hashable]:
    return [run() for _ in range(runs)]


def noisy(count: int, grant: Grant) -> list[int]:
    """Outcomes of one count: cells that are noised in one call are runs of their own."""
    outcomes: list[int] = np.clip(EXACT.count(grant, np.full(RUNS, count)), -15, 25).tolist()
    return outcomes


def test_noisy_counts_keep_their_epsilon_and_use_it() -> None:
    bound = audited_epsilon(noisy(5, ONE), noisy(6, ONE), CONFIDENCE)
    assert 0.8 < bound <= 1


def test_half_the_noise_is_convicted() -> None:
    """Epsilon 1 is claimed, and the noise is that of epsilon 2."""
    assert audited_epsilon(noisy(5, TWO), noisy(6, TWO), CONFIDENCE) > 1


def choices(scores: list[int]) -> list[Hashable]:
    return repeated(5000, lambda: EXACT.choose(ONE, scores, 1, monotonic=False))


def test_choices_keep_their_epsilon_and_use_it() -> None:
    bound = audited_epsilon(choices([5, 5]), choices([6, 4]), CONFIDENCE)
    assert 0.4 < bound <= 1


def test_scores_that_move_by_more_than_is_said_are_convicted() -> None:
    assert audited_epsilon(choices([5, 5]), choices([7, 3]), CONFIDENCE) > 1


def interval_choices(scores: list[int]) -> list[Hashable]:
    return repeated(
        8000,
        lambda: EXACT.choose_interval(ONE, np.array(scores), np.array([1, 8]), 1, monotonic=False),
    )


@pytest.mark.nightly
def test_choices_of_intervals_keep_their_epsilon() -> None:
    bound = audited_epsilon(interval_choices([5, 5]), interval_choices([6, 4]), CONFIDENCE)
    assert 0.2 < bound <= 1


@pytest.mark.nightly
def test_scores_of_intervals_that_move_by_more_than_is_said_are_convicted() -> None:
    assert audited_epsilon(interval_choices([5, 5]), interval_choices([9, 1]), CONFIDENCE) > 1


Edges = Callable[[list[int]], list[int]]


def whole_domain(values: list[int]) -> list[int]:
    """Cut the public domain 0 to 16 at the values."""
    return sorted({0, *values, 16})


def to_the_largest(values: list[int]) -> list[int]:
    """Forget the interval above the largest value: a defect of published code."""
    return sorted({0, *values})


def splits(values: list[int], edges: Edges, *, by_length: bool = True) -> list[Hashable]:
    """Choose a split point that halves the values well: minus the difference of both sides.

    One value more moves every difference by 1.
    """
    ends = np.array(edges(values))
    lengths = np.diff(ends)
    below = np.array([sum(value <= left for value in values) for left in ends[:-1]])
    scores = -np.abs(len(values) - 2 * below)
    widths: NDArray[np.int64] = lengths if by_length else np.ones_like(lengths)

    def split() -> int:
        interval = EXACT.choose_interval(ONE, scores, widths, 1, monotonic=False)
        return int(ends[interval]) + EXACT.place(int(lengths[interval]))

    return repeated(8000, split)


NEIGHBORS = [2, 3], [2, 3, 13]


def test_split_points_keep_their_epsilon() -> None:
    first, second = (splits(values, whole_domain) for values in NEIGHBORS)
    assert 0.2 < audited_epsilon(first, second, CONFIDENCE) <= 1


@pytest.mark.nightly
def test_split_points_that_end_at_the_largest_value_are_convicted() -> None:
    first, second = (splits(values, to_the_largest) for values in NEIGHBORS)
    assert audited_epsilon(first, second, CONFIDENCE) > 3


@pytest.mark.nightly
def test_split_points_from_intervals_regardless_of_their_length_are_convicted() -> None:
    """The table says how many intervals there are, and so how likely each is."""
    first, second = (
        splits(values, whole_domain, by_length=False) for values in ([5, 15], [5, 14, 15])
    )
    assert audited_epsilon(first, second, CONFIDENCE) > 1


def shown_empty(grant: Grant, least: int) -> list[int]:
    """Show a cell that is empty, or 0 if it is not shown; each of many cells is a run."""
    shown = np.zeros(RUNS, dtype=np.int64)
    places, values = EXACT.exceeding(grant, len(shown), least)
    shown[places] = values
    outcomes: list[int] = np.minimum(shown, 15).tolist()
    return outcomes


def shown_with_one(least: int) -> list[int]:
    """Show a cell with one record."""
    counts = EXACT.count(ONE, np.ones(RUNS, dtype=np.int64))
    outcomes: list[int] = np.minimum(np.where(counts >= least, counts, 0), 15).tolist()
    return outcomes


def test_cells_shown_for_their_noise_keep_the_epsilon_of_the_histogram() -> None:
    bound = audited_epsilon(shown_empty(ONE, 2), shown_with_one(2), CONFIDENCE)
    assert 0.6 < bound <= 1


@pytest.mark.parametrize(
    ("grant", "least"), [(TWO, 2), (ONE, 3)], ids=["less noise", "a higher threshold"]
)
def test_empty_cells_with_another_tail_than_the_others_are_convicted(
    grant: Grant, least: int
) -> None:
    assert audited_epsilon(shown_empty(grant, least), shown_with_one(2), CONFIDENCE) > 1


def test_the_audit_nears_the_truth_from_below_and_hardly_ever_from_above() -> None:
    """Randomized response of epsilon 1 with three answers, 400 audits at 90 percent."""
    random = np.random.default_rng(12)
    truth = exp(1) / (exp(1) + 2)
    chances = [truth, (1 - truth) / 2, (1 - truth) / 2]
    bounds = np.array(
        [
            audited_epsilon(
                random.choice(3, 2000, p=chances).tolist(),
                random.choice(3, 2000, p=chances[::-1]).tolist(),
                0.9,
            )
            for _ in range(400)
        ]
    )
    assert np.mean(bounds > log(chances[0] / chances[2])) <= 0.1
    assert 0.7 < bounds.mean() < 1


def test_the_audit_convicts_an_outcome_that_only_one_table_has() -> None:
    assert audited_epsilon(["a"] * 2000, ["b"] * 2000, CONFIDENCE) > 3
    assert audited_epsilon(["a"] * 2000, ["a"] * 2000, CONFIDENCE) == pytest.approx(0, abs=0.02)
