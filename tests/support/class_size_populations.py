"""Populations with known class sizes: each shape repeats until it has enough people."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Sizes = NDArray[np.int64]
Drawing = Callable[[np.random.Generator, int], NDArray[np.int64]]

SHAPES: dict[str, Drawing] = {
    "geometric, mean 2.8": lambda rng, n: rng.geometric(1.0 / 2.8, n),
    "geometric, mean 20": lambda rng, n: rng.geometric(1.0 / 20.0, n),
    "Poisson, mean 12": lambda rng, n: rng.poisson(12.0, n),
    "Poisson-lognormal": lambda rng, n: rng.poisson(np.exp(rng.normal(2.0, 1.3, n))),
    "Zipf, exponent 1.8": lambda rng, n: np.minimum(rng.zipf(1.8, n), 20_000),
    "all of 9 people": lambda _, n: np.full(n, 9),
    "6 or 40 people": lambda rng, n: np.where(rng.random(n) < 0.7, 6, 40),
}


def population(shape: str, people: int, seed: int) -> Sizes:
    """People in each class, in the order in which they were made."""
    rng, made, total = np.random.default_rng(seed), [], 0
    while total < people:
        sizes = SHAPES[shape](rng, 10_000).astype(np.int64)
        made.append(sizes[sizes > 0])
        total += int(made[-1].sum())
    sizes = np.concatenate(made)
    return sizes[: int(np.searchsorted(np.cumsum(sizes), people)) + 1]


def people_by_columns(people: int, seed: int) -> Sizes:
    """Classes of synthetic people by correlated columns: sex, age, region, town, and origin.

    Towns have very different sizes, ages and origins differ between regions, and there are more
    women among the old. The classes are therefore neither equal nor independent.
    """
    rng = np.random.default_rng(seed)
    towns = 300
    weights = rng.pareto(1.1, towns) + 0.2
    town = rng.choice(towns, people, p=weights / weights.sum())
    region = town % 8
    age = np.clip(rng.gamma(6.0, 6.5 + region / 2.0, people), 0.0, 99.0)
    sex = rng.random(people) < 0.45 + 0.15 * (age / 100.0)
    shares = rng.dirichlet(np.full(6, 0.7), 8)
    origin = (rng.random(people)[:, None] > np.cumsum(shares, axis=1)[region]).sum(axis=1)
    keys = np.column_stack([town, age.astype(np.int64) // 5, sex, origin])
    return np.unique(keys, axis=0, return_counts=True)[1].astype(np.int64)
