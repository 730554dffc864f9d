"""Maintain a frontier of policies that no other policy dominates in risk and loss.

Members are sorted by ascending risk, and therefore by descending loss. They form a staircase that
separates dominated points from the others (paper 000, definitions 3.9 and 3.10). Bisection finds
the position of a new policy. The members that a new policy dominates are directly to the right of
this position.

Risks and losses are shares from 0 to 1. Two points that differ by less than 1e-12 count as equal.
Otherwise, a policy might stay on the frontier only because of a rounding error. If several points
are equal, only the first point is kept.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

P = TypeVar("P")

CLOSE = 1e-12
"""Two shares that differ by less than this number count as equal."""

_FEW = 16
"""Up to this number of points are inserted one by one."""


class Point(NamedTuple):
    """A risk and a loss, both shares."""

    risk: float
    loss: float


class Member(NamedTuple, Generic[P]):
    """A policy on the frontier."""

    risk: float
    loss: float
    policy: P


class Frontier(Generic[P]):
    """Policies that do not dominate each other, in ascending order of risk."""

    def __init__(self) -> None:
        self._risks: list[float] = []
        self._losses: list[float] = []
        self._policies: list[P] = []

    def __len__(self) -> int:
        return len(self._risks)

    def __iter__(self) -> Iterator[Member[P]]:
        return map(Member, self._risks, self._losses, self._policies)

    def __getitem__(self, place: int) -> Member[P]:
        return Member(self._risks[place], self._losses[place], self._policies[place])

    @property
    def risks(self) -> NDArray[np.float64]:
        """The risks in ascending order."""
        return np.array(self._risks)

    @property
    def losses(self) -> NDArray[np.float64]:
        """The losses in descending order."""
        return np.array(self._losses)

    def loss_within(self, risk: float) -> float:
        """Return the lowest loss of all members with at most this risk, or infinity."""
        place = bisect_right(self._risks, risk + CLOSE)
        return self._losses[place - 1] if place else np.inf

    def dominates(self, risk: float, loss: float) -> bool:
        """Return whether a member is at least as good in both risk and loss."""
        return self.loss_within(risk) <= loss + CLOSE

    def insert(self, risk: float, loss: float, policy: P) -> bool:
        """Insert a policy, remove the policies that it dominates, and return whether it is kept."""
        if self.dominates(risk, loss):
            return False
        begin = bisect_right(self._risks, risk - CLOSE)
        end = begin
        while end < len(self._losses) and self._losses[end] >= loss - CLOSE:
            end += 1
        self._risks[begin:end] = [risk]
        self._losses[begin:end] = [loss]
        self._policies[begin:end] = [policy]
        return True

    def insert_all(
        self,
        risks: NDArray[np.float64],
        losses: NDArray[np.float64],
        policy_of: Callable[[int], P],
    ) -> int:
        """Insert many points at once, and return the number of points added to the frontier.

        The function `policy_of` returns the policies of the points that are kept. If there are few
        points, the returned number includes points that a later point replaced.
        """
        places = self.improving(risks, losses)
        if places.size <= _FEW:
            points = ((int(at), float(risks[at]), float(losses[at])) for at in places)
            return sum(self.insert(risk, loss, policy_of(at)) for at, risk, loss in points)
        # Among points with equal risk, the last has the lowest loss.
        places = places[np.append(np.diff(risks[places]) > CLOSE, True)]
        self._merge(risks[places], losses[places], [policy_of(int(at)) for at in places])
        return int(places.size)

    def _merge(
        self, risks: NDArray[np.float64], losses: NDArray[np.float64], policies: list[P]
    ) -> None:
        """Insert many policies that no member dominates, sorted by ascending risk."""
        steps = np.concatenate([[np.inf], losses])
        beaten = steps[np.searchsorted(risks, self.risks + CLOSE, side="right")]
        stay = np.flatnonzero(beaten > self.losses + CLOSE)
        order = np.argsort(np.concatenate([self.risks[stay], risks]), kind="stable")
        known = [self._policies[place] for place in stay]
        everybody = known + policies
        self._policies = [everybody[place] for place in order]
        self._losses = np.concatenate([self.losses[stay], losses])[order].tolist()
        self._risks = np.concatenate([self.risks[stay], risks])[order].tolist()

    def improving(
        self, risks: NDArray[np.float64], losses: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Return the indices of the points that neither a member nor another point dominates.

        If the risks of two points are too close to distinguish, both may be returned.
        """
        outside = np.flatnonzero(losses < self.losses_within(risks) - CLOSE)
        order = outside[np.lexsort((losses[outside], risks[outside]))]
        best = np.minimum.accumulate(np.concatenate([[np.inf], losses[order]]))[:-1]
        found: NDArray[np.int64] = order[losses[order] < best - CLOSE]
        return found

    def losses_within(self, risks: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the result of `loss_within` for each of many risks."""
        steps = np.concatenate([[np.inf], self._losses])
        found: NDArray[np.float64] = steps[np.searchsorted(self.risks, risks + CLOSE, side="right")]
        return found

    @property
    def area(self) -> float:
        """The area under the staircase in the unit square; a smaller area is better.

        Below the lowest risk of all members, the loss counts as 1.
        """
        corners = np.clip([0.0, *self._risks, 1.0], 0.0, 1.0)
        heights = np.clip([1.0, *self._losses], 0.0, 1.0)
        return float(np.sum(np.diff(corners) * heights))

    def share_outside(self, general: Point, specific: Point) -> float:
        """For the box between two policies' points, return the share that no member dominates.

        The first policy has a lower risk, and the second policy has a lower loss. The result is 0
        if and only if no policy between them can improve the frontier. If the policies between them
        are spread evenly over the box, the result is the probability that one of these policies
        improves the frontier. Paper 000 gives the formula (equation 1). This function corrects two
        errors in the formula. Heights are cut off at the edge of the box, and the area to the left
        of the first member is included.
        """
        width, height = specific.risk - general.risk, general.loss - specific.loss
        if width <= CLOSE or height <= CLOSE:
            return 0.0 if self.dominates(general.risk, specific.loss) else 1.0
        first = bisect_right(self._risks, general.risk)
        last = bisect_right(self._risks, specific.risk)
        corners = np.array([general.risk, *self._risks[first:last], specific.risk])
        before = self._losses[first - 1] if first else np.inf
        tops = np.minimum([before, *self._losses[first:last]], general.loss)
        outside = np.sum(np.maximum(tops - specific.loss, 0.0) * np.diff(corners))
        if self.dominates(general.risk, specific.loss):
            return 0.0
        return float(max(outside / (width * height), np.finfo(float).tiny))
