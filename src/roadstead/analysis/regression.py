"""Fit linear and logistic regressions to weighted rows, and compute standard errors.

If the outcome has two values, a logistic model predicts the probability of the second value.
Otherwise, the outcome must be numeric, and the model is fitted by ordinary least squares. The
standard errors are computed from the information matrix. A categorical predictor has a coefficient
for each value except the first, as in R and Patsy. Rows with a missing value are omitted. A code
that an SPSS or Stata file declares as missing is a missing value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.analysis.formulas import Formula
from roadstead.errors import SettingError, quoted
from roadstead.policies.value_sets import ShownColumn

ModelKind: TypeAlias = Literal["linear", "logistic"]
Floats: TypeAlias = NDArray[np.float64]

INTERCEPT = "(intercept)"
_TWO = 2
_MOST_VALUES = 50
"""The largest number of values that a categorical predictor may have."""
_STEPS, _SETTLED = 50, 1e-10
_MOST_LOGIT = 30.0
"""The largest logit. For larger logits, the probabilities equal 0 or 1 to 13 digits."""
_ALIKE = 1e-9


@dataclass(frozen=True, eq=False)
class Design:
    """The numeric encoding of the columns of a formula."""

    kind: ModelKind
    outcome: Floats = field(repr=False)  # one number per value of the outcome; NaN if missing
    event: str | None  # for a logistic model, the value that is encoded as 1
    # For each predictor, an array of shape ``(values, coefficients)`` encodes the values; a missing
    # value is NaN.
    predictors: tuple[Floats, ...] = field(repr=False)
    terms: tuple[str, ...]  # the names of the coefficients, starting with the intercept

    def rows(self, codes: Sequence[NDArray[np.integer]]) -> tuple[Floats, Floats]:
        """Encode rows of value codes, and return the outcome and the predictors."""
        parts = [own[code] for own, code in zip(self.predictors, codes[1:], strict=True)]
        return self.outcome[codes[0]], np.hstack([np.ones((codes[0].size, 1)), *parts])


@dataclass(frozen=True, eq=False)
class RegressionFit:
    """The fitted coefficients and their covariance. Undetermined coefficients are NaN."""

    coefficients: Floats
    covariance: Floats = field(repr=False)
    records: int
    freedom: float  # degrees of freedom of the confidence intervals
    settled: bool = True  # whether the iteration converged

    @property
    def errors(self) -> Floats:
        """Return the standard errors of the coefficients."""
        return np.sqrt(np.diag(self.covariance))


def design_of(formula: Formula, columns: Sequence[ShownColumn]) -> Design:
    """Encode the values of a formula's columns as numbers.

    `columns` must be in the order of the formula. A column that cannot be encoded raises a
    SettingError.
    """
    outcome, *predictors = columns
    kind, numbers, event = _outcome(outcome)
    made, terms = [], [INTERCEPT]
    for column in predictors:
        if column.numbers is not None:
            made.append(column.numbers[:, None])
            terms.append(column.name)
            continue
        values = [value for value in column.values if value not in column.missing]
        if len(values) > _MOST_VALUES:
            raise SettingError(
                f"column {quoted(column.name)} has {len(values):,} values, so the regression "
                "would need a coefficient for each value",
                where=f"formula {str(formula)!r}",
                fix=f"use columns with numbers, or columns with at most {_MOST_VALUES} values",
            )
        terms += [f"{column.name}: {value}" for value in values[1:]]
        own = np.array([[one == value for value in values[1:]] for one in column.values])
        own = own.astype(np.float64).reshape(len(column.values), -1)
        own[[at for at, one in enumerate(column.values) if one in column.missing]] = np.nan
        made.append(own)
    return Design(kind, numbers, event, tuple(made), tuple(terms))


def _outcome(column: ShownColumn) -> tuple[ModelKind, Floats, str | None]:
    values = [value for value in column.values if value not in column.missing]
    if len(values) == _TWO:
        if column.numbers is not None:
            values.sort(key=lambda value: column.numbers[column.values.index(value)])  # type: ignore[index] # just checked
        event = {values[0]: 0.0, values[1]: 1.0}
        numbers = np.array([event.get(value, np.nan) for value in column.values])
        return "logistic", numbers, values[1]
    if column.numbers is None or len(values) < _TWO:
        raise SettingError(
            f"outcome {quoted(column.name)} is not a number and does not have exactly two values",
            fix="choose another outcome, or use a table in which this outcome has two values",
        )
    return "linear", column.numbers, None


def fitted(design: Design, outcome: Floats, rows: Floats, weights: Floats) -> RegressionFit:
    """Fit a regression to weighted rows. Rows that contain a NaN are omitted."""
    known = ~(np.isnan(outcome) | np.isnan(rows).any(axis=1)) & (weights > 0)
    outcome, rows, weights = outcome[known], rows[known], weights[known]
    number = rows.shape[1]
    coefficients, covariance = np.full(number, np.nan), np.full((number, number), np.nan)
    records = int(weights.sum())
    used = _determined(rows, weights)
    if records <= used.size or not used.size:
        return RegressionFit(coefficients, covariance, records, np.inf, settled=False)
    fit = _least_squares if design.kind == "linear" else _logistic
    found, spread, settled = fit(outcome, rows[:, used], weights)
    coefficients[used] = found
    covariance[np.ix_(used, used)] = spread
    freedom = records - used.size if design.kind == "linear" else np.inf
    return RegressionFit(coefficients, covariance, records, float(freedom), settled)


def _determined(rows: Floats, weights: Floats) -> NDArray[np.intp]:
    """Find the columns that do not depend on earlier columns, with the Gram-Schmidt process."""
    scaled = rows * np.sqrt(weights)[:, None]
    basis: list[Floats] = []
    used = []
    for at in range(rows.shape[1]):
        rest = scaled[:, at].copy()
        length = np.linalg.norm(rest)
        for _ in range(2):  # a second pass removes the rounding errors
            for one in basis:
                rest -= one * (one @ rest)
        left = np.linalg.norm(rest)
        if length and left > _ALIKE * length:
            basis.append(rest / left)
            used.append(at)
    return np.array(used, dtype=np.intp)


def _least_squares(outcome: Floats, rows: Floats, weights: Floats) -> tuple[Floats, Floats, bool]:
    """Fit a linear model by least squares. The weights are numbers of records."""
    root = np.sqrt(weights)
    q, r = np.linalg.qr(rows * root[:, None])
    found = np.linalg.solve(r, q.T @ (outcome * root))
    residual = ((outcome - rows @ found) ** 2 * weights).sum()
    inverse = np.linalg.inv(r)
    return found, inverse @ inverse.T * residual / (weights.sum() - rows.shape[1]), True


def _logistic(outcome: Floats, rows: Floats, weights: Floats) -> tuple[Floats, Floats, bool]:
    """Fit a logistic model by Newton's method with step halving (McCullagh, Nelder 1989)."""
    scale = np.maximum(np.abs(rows).max(axis=0), _ALIKE)
    rows = rows / scale
    found = np.zeros(rows.shape[1])
    best, settled = _likelihood(found, outcome, rows, weights), False
    for _ in range(_STEPS):
        risk = _risk(rows @ found)
        gradient = rows.T @ (weights * (outcome - risk))
        step = np.linalg.lstsq(_information(rows, weights, risk), gradient, rcond=None)[0]
        for _ in range(_STEPS):
            value = _likelihood(found + step, outcome, rows, weights)
            if value >= best - _SETTLED * abs(best):
                break
            step = step / 2
        gained, best, found = value - best, value, found + step
        if abs(gained) < _SETTLED * (abs(best) + 1):
            settled = True
            break
    information = _information(rows, weights, _risk(rows @ found))
    spread = np.linalg.pinv(information, hermitian=True)
    return found / scale, spread / np.outer(scale, scale), settled


def _risk(logit: Floats) -> Floats:
    risk: Floats = 1 / (1 + np.exp(-np.clip(logit, -_MOST_LOGIT, _MOST_LOGIT)))
    return risk


def _information(rows: Floats, weights: Floats, risk: Floats) -> Floats:
    information: Floats = (rows * (weights * risk * (1 - risk))[:, None]).T @ rows
    return information


def _likelihood(found: Floats, outcome: Floats, rows: Floats, weights: Floats) -> float:
    logit = rows @ found
    return float((weights * (outcome * logit - np.logaddexp(0, logit))).sum())
