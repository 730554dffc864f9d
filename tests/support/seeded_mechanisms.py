"""The private mechanisms with repeatable chance: for tests, never for a release.

The distributions are the same as in ``Mechanisms``, except for the rounding of floats. The methods
differ: NumPy's generator, the Gumbel trick, and differences of two geometric numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Grant
from roadstead.differential.chance.mechanisms import Mechanisms


def _rate(grant: Grant, sensitivity: int, *, monotonic: bool) -> float:
    """By how much one point of score moves the logarithm of a candidate's weight."""
    return float(grant.each) / ((1 if monotonic else 2) * sensitivity)


@dataclass
class SeededMechanisms(Mechanisms):
    """Twin of ``Mechanisms``; the same seed gives the same answers.

    Attributes
    ----------
    seed
        Starts the generator.
    grants
        Every grant that was used, in order: lets a test compare use and ledger.
    """

    seed: int
    grants: list[Grant] = field(default_factory=list)
    _random: np.random.Generator = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)

    def choose(
        self, grant: Grant, scores: Sequence[int], sensitivity: int, *, monotonic: bool
    ) -> int:
        """Permute-and-flip, as the largest score after exponential noise."""
        self.grants.append(grant)
        top = max(scores)
        behind = np.array([score - top for score in scores], dtype=np.float64)
        noise = self._random.exponential(size=len(behind))
        return int(np.argmax(behind * _rate(grant, sensitivity, monotonic=monotonic) + noise))

    def choose_interval(
        self,
        grant: Grant,
        scores: NDArray[np.int64],
        lengths: NDArray[np.int64],
        sensitivity: int,
        *,
        monotonic: bool,
    ) -> int:
        """Exponential mechanism, as the largest log-weight after Gumbel noise."""
        self.grants.append(grant)
        possible = np.flatnonzero(lengths)
        behind = (scores[possible] - scores[possible].max()).astype(np.float64)
        weight = np.log(lengths[possible]) + behind * _rate(grant, sensitivity, monotonic=monotonic)
        return int(possible[np.argmax(weight + self._random.gumbel(size=len(weight)))])

    def count(self, grant: Grant, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add discrete Laplace noise: the difference of two geometric numbers."""
        self.grants.append(grant)
        success = 1 - exp(-float(grant.each))
        one, other = self._random.geometric(success, size=(2, *counts.shape))
        return np.asarray(counts + one - other, dtype=np.int64)

    def exceeding(
        self, grant: Grant, cells: int, least: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Draw how many cells exceed, then which, then by how much."""
        self.grants.append(grant)
        base = exp(-float(grant.each))
        found = int(self._random.binomial(cells, base**least / (1 + base)))
        places = np.sort(self._random.choice(cells, size=found, replace=False, shuffle=False))
        values = least - 1 + self._random.geometric(1 - base, size=found)
        return places.astype(np.int64), np.asarray(values, dtype=np.int64)

    def draw(self, grant: Grant, counts: NDArray[np.int64], chance: int) -> NDArray[np.int64]:
        """Draw binomial numbers."""
        self.grants.append(grant)
        return self._random.binomial(counts, chance / 2**64).astype(np.int64)

    def place(self, size: int) -> int:
        """Draw an integer below ``size``."""
        return int(self._random.integers(size))

    def order(self, size: int) -> NDArray[np.int64]:
        """Draw an order of the integers below ``size``."""
        return self._random.permutation(size).astype(np.int64)
