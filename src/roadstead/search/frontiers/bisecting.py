"""Bisecting policy search: close in on the edge of the acceptable policies from both sides.

Between the top, which is acceptable, and the bottom, which is not, take a policy halfway. It takes
the place of the one or the other, and so on, until the two differ in one boundary: then the upper
one is a boundary policy (paper 004, algorithm 1). Each step halves the number of boundaries between
them, so an iteration takes no more evaluations than the binary logarithm of all boundaries, rounded
up.

Which half of the boundaries is removed is chance, guided by weights. Even chances are the control.
The weights of paper 004 (section 2.4.2) make the policies found more diverse. They add up two
parts. The first grows with the domain of the boundary's attribute, so that the one boundary of a
domain of two values is rarely removed. The second falls with every earlier solution that lacks the
boundary. The paper's formulas are lost; those here follow from its words, and both parts are shares
from 0 to 1. With five boundaries of difference three are removed, with three two: the sizes of its
table 1.
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
from roadstead.search.protocol import Control

Middle: TypeAlias = Callable[[Partition, Partition], Partition]
"""Gives a policy between a general and a specific one that differ in two boundaries or more."""
Weighing: TypeAlias = Callable[[OrderedDomains, NDArray[np.float64]], NDArray[np.float64]]
"""Weighs each boundary, above 0, by the share of earlier solutions that keep it."""


def even(domains: OrderedDomains, kept: NDArray[np.float64]) -> NDArray[np.float64]:  # noqa: ARG001 - as the other
    """Weigh all boundaries alike."""
    return np.ones(domains.boundaries)


def diverse(domains: OrderedDomains, kept: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weigh boundaries by the size of their domain, and by how often earlier solutions keep them.

    `kept` is the share of earlier solutions that keep each; 1 where there are none.
    """
    return by_range(domains) + kept


def by_range(domains: OrderedDomains) -> NDArray[np.float64]:
    """Give the size of each boundary's domain as a share of the greatest domain's."""
    sizes = np.array(domains.sizes, dtype=np.float64)
    return np.repeat(sizes / sizes.max(initial=1.0), np.array(domains.sizes, dtype=np.int64) - 1)


def halfway(
    general: Partition,
    specific: Partition,
    weights: NDArray[np.float64],
    domains: OrderedDomains,
    random: np.random.Generator,
) -> Partition:
    """Remove half of the boundaries that only the specific policy keeps, the odd one included.

    They are drawn one by one, without replacement, each with a probability that is its share of the
    weights left. The general policy keeps only boundaries that the specific one keeps.
    """
    differing = np.flatnonzero(domains.bits(Partition(specific.kept & ~general.kept)))
    # The first of independent exponential times with these rates is each with its share, and so on.
    times = random.standard_exponential(differing.size) / weights[differing]
    removed = differing[np.argsort(times, kind="stable")[: (differing.size + 1) // 2]]
    return Partition(specific.kept & ~domains.of_boundaries(removed.tolist()).kept)


@dataclass(frozen=True)
class Bisecting:
    """Binary searches for the edge.

    `weighing` says which boundaries are removed more often: `diverse` as in the paper, or `even`.
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
