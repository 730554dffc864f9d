"""OLA and Incognito: searches for minimal admissible policies.

If all more general policies inherit "suppresses at most the limit", the *minimal* admissible
policies split the lattice in two. Both searches find these policies, and return the best evaluated
policy. If suppression is not allowed, this policy is optimal. The papers assume that losses do not
fall when policies become more general. With suppression, losses can fall, so a more general policy
may be better. In that case, floors still bound the loss.

*OLA*, Optimal Lattice Anonymization (El Emam and others 2009), examines all policies of middle rank
between a bottom and a top, and continues below admissible policies and above inadmissible policies.
*Incognito* (LeFevre, DeWitt, and Ramakrishnan 2005) examines small subsets of the attributes first,
with the other attributes at their tops. Each policy belongs to exactly one subset, so each policy
is examined only once.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.full_domain import FullDomain, Levels, rank
from roadstead.search.evaluation import FullDomainProblem
from roadstead_reproductions.searches.antichain import inherited_up
from roadstead_reproductions.searches.ledger import (
    HOPELESS,
    SUFFICES,
    Ledger,
    Look,
    Tags,
    Walk,
    WalkSearch,
    each_in_order,
    sums,
    too_many,
)


def ola() -> WalkSearch:
    """Return the search that halves the lattice by rank."""
    return _search("ola", _by_halves)


def incognito() -> WalkSearch:
    """Return the search that examines small subsets of the attributes before larger ones."""
    return _search("incognito", _by_subsets)


def _search(name: str, walk: Walk) -> WalkSearch:
    guarantee = (
        "not worse than any admissible policy without an admissible policy below it; proven to "
        "be the best if nothing may be suppressed"
    )
    return WalkSearch(name, guarantee, walk, refusal)


def refusal(problem: FullDomainProblem) -> str | None:
    """Return the reason why a problem is rejected, or None."""
    model = problem.privacy
    if model.monotone_part is not model and not (problem.limit == 0 and model.merges):
        when = " when records may be suppressed" if model.merges else ""
        return (
            "it assumes that a policy meets the requirements if a finer policy meets them, but "
            f"this privacy model does not guarantee this{when}"
        )
    return too_many(problem.space)


class Admissibility:
    """The known facts about the admissibility of policies."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.tags = Tags(ledger.problem.space)
        self._minimal = inherited_up()
        self._looks: dict[Levels, Look] = {}

    def examine(self, levels: Levels) -> bool:
        """Return whether a policy is admissible, and evaluate the policy if this is not known."""
        if marks := self.tags[levels]:
            self.ledger.hits += 1
            return marks == SUFFICES
        look = self.ledger.look(levels)
        if look.candidate is None:
            self.tags.mark_down(levels, HOPELESS)
            return False
        self.tags.mark_up(levels, SUFFICES)
        self._minimal.add(levels)
        self._looks[levels] = look
        return True

    def settle(self) -> bool:
        """Bound every admissible policy at the end, and return whether the best is proven."""
        minimal = [self._looks[levels] for levels in self._minimal]
        least = min((look.floor for look in minimal), default=inf)
        self.ledger.bound = lambda: least
        return all(self.ledger.insufficient(look) for look in minimal)


def _by_halves(ledger: Ledger) -> bool:
    known = Admissibility(ledger)
    _halve(known, ledger.problem.space.bottom, ledger.problem.space.top)
    return known.settle()


def _halve(known: Admissibility, lower: Levels, upper: Levels) -> None:
    """Determine the admissibility of every policy between two policies."""
    if not known.tags.unmarked(lower, upper):
        return
    height = rank(upper) - rank(lower)
    if height <= 1:
        if not known.examine(lower):
            known.examine(upper)
        return
    known.ledger.go_on()
    for middle in _of_rank(lower, upper, height // 2):
        if known.examine(middle):
            _halve(known, lower, middle)
        else:
            _halve(known, middle, upper)


def _of_rank(lower: Levels, upper: Levels, steps: int) -> Iterator[Levels]:
    """Yield every policy between two policies that is `steps` levels above the lower policy."""
    if len(lower) == 1:
        yield (lower[0] + steps,)
        return
    room = rank(upper[1:]) - rank(lower[1:])
    for own in range(max(0, steps - room), min(steps, upper[0] - lower[0]) + 1):
        for rest in _of_rank(lower[1:], upper[1:], steps - own):
            yield (lower[0] + own, *rest)


def _by_subsets(ledger: Ledger) -> bool:
    known = Admissibility(ledger)
    for levels in each_in_order(ledger, subsets_in_order(ledger.problem.space)):
        known.examine(levels)
    return known.settle()


def subsets_in_order(space: FullDomain) -> NDArray[np.intp]:
    """Return all policies as numbers, ordered by the attributes below the top, then by rank."""
    ranks, not_at_top = [], []
    for low, high in zip(space.bottom, space.top, strict=True):
        levels = np.arange(low, high + 1, dtype=np.float64)
        ranks.append(levels)
        not_at_top.append((levels < high).astype(np.float64))
    return np.lexsort([sums(ranks), sums(not_at_top)])
