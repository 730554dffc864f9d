"""Records with fewer than k people behind them: known populations, and two other ways to count.

Fault class: a bound on how often a small class passes, read as the share of small classes among
those that passed.
"""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from class_size_populations import SHAPES, people_by_columns, population
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError
from roadstead.risk.below_k import counted_below_k, estimated_below_k, least_size_within
from roadstead.risk.class_size_law import below, fit_sizes, size_grid
from roadstead.risk.minimal_size import minimal_size

PEOPLE = 200_000
fractions = st.sampled_from([0.02, 0.1, 0.3, 0.5, 0.9])


def drawn(people: np.ndarray, fraction: float, seed: int) -> np.ndarray:
    """Records in each class; each person is drawn by itself."""
    return np.random.default_rng(1_000 + seed).binomial(people, fraction).astype(np.int64)


def test_d4_lets_many_small_classes_through_and_the_estimate_tells() -> None:
    """Geometric sizes, a tenth drawn, k = 10: over a third of what passes has fewer than ten.

    The significance is 0.1, and no other figure would have shown this.
    """
    people = population("geometric, mean 2.8", PEOPLE, 3)
    truths, found = [], []
    for seed in range(5):
        sizes = drawn(people, 0.1, seed)
        passed = sizes >= minimal_size(10, 0.1, "d4")
        truths.append(sizes[passed & (people < 10)].sum() / sizes[passed].sum())
        found.append(estimated_below_k(sizes, passed, 0.1, 10).share)
    assert np.mean(truths) > 0.34
    assert np.mean(found) == pytest.approx(np.mean(truths), abs=0.08)


@pytest.mark.quick(3)
@pytest.mark.parametrize("fraction", [0.05, 0.1, 0.3, 0.5])
@pytest.mark.parametrize("shape", [s for s in SHAPES if s != "all of 9 people"])
def test_the_truth_is_near_the_estimate_and_within_its_range(shape: str, fraction: float) -> None:
    """Two samples of each shape of classes; k of 5, 10 and 20.

    Off by three tenths of the truth or by 5% of the records released, whichever is more.
    """
    people = population(shape, PEOPLE, 5)
    for seed in range(2):
        sizes = drawn(people, fraction, seed)
        for k in (5, 10, 20):
            passed = sizes >= minimal_size(k, fraction, "d4")
            released = int(sizes[passed].sum())
            truth = int(sizes[passed & (people < k)].sum())
            found = estimated_below_k(sizes, passed, fraction, k)
            assert found.low <= truth <= found.high, (seed, k)
            if released > 500:
                assert abs(found.records - truth) <= max(0.3 * truth, 0.05 * released), (seed, k)


def test_sizes_that_are_all_alike_are_the_hardest() -> None:
    """Classes of nine people, k = 10: every record is below, at the limit of detection.

    The estimate misses this at a small share; the range does not.
    """
    people = population("all of 9 people", PEOPLE, 5)
    for fraction, least in ((0.05, 0.25), (0.1, 0.3), (0.5, 0.7)):
        sizes = drawn(people, fraction, 1)
        found = estimated_below_k(sizes, sizes >= minimal_size(10, fraction, "d4"), fraction, 10)
        assert found.share >= least
        assert found.high == found.released


def test_people_of_correlated_columns() -> None:
    """Classes of people in towns, of ages and origins that go together."""
    people = people_by_columns(PEOPLE, 7)
    for fraction in (0.05, 0.1, 0.3):
        sizes = drawn(people, fraction, 2)
        passed = sizes >= minimal_size(10, fraction, "d4")
        truth = int(sizes[passed & (people < 10)].sum())
        found = estimated_below_k(sizes, passed, fraction, 10)
        assert found.low <= truth <= found.high
        assert found.share == pytest.approx(truth / sizes[passed].sum(), abs=0.02)


@given(
    prior=st.lists(st.floats(0.0, 1.0), min_size=3, max_size=12).filter(lambda p: sum(p) > 0.1),
    fraction=fractions,
    k=st.integers(2, 12),
)
@unhurried
def test_the_posterior_is_that_of_enumeration(prior: list[float], fraction: float, k: int) -> None:
    """Bayes' theorem written out class by class, for any law of a few sizes."""
    grid = size_grid(fraction, k)
    law = np.zeros(grid.people.size)
    law[: len(prior)] = prior
    chances = below(grid, law)
    for f in range(1, len(prior) + 1):
        joint = [
            g * comb(h, f) * fraction**f * (1.0 - fraction) ** (h - f) if h >= f else 0.0
            for h, g in enumerate(prior, start=1)
        ]
        if sum(joint) > 1e-200:
            assert chances[f - 1] == pytest.approx(sum(joint[: k - 1]) / sum(joint), rel=1e-9)


@given(k=st.integers(2, 60), fraction=fractions, people=st.integers(1, 120), f=st.integers(1, 120))
@unhurried
def test_chances_of_a_sample_are_binomial(k: int, fraction: float, people: int, f: int) -> None:
    """Each person is drawn or not, by itself."""
    grid = size_grid(fraction, k)
    cell, at = int(np.searchsorted(grid.seen, f, "right")) - 1, people - 1
    if cell >= grid.seen.size - 1 or at >= grid.people.size:
        return
    assert grid.people[at] == people
    expected = comb(people, f) * fraction**f * (1.0 - fraction) ** (people - f)
    assert grid.chances[cell, at] == pytest.approx(expected, rel=1e-9, abs=1e-250)


def test_cells_of_several_sizes_add_up_to_all_that_is_seen() -> None:
    """Above two hundred records sizes share a cell; together the cells are everybody seen."""
    grid = size_grid(0.3, 90)
    assert (np.diff(grid.seen) > 1).any()
    seen = 1.0 - 0.7**grid.people
    within = grid.people < grid.seen[-1]
    assert grid.chances.sum(axis=0)[within] == pytest.approx(seen[within], rel=1e-9)


def test_the_fitted_law_is_at_least_as_likely_as_the_true_one_of_its_kind() -> None:
    """Geometric sizes are of the law's kind, so their likelihood is reached."""
    people = population("geometric, mean 20", 50_000, 1)
    sizes = drawn(people, 0.3, 1)
    grid = size_grid(0.3, 10)
    classes = grid.cells(sizes[sizes > 0], np.ones(np.count_nonzero(sizes), dtype=np.int64))
    true = (1.0 - 1.0 / 20.0) ** grid.people * grid.width

    def likelihood(law: np.ndarray) -> float:
        cells = grid.chances @ law
        return float(classes @ np.log(cells / cells.sum()))

    assert likelihood(fit_sizes(grid, classes)) >= likelihood(true) - 0.5


def test_a_whole_population_is_counted() -> None:
    """With everybody drawn, the records are the people."""
    sizes = np.array([2, 3, 9, 20], dtype=np.int64)
    found = estimated_below_k(sizes, sizes >= 3, 1.0, 10)
    assert (found.records, found.low, found.high, found.released) == (12, 12, 12, 32)


def test_classes_of_k_records_have_k_people() -> None:
    """Nothing is expected below k where every released class has k records, nor where none is."""
    sizes = np.array([1, 1, 2, 9, 10, 30], dtype=np.int64)
    assert estimated_below_k(sizes, sizes >= 10, 0.2, 10).high == 0
    none = estimated_below_k(sizes, sizes >= 100, 0.2, 10)
    assert (none.records, none.share, none.released) == (0, 0.0, 0)


def test_people_known_one_by_one_are_counted() -> None:
    """The exact number, with no range."""
    found = counted_below_k(np.array([2, 3, 4]), np.array([4, 5, 40]), 5)
    assert (found.records, found.low, found.high, found.released) == (2, 2, 2, 9)
    assert found.share == pytest.approx(2 / 9)
    assert not found.estimated


@given(
    sizes=st.lists(st.integers(0, 80), min_size=1, max_size=60),
    fraction=fractions,
    k=st.integers(2, 40),
    least=st.integers(1, 20),
)
@unhurried
def test_any_table_gets_an_ordered_answer(
    sizes: list[int], fraction: float, k: int, least: int
) -> None:
    """Low, estimate and high are in order, and no more than the records of classes below k."""
    table = np.array(sizes, dtype=np.int64)
    released = table >= least
    found = estimated_below_k(table, released, fraction, k)
    possible = int(table[released & (table < k)].sum())
    assert 0 <= found.low <= found.records <= found.high <= possible
    assert found.released == table[released].sum()


def test_the_order_of_classes_and_those_nobody_was_drawn_from_do_not_matter() -> None:
    """Same in, same out."""
    sizes = drawn(population("geometric, mean 2.8", 20_000, 3), 0.3, 4)
    shuffled = np.random.default_rng(0).permutation(sizes)
    with_more = np.append(shuffled, np.zeros(1_000, dtype=np.int64))
    found = [estimated_below_k(one, one >= 6, 0.3, 10) for one in (sizes, shuffled, with_more)]
    assert found[0] == found[1] == found[2]
    assert found[0].records > 0


def test_a_larger_least_class_brings_the_share_down() -> None:
    """The size proposed keeps the share; the one below it does not."""
    people = population("geometric, mean 2.8", PEOPLE, 3)
    sizes = drawn(people, 0.1, 0)
    least = least_size_within(sizes, sizes >= 4, 0.1, 10, 0.1)
    assert 4 < least < 10
    assert estimated_below_k(sizes, sizes >= least, 0.1, 10).share <= 0.1
    assert estimated_below_k(sizes, sizes >= least - 1, 0.1, 10).share > 0.1


def test_a_share_of_more_than_all_is_refused() -> None:
    """As everywhere."""
    with pytest.raises(SettingError):
        estimated_below_k(np.array([3]), np.array([True]), 1.5, 5)
