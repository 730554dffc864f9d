"""Flash: binary search along greedy paths, then everything above what was found.

Kohlmayer, Prasser, Eckert, Kemper and Kuhn 2012; with suppression as in paper 003. Policies have an
order (`in_order`). First phase: from each policy not yet settled, in that order, a path climbs to
the top, always by the first neighbor not settled, and is halved for its lowest policy that does not
suppress too much. New paths start above those that do. Second phase: where suppression is allowed,
what is above an admissible policy may be better, so from the policy found the search goes up, depth
first, through all that is not insufficient (`ledger`). Every policy that does not suppress too much
is above one where a second phase began, so the best is proven, with every model.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.full_domain import FullDomain, Levels, generalizations
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
    shape,
    sums,
    too_many,
)


def flash(tags: Callable[[FullDomain], Tags] = Tags) -> WalkSearch:
    """Search along paths by halving; `tags` makes the marks of a lattice."""
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
        """Whether the first phase has nothing to do for a policy."""
        return self.tags[levels] != 0

    def first_phase(self, start: Levels) -> None:
        """Search paths from a policy, and from those above it that suppress too much."""
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
        """Climb by the first neighbor that is not settled, as far as there is one."""
        path = [levels]
        while True:
            above = (other for other in self.above(path[-1]) if not self.settled(other))
            following = next(above, None)
            if following is None:
                return path
            path.append(following)

    def lowest(self, path: list[Levels], waiting: list[tuple[int, Levels]]) -> Levels | None:
        """Find the lowest policy of a path that does not suppress too much."""
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
        """Look at everything from a policy upwards that is not insufficient."""
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
        """Look at a policy and mark what follows from it."""
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
        """Direct generalizations, in order."""
        return sorted(generalizations(self.space, levels), key=self.place)

    def place(self, levels: Levels) -> int:
        """Place of a policy in the order."""
        pairs = zip(levels, self.space.bottom, strict=True)
        return int(self.places[tuple(level - low for level, low in pairs)])


def in_order(problem: FullDomainProblem) -> NDArray[np.intp]:
    """Numbers of all policies, by rank, share of the hierarchies climbed, and distinct values."""
    space, labels = problem.space, problem.encoding.labels
    ranks, climbed, distinct = [], [], []
    for low, high, own in zip(space.bottom, space.top, labels, strict=True):
        levels = np.arange(low, high + 1, dtype=np.float64)
        ranks.append(levels)
        climbed.append(levels / max(1, len(own) - 1))
        distinct.append(-np.array(own[low : high + 1]) / own[0])
    # Shares summed in another order differ in their last bits, which must not decide.
    keys = [np.round(sums(part), 9) for part in (distinct, climbed, ranks)]
    return np.lexsort(keys)
