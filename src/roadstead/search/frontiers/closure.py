"""Expand a frontier until no member has a neighbor that improves the frontier.

The member next to the largest gap is expanded first. *Closure* expands a policy to all policies
that have one boundary fewer, and counts the classes of the policy only once. The result is a local
optimum in the sense of Pareto local search. *Redivision* can also add boundaries. For this purpose,
it computes the costs of all intervals of an attribute (`interval_costs`). From these costs, it
derives the policies with one more boundary. It also derives the best division of the attribute for
the slopes of the frontier next to the member.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import CLOSE, Frontier
from roadstead.search.frontiers.interval_costs import IntervalCosts, IntervalCounter
from roadstead.search.frontiers.protocol import FrontierOutcome, FrontierProblem, FrontierRun
from roadstead.search.frontiers.walks import walk
from roadstead.search.protocol import Control


@dataclass(frozen=True)
class Closure:
    """A search that expands all members of a frontier."""

    name: str = "closure"
    guarantee: str = "merging two intervals of a policy on the frontier never improves the frontier"

    def run(self, problem: FrontierProblem, control: Control) -> FrontierOutcome[Partition]:
        """Expand members until nothing new is found, or until the search is stopped."""
        run = FrontierRun(problem, control)
        run.evaluate_ends()
        expansion = Expansion(run)
        ending = run.ending()
        while ending is None and expansion.step():
            ending = run.pause()
        return run.outcome(ending or "complete")


class Expansion:
    """Expands one frontier member at a time to the policies with one boundary fewer."""

    def __init__(self, run: FrontierRun) -> None:
        self._run = run
        self._expanded = {run.problem.domains.most_general}

    def step(self) -> bool:
        """Expand the member next to the largest gap; return False if all are expanded."""
        run = self._run
        place = _next(run.frontier, self._expanded)
        if place is None:
            return False
        policy = run.frontier[place].policy
        self._expanded.add(policy)
        near = walk(run.problem, policy).neighbors()
        run.evaluated += 1
        run.derived += near.boundaries.size
        run.frontier.insert_all(
            near.risks, near.losses, lambda at: policy.without(near.boundaries[at])
        )
        return True


class Redivision:
    """Expands the members of a frontier by dividing their attributes again.

    Computing the costs of all intervals counts as one evaluation per value of the attribute.
    """

    def __init__(self, run: FrontierRun) -> None:
        self._run = run
        self._counter = IntervalCounter(run.problem)
        self._expanded: set[Partition] = set()

    def step(self) -> bool:
        """Expand the member next to the largest gap; return False if all are expanded."""
        frontier = self._run.frontier
        place = _next(frontier, self._expanded)
        if place is None:
            return False
        policy = frontier[place].policy
        prices = _prices(frontier, place)
        self._expanded.add(policy)
        for attribute, size in enumerate(self._run.problem.domains.sizes):
            if size > 1:
                costs = self._counter.costs(policy, attribute)
                self._run.evaluated += size
                self._flip(costs, policy)
                self._divide(costs, prices)
        return True

    def _flip(self, costs: IntervalCosts, policy: Partition) -> None:
        """Insert the policies that differ in one boundary of the attribute."""
        domains = self._run.problem.domains
        begin = domains.offsets[costs.attribute]
        firsts = domains.firsts(policy, costs.attribute)
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
        self._run.derived += boundaries.size
        self._run.frontier.insert_all(
            point.risk + changes[0],
            point.loss + changes[1],
            lambda at: Partition(policy.kept ^ (1 << int(boundaries[at]))),
        )

    def _divide(self, costs: IntervalCosts, prices: list[float]) -> None:
        """Insert the divisions of the attribute that are best for some prices of loss."""
        for price in prices:
            self._run.derived += 1
            costs.insert_into(self._run.frontier, costs.cheapest(price))


def _next(frontier: Frontier[Partition], expanded: set[Partition]) -> int | None:
    """Find the unexpanded member next to the largest gap."""
    left = np.diff(frontier.risks, prepend=0.0)
    above = -np.diff(frontier.losses, prepend=1.0)
    for place in np.argsort(-(left * above), kind="stable"):
        if frontier[int(place)].policy not in expanded:
            return int(place)
    return None


def _prices(frontier: Frontier[Partition], place: int) -> list[float]:
    """Return the ratio of risk to loss between a member and each of its neighbors."""
    risks, losses = frontier.risks, frontier.losses
    found: list[float] = []
    for one, other in ((place - 1, place), (place, place + 1)):
        if one >= 0 and other < risks.size:
            price = float((risks[other] - risks[one]) / max(losses[one] - losses[other], CLOSE))
            if price not in found:
                found.append(price)
    return found
