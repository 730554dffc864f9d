"""Draw samples from a population, and find the best release of each sample.

The best release is the global optimum for a minimum class size: the policy with the lowest
discernibility metric, where small classes are suppressed without a limit (paper 001, Methods). Ties
are broken by rank, and then by levels. The actual risk is 1 divided by the smallest number of
people in a released class.

Each repetition has its own random numbers, so a sample does not depend on other samples.
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

    The tables have the shape ``(samples, largest)``; column k - 1 is for a minimum class size of k.
    The tables contain the discernibility metric, the number of suppressed records, the number of
    released classes, the smallest number of people in a released class (0 if there are none), and
    the number of the policy. `seconds` is the time to draw and anonymize the samples.
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
    """Return the best release of a sample for every minimum class size up to `largest`.

    `counts` is the number of records in the sample with each combination of values. The result
    contains one row for each table in `Releases`.
    """
    sizes = lattice.sizes(counts)
    costs = class_histograms.discernibility(sizes, lattice.first, largest)
    best = costs.argmin(axis=0)  # the first of equal costs, because policies are in this order
    told = class_histograms.released(sizes, lattice.people, lattice.first, best)
    return (costs[best, np.arange(largest)], *told, best)


def sampled(
    lattice: Lattice, fraction: float, repetitions: range, seed: int, largest: int
) -> Releases:
    """Draw simple random samples, and anonymize each sample.

    `fraction` is the share of people to draw. `repetitions` contains the numbers of the samples.
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
    """Draw people without replacement, and count each combination of values."""
    number = records_of(fraction, everyone.size)
    chance = np.random.default_rng([*seed, number])
    drawn = chance.choice(everyone.size, number, replace=False, shuffle=False)
    return np.bincount(everyone[drawn], minlength=lattice.combinations)


def records_of(fraction: float, people: int) -> int:
    """Return the number of records of a sample."""
    return max(1, round(fraction * people))
