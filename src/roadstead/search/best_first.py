"""Best-first search: from the data as they are upwards, always on from where least is lost.

Paper 003 (Effective pruning in large search spaces). All direct generalizations of a policy are
evaluated and wait in order of their loss; the search goes on from the first. Where a policy loses
as much as the best by generalization alone, this is written down, once, in an antichain: nothing
above it is evaluated, wherever the search comes from. Nothing else is kept of the lattice but what
was evaluated, so a lattice of any size can be begun.

When nothing waits any more, the best is proven. Every policy is above the most specific one, and
on the way to it from there, either every step was evaluated, or one was insufficient.

The published counts of evaluations are those of this search, with its habits: a policy waits again
each time that a neighbor finds it, and a policy just evaluated is judged when its turn comes, not
before.
"""

from __future__ import annotations

from collections.abc import Callable

from roadstead.policies.full_domain import Levels, generalizations
from roadstead.search.antichain import Antichain, inherited_up
from roadstead.search.heap import Heap
from roadstead.search.ledger import Ledger, Look, WalkSearch
from roadstead.search.protocol import THE_BEST


def best_first(store: Callable[[], Antichain] = inherited_up) -> WalkSearch:
    """Best-first branch and bound; `store` makes the store of policies that are insufficient."""
    return WalkSearch("best-first", THE_BEST, lambda ledger: _walk(ledger, store()))


def _walk(ledger: Ledger, insufficient: Antichain) -> bool:
    space = ledger.problem.space
    expanded: set[Levels] = set()
    loss, current = ledger.appraise(space.bottom)
    known = {space.bottom: (loss, current)}
    waiting: Heap[Look] = Heap()
    waiting.push(loss, current)
    # What was not looked at is above something that waits, or above the current one.
    ledger.bound = lambda: min(look.floor for look in (current, *waiting))
    while waiting:
        current = waiting.pop()
        if current.levels in expanded or current.levels in insufficient:
            continue
        if ledger.insufficient(current):
            insufficient.add(current.levels)
            continue
        for levels in generalizations(space, current.levels):
            if levels in expanded or levels in insufficient:
                continue
            if levels not in known:
                known[levels] = ledger.appraise(levels)
            waiting.push(*known[levels])
        expanded.add(current.levels)
        del known[current.levels]
        ledger.open = len(waiting)
        ledger.hits = insufficient.hits
    return True
