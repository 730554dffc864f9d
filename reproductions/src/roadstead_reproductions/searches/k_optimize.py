"""k-Optimize finds the best partition by enumerating sets of boundaries from the empty set.

A node of the search tree represents all partitions that keep all boundaries in a *head* and any of
the boundaries in a *tail* (Bayardo and Agrawal 2005, section 4). A node is pruned if its lower
bound is not below the lowest known cost. A boundary leaves the tail if it is useless, or if all
partitions with the boundary are pruned. Boundaries that split the most classes come first.

Three things are added to the paper's method (docs/methods/k-optimize.md has the proofs). One pass
computes bounds for all nodes with one more boundary in the head, and another pass for all nodes
with one boundary fewer in the tail. A boundary joins the head if all partitions without the
boundary are pruned. The bound includes the cost of rescuing or losing small classes
(`cut_changes.ascend`).

The search is deterministic. It can be stopped at any time, because nodes wait in the order of their
bounds.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from roadstead.kernels import partitions as kernels
from roadstead.kernels.compiled import Codes, Flags, Whole
from roadstead.policies.partition import Partition
from roadstead.search.partition_problem import PartitionProblem
from roadstead.search.protocol import Control, Ending, Outcome
from roadstead_reproductions.searches import cut_changes
from roadstead_reproductions.searches.partition_heuristics import climb, descend
from roadstead_reproductions.searches.partition_tracker import NEVER, PartitionTracker, cells_of


@dataclass(frozen=True)
class TreeNode:
    """All partitions from the head to the head and tail. None of them costs less than `bound`."""

    bound: int
    head: Flags
    tail: Flags
    work: Work | None = None


@dataclass(frozen=True)
class Work:
    """The cells of head and tail, the classes of the head, and the suppressed records."""

    codes: Codes
    counts: Whole
    classes: Codes
    number: int
    gone: int


@dataclass(frozen=True)
class View:
    """The result of evaluating a node.

    No partition of the node costs less than `bound`. For each place, `with_each` bounds the
    partitions that keep the boundary, and `without_each` bounds all other partitions. Boundaries
    that are `useless` need not be kept. `splits` is the number of classes that each boundary
    splits.
    """

    bound: int
    with_each: Whole
    without_each: Whole
    useless: Flags
    splits: Whole


Order: TypeAlias = Callable[[View], Whole]
"""A function that returns the priority of each boundary. The largest priority comes first."""


def by_splits(view: View) -> Whole:
    """Prefer boundaries that split the most classes, as in the paper."""
    return view.splits


def by_removal(view: View) -> Whole:
    """Prefer boundaries without which the bound is highest."""
    return view.without_each


@dataclass(frozen=True)
class KOptimize:
    """Set enumeration with bounds. `order` determines the next boundary.

    The default is the faster order in our measurements: `by_splits` if squares of class sizes have
    a price, and otherwise `by_removal`.
    """

    order: Order | None = None
    name: str = "k-optimize"
    guarantee: str = "the best partition, with a proof; if stopped early, a partition and a bound"

    def run(self, problem: PartitionProblem, control: Control) -> Outcome[Partition]:
        """Search until every node is settled, or until the search must stop."""
        measured = by_splits if problem.prices.square else by_removal
        return _Run(problem, control, self.order or measured).run()


class _Run(PartitionTracker):
    """The state of one search."""

    def __init__(self, problem: PartitionProblem, control: Control, order: Order) -> None:
        super().__init__(problem, control)
        self.order = order
        self.prices = problem.prices.array
        self.waiting: list[tuple[int, int, bytes, bytes]] = []
        self.made = 0
        root = TreeNode(0, np.zeros_like(problem.cuttable), problem.cuttable)
        self.diving: TreeNode | None = root

    def run(self) -> Outcome[Partition]:
        self.seed()
        if self.diving is not None:
            self.explore(self.diving)
        ending: Ending = "complete"
        while (node := self.take()) is not None:
            self.diving = node
            self.open = len(self.waiting) + 1
            if (reason := self.pause()) is not None:
                ending = reason
                break
            self.explore(node)
        return self.outcome(ending, proven=ending == "complete")

    def seed(self) -> None:
        """Start with the results of bottom-up merging and of descents from both ends."""
        climb(self)
        descend(self)
        bottom_up, met = self.best, self.first_met
        self.best = self.problem.judge(self.problem.domains.most_general)
        self.looks += 1
        self.first_met = self.looks
        descend(self)
        if bottom_up is not None and bottom_up.loss <= self.ceiling:
            self.best, self.first_met = bottom_up, met

    def take(self) -> TreeNode | None:
        """Continue the dive, or take the waiting node with the lowest bound."""
        if self.diving is not None:
            return self.diving
        while self.waiting:
            bound, _, head, tail = heapq.heappop(self.waiting)
            if bound < self.ceiling:
                return TreeNode(bound, self.unpack(head), self.unpack(tail))
            self.pruned += 1
        return None

    def unpack(self, packed: bytes) -> Flags:
        flags = np.unpackbits(np.frombuffer(packed, np.uint8), count=self.problem.cuttable.size)
        return flags.astype(np.bool_)

    def lower_bound(self) -> float:
        diving = [] if self.diving is None else [self.diving.bound]
        return min([self.ceiling, *diving, *(bound for bound, *_ in self.waiting[:1])])

    def explore(self, node: TreeNode) -> None:
        """Narrow a node as far as the bounds allow, and split the remaining node in two."""
        self.diving = None
        before = self.ceiling
        narrow = self.narrow(node)
        if self.ceiling < before:
            descend(self)
        if narrow is None:
            self.pruned += 1
            return
        node, view = narrow
        if not node.tail.any():
            return
        place = int(np.argmax(np.where(node.tail, self.order(view), -1)))
        one = np.zeros_like(node.tail)
        one[place] = True
        tail = node.tail & ~one
        kept = TreeNode(
            max(view.bound, int(view.with_each[place])), node.head | one, tail, node.work
        )
        left = TreeNode(max(view.bound, int(view.without_each[place])), node.head, tail, node.work)
        first, second = (kept, left) if kept.bound <= left.bound else (left, kept)
        self.put(second)
        self.diving = first

    def put(self, node: TreeNode) -> None:
        """Add a node to the queue without storing the node's classes."""
        self.made += 1
        packed = np.packbits(node.head).tobytes(), np.packbits(node.tail).tobytes()
        heapq.heappush(self.waiting, (node.bound, self.made, *packed))

    def narrow(self, node: TreeNode) -> tuple[TreeNode, View] | None:
        """Move boundaries into the head or out of the tail while bounds allow it."""
        head, tail, bound = node.head, node.tail, node.bound
        work = self.refine(node.work or self.begin(), head, tail)
        while work.gone <= self.problem.most_suppressed:
            view = self.look(work, head, tail)
            bound = max(bound, view.bound)
            ceiling = min(self.ceiling, NEVER)
            if bound >= ceiling:
                return None
            out = tail & (view.useless | (view.with_each >= ceiling))
            into = tail & (view.without_each >= ceiling)
            if (out & into).any():
                return None
            if not (out | into).any():
                return TreeNode(bound, head, tail, work), replace(view, bound=bound)
            head, tail = head | into, tail & ~(out | into)
            work = self.refine(work, head, tail)
        return None

    def begin(self) -> Work:
        """Put all cells into one class."""
        codes, counts = self.problem.cells
        return Work(codes, counts, np.zeros(codes.shape[1], np.uint32), 1, 0)

    def refine(self, work: Work, head: Flags, tail: Flags) -> Work:
        """Merge cells, split classes, and remove suppressed records, for a new head and tail."""
        offsets = self.problem.offsets
        starts = self.problem.starts(head | tail)
        classes, number, codes, counts = work.classes, work.number, work.codes, work.counts
        heads = self.problem.starts(head)
        for i in np.flatnonzero(np.logical_or.reduceat(head, offsets[:-1])):
            lookup = heads[offsets[i] : offsets[i + 1]]
            classes, number = kernels.refine_classes(classes, lookup[codes[i]])
        codes, counts, classes = kernels.group_cells(codes, counts, classes, starts, offsets)
        sizes = kernels.class_totals(classes, number, counts).sum(axis=1)
        alive = sizes >= self.problem.k
        if alive.all():
            return Work(codes, counts, classes, number, work.gone)
        gone = work.gone + int(sizes[~alive].sum())
        return Work(*cells_of(alive, codes, counts, classes), int(alive.sum()), gone)

    def look(self, work: Work, head: Flags, tail: Flags) -> View:
        """Bound the node and its neighbors, and evaluate both ends and their neighbors."""
        self.looks += 1
        offsets, k, prices = self.problem.offsets, self.problem.k, self.prices
        cells = work.codes, work.counts
        totals = kernels.class_totals(work.classes, work.number, work.counts)
        cuts = cut_changes.weigh_cuts(*cells, work.classes, totals, offsets, k, prices)
        following = self.problem.following(head | tail)
        cost, gone, squares, minorities = cut_changes.weigh_merges(
            *cells, following, offsets, tail, k, prices
        )
        base = int(prices[2]) * work.gone
        head_cost = base + kernels.sum_costs(totals, k, prices)[0]
        full_cost, least, full_gone = kernels.sum_costs(work.counts, k, prices)
        # The ends come first: if an end is as good as its neighbors, it is the simpler result.
        self.offer(head, head_cost, work.gone)
        self.offer(head | tail, base + full_cost, work.gone + full_gone)
        each_gone = work.gone + cuts[cut_changes.GONE]
        self.offer_neighbor(head, tail, head_cost + cuts[cut_changes.COST], each_gone)
        full_cost, full_gone = base + full_cost, work.gone + full_gone
        self.offer_neighbor(head | tail, tail, full_cost + cost, full_gone + gone)
        bound = base + least
        # A cell has at most two mergeable neighbors per attribute.
        mergeable = sum(bool(tail[begin:end].any()) for begin, end in pairwise(offsets))
        slack = squares + minorities // max(1, 2 * mergeable)
        prizes = prizes_of(work.counts, k, prices)
        rescue, left = cut_changes.ascend(work.codes, prizes, following, offsets, tail, slack)
        with_each = bound + cuts[cut_changes.BOUND]
        with_each[each_gone > self.problem.most_suppressed] = NEVER
        return View(
            bound=bound + rescue,
            with_each=np.maximum(with_each, bound + rescue),
            without_each=np.maximum(bound + squares + minorities, bound + rescue + left),
            useless=cuts[cut_changes.WORTH] == 0,
            splits=cuts[cut_changes.SPLITS],
        )


def prizes_of(counts: Whole, k: int, prices: Whole) -> Whole:
    """Return how much suppressing each cell of fewer than `k` records adds to the bound."""
    sizes, largest = counts.sum(axis=1), counts.max(axis=1)
    least = prices[0] * sizes * k + prices[1] * (sizes - largest)
    return np.where(sizes < k, prices[2] * sizes - least, 0)
