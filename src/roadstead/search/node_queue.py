"""Store the sublattices that are still open, and dive into them.

Sublattices wait in packed form, in ascending order of their bounds. When the classes exceed a
memory limit, further sublattices are processed depth first. Above a second limit, sublattices are
stored without their classes. If only the bound matters, these two steps have the opposite order,
because the bound hardly rises in a search that works depth first.

A *dive* takes a sublattice, continues with its better half, and repeats this step. Dives can run in
parallel, because a dive does not change the state of the search.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf

from roadstead.policies.full_domain import Levels
from roadstead.search.evaluator import Evaluator
from roadstead.search.protocol import Candidate
from roadstead.search.sublattices import Gains, Split, Sublattice, SublatticeStep, refuted

_BYTES_WITHOUT_CLASSES = 1000
"""The size of a sublattice without its classes."""


class NodeQueue:
    """The open sublattices of one search, with two memory limits.

    With `for_bound`, the search stores sublattices without their classes above the first limit, and
    works depth first above the second limit.
    """

    def __init__(self, rows: int, most_bytes: int, *, for_bound: bool = False) -> None:
        self.rows = rows
        self.without_classes, self.depth_first = 2 * most_bytes, most_bytes
        self._bytes_of_each = 0
        if for_bound:
            self.without_classes, self.depth_first = most_bytes, 2 * most_bytes
            self._bytes_of_each = _BYTES_WITHOUT_CLASSES
        self.going_on: list[Sublattice] = []
        self.waiting: list[tuple[float, int, Sublattice]] = []
        self.put_off: list[Sublattice] = []
        self.made = self.bytes_held = 0

    def __len__(self) -> int:
        return len(self.waiting) + len(self.put_off) + len(self.going_on)

    @property
    def left(self) -> list[Sublattice]:
        """All open sublattices."""
        return [*self.going_on, *self.put_off, *(node for _, _, node in self.waiting)]

    @property
    def bound(self) -> float:
        """The smallest bound of all open sublattices, or infinity if there are none."""
        waiting = [self.waiting[0][0]] if self.waiting else []
        others = (node.bound for node in (*self.going_on, *self.put_off))
        return min([*waiting, *others], default=inf)

    def take(self, number: int, best: Candidate[Levels] | None) -> list[Sublattice]:
        """Choose the next sublattices: dives, deferred sublattices, and then the lowest bounds."""
        nodes = [n for n in self.going_on if not refuted(n.bound, n.lower, best)]
        while (self.put_off or self.waiting) and len(nodes) < number:
            node = self.put_off.pop() if self.put_off else heapq.heappop(self.waiting)[2]
            self.bytes_held -= node.nbytes + self._bytes_of_each
            if not refuted(node.bound, node.lower, best):
                node.unpack()
                nodes.append(node)
        self.going_on = nodes
        return nodes[:number]

    def put(self, nodes: Iterable[Sublattice]) -> None:
        """Add sublattices to the queue."""
        for node in nodes:
            if self.bytes_held > self.without_classes:
                node.forget()
            if self.bytes_held > self.depth_first:
                self.put_off.append(node)
            else:
                node.pack(self.rows)
                self.made += 1
                heapq.heappush(self.waiting, (node.bound, self.made, node))
            self.bytes_held += node.nbytes + self._bytes_of_each

    def follow(self, dive: Dive) -> None:
        """Add the remaining sublattices of a dive, and continue with the dive's last sublattice."""
        self.going_on = [one for one in self.going_on if one is not dive.node]
        self.going_on += dive.left[-1:]
        self.put(reversed(dive.left[:-1]))


@dataclass
class Dive:
    """A dive that starts at `node`, and its result.

    At first, `best` is the best known policy. Each better policy that the dive finds replaces
    `best`. `first_met` is the number of the evaluation that found the last of these policies, or 0
    if the dive found none. `left` contains the remaining sublattices, and the dive continues with
    the last of these sublattices. `learned` contains the gains of splits.
    """

    evaluator: Evaluator
    gains: Gains
    best: Candidate[Levels] | None
    node: Sublattice
    most: int = 1
    evaluated: int = 0
    first_met: int = 0
    left: list[Sublattice] = field(default_factory=list)
    learned: list[Split] = field(default_factory=list)

    def run(self) -> Dive:
        """Take at least one step, and stop after `most` evaluations or when nothing is left."""
        self.left.append(self.node)
        while self.left:
            node = self.left.pop()
            if not refuted(node.bound, node.lower, self.best):
                self._step(node)
            if self.evaluated >= self.most:
                break
        return self

    def _step(self, node: Sublattice) -> None:
        step = SublatticeStep(self.evaluator, self.gains, self.best)
        step.explore(node)
        if step.first_met:
            self.best, self.first_met = step.best, self.evaluated + step.first_met
        self.evaluated += step.evaluated
        if step.learned is not None:
            self.learned.append(step.learned)
        self.left += reversed(step.halves)
