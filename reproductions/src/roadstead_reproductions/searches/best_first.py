"""Best-first search: from the data as they are upwards, always on from where least is lost.

Paper 003 (Effective pruning in large search spaces). All direct generalizations of a policy are
evaluated and wait in order of their loss; the search goes on from the first. Where a policy loses
as much as the best by generalization alone, an antichain says so of everything above it. When
nothing waits any more, the best is proven: on the way to any policy from the most specific one,
either every step was evaluated, or one was insufficient.

The published counts of evaluations are those of this search, with its habits: a policy waits again
each time that a neighbor finds it, and a policy just evaluated is judged when its turn comes, not
before. And they are those of its queue, a textbook heap, since policies that suppress everything
all lose the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from roadstead.policies.full_domain import Levels, generalizations
from roadstead.search.protocol import THE_BEST
from roadstead_reproductions.searches.antichain import Antichain, inherited_up
from roadstead_reproductions.searches.ledger import Ledger, Look, WalkSearch


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
    # A policy that was not evaluated is above a waiting policy, or above the current one.
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
    """Items that wait, each with a key."""

    def __init__(self) -> None:
        self._entries: list[tuple[float, Item]] = []

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Item]:
        """All items, in no particular order."""
        return (item for _, item in self._entries)

    def push(self, key: float, item: Item) -> None:
        """Let an item wait."""
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
        """Take out an item with the least key."""
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
