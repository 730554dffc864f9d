"""Values drawn within the cells of a release, fits pooled, and how far intervals overlap."""

from __future__ import annotations

from itertools import product
from math import isnan, nan, sqrt

import numpy as np
import pytest
from scipy.stats import t

from roadstead.analysis.formulas import parse_formula
from roadstead.analysis.imputation import (
    Coefficient,
    DrawnFrom,
    _Cells,
    _margin,
    coefficients_of,
    imputed,
    overlap,
    pooled,
)
from roadstead.analysis.regression import Design, RegressionFit, design_of, fitted
from roadstead.analysis.value_sets import ShownTable, original_column


def parts(*sets: list[int]) -> list[np.ndarray]:
    """Give sets of value codes."""
    return [np.array(one, dtype=np.int32) for one in sets]


def test_margins_are_the_likeliest_for_what_the_cells_say() -> None:
    """Next to a search over all distributions in steps of a hundredth."""
    column = original_column("c", ["a", "b", "c"]).with_parts(parts([0], [1], [0, 1], [1, 2]))
    codes = np.repeat(np.arange(5, dtype=np.int32), [3, 1, 4, 4, 2])
    found = _margin(column, codes)

    def likelihood(share: np.ndarray) -> float:
        own = [share[0], share[1], share[0] + share[1], share[1] + share[2], 1.0]
        return float((np.log(np.maximum(own, 1e-300)) * [3, 1, 4, 4, 2]).sum())

    steps = range(101)
    best = max(
        likelihood(np.array([a, b, 100 - a - b]) / 100)
        for a, b in product(steps, steps)
        if a + b <= 100
    )
    assert found.sum() == pytest.approx(1)
    assert likelihood(found) >= best - 1e-9


def test_values_are_drawn_within_their_cells_and_by_their_margins() -> None:
    """Each cell's values come as often as their shares say; no other value does."""
    column = original_column("c", list("abcd")).with_parts(parts([2], [0, 3], [1, 2, 3]))
    margin = np.array([0.1, 0.2, 0.3, 0.4])
    chance = np.random.default_rng(5)
    for part, wanted in {
        0: {2: 1.0},
        1: {0: 0.2, 3: 0.8},
        2: {1: 2 / 9, 2: 1 / 3, 3: 4 / 9},
    }.items():
        cells = np.full(20_000, part, dtype=np.int32)
        drawn = np.bincount(_Cells(column, margin).drawn(cells, chance), minlength=4) / 20_000
        assert drawn == pytest.approx([wanted.get(code, 0) for code in range(4)], abs=0.02)
    even = _Cells(column, None).drawn(np.full(20_000, 2, dtype=np.int32), chance)
    assert np.bincount(even, minlength=4) / 20_000 == pytest.approx(
        [0, 1 / 3, 1 / 3, 1 / 3], abs=0.02
    )


def test_fits_are_pooled_by_rubins_rules() -> None:
    """Within, between, and degrees of freedom, worked out by hand."""
    design = Design("linear", np.zeros(1), None, (), ("(intercept)",))
    fits = [
        RegressionFit(np.array([mean]), np.array([[0.04]]), 50, 49.0) for mean in (1.0, 1.2, 1.1)
    ]
    (found,) = pooled(design, fits)
    between = 0.01
    total = 0.04 + 4 / 3 * between
    freedom = min(2 * (1 + 0.04 / (4 / 3 * between)) ** 2, 49)
    margin = t.ppf(0.975, freedom) * sqrt(total)
    assert found.estimate == pytest.approx(1.1)
    assert (found.low, found.high) == pytest.approx((1.1 - margin, 1.1 + margin))


def test_pooling_equal_fits_changes_nothing() -> None:
    """A release that shows every value as it is has the intervals of its original."""
    design = Design("linear", np.zeros(1), None, (), ("(intercept)",))
    fit = RegressionFit(np.array([2.0]), np.array([[0.09]]), 20, 19.0)
    assert pooled(design, [fit] * 4) == coefficients_of(design, fit)


@pytest.mark.parametrize(
    ("own", "other", "share"),
    [
        ((0, 1), (0, 1), 1.0),
        ((0, 1), (0, 2), 0.75),
        ((0, 2), (1, 3), 0.5),
        ((0, 1), (2, 3), 0.0),
        ((0, 4), (1, 2), 0.625),
        ((0, 1), (nan, nan), 0.0),
        ((nan, nan), (0, 1), None),
    ],
)
def test_overlap_is_the_mean_of_the_shares(
    own: tuple[float, float], other: tuple[float, float], share: float | None
) -> None:
    """Karr and others; what is not determined overlaps with nothing."""
    assert overlap(Coefficient("a", 0, *own), Coefficient("a", 0, *other)) == share


def simulated(kind: str, drawn_from: DrawnFrom) -> tuple[Coefficient, Coefficient]:
    """Give a coefficient of made-up records, and that of the records in bands of ten years."""
    chance = np.random.default_rng(11)
    ages = chance.integers(20, 80, 4000)
    if kind == "logistic":
        risk = 1 / (1 + np.exp(-(ages - 50) * 0.08))
        outcomes = np.where(chance.random(ages.size) < risk, "yes", "no").tolist()
    else:
        outcomes = [
            str(one) for one in np.rint(ages * 0.5 + chance.normal(0, 4, ages.size)).astype(int)
        ]
    values = [str(one) for one in range(20, 80)]
    levels = sorted(set(outcomes))
    outcome, age = original_column("y", levels), original_column("age", values)
    design = design_of(parse_formula("y ~ age"), [outcome, age])
    told = np.array([levels.index(one) for one in outcomes], dtype=np.int32)
    ones = np.ones(ages.size, dtype=np.int64)
    codes = (told, (ages - 20).astype(np.int32))
    before = coefficients_of(design, fitted(design, *design.rows(codes), ones.astype(float)))
    bands = age.with_parts(parts(*(list(range(at, at + 20)) for at in range(0, 60, 20))))
    release = ShownTable((outcome, bands), (told, ((ages - 20) // 20).astype(np.int32)), ones)
    after = pooled(design, imputed(design, release, 20, drawn_from, 3))
    return before[1], after[1]


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["logistic", "linear"])
def test_draws_that_look_at_the_outcome_do_not_pull_a_coefficient_towards_zero(kind: str) -> None:
    """Those that do not, do; and either interval is wider than the original's."""
    before, careful = simulated(kind, "outcome")
    _, plain = simulated(kind, "margins")
    assert abs(careful.estimate - before.estimate) < 0.35 * abs(plain.estimate - before.estimate)
    assert plain.estimate < before.low
    assert careful.low < before.estimate < careful.high
    assert careful.high - careful.low > before.high - before.low


@pytest.mark.parametrize("drawn_from", ["outcome", "margins", "uniform"])
def test_a_release_without_open_cells_has_the_fit_of_its_original(drawn_from: DrawnFrom) -> None:
    """Nothing is drawn, and so each completed table is the same."""
    chance = np.random.default_rng(2)
    outcome, age = original_column("y", ["n", "y"]), original_column("age", list("123456789"))
    design = design_of(parse_formula("y ~ age"), [outcome, age])
    codes = tuple(chance.integers(size, size=30).astype(np.int32) for size in (2, 9))
    weights = chance.integers(1, 4, 30)
    table = ShownTable((outcome, age), codes, weights)
    fit = fitted(design, *design.rows(codes), weights.astype(float))
    found = pooled(design, imputed(design, table, 3, drawn_from, 1))
    for one, other in zip(found, coefficients_of(design, fit), strict=True):
        assert (one.estimate, one.low, one.high) == pytest.approx(
            (other.estimate, other.low, other.high)
        )
        assert not isnan(one.low)
