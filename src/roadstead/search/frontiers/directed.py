"""Directed policy search: from a random policy straight to the edge of the acceptable ones.

If the policy is acceptable, random boundaries are added until it is not, and the last acceptable
policy is the answer. Else random boundaries are removed until it is (paper 004, section 2.4.1).
Random policies keep about half of the boundaries, so an iteration takes about as many evaluations
as the edge is away from the middle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.search.frontiers.boundary import (
    AT_THE_EDGE,
    BoundaryOutcome,
    BoundaryProblem,
    Iteration,
    discover,
)
from roadstead.search.protocol import Control


@dataclass(frozen=True)
class Directed:
    """Random walks to the edge."""

    seed: int = 0
    name: str = "directed"
    guarantee: str = AT_THE_EDGE

    def run(self, problem: BoundaryProblem, control: Control) -> BoundaryOutcome:
        """Find as many boundary policies as asked for, or until told to stop."""
        random = np.random.default_rng(self.seed)
        return discover(problem, control, partial(straight, problem.domains, random))


def straight(domains: OrderedDomains, random: np.random.Generator) -> Iteration:
    """Walk from a random policy to the edge; the top is acceptable and the bottom is not."""
    bits = random.integers(2, size=domains.boundaries).astype(np.bool_)
    policy = domains.of_bits(bits)
    if (yield policy):
        for boundary in random.permutation(np.flatnonzero(~bits)):
            below = Partition(policy.kept | 1 << int(boundary))
            if not (yield below):
                break
            policy = below
        return policy
    for boundary in random.permutation(np.flatnonzero(bits)):
        policy = Partition(policy.kept & ~(1 << int(boundary)))
        if (yield policy):
            break
    return policy
