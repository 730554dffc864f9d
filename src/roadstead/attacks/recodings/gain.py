"""Measure how much an attack gains over guessing, with an interval.

If several values are equally likely, the success is the mean over these values. Guesses about
records of one class are correct or wrong together. So the interval is a percentile bootstrap over
classes. With fewer than ten classes, the interval contains all possible values.
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
        The attacker's knowledge, in words.
    target
        The target of the guess, in words.
    prior
        The information that both guesses use, in words.
    guesses
        The number of guessed records, or of guessed cells of records.
    success, guessing
        The shares of correct guesses, for the attack and for guessing.
    low, high
        The ends of the interval of the difference.
    """

    knowledge: str
    target: str
    prior: str
    guesses: int
    success: float
    guessing: float
    low: float
    high: float

    @property
    def gain(self) -> float:
        """The difference of the two success rates."""
        return self.success - self.guessing

    @property
    def above_noise(self) -> bool:
        """Whether the interval shows that the attack beats guessing."""
        return self.low > 0.0


def difference(
    right: Reals, guessed_right: Reals, guesses: Reals, *, confidence: float
) -> tuple[float, float]:
    """Return the interval of the difference of two shares. The arguments are sums by class."""
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
    prior: str,
    right: Reals,
    guessed_right: Reals,
    guesses: Reals,
    *,
    confidence: float,
) -> Gain:
    """Compare an attack with guessing. The arrays are sums over the records of each class."""
    total = float(guesses.sum())
    low, high = difference(right, guessed_right, guesses, confidence=confidence)
    return Gain(
        knowledge,
        target,
        prior,
        round(total),
        float(right.sum()) / max(total, 1.0),
        float(guessed_right.sum()) / max(total, 1.0),
        low,
        high,
    )
