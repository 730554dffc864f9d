"""What a privacy budget means for one unit: how sure somebody can become at most."""

from __future__ import annotations

from fractions import Fraction
from math import exp
from typing import NamedTuple

from roadstead.reports.numbers import percent

PRIORS = (0.01, 0.1, 0.5, 0.9)
SEVERAL = (2, 5, 20)
"""Numbers of records of a person for which a page says what the guarantee is worth."""
_CERTAIN = 1 - 1e-4
NEARLY_CERTAIN = ">99.99 %"
"""What is said of a belief that is beyond it, for it is never certain."""


class Belief(NamedTuple):
    """How sure somebody was, and can at most become: of presence, and of one of two values."""

    before: str
    present: str
    value: str


def belief(epsilon: Fraction, prior: float) -> Belief:
    """Say how sure somebody who knows all the rest can become of one unit of privacy.

    Odds change by a factor of at most ``e**epsilon`` between a table with the unit and the one
    without. Between two values of it they change by at most its square: one is removed and the
    other added.
    """
    rate = float(epsilon)
    return Belief(percent(prior), _posterior(rate, prior), _posterior(2 * rate, prior))


def _posterior(rate: float, prior: float) -> str:
    """Write the largest posterior, rounded up, and never as certainty."""
    share = 1 / (1 + exp(-rate) * (1 - prior) / prior)
    return NEARLY_CERTAIN if share > _CERTAIN else percent(share, bound="upper")
