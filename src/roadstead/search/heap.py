"""A binary heap in which the order of equals is settled.

What waits is taken out in order of its key, the least first. Where keys are equal, the shape of
the heap decides. That shape follows from the two textbook rules alone: what comes in rises from
the end while its key is less than that of the one above it; and when the first is taken out, the
last takes its place and sinks while a key below is less, to the lesser of the two, to the left if
they are equal. Paper 003 counts the evaluations of its searches with such a queue. Its counts can
only be found again with the same one, since policies that suppress everything all lose the same.
(Python's `heapq` lets the last sink to the bottom first, which mixes equals otherwise.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

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
