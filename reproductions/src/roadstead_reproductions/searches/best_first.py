"""Best-first search from the most specific policy, in ascending order of loss.

This search is described in paper 003 (Effective pruning in large search spaces). All direct
generalizations of a policy are evaluated and added to a queue. The search continues from the policy
with the lowest loss. An antichain excludes all policies above a policy whose loss by generalization
alone is at least the loss of the best policy. When the queue is empty, the best policy is proven to
be optimal.

The numbers of evaluations should be comparable with the published numbers. For this reason, a
policy is added again each time that a neighbor finds it, a policy is checked only when it leaves
the queue, and the queue is a textbook heap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from roadstead.policies.full_domain import Levels
from roadstead.search.protocol import THE_BEST
from roadstead_reproductions.searches.antichain import Antichain, inherited_up
from roadstead_reproductions.searches.ledger import Ledger, Look, WalkSearch, generalizations


def best_first(store: Callable[[], Antichain] = inherited_up) -> WalkSearch:
    """Return the best-first search. `store` creates the store of insufficient policies."""
    return WalkSearch("best-first", THE_BEST, lambda ledger: _walk(ledger, store()))


def _walk(ledger: Ledger, insufficient: Antichain) -> bool:
    space = ledger.problem.space
    expanded: set[Levels] = set()
    loss, current = ledger.appraise(space.bottom)
    known = {space.bottom: (loss, current)}
    waiting: Heap[Look] = Heap()
    waiting.push(loss, current)
    # Every policy that was not evaluated is above a waiting policy or above the current policy.
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


Item = TypeVar("Item")


class Heap(Generic[Item]):
    """A queue of items, each with a key."""

    def __init__(self) -> None:
        self._entries: list[tuple[float, Item]] = []

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Item]:
        """Yield all items, in no particular order."""
        return (item for _, item in self._entries)

    def push(self, key: float, item: Item) -> None:
        """Add an item."""
        entries, entry = self._entries, (key, item)
        at = len(entries)
        entries.append(entry)
        while at > 0:
            above = (at - 1) // 2
            if key >= entries[above][0]:
                break
            entries[at] = entries[above]
            at = above
        entries[at] = entry

    def pop(self) -> Item:
        """Remove and return an item with the lowest key."""
        entries = self._entries
        last = entries.pop()
        if not entries:
            return last[1]
        first = entries[0]
        at, below = 0, 1
        while below < len(entries):
            if below + 1 < len(entries) and entries[below + 1][0] < entries[below][0]:
                below += 1
            if last[0] <= entries[below][0]:
                break
            entries[at] = entries[below]
            at, below = below, 2 * below + 1
        entries[at] = last
        return first[1]
