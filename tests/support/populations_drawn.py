"""Populations with known numbers of uniques, and samples drawn from them without replacement."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from roadstead.risk.population_uniques import PopulationUniques

Sizes = NDArray[np.int64]
Estimator = Callable[[Sizes, int], PopulationUniques]


def pitman_population(theta: float, alpha: float, people: int, seed: int) -> Sizes:
    """Seat people one by one: the next joins a class of f with a weight of f - alpha."""
    rng = np.random.default_rng(seed)
    class_of = [0]
    sizes = [1]
    for seated in range(1, people):
        if rng.random() * (theta + seated) < theta + alpha * len(sizes):
            class_of.append(len(sizes))
            sizes.append(1)
            continue
        while True:  # A random person, kept with probability (f - alpha) / f.
            joined = class_of[int(rng.integers(seated))]
            if rng.random() * sizes[joined] < sizes[joined] - alpha:
                break
        class_of.append(joined)
        sizes[joined] += 1
    return np.array(sizes, dtype=np.int64)


def slide_negative_binomial(alpha: float, beta: float, classes: int, seed: int) -> Sizes:
    """One person in each class, and negative binomially many more."""
    others = np.random.default_rng(seed).negative_binomial(alpha, beta, classes)
    return 1 + others.astype(np.int64)


def draw(population: Sizes, fraction: float, seed: int) -> Sizes:
    """Records in each class of a simple random sample; 0 for classes without a drawn record."""
    rng = np.random.default_rng(seed)
    drawn = round(int(population.sum()) * fraction)
    return rng.multivariate_hypergeometric(population, drawn, method="marginals")


def mean_ratio(estimator: Estimator, population: Sizes, fraction: float, seeds: int = 10) -> float:
    """Mean estimate over samples, as a multiple of the population's uniques."""
    people = int(population.sum())
    found = [estimator(draw(population, fraction, seed), people).uniques for seed in range(seeds)]
    assert None not in found
    estimates = [uniques for uniques in found if uniques is not None]
    return float(np.mean(estimates)) / int((population == 1).sum())
