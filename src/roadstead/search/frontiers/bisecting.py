"""Bisecting policy search: close in on the edge of the acceptable policies from both sides.

Between the top, which is acceptable, and the bottom, which is not, take a policy halfway. It takes
the place of the one or the other, and so on, until the two differ in one boundary: then the upper
one is a boundary policy (paper 004, algorithm 1). Each step halves the number of boundaries between
them, so an iteration takes no more evaluations than the binary logarithm of all boundaries, rounded
up.

Which policy is halfway is chance, and weights guide it: see `halfway`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.search.frontiers.boundary import (
    AT_THE_EDGE,
    BoundaryOutcome,
    BoundaryProblem,
    Iteration,
    discover,
)
from roadstead.search.frontiers.halfway import Weighing, diverse, halfway
from roadstead.search.protocol import Control

Middle: TypeAlias = Callable[[Partition, Partition], Partition]
"""Gives a policy between a general and a specific one that differ in two boundaries or more."""


@dataclass(frozen=True)
class Bisecting:
    """Binary searches for the edge.

    Attributes
    ----------
    seed
        Of the random numbers.
    weighing
        Which boundaries are removed more often: `diverse` as in the paper, or `even`.
    """

    seed: int = 0
    weighing: Weighing = diverse
    name: str = "bisecting"
    guarantee: str = AT_THE_EDGE

    def run(self, problem: BoundaryProblem, control: Control) -> BoundaryOutcome:
        """Find as many boundary policies as asked for, or until told to stop."""
        domains, random = problem.domains, np.random.default_rng(self.seed)
        keeping = _Keeping(domains)

        def iterate() -> Iteration:
            weights = self.weighing(domains, keeping.shares)

            def middle(general: Partition, specific: Partition) -> Partition:
                return halfway(general, specific, weights, domains, random)

            policy = yield from bisect(domains, middle)
            keeping.add(policy)
            return policy

        return discover(problem, control, iterate)


class _Keeping:
    """How many of the solutions keep each boundary."""

    def __init__(self, domains: OrderedDomains) -> None:
        self._domains = domains
        self._keeping = np.zeros(domains.boundaries)
        self._solutions = 0

    def add(self, solution: Partition) -> None:
        """Count one more solution."""
        self._keeping += self._domains.bits(solution)
        self._solutions += 1

    @property
    def shares(self) -> NDArray[np.float64]:
        """Share that keeps each boundary; 1 before the first solution."""
        if self._solutions == 0:
            return np.ones(self._domains.boundaries)
        return self._keeping / self._solutions


def bisect(domains: OrderedDomains, middle: Middle) -> Iteration:
    """Bisect to the edge; the top is acceptable and the bottom is not."""
    general, specific = domains.most_general, domains.most_specific
    while Partition(specific.kept ^ general.kept).rank > 1:
        current = middle(general, specific)
        if (yield current):
            general = current
        else:
            specific = current
    return general
