"""Draw samples of a population, and find the best release of each under every smallest class.

The best release is the global optimum: the policy with the least discernibility metric, where too
small classes are suppressed without a limit (paper 001, Methods). Ties are decided as everywhere:
fewer levels, then levels in their order. An attacker with the whole population finds a class of the
fewest people: 1 / fewest is the actual risk.

A repetition has its own random numbers, so it is the same whatever else is drawn.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead_reproductions.elemam2008 import class_histograms
from roadstead_reproductions.elemam2008.lattices import Lattice

Table = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Releases:
    """The best releases of some samples.

    Attributes
    ----------
    losses, suppressed, classes, fewest, policies
        Discernibility metric, records suppressed, classes released, fewest people in one of these
        (0 where none is), and number of the policy; shape ``(samples, largest)``, in column k - 1
        where a class must have k records.
    seconds
        How long it took to draw and to anonymize them.
    """

    losses: Table
    suppressed: Table
    classes: Table
    fewest: Table
    policies: Table
    seconds: float


def best_releases(
    lattice: Lattice, counts: NDArray[np.int64], largest: int
) -> tuple[Table, Table, Table, Table, Table]:
    """Find the best release of one sample under every smallest class from 1 to `largest`.

    Parameters
    ----------
    lattice
        The policies over the population.
    counts
        Records of the sample with each combination of values.
    largest
        Largest smallest class.

    Returns
    -------
    tuple
        Rows of `Releases`, in its order.
    """
    sizes = lattice.sizes(counts)
    costs = class_histograms.discernibility(sizes, lattice.first, largest)
    best = costs.argmin(axis=0)  # the first of equal ones, and policies are in that order
    told = class_histograms.released(sizes, lattice.people, lattice.first, best)
    return (costs[best, np.arange(largest)], *told, best)


def sampled(
    lattice: Lattice, fraction: float, repetitions: range, seed: int, largest: int
) -> Releases:
    """Draw simple random samples, and anonymize each.

    Parameters
    ----------
    lattice
        The policies over the population.
    fraction
        Share of the people that is drawn, to the nearest whole number.
    repetitions
        Numbers of the samples; each has its own random numbers.
    seed
        Of all of them.
    largest
        Largest smallest class.
    """
    began = time.perf_counter()
    everyone = lattice.combination_of_each()
    rows = [
        best_releases(lattice, draw(everyone, lattice, fraction, [seed, number]), largest)
        for number in repetitions
    ]
    tables = (np.stack(column) for column in zip(*rows, strict=True))
    losses, suppressed, classes, fewest, policies = tables
    seconds = time.perf_counter() - began
    return Releases(losses, suppressed, classes, fewest, policies, seconds)


def draw(
    everyone: NDArray[np.int32], lattice: Lattice, fraction: float, seed: list[int]
) -> NDArray[np.int64]:
    """Draw people without replacement; count those with each combination of values."""
    number = records_of(fraction, everyone.size)
    chance = np.random.default_rng([*seed, number])
    drawn = chance.choice(everyone.size, number, replace=False, shuffle=False)
    return np.bincount(everyone[drawn], minlength=lattice.combinations)


def records_of(fraction: float, people: int) -> int:
    """Return the number of records of a sample."""
    return max(1, round(fraction * people))
