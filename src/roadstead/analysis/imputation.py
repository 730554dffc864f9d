"""Fit a regression to a release by multiple imputation.

A generalized cell shows several values, and the true value is one of them. *Multiple imputation
within the box* samples one of these values for each record, fits the regression to the completed
records, and repeats both steps several times. Rubin's rules pool the fits, so the confidence
intervals reflect the uncertainty about the true values. There are three sampling methods:

* ``uniform``: all values that the cell shows have equal weights.
* ``margins``: the weights are the frequencies of the values, which the EM algorithm estimates from
  all cells of the column.
* ``outcome``: the weights are the same frequencies, multiplied by the likelihood of the record
  under the regression. The regression coefficients are sampled again in each round (data
  augmentation: Tanner and Wong 1987).

The first two methods sample a predictor as if it did not depend on the outcome. So they bias the
coefficient of the predictor toward zero. If the outcome itself has several possible values, the
``margins`` method samples the outcome.

The *overlap* of two 95% confidence intervals is the mean of two quotients. In each quotient, the
length of the common part is divided by the length of one interval (Karr, Kohnen, Oganian, Reiter,
Sanil 2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.analysis.regression import Design, Floats, RegressionFit, fitted
from roadstead.policies.value_sets import ShownColumn, ShownTable

DrawnFrom: TypeAlias = Literal["uniform", "margins", "outcome"]
DRAWN_FROM: tuple[DrawnFrom, ...] = ("outcome", "margins", "uniform")

_LEVEL = 0.975
_EM_STEPS = 200
_SWEEPS = 4
"""The number of sampling rounds between two completed tables."""
_PROPOSALS = 8
"""The number of Metropolis-Hastings proposals for each cell in a round."""


@dataclass(frozen=True)
class Coefficient:
    """A coefficient and its 95% confidence interval, or NaN if the fit does not determine them."""

    term: str
    estimate: float
    low: float
    high: float


def coefficients_of(design: Design, fit: RegressionFit) -> tuple[Coefficient, ...]:
    """Return the coefficients of a fit and their confidence intervals."""
    from scipy.special import stdtrit  # noqa: PLC0415 - heavy

    freedom = min(
        fit.freedom, 1e9
    )  # With this many degrees of freedom, the t distribution is practically normal.
    margin = float(stdtrit(freedom, _LEVEL)) * fit.errors
    return tuple(
        Coefficient(term, float(one), float(one - half), float(one + half))
        for term, one, half in zip(design.terms, fit.coefficients, margin, strict=True)
    )


def pooled(design: Design, fits: Sequence[RegressionFit]) -> tuple[Coefficient, ...]:
    """Pool the fits of several completed tables with Rubin's rules (1987, section 3.1).

    If at least one fit does not determine a coefficient, the pooled coefficient is NaN.
    """
    from scipy.special import stdtrit  # noqa: PLC0415 - heavy

    number = len(fits)
    estimates = np.array([one.coefficients for one in fits])
    mean = estimates.mean(axis=0)
    within = np.array([one.errors**2 for one in fits]).mean(axis=0)
    between = estimates.var(axis=0, ddof=1) if number > 1 else np.zeros_like(mean)
    extra = (1 + 1 / number) * between
    found = []
    for term, one, own, more in zip(design.terms, mean, within, extra, strict=True):
        known = fits[0].freedom
        # Use Rubin's degrees of freedom, but no more than the complete data have.
        freedom = min(known, (number - 1) * (1 + own / more) ** 2 if more > 0 else known, 1e9)
        half = float(stdtrit(freedom, _LEVEL)) * np.sqrt(own + more)
        found.append(Coefficient(term, float(one), float(one - half), float(one + half)))
    return tuple(found)


def overlap(original: Coefficient, release: Coefficient) -> float | None:
    """Return the overlap of two intervals, from 0 to 1, or None if `original` is NaN.

    The overlap is 0 if the release does not determine the coefficient.
    """
    if np.isnan(original.low):
        return None
    if np.isnan(release.low):
        return 0.0
    common = min(original.high, release.high) - max(original.low, release.low)
    widths = original.high - original.low, release.high - release.low
    if min(widths) <= 0:  # An interval has no width if its fit has no error.
        return 1.0 if common >= 0 and widths[0] == widths[1] else 0.0
    return max(sum(common / width for width in widths) / 2, 0.0)


def imputed(
    design: Design, table: ShownTable, draws: int, drawn_from: DrawnFrom, seed: int
) -> tuple[RegressionFit, ...]:
    """Fit a regression to each of `draws` completed tables that are sampled from a release."""
    chance = np.random.default_rng(seed)
    rows = np.repeat(np.arange(table.weights.size), table.weights)
    parts = [codes[rows] for codes in table.codes]
    cells = [
        _Cells(column, _margin(column, own) if drawn_from != "uniform" else None)
        for column, own in zip(table.columns, parts, strict=True)
    ]
    ones = np.ones(rows.size)
    fits = []
    drawn = [own.drawn(part, chance) for own, part in zip(cells, parts, strict=True)]
    for _ in range(draws):
        if drawn_from == "outcome":
            for _ in range(_SWEEPS):
                fit = fitted(design, *design.rows(drawn), ones)
                drawn = _redrawn(design, fit, cells, parts, drawn, chance)
        else:
            drawn = [own.drawn(part, chance) for own, part in zip(cells, parts, strict=True)]
        fits.append(fitted(design, *design.rows(drawn), ones))
    return tuple(fits)


class _Cells:
    """The possible values in each part of a column, and their sampling weights."""

    def __init__(self, column: ShownColumn, margin: Floats | None) -> None:
        self.column = column
        self.single = column.sizes == 1
        share = np.ones(column.members.size) if margin is None else margin[column.members]
        total = np.add.reduceat(share, column.starts[:-1])
        # If all values of a part have a frequency of 0, they are weighted equally.
        self.share = np.where((total > 0)[column.owners], share, 1.0)
        self.above = np.cumsum(self.share)
        self.before = np.concatenate(([0.0], self.above))[column.starts[:-1]]
        self.total = np.add.reduceat(self.share, column.starts[:-1])

    def drawn(self, parts: NDArray[np.int32], chance: np.random.Generator) -> NDArray[np.integer]:
        """Sample one value for each part, and return the codes of the values."""
        goal = self.before[parts] + chance.random(parts.size) * self.total[parts]
        place = np.searchsorted(self.above, goal, side="right")
        starts = self.column.starts
        return self.column.members[np.clip(place, starts[parts], starts[parts + 1] - 1)]


def _margin(column: ShownColumn, parts: NDArray[np.int32]) -> Floats:
    """Estimate the frequencies of the values with the EM algorithm, from a uniform start."""
    weights = np.bincount(parts, minlength=column.parts).astype(np.float64)
    owners, members = column.owners, column.members
    share = np.full(len(column.values), 1 / len(column.values))
    for _ in range(_EM_STEPS):
        own = share[members]
        total = np.add.reduceat(own, column.starts[:-1])
        factor = np.divide(weights, total, out=np.zeros_like(total), where=total > 0)
        share = np.bincount(members, weights=own * factor[owners], minlength=share.size)
        share = share / max(float(share.sum()), 1e-300)
    return share


def _redrawn(
    design: Design,
    fit: RegressionFit,
    cells: Sequence[_Cells],
    parts: Sequence[NDArray[np.int32]],
    drawn: Sequence[NDArray[np.integer]],
    chance: np.random.Generator,
) -> list[NDArray[np.integer]]:
    """Sample the coefficients, and then sample each predictor given all other values."""
    known = ~np.isnan(fit.coefficients)
    coefficients = np.zeros(known.size)
    if known.any():
        spread = fit.covariance[np.ix_(known, known)]
        coefficients[known] = chance.multivariate_normal(
            fit.coefficients[known], spread, method="svd"
        )
    found = [cells[0].drawn(parts[0], chance), *drawn[1:]]
    outcome, rows = design.rows(found)
    variance = _variance(design, coefficients, outcome, rows)
    at = 1
    for place, own in enumerate(design.predictors, start=1):
        effect = np.nan_to_num(own) @ coefficients[at : at + own.shape[1]]
        at += own.shape[1]
        open_ = np.flatnonzero(~cells[place].single[parts[place]])
        part, new = parts[place][open_], found[place][open_]
        score = (np.nan_to_num(rows) @ coefficients)[open_]
        seen = outcome[open_]
        likely = _log_likelihood(seen, score, variance)
        for _ in range(_PROPOSALS):
            other = cells[place].drawn(part, chance)
            moved = score + effect[other] - effect[new]
            gain = _log_likelihood(seen, moved, variance)
            taken = np.log(chance.random(part.size)) < gain - likely
            new = np.where(taken, other, new)
            score, likely = np.where(taken, moved, score), np.where(taken, gain, likely)
        found[place] = found[place].copy()
        found[place][open_] = new
        outcome, rows = design.rows(found)
    return found


def _variance(design: Design, coefficients: Floats, outcome: Floats, rows: Floats) -> float | None:
    """Return the residual variance of a linear model, or None for a logistic model."""
    if design.kind == "logistic":
        return None
    residual = outcome - np.nan_to_num(rows) @ coefficients
    return max(float(np.nanmean(residual**2)), 1e-300)


def _log_likelihood(outcome: Floats, score: Floats, variance: float | None) -> Floats:
    """Return the log-likelihood of each outcome under the `score`, or 0 for a missing outcome."""
    if variance is None:
        found = outcome * score - np.logaddexp(0, score)
    else:
        found = -((outcome - score) ** 2) / (2 * variance)
    return np.nan_to_num(found)
