"""A second, plain implementation of microaggregation, on lists of records, from the papers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

Point = tuple[float, ...]


def squared(one: Sequence[float], other: Sequence[float]) -> float:
    """Square of Euclid's distance."""
    return sum((a - b) * (a - b) for a, b in zip(one, other, strict=True))


def textbook(records: Sequence[Point], k: int) -> list[list[int]]:
    """MDAV after Domingo-Ferrer and Torra (2005): one record per person, all records different."""
    left, groups = list(range(len(records))), []

    def mean() -> Point:
        own = [records[at] for at in left]
        return tuple(sum(column) / len(own) for column in zip(*own, strict=True))

    def farthest(place: Sequence[float]) -> int:
        return max(left, key=lambda at: squared(records[at], place))

    def around(center: int) -> None:
        group = sorted(left, key=lambda at: squared(records[at], records[center]))[:k]
        groups.append(group)
        for at in group:
            left.remove(at)

    while len(left) >= 3 * k:
        first = farthest(mean())
        around(first)
        around(farthest(records[first]))
    if len(left) >= 2 * k:
        around(farthest(mean()))
    if left:
        groups.append(left)
    return sorted(sorted(group) for group in groups)


@dataclass(frozen=True)
class OwnedPoints:
    """Distinct points, how many records each has, and whose these are."""

    points: list[Point]
    weights: list[int]
    owners: list[set[int]]

    def of(self, group: Sequence[int]) -> set[int]:
        """Whose records some points are."""
        return set().union(*(self.owners[at] for at in group))

    def mean(self, group: Sequence[int]) -> Point:
        """The mean of the records of some points."""
        weight = sum(self.weights[at] for at in group)
        return tuple(
            sum(self.weights[at] * self.points[at][column] for at in group) / weight
            for column in range(len(self.points[0]))
        )

    def grouped(self, k: int) -> list[list[int]]:
        """Group them so that each group has k owners, a point never divided."""
        left, groups = list(range(len(self.points))), []

        def farthest(place: Sequence[float]) -> int:
            return max(left, key=lambda at: (squared(self.points[at], place), -at))

        def around(center: int) -> None:
            near = sorted(left, key=lambda at: (squared(self.points[at], self.points[center]), at))
            size = next(n for n in range(1, len(near) + 1) if len(self.of(near[:n])) >= k)
            groups.append(near[:size])
            for at in near[:size]:
                left.remove(at)

        while len(self.of(left)) >= 2 * k:
            twice = len(self.of(left)) >= 3 * k
            first = farthest(self.mean(left))
            around(first)
            if twice and len(self.of(left)) >= 2 * k:
                around(farthest(self.points[first]))
        if len(self.of(left)) >= k or not groups:
            groups.append(left)
        else:
            means = [self.mean(group) for group in groups]
            for at in left:
                ways = [squared(self.points[at], mean) for mean in means]
                groups[ways.index(min(ways))].append(at)
        return sorted(sorted(group) for group in groups if group)


def least_within(values: Sequence[float], k: int) -> float:
    """Least sum of squares within groups of k or more numbers: Hansen and Mukherjee (2003)."""
    ordered = sorted(values)
    best = [0.0] + [inf] * len(ordered)
    for end in range(k, len(ordered) + 1):
        for start in range(max(0, end - 2 * k + 1), end - k + 1):
            own = ordered[start:end]
            mean = sum(own) / len(own)
            best[end] = min(best[end], best[start] + sum((one - mean) ** 2 for one in own))
    return best[-1]
