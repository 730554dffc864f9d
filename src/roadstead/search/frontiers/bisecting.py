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
    sizes = np.array(domains.sizes, dtype=np.float64)
    by_domain = np.repeat(sizes / sizes.max(initial=1.0), np.array(domains.sizes) - 1)
    return by_domain + kept


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
        solutions: list[Partition] = []
        keeping = np.zeros(domains.boundaries)

        def iterate() -> Iteration:
            shares = keeping / len(solutions) if solutions else np.ones(domains.boundaries)
            weights = self.weighing(domains, shares)

            def middle(general: Partition, specific: Partition) -> Partition:
                return halfway(general, specific, weights, domains, random)

            policy = yield from bisect(domains, middle)
            solutions.append(policy)
            np.add(keeping, domains.bits(policy), out=keeping)
            return policy

        return discover(problem, control, iterate)


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
