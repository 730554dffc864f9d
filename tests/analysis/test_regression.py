"""Regressions, next to published figures and to other ways of working them out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from roadstead.analysis.formulas import parse_formula
from roadstead.analysis.regression import design_of, fitted
from roadstead.errors import SettingError
from roadstead.policies.value_sets import ShownColumn, original_column

# Hours of study and whether an exam was passed; the example of Wikipedia's "Logistic regression".
HOURS = "0.50 0.75 1.00 1.25 1.50 1.75 1.75 2.00 2.25 2.50 2.75 3.00 3.25 3.50 4.00 4.25 4.50 4.75 "
HOURS += "5.00 5.50"
PASSED = "00000010101010111111"


def columns(**cells: list[str]) -> tuple[list[ShownColumn], list[np.ndarray]]:
    """Give columns of texts, and the codes of their rows."""
    made, codes = [], []
    for name, texts in cells.items():
        domain = sorted(set(texts))
        made.append(original_column(name, domain))
        codes.append(np.array([domain.index(one) for one in texts], dtype=np.int32))
    return made, codes


def test_a_published_logistic_regression() -> None:
    """Coefficients -4.1 and 1.5 with standard errors 1.8 and 0.6, as published."""
    made, codes = columns(passed=list(PASSED), hours=HOURS.split())
    design = design_of(parse_formula("passed ~ hours"), made)
    fit = fitted(design, *design.rows(codes), np.ones(20))
    assert design.kind == "logistic"
    assert design.event == "1"
    assert fit.coefficients.round(1).tolist() == [-4.1, 1.5]
    assert fit.errors.round(1).tolist() == [1.8, 0.6]
    assert fit.settled


def test_a_logistic_fit_is_the_likeliest_and_its_errors_are_of_the_curvature() -> None:
    """By an optimizer that knows no derivatives, and by differences; rows with weights."""
    chance = np.random.default_rng(1)
    ages = chance.integers(20, 60, 80)
    groups = chance.choice(["a", "b", "c"], 80)
    died = [
        "yes" if one < 0.4 + (age - 40) / 60 else "no"
        for one, age in zip(chance.random(80), ages, strict=True)
    ]
    weights = chance.integers(1, 4, 80).astype(float)
    made, codes = columns(died=died, age=ages.astype(str).tolist(), group=groups.tolist())
    design = design_of(parse_formula("died ~ age + group"), made)
    outcome, rows = design.rows(codes)
    fit = fitted(design, outcome, rows, weights)
    assert design.terms == ("(intercept)", "age", "group: b", "group: c")

    def unlikely(own: np.ndarray) -> float:
        logit = rows @ own
        return -float((weights * (outcome * logit - np.logaddexp(0, logit))).sum())

    start = fit.coefficients + 0.01
    found = minimize(
        unlikely,
        start,
        method="Nelder-Mead",
        options={"xatol": 1e-8, "fatol": 1e-10, "maxiter": 20_000},
    )
    assert fit.coefficients == pytest.approx(found.x, abs=1e-4)
    step = np.diag([1e-3, 1e-4, 1e-3, 1e-3])
    at = fit.coefficients
    curvature = [
        [
            (
                unlikely(at + a + b)
                - unlikely(at + a - b)
                - unlikely(at - a + b)
                + unlikely(at - a - b)
            )
            / (4 * a.max() * b.max())
            for a in step
        ]
        for b in step
    ]
    assert fit.errors == pytest.approx(np.sqrt(np.diag(np.linalg.inv(curvature))), rel=1e-3)


def test_least_squares_of_weighted_rows_are_those_of_rows_repeated() -> None:
    """By NumPy on repeated rows, with the textbook's variance; a missing cell leaves a row out."""
    stays = ["1", "2", "4", "7", "3", ""]
    ages = ["20", "30", "40", "55", "31", "60"]
    weights = np.array([1, 3, 2, 1, 4, 9])
    made, codes = columns(stay=stays, age=ages)
    design = design_of(parse_formula("stay ~ age"), made)
    fit = fitted(design, *design.rows(codes), weights.astype(float))
    many = np.repeat(np.arange(5), weights[:5])
    x = np.stack([np.ones(11), np.array(ages[:5], dtype=float)[many]], axis=1)
    y = np.array(stays[:5], dtype=float)[many]
    found, residual, *_ = np.linalg.lstsq(x, y, rcond=None)
    assert fit.coefficients == pytest.approx(found)
    assert fit.covariance == pytest.approx(np.linalg.inv(x.T @ x) * residual / 9)
    assert (fit.records, fit.freedom) == (11, 9)


def test_a_coefficient_that_the_rows_do_not_determine_is_not_made_up() -> None:
    """A value that no row has, and one column that is another one; the rest is as without them."""
    made, codes = columns(
        stay=["1", "2", "4", "7", "3"],
        age=["20", "30", "40", "55", "31"],
        again=["40", "60", "80", "110", "62"],
        sex=["F", "F", "F", "M", "F"],
    )
    weights = np.array([1, 1, 1, 0, 1], dtype=float)
    design = design_of(parse_formula("stay ~ age + again + sex"), made)
    fit = fitted(design, *design.rows(codes), weights)
    alone = design_of(parse_formula("stay ~ age"), made[:2])
    wanted = fitted(alone, *alone.rows(codes[:2]), weights)
    assert np.isnan(fit.coefficients).tolist() == [False, False, True, True]
    assert fit.coefficients[:2] == pytest.approx(wanted.coefficients)


def test_an_outcome_told_for_sure_does_not_settle() -> None:
    """The likelihood has no greatest value; no endless loop, no warning, and it is said."""
    made, codes = columns(died=["no"] * 5 + ["yes"] * 5, old=["a"] * 5 + ["b"] * 5)
    design = design_of(parse_formula("died ~ old"), made)
    fit = fitted(design, *design.rows(codes), np.ones(10))
    assert fit.errors[1] > 100


@pytest.mark.parametrize(
    "cells",
    [
        {"outcome": ["a", "b", "c"], "age": ["1", "2", "3"]},
        {"outcome": ["a", "a", "a"], "age": ["1", "2", "3"]},
        {"outcome": [str(one) for one in range(60)], "code": [f"c{one}" for one in range(60)]},
    ],
)
def test_what_is_no_regression_is_refused(cells: dict[str, list[str]]) -> None:
    """Three classes, one value, and a coefficient for each of sixty values."""
    made, _ = columns(**cells)
    with pytest.raises(SettingError):
        design_of(parse_formula(" ~ ".join(cells)), made)
