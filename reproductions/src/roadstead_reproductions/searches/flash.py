"""Flash: binary search along greedy paths, then a search above the policies found.

Flash comes from Kohlmayer, Prasser, Eckert, Kemper, and Kuhn 2012. Suppression is handled as in
paper 003. The policies are in a fixed order (`in_order`). In the first phase, a path climbs from
each unsettled policy to the top, always through the first unsettled neighbor. A binary search finds
the lowest policy on the path that does not suppress too much. Further paths start at policies that
suppress too much. The second phase runs if suppression is allowed, because a policy above an
admissible policy may then be better. So a depth-first search continues from the policy found,
through all policies that are not insufficient (`ledger`). Every policy that does not suppress too
much is above the start of a second phase, so the best policy is proven to be optimal.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.full_domain import FullDomain, Levels
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.protocol import THE_BEST
from roadstead_reproductions.searches.ledger import (
    HOPELESS,
    INSUFFICIENT,
    SUFFICES,
    VISITED,
    Ledger,
    Look,
    Tags,
    WalkSearch,
    each_in_order,
    generalizations,
    shape,
    sums,
    too_many,
)


def flash(tags: Callable[[FullDomain], Tags] = Tags) -> WalkSearch:
    """Return the Flash search. `tags` creates the marks of a lattice."""
    return WalkSearch(
        "flash", THE_BEST, lambda ledger: _Run(ledger, tags).walk(), lambda p: too_many(p.space)
    )


class _Run:
    """The state of one search."""

    def __init__(self, ledger: Ledger, tags: Callable[[FullDomain], Tags]) -> None:
        self.ledger = ledger
        self.space = ledger.problem.space
        self.tags = tags(self.space)
        self.sufficing: dict[Levels, Look] = {}

    def walk(self) -> bool:
        numbers = in_order(self.ledger.problem)
        places = np.empty(numbers.size, dtype=np.intp)
        places[numbers] = np.arange(numbers.size)
        self.places = places.reshape(shape(self.space))
        for levels in each_in_order(self.ledger, numbers):
            if not self.settled(levels):
                self.first_phase(levels)
        return True

    def settled(self, levels: Levels) -> bool:
        """Return whether the first phase can skip a policy."""
        return self.tags[levels] != 0

    def first_phase(self, start: Levels) -> None:
        """Search paths from a policy, and from policies on these paths that suppress too much."""
        waiting = [(self.place(start), start)]
        while waiting:
            _, levels = heapq.heappop(waiting)
            if self.settled(levels):
                self.ledger.hits += 1
                continue
            found = self.lowest(self.path(levels), waiting)
            if found is not None:
                self.second_phase(found)
        self.ledger.open = 0

    def path(self, levels: Levels) -> list[Levels]:
        """Climb through the first unsettled neighbor until there is none."""
        path = [levels]
        while True:
            above = (other for other in self.above(path[-1]) if not self.settled(other))
            following = next(above, None)
            if following is None:
                return path
            path.append(following)

    def lowest(self, path: list[Levels], waiting: list[tuple[int, Levels]]) -> Levels | None:
        """Return the lowest policy of a path that does not suppress too much."""
        found = None
        low, high = 0, len(path) - 1
        while low <= high:
            middle = (low + high) // 2
            levels = path[middle]
            if not self.settled(levels):
                look = self.look(levels)
                if self.ledger.hopeless(look):
                    for other in self.above(levels):
                        if not self.settled(other):
                            heapq.heappush(waiting, (self.place(other), other))
            if self.tags[levels] & SUFFICES:
                found = levels
                high = middle - 1
            else:
                low = middle + 1
        return found

    def second_phase(self, start: Levels) -> None:
        """Evaluate all policies above a policy that are not insufficient."""
        waiting = [start]
        while waiting:
            levels = waiting.pop()
            if self.tags[levels] & (VISITED | INSUFFICIENT):
                self.ledger.hits += 1
                continue
            self.tags.mark(levels, VISITED)
            look = self.sufficing.get(levels) or self.look(levels)
            if self.ledger.insufficient(look):
                self.tags.mark_up(levels, INSUFFICIENT)
            else:
                waiting.extend(reversed(self.above(levels)))
                self.ledger.open = len(waiting)

    def look(self, levels: Levels) -> Look:
        """Evaluate a policy, and set the marks that follow from the result."""
        look = self.ledger.look(levels)
        if self.ledger.hopeless(look):
            self.tags.mark_down(levels, HOPELESS)
        else:
            self.tags.mark_up(levels, SUFFICES)
            self.sufficing[levels] = look
        if self.ledger.insufficient(look):
            self.tags.mark_up(levels, INSUFFICIENT)
        return look

    def above(self, levels: Levels) -> list[Levels]:
        """Return the direct generalizations of a policy, in order."""
        return sorted(generalizations(self.space, levels), key=self.place)

    def place(self, levels: Levels) -> int:
        """Return the place of a policy in the order."""
        pairs = zip(levels, self.space.bottom, strict=True)
        return int(self.places[tuple(level - low for level, low in pairs)])


def in_order(problem: FullDomainProblem) -> NDArray[np.intp]:
    """Return all policies as numbers, ordered by rank, share of levels, and distinct values."""
    space, labels = problem.space, problem.encoding.labels
    ranks, climbed, distinct = [], [], []
    for low, high, own in zip(space.bottom, space.top, labels, strict=True):
        levels = np.arange(low, high + 1, dtype=np.float64)
        ranks.append(levels)
        climbed.append(levels / max(1, len(own) - 1))
        distinct.append(-np.array(own[low : high + 1]) / own[0])
    # The order of a sum changes its last bits, and these bits must not decide ties.
    keys = [np.round(sums(part), 9) for part in (distinct, climbed, ranks)]
    return np.lexsort(keys)
