"""Search by segmentation, which finds the best partition of one attribute after another.

Dynamic programming finds the best intervals of one attribute while the others are fixed (see
`interval_costs`). Repeating this step for one attribute after another is coordinate descent. The
search sweeps through many prices of loss, from the highest to the lowest and back
(docs/methods/segmentation.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import CLOSE, Point
from roadstead.search.frontiers.interval_costs import IntervalCosts, IntervalCounter
from roadstead.search.frontiers.protocol import FrontierOutcome, FrontierProblem, FrontierRun
from roadstead.search.protocol import Control, Ending

PRICES = np.geomspace(1e-3, 1e2, 24)
"""Ratios of risk to loss, both as shares."""


@dataclass(frozen=True)
class AttributeStep:
    """A new division of one attribute, its interval costs, and a policy that is not worse."""

    costs: IntervalCosts
    partition: Partition
    point: Point


def descent(counter: IntervalCounter, start: Partition, lambda_: float) -> Iterator[AttributeStep]:
    """Repeatedly divide one attribute after another until no attribute improves.

    The function minimizes the risk plus `lambda_` times the loss, both as shares. It yields a step
    for each attribute that it examines, and the policy of the last step is the result.
    """
    domains = counter.problem.domains
    divisible = [i for i, size in enumerate(domains.sizes) if size > 1]
    partition, cost = start, np.inf
    unchanged, turn = 0, 0
    while unchanged < len(divisible):
        attribute = divisible[turn % len(divisible)]
        costs = counter.costs(partition, attribute)
        if turn == 0:
            cost = _cost(costs.point(domains.firsts(partition, attribute)), lambda_)
        firsts = costs.cheapest(lambda_)
        point = costs.point(firsts)
        if _cost(point, lambda_) < cost - CLOSE:
            partition = domains.with_firsts(partition, attribute, firsts)
            cost, unchanged = _cost(point, lambda_), 1
        else:
            unchanged += 1
            point = costs.point(domains.firsts(partition, attribute))
        turn += 1
        yield AttributeStep(costs, partition, point)


def descend(
    problem: FrontierProblem, start: Partition, lambda_: float, *, most_steps: int | None = None
) -> Partition:
    """Improve a policy for one price of loss until no change of one attribute improves it.

    The price is the ratio of risk to loss, both as shares. At most `most_steps` attributes are
    examined, or any number if `most_steps` is None.
    """
    partition = start
    for number, step in enumerate(descent(IntervalCounter(problem), start, lambda_), 1):
        partition = step.partition
        if number == most_steps:
            break
    return partition


@dataclass(frozen=True)
class Segmentation:
    """Coordinate descent by dynamic programming, which is repeated for many prices."""

    name: str = "segmentation"
    guarantee: str = "for each price, no other partition of a single attribute improves the policy"

    def run(self, problem: FrontierProblem, control: Control) -> FrontierOutcome[Partition]:
        """Sweep down from the most specific policy and back, until complete or stopped."""
        run = FrontierRun(problem, control)
        return run.outcome(_sweep(run, PRICES))


def _sweep(run: FrontierRun, lambdas: NDArray[np.float64]) -> Ending:
    """Sweep through the prices from the highest to the lowest and back."""
    counter = IntervalCounter(run.problem)
    run.evaluate_ends()
    settled = run.problem.domains.most_specific
    found = [settled] * lambdas.size
    downwards = list(range(lambdas.size))[::-1]
    for turn, number in enumerate([*downwards, *downwards[::-1]]):
        again = turn >= len(downwards)
        if again and found[number] == settled:
            continue  # an earlier descent has ended here
        for step in descent(counter, settled, float(lambdas[number])):
            settled = step.partition
            _take(run, step.costs, lambdas)
            if (ending := run.pause()) is not None:
                return ending
        found[number] = settled
    return "complete"


def _take(run: FrontierRun, costs: IntervalCosts, lambdas: NDArray[np.float64]) -> None:
    """For each price, insert the policy that is best in one attribute into the frontier."""
    run.evaluated += costs.size
    divisions = {tuple(costs.cheapest(float(price)).tolist()) for price in lambdas}
    for division in sorted(divisions):
        run.evaluated += 1
        costs.insert_into(run.frontier, np.array(division, dtype=np.int64))


def _cost(point: Point, lambda_: float) -> float:
    return point.risk + lambda_ * point.loss
