"""Zayatz's model assumes that the classes of the sample represent the population's classes.

By Bayes' theorem, a person who is unique in the sample is unique in the population with probability

    P(F = 1 | f = 1) = P(F = 1) P(f = 1 | F = 1) / sum over i of P(F = i) P(f = 1 | F = i)

Here, the probability that exactly one of the F = i people is sampled (f = 1) is hypergeometric. The
model sets P(F = i) to the share of the sample's classes with i records (Zayatz 1991, equivalence
class model). The number of population uniques is the number of sample uniques, times this
probability, divided by the sampling fraction. Classes of a sample are smaller than the classes of
its population, so the model overestimates the number of uniques.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from roadstead.risk.population_uniques import Sample, estimated

_BLOCK = 1 << 20


def conditional_uniqueness(drawn: Sample) -> float:
    """Return P(F = 1 | f = 1), the probability that a sample unique is a population unique."""
    odds = drawn.classes_of * drawn.sizes * _no_other_drawn(drawn)
    return float(drawn.of_size(1) / odds.sum())


def _no_other_drawn(drawn: Sample) -> NDArray[np.float64]:
    """For each class size, return the probability that exactly one person is sampled.

    P(f = 1 | F = i) is i times the fraction times the product over j < i - 1 of (N - n - j) / (N -
    1 - j). The function adds logarithms to avoid large factorials.
    """
    left, others = drawn.people - drawn.records, drawn.people - 1
    logs = np.full(drawn.sizes.size, -np.inf)
    total, done = 0.0, 0
    for at, size in enumerate(drawn.sizes.tolist()):
        if size - 1 > left:
            break  # the class is too large: several people must be in the sample
        for start in range(done, size - 1, _BLOCK):
            j = np.arange(start, min(start + _BLOCK, size - 1), dtype=np.float64)
            total += float(np.log((left - j) / (others - j)).sum())
        done = size - 1
        logs[at] = total
    probabilities: NDArray[np.float64] = np.exp(logs)
    return probabilities


def _uniques(drawn: Sample) -> float:
    """Return the estimated number of population uniques."""
    return drawn.of_size(1) * conditional_uniqueness(drawn) / drawn.fraction


zayatz_uniques = partial(estimated, "zayatz", _uniques)
