"""The slide negative binomial model (SNB): class sizes are 1 + a negative binomial number.

A class in the population has j people with probability

    P(F = j) = C(alpha + j - 2, j - 1) beta^alpha (1 - beta)^(j - 1),        j = 1, 2, ...

(Chen and Keller-McNulty 1998). If there are K classes, the expected number of classes with one
person is K beta^alpha. If every person is sampled with probability p, the expected numbers of
sample classes with one and two records are f1 and f2, where d = (1 - p)(1 - beta):

    f1 = K p (beta / (1 - d))^alpha (1 + alpha d / (1 - d))
    f2 = K p^2 alpha (1 - beta) beta^alpha (2 - (1 - alpha) d) / (2 (1 - d)^(alpha + 2))

These two equations are solved for alpha and beta. K is estimated first, by Shlosser's estimator of
the number of classes, which Haas and Stokes (1998) modified:

    K = u + f1 * [sum i p^2 (1 - p^2)^(i-1) f_i / sum (1 - p)^i ((1 + p)^i - 1) f_i]
               * [sum (1 - p)^i f_i / sum i p (1 - p)^(i-1) f_i]^2

A solution is reliable if K times the mean class size is close to the true number of people.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import exp, log
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.risk.population_uniques import Sample, estimated

Reals: TypeAlias = NDArray[np.float64]

_LOWEST, _HIGHEST = -80.0, 36.0
"""The range in which the search looks for a solution, as logits of beta."""


@dataclass(frozen=True)
class SlideNegativeBinomial:
    """A solution with `classes` classes of 1 + negative binomial(`alpha`, `beta`) people."""

    alpha: float
    beta: float
    classes: float

    @property
    def uniques(self) -> float:
        """Return the expected number of classes with one person."""
        return self.classes * exp(self.alpha * log(self.beta))

    @property
    def people(self) -> float:
        """Return the expected number of people in all classes."""
        return self.classes * (1.0 + self.alpha * (1.0 - self.beta) / self.beta)


def _uniques(drawn: Sample) -> float | str:
    """Return the expected number of classes with one person, or the reason why it is unknown."""
    if not drawn.of_size(2):
        return "no group has two records"
    found = solve(drawn, population_classes(drawn))
    if found is None:
        return (
            "no parameters of the model match the numbers of groups with one and with two records"
        )
    return found.uniques


snb_uniques = partial(estimated, "snb", _uniques)


def population_classes(drawn: Sample) -> float:
    """Estimate the number of classes in the population (Shlosser; Haas and Stokes).

    The sample must have classes of one record, and must not be the whole population. If every
    record is unique, the estimate is the number of people. Otherwise, the estimate is lower.
    """
    p, q = drawn.fraction, 1.0 - drawn.fraction
    i, f = drawn.sizes.astype(np.float64), drawn.classes_of
    missed = q**i
    pairs = p * p * (f @ (i * (1.0 - p * p) ** (i - 1.0)))
    seen = f @ ((1.0 - p * p) ** i - missed)
    unseen = (f @ missed) / (p * (f @ (i * q ** (i - 1.0))))
    return float(drawn.classes + drawn.of_size(1) * pairs / seen * unseen**2)


def solve(drawn: Sample, classes: float) -> SlideNegativeBinomial | None:
    """Find the parameters for which the expected f1 and f2 equal f1 and f2 in the sample.

    The sample must have classes of one record and classes of two records, and must not be the whole
    population. `classes` is the number of classes in the population. The function returns None if
    every value of beta gives a different f1 than the sample.

    For a given beta, f2/f1 grows with alpha. The f2/f1 of the sample gives a quadratic equation
    that has one positive root. So only the equation for f1 must be solved, and only for beta. For
    these pairs of alpha and beta, f1 rises with beta, so there is at most one solution.
    """
    from scipy.optimize import brentq  # noqa: PLC0415 - heavy

    target = log(drawn.of_size(1) / (classes * drawn.fraction))

    def excess(logit: float) -> float:
        return float(_log_alone(np.array([logit]), drawn)[0]) - target

    if not excess(_LOWEST) < 0.0 < excess(_HIGHEST):
        return None
    logits = np.array([brentq(excess, _LOWEST, _HIGHEST, xtol=1e-13)])
    alpha, beta = _alpha(logits, drawn), _expit(logits)
    return SlideNegativeBinomial(float(alpha[0]), float(beta[0]), classes)


def _expit(logits: Reals) -> Reals:
    found: Reals = 1.0 / (1.0 + np.exp(-logits))
    return found


def _log_alone(logits: Reals, drawn: Sample) -> Reals:
    """Return the logarithm of f1 / (K p) for a value of beta and the matching alpha."""
    p = drawn.fraction
    beta, rest = _expit(logits), _expit(-logits)
    d, other = (1.0 - p) * rest, beta + p * rest
    alpha = _alpha(logits, drawn)
    found: Reals = np.log1p(alpha * d / other) - alpha * np.log1p(p * rest / beta)
    return found


def _alpha(logits: Reals, drawn: Sample) -> Reals:
    """Return the alpha for which f2 / f1 equals the sample's value, given beta."""
    p, ratio = drawn.fraction, drawn.of_size(2) / drawn.of_size(1)
    beta, rest = _expit(logits), _expit(-logits)
    d, other = (1.0 - p) * rest, beta + p * rest
    square = d * p * rest
    linear = (2.0 - d) * p * rest - 2.0 * ratio * other * d
    constant = 2.0 * ratio * other**2
    root = np.sqrt(linear**2 + 4.0 * square * constant)
    # the positive root, in a form without subtraction
    found: Reals = np.where(
        linear >= 0.0, 2.0 * constant / (root + np.abs(linear)), (root - linear) / (2.0 * square)
    )
    return found
