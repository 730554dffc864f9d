"""Redivision: change a boundary of a policy, kept or not, and divide its attributes anew.

Chains only ever merge. What every interval of an attribute costs, with the others as they are, also
tells the points of all policies that keep one boundary more, and which division of the attribute is
the best for a price of loss (see `interval_costs`). A member of the frontier is expanded by all
policies that differ from it in one boundary, and by the best divisions of each attribute for the
prices at which the frontier passes it. When all members have been expanded, no change of a single
boundary of any of them improves the frontier.
"""

from __future__ import annotations

import numpy as np

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import CLOSE, Frontier
from roadstead.search.frontiers.interval_costs import IntervalCosts, IntervalCounter
from roadstead.search.frontiers.problem import FrontierProblem
from roadstead.search.frontiers.segmentation import with_firsts


class Redivision:
    """Expands the members of a frontier.

    Attributes
    ----------
    evaluated
        Intervals weighed at once count as many evaluations as the attribute has values.
    beside
        Policies told from these.
    """

    def __init__(self, problem: FrontierProblem, frontier: Frontier[Partition]) -> None:
        self._counter = IntervalCounter(problem)
        self._frontier = frontier
        self._expanded: set[Partition] = set()
        self.evaluated = 0
        self.beside = 0

    def step(self) -> bool:
        """Expand the member beside the largest gap; False if all have been."""
        place = self._next()
        if place is None:
            return False
        policy = self._frontier[place].policy
        prices = _prices(self._frontier, place)
        self._expanded.add(policy)
        domains = self._counter.problem.domains
        for attribute, size in enumerate(domains.sizes):
            if size > 1:
                costs = self._counter.costs(policy, attribute)
                self.evaluated += size
                self._flip(costs, policy)
                self._divide(costs, prices)
        return True

    def _next(self) -> int | None:
        """Find the member beside the largest gap that has not been expanded."""
        frontier = self._frontier
        left = np.diff(frontier.risks, prepend=0.0)
        above = -np.diff(frontier.losses, prepend=1.0)
        for place in np.argsort(-(left * above), kind="stable"):
            if frontier[int(place)].policy not in self._expanded:
                return int(place)
        return None

    def _flip(self, costs: IntervalCosts, policy: Partition) -> None:
        """Insert the policies that differ in one boundary of the attribute."""
        domains = self._counter.problem.domains
        begin = domains.offsets[costs.attribute]
        firsts = np.array([i for i, _ in domains.intervals(policy)[costs.attribute]])
        lasts = np.append(firsts[1:], costs.size) - 1
        point = costs.point(firsts)
        merged = np.arange(1, firsts.size)
        cut = np.setdiff1d(np.arange(1, costs.size), firsts)
        inside = np.searchsorted(firsts, cut, side="right") - 1
        changes = []
        for table in (costs.risks, costs.losses):
            own = table[firsts, lasts]
            merge = table[firsts[merged - 1], lasts[merged]] - own[merged - 1] - own[merged]
            split = table[firsts[inside], cut - 1] + table[cut, lasts[inside]] - own[inside]
            changes.append(np.concatenate([merge, split]))
        boundaries = np.concatenate([firsts[merged], cut]) + (begin - 1)
        self.beside += boundaries.size
        self._frontier.insert_all(
            point.risk + changes[0],
            point.loss + changes[1],
            lambda at: Partition(policy.kept ^ (1 << int(boundaries[at]))),
        )

    def _divide(self, costs: IntervalCosts, prices: list[float]) -> None:
        """Insert the best divisions of the attribute for some prices of loss."""
        domains = self._counter.problem.domains
        for price in prices:
            firsts = costs.cheapest(price)
            point = costs.point(firsts)
            self.beside += 1
            if not self._frontier.dominates(*point):
                policy = with_firsts(domains, costs.partition, costs.attribute, firsts)
                self._frontier.insert(*point, policy)


def _prices(frontier: Frontier[Partition], place: int) -> list[float]:
    """Risk gained for loss, between a member and those at its sides."""
    risks, losses = frontier.risks, frontier.losses
    found: list[float] = []
    for one, other in ((place - 1, place), (place, place + 1)):
        if one >= 0 and other < risks.size:
            price = float((risks[other] - risks[one]) / max(losses[one] - losses[other], CLOSE))
            if price not in found:
                found.append(price)
    return found
