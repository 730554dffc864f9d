"""Find the exact frontier of a full-domain lattice by branch and bound with two objectives.

The *corner* of a sublattice [a, b] is the risk of b and the loss of a. No policy of the sublattice
is better than the corner. Sublattices wait in a queue, ordered by the area beyond their corner that
no known policy dominates. Proofs are in docs/methods/full-domain-frontier.md.

Policies whose risks and losses differ by at most 1e-12 count as one point of the frontier. For each
point, the search returns the policy with the lowest rank. Among policies of equal rank, it returns
the first policy in lexicographic order. To find this policy, the search also examines a sublattice
if its corner is exactly a point of the frontier.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from operator import mul, neg
from typing import Any

from roadstead.policies.classes import Packed, no_class, pack, unpack
from roadstead.policies.full_domain import Levels, rank, with_level
from roadstead.quality.protocol import GroupsForBounds
from roadstead.search.frontiers.frontier import CLOSE, Frontier, Point
from roadstead.search.frontiers.full_domain_problem import (
    FullDomainFrontierProblem,
    LookedAt,
    without_gaps,
)
from roadstead.search.frontiers.protocol import FrontierOutcome, report_frontier
from roadstead.search.protocol import Control, Ending
from roadstead.search.sublattices import Gains, worth

_MOST_BYTES_WAITING = 3 << 27
"""Above this memory limit for classes (384 MiB), sublattices wait without their classes."""
_DIVING = 100
"""The number of evaluations during which the search dives. Later dives would delay the proof."""
_ROUNDING = 1e-12
"""The possible rounding error of bounds that are computed for many levels at once."""


@dataclass(frozen=True)
class FullDomainFrontier:
    """Branch and bound over sublattices with two objectives."""

    name: str = "exact"
    guarantee: str = (
        "all policies for which no other policy has both less risk and less loss, with a "
        "proof; if stopped early, the best policies so far and a bound that no policy can "
        "beat"
    )

    def run(self, problem: FullDomainFrontierProblem, control: Control) -> FrontierOutcome[Levels]:
        """Search until no sublattice is open, or until the search is stopped."""
        return _Run(problem, control).run()


@dataclass(slots=True)
class _Open:
    """A sublattice, which contains all policies from `lower` to the policy of `upper`.

    No policy of the sublattice has a loss below `bound`. While the sublattice waits, its classes
    are either `packed`, or `forgotten` and later computed again. `tally` contains the quality
    model's information about the bound at `lower`.
    """

    bound: float
    lower: Levels
    upper: LookedAt
    tally: Any
    packed: Packed | None = None
    forgotten: bool = False

    @property
    def corner(self) -> Point:
        """The lowest risk and the lowest loss that any policy of the sublattice can have."""
        return Point(self.upper.point.risk, self.bound)

    @property
    def nbytes(self) -> int:
        return self.upper.classes.nbytes if self.packed is None else self.packed.nbytes

    def forget(self) -> None:
        self.packed, self.forgotten = None, True
        self.upper = replace(self.upper, classes=no_class())

    def pack(self, rows: int) -> None:
        """Pack the classes of a table with `rows` rows, to save memory."""
        self.packed = pack(self.upper.classes, rows)
        if self.packed is not None:
            self.upper = replace(self.upper, classes=no_class())

    def unpack(self) -> None:
        if self.packed is not None:
            self.upper = replace(self.upper, classes=unpack(self.packed))
            self.packed = None


@dataclass(slots=True)
class _Tie:
    """The preferred policy of a point, and the number of policies found for the point."""

    preferred: Levels
    number: int = 1


class _Stairs:
    """The frontier as a staircase, with partial sums to compute areas above it quickly."""

    def __init__(self, frontier: Frontier[Any]) -> None:
        members = list(frontier)
        self.risks: list[float] = [member.risk for member in members]
        ends = [*self.risks, 1.0]
        # Step j is left of end j. Left of the first member, the loss is 1.
        self._ends = ends
        self._heights: list[float] = [1.0, *(min(member.loss, 1.0) for member in members)]
        self._falling = list(map(neg, self._heights))
        widths = [0.0, *(max(0.0, b - a) for a, b in pairwise(ends))]
        self._widths: list[float] = [0.0, *accumulate(widths)]
        self._areas: list[float] = [0.0, *accumulate(map(mul, widths, self._heights))]

    def area(self, risk: float, loss: float) -> float:
        """Return the area beyond a corner, without the part that members dominate."""
        first = bisect_right(self.risks, risk)
        after = bisect_left(self._falling, -loss)  # these steps are higher than the loss
        if after <= first:
            return 0.0
        begun = max(0.0, self._ends[first] - risk) * (self._heights[first] - loss)
        first += 1
        width = self._widths[after] - self._widths[first]
        return max(0.0, begun + self._areas[after] - self._areas[first] - loss * width)


class _Run:
    def __init__(self, problem: FullDomainFrontierProblem, control: Control) -> None:
        self.problem = problem
        self.quality = problem.quality
        self.control = control
        self.frontier: Frontier[Any] = Frontier()
        self.stairs = _Stairs(self.frontier)
        self.ties: dict[Levels, _Tie] = {}
        heights = problem.encoding.heights
        self.first_gains, self.second_gains = Gains(heights), Gains(heights)
        self.diving: _Open | None = None
        self.waiting: list[tuple[float, int, _Open]] = []
        self.bytes_held = 0
        self.made = 0
        self.looked = 0
        self.grouped_before = problem.quality.groupings

    def run(self) -> FrontierOutcome[Levels]:
        self.control.begin()
        self.begin()
        ending: Ending = "complete"
        while self.unsettled():
            if (reason := self.control.ending(self.evaluated)) is not None:
                ending = reason
                break
            self.explore(self.take())
            report_frontier(self.control, self.evaluated, self.frontier)
        frontier, tied = self.preferred()
        left = [node for _, _, node in self.waiting if not self.settled(node)]
        left += [self.diving] if self.diving is not None else []
        lower: Frontier[Levels | None] = Frontier()
        for member in frontier:
            lower.insert(*member)
        for node in left:
            lower.insert(*node.corner, None)
        return FrontierOutcome(
            frontier, self.evaluated, self.control.seconds, ending, lower=lower, tied=tied
        )

    @property
    def evaluated(self) -> int:
        """The number of policies whose classes were computed, also for bounds."""
        return self.looked + self.quality.groupings - self.grouped_before

    def begin(self) -> None:
        """Evaluate both ends, and open the sublattice of all policies between them."""
        space = self.problem.space
        top = self.look(space.top)
        if space.bottom == space.top:
            return
        bottom = self.look(space.bottom)
        tally = self.quality.nothing_suppressed()
        bound = bottom.point.loss  # the loss of classes never falls, but the loss of a payout may
        if not isinstance(self.quality, GroupsForBounds):
            bound = self.quality.lower_bound(space.bottom, space.top, tally, top.classes)
        self.put(_Open(bound, space.bottom, top, tally))

    def look(self, levels: Levels, general: LookedAt | None = None) -> LookedAt:
        self.looked += 1
        found = self.problem.look(levels, general)
        risk, loss = found.point
        if self.frontier.insert(risk, loss, levels):
            self.ties[levels] = _Tie(levels)
            self.stairs = _Stairs(self.frontier)
        else:
            self.tie(found)
        return found

    def tie(self, found: LookedAt) -> None:
        """Count a policy whose point equals a frontier member's point."""
        risk, loss = found.point
        member = self.frontier[bisect_right(self.stairs.risks, risk + CLOSE) - 1]
        if member.risk >= risk - CLOSE and member.loss >= loss - CLOSE:
            tie = self.ties[member.policy]
            tie.number += 1
            tie.preferred = min(tie.preferred, found.levels, key=lambda one: (rank(one), one))

    def preferred(self) -> tuple[Frontier[Levels], tuple[int, ...]]:
        """Return the frontier of preferred policies, and the number of policies per point."""
        found: Frontier[Levels] = Frontier()
        for member in self.frontier:
            found.insert(member.risk, member.loss, self.ties[member.policy].preferred)
        return found, tuple(self.ties[member.policy].number for member in self.frontier)

    def refuted(self, risk: float, loss: float) -> bool:
        """Return True if no policy with at least this risk and loss can be on the frontier.

        The policies are refuted if a member is at least as good in both risk and loss, and better
        in one of them. A policy that only equals a member is not refuted.
        """
        better = self.frontier.dominates
        return better(risk - 2 * CLOSE, loss) or better(risk, loss - 2 * CLOSE)

    def put(self, node: _Open) -> None:
        """Add a sublattice to the queue, which is sorted by descending area."""
        if self.settled(node):
            return
        if self.bytes_held > _MOST_BYTES_WAITING:
            node.forget()
        else:
            node.pack(self.problem.encoding.counts.size)
        self.made += 1
        self.bytes_held += node.nbytes
        heapq.heappush(self.waiting, (-self.stairs.area(*node.corner), self.made, node))

    def unsettled(self) -> bool:
        if self.diving is not None and not self.settled(self.diving):
            return True
        self.diving = None
        while self.waiting and self.settled(self.waiting[0][2]):
            self.bytes_held -= heapq.heappop(self.waiting)[2].nbytes
        return bool(self.waiting)

    def take(self) -> _Open:
        """Unpack and return the dive's sublattice, or else the first sublattice in the queue."""
        if self.diving is not None:
            node, self.diving = self.diving, None
            return node
        node = heapq.heappop(self.waiting)[2]
        self.bytes_held -= node.nbytes
        node.unpack()
        return node

    def explore(self, node: _Open) -> None:
        splits = self.tighten(node)
        if not splits:
            return
        upper, lower = node.upper, node.lower
        attribute, level = self.choose(node, splits)
        raised = with_level(lower, attribute, level)
        lowered = with_level(upper.levels, attribute, level - 1)
        area = self.stairs.area(*node.corner)
        halves = []
        # The bottom of the whole lattice has been evaluated already.
        if lowered != self.problem.space.bottom:
            first = _Open(node.bound, lower, self.look(lowered, upper), node.tally)
            self.first_gains.learn(attribute, level, self.gain(area, first.corner))
            halves.append(first)
        tally = self.quality.nothing_suppressed()
        bound = self.quality.lower_bound(raised, upper.levels, tally, upper.classes)
        second = _Open(max(node.bound, bound), raised, upper, tally)
        self.second_gains.learn(attribute, level, self.gain(area, second.corner))
        halves.append(second)
        self.follow(halves)

    def follow(self, halves: list[_Open]) -> None:
        """Early in the search, dive into the larger half. Put other halves into the queue."""
        left = [half for half in halves if not self.settled(half)]
        left.sort(key=lambda half: self.stairs.area(*half.corner))
        if left and self.evaluated < _DIVING:
            self.diving = left.pop()
        for half in left:
            self.put(half)

    def tighten(self, node: _Open) -> list[tuple[int, int, float]]:
        """Lower the upper end as long as no point of the frontier is lost, and return the splits.

        A split consists of an attribute, the level at which the second half begins, and a bound on
        the loss of the second half. The list is empty if the sublattice is settled.
        """
        if node.forgotten:
            self.looked += 1
            node.upper = self.problem.look(node.upper.levels)
            node.forgotten = False
        while not self.settled(node):
            node.upper = upper = replace(node.upper, classes=without_gaps(node.upper.classes))
            levels, splits = self.open_splits(node)
            if levels == upper.levels:
                return splits
            if levels == self.problem.space.bottom:
                return []
            node.upper = self.look(levels, upper)
        return []

    def settled(self, node: _Open) -> bool:
        """Return whether only the policy at the evaluated top can be on the frontier."""
        return node.lower == node.upper.levels or self.refuted(*node.corner)

    def open_splits(self, node: _Open) -> tuple[Levels, list[tuple[int, int, float]]]:
        """Return the remaining top, and the splits whose second half is not refuted."""
        upper, lower, tally = node.upper, node.lower, node.tally
        risk = upper.point.risk
        raised = self.quality.raised_bounds(lower, upper.levels, tally, upper.classes)
        top, splits = [], []
        for i, (low, bounds) in enumerate(zip(lower, raised, strict=True)):
            highest = low
            for level, value in enumerate(bounds, start=low + 1):
                if self.refuted(risk, value - _ROUNDING):
                    break  # all higher levels are refuted as well
                if self.refuted(risk, value + _ROUNDING):
                    corner = with_level(lower, i, level)
                    bound = self.quality.lower_bound(corner, upper.levels, tally, upper.classes)
                    if self.refuted(risk, bound):
                        break
                highest = level
                splits.append((i, level, value))
            top.append(highest)
        return tuple(top), splits

    def choose(self, node: _Open, splits: list[tuple[int, int, float]]) -> tuple[int, int]:
        """Return the split with the largest expected gain of its two halves.

        The gain of the second half is known if bounds are looked up. If bounds require classes, the
        gain of the second half is estimated from earlier splits. The gain of the first half is
        always estimated.
        """
        risk = node.upper.point.risk
        area = self.stairs.area(*node.corner)
        groups = self.quality.groupings > self.grouped_before
        best_score, chosen = -1.0, splits[0][:2]
        for attribute, level, value in splits:
            first = self.first_gains.expected(attribute, level)
            second = self.gain(area, Point(risk, value))
            if groups:
                second = max(second, self.second_gains.expected(attribute, level))
            if (score := worth(first, second)) > best_score:
                best_score, chosen = score, (attribute, level)
        return chosen

    def gain(self, area: float, half: Point) -> float:
        """Return the share of the area that is no longer beyond the corner of a half."""
        return 1.0 - self.stairs.area(*half) / area if area > 0 else 1.0
