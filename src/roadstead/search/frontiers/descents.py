"""Put a chain, and all the neighbors of its policies, on a frontier.

The neighbors come for the price of the chain: hundreds of points for each of its policies. Only of
the few that nothing dominates is the policy written down.
"""

from __future__ import annotations

import numpy as np

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import Frontier
from roadstead.search.frontiers.neighbors import Descent, without


def insert_descent(frontier: Frontier[Partition], descent: Descent) -> int:
    """Insert all policies that a chain met.

    Returns
    -------
    int
        How many joined the frontier.
    """
    steps, places = np.nonzero(descent.beside >= 0)
    stages = [descent.start]
    for boundary in descent.boundaries[:-1]:
        stages.append(without(stages[-1], int(boundary)))

    def policy(at: int) -> Partition:
        step = int(steps[at])
        return Partition(stages[step].kept ^ (1 << int(descent.beside[step, places[at]])))

    return frontier.insert_all(descent.risks[steps, places], descent.losses[steps, places], policy)


def told(descent: Descent) -> int:
    """How many policies' risk and loss a chain told."""
    return int((descent.beside >= 0).sum())
