"""Measure how much an attack gains over guessing, and compute a confidence interval.

If several values are equally likely, the success rate is the mean over these values. Guesses about
records in the same class are not independent, so the confidence interval is a percentile bootstrap
over classes. If there are fewer than ten classes, the interval contains all possible values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

LEAST_CLASSES = 10
_RESAMPLES = 1_999
_BATCH = 100


@dataclass(frozen=True)
class Gain:
    """The success rates of an attack and of guessing.

    Attributes
    ----------
    knowledge
        A description of the attacker's knowledge.
    target
        A description of what is guessed.
    guesses
        The number of records, or of cells in records, that are guessed.
    success
        The share of the attack's guesses that are correct.
    guessing
        The share of the baseline's guesses that are correct.
    low, high
        The lower and the upper end of the confidence interval of the difference.
    """

    knowledge: str
    target: str
    guesses: int
    success: float
    guessing: float
    low: float
    high: float

    @property
    def gain(self) -> float:
        """Return the difference between the two success rates."""
        return self.success - self.guessing

    @property
    def above_noise(self) -> bool:
        """Return whether the whole confidence interval lies above zero."""
        return self.low > 0.0


def likeliest(chances: Reals) -> Reals:
    """Return the probability that the attacker guesses each value, along the last axis.

    If several values are equally likely, each value is guessed with the same probability.
    """
    top = chances >= chances.max(axis=-1, keepdims=True) * (1.0 - 1e-9)
    return np.asarray(top / top.sum(axis=-1, keepdims=True))


def difference(
    right: Reals, guessed_right: Reals, guesses: Reals, *, confidence: float
) -> tuple[float, float]:
    """Return the confidence interval of the difference between two shares, from sums by class."""
    from scipy.stats import bootstrap  # noqa: PLC0415 - takes long to load

    used = guesses > 0
    if np.count_nonzero(used) < LEAST_CLASSES:
        return -1.0, 1.0
    differences = (right - guessed_right)[used]

    def share(numerator: Reals, denominator: Reals, axis: int = -1) -> Reals:
        return np.asarray(numerator.sum(axis=axis) / denominator.sum(axis=axis))

    found = bootstrap(
        (differences, guesses[used]),
        share,
        paired=True,
        vectorized=True,
        n_resamples=_RESAMPLES,
        batch=_BATCH,
        confidence_level=confidence,
        method="percentile",
        rng=np.random.default_rng(_RESAMPLES),
    ).confidence_interval
    return float(found.low), float(found.high)


def gain_of(
    knowledge: str,
    target: str,
    right: Reals,
    guessed_right: Reals,
    guesses: Reals,
    *,
    confidence: float,
) -> Gain:
    """Compare an attack with guessing. Each array contains sums over the records of each class."""
    total = float(guesses.sum())
    low, high = difference(right, guessed_right, guesses, confidence=confidence)
    return Gain(
        knowledge,
        target,
        round(total),
        float(right.sum()) / max(total, 1.0),
        float(guessed_right.sum()) / max(total, 1.0),
        low,
        high,
    )
