"""DiffGen from its definition, on lists of records: paper 002, algorithm 1.

The tests compare the engine with this second implementation. The two share no ideas: this one has
no tallies, runs, keys, or masks. Each partition is a dictionary from attributes to nodes. A record
is in the partition if all nodes of the partition match it. All numbers are counted from the
records.

Both implementations follow two conventions. Specialized partitions replace the old one, in the
order of the children. Tested combinations come after all others: combinations without the first
child come before combinations with it, and the last child has the most weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import ceil, log2
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from private_tables import Attribute, Case, Categories, Items, Numbers, Record, items_in, leaves

from roadstead.differential.budget import BudgetStep, Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.domains import CategoricalCut, CutGroups, NumericCut, SetCut

Node: TypeAlias = tuple[int, int] | str | frozenset[str]
"""An interval, a label, or the labels that a set has items under."""
Partition: TypeAlias = tuple[Node, ...]
Question: TypeAlias = tuple[object, ...]


@dataclass
class Scripted(Mechanisms):
    """Mechanisms that write down what they are asked, and answer from a seed.

    An interval is asked about point by point, however the points are put together in runs.

    Attributes
    ----------
    asked
        Kind, step and epsilon of each question, and all that the answer may depend on.
    """

    seed: int
    asked: list[Question] = field(default_factory=list)
    _left: int = -1

    def __post_init__(self) -> None:
        self._random = Random(self.seed)  # noqa: S311 - a test

    def choose(
        self, grant: Grant, scores: Sequence[int], sensitivity: int, *, monotonic: bool
    ) -> int:
        """Answer with any candidate."""
        assert all(type(score) is int for score in scores)
        self._note("choose", grant, tuple(scores), sensitivity, monotonic)
        return self._random.randrange(len(scores))

    def choose_interval(
        self,
        grant: Grant,
        scores: NDArray[np.int64],
        lengths: NDArray[np.int64],
        sensitivity: int,
        *,
        monotonic: bool,
    ) -> int:
        """Answer with the interval of any point."""
        points = tuple(np.repeat(scores, lengths).tolist())
        self._note("choose_interval", grant, points, sensitivity, monotonic)
        point = self._random.randrange(len(points))
        ends = np.cumsum(lengths).tolist()
        run = next(at for at, end in enumerate(ends) if point < end)
        self._left = point - (ends[run] - int(lengths[run]))
        return run

    def count(self, grant: Grant, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add a little to each count, or take it away."""
        assert counts.dtype == np.int64
        self._note("count", grant, tuple(counts.tolist()))
        noise = [self._random.randint(-3, 3) for _ in range(counts.size)]
        return counts + np.array(noise, dtype=np.int64)

    def exceeding(
        self, grant: Grant, cells: int, least: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find up to three cells."""
        self._note("exceeding", grant, cells, least)
        found = sorted(self._random.sample(range(cells), min(self._random.randrange(4), cells)))
        noisy = [least + self._random.randrange(3) for _ in found]
        return np.array(found, dtype=np.int64), np.array(noisy, dtype=np.int64)

    def place(self, size: int) -> int:
        """Answer with the point that was thought of with the interval."""
        assert 0 <= self._left < size
        place, self._left = self._left, -1
        return place

    def _note(self, kind: str, grant: Grant, *details: object) -> None:
        self.asked.append((kind, grant.step, grant.epsilon, *details))


@dataclass(frozen=True)
class Wish:
    """Settings of a run.

    Attributes
    ----------
    score
        ``max``, ``max-gain`` or ``info-gain``.
    saves
        Whether Max is treated as monotonic.
    threshold
        From an epsilon and a number of combinations to the least count that is kept.
    """

    specializations: int
    score: str
    saves: bool
    threshold: Callable[[Fraction, int], int]
    most_groups: int


@dataclass
class ByHand:
    """A run of DiffGen.

    Attributes
    ----------
    cuts
        The nodes of each attribute.
    splits
        The split point of each interval, by attribute and interval.
    partitions
        The released partitions.
    counts
        The noisy count of each partition and class that is listed.
    spent
        Cost of each grant.
    """

    case: Case
    wish: Wish
    epsilon: Fraction
    mechanisms: Scripted

    def __post_init__(self) -> None:
        self.cuts: list[list[Node]] = [[_top(one)] for one in self.case.attributes]
        self.partitions: list[Partition] = [tuple(_root(one) for one in self.case.attributes)]
        self.splits: dict[tuple[int, tuple[int, int]], int] = {}
        self.counts: dict[tuple[Partition, str], int] = {}
        self.steps: list[str] = []
        self.spent: list[Fraction] = []
        ranges = [one for one in self.case.attributes if isinstance(one, Numbers) and one.size > 1]
        slots = len(ranges) + 2 * self.wish.specializations
        self.slot = self.epsilon / (2 * slots) if slots else Fraction(0)

    def run(self) -> None:
        """Specialize, then count."""
        for at, attribute in enumerate(self.case.attributes):
            split = self.wish.specializations > 0
            if split and isinstance(attribute, Numbers) and attribute.size > 1:
                grant = self.granted(BudgetStep("first-split", (attribute.name,)), self.slot)
                self.choose_split(at, (0, attribute.size), grant)
        for number in range(1, self.wish.specializations + 1):
            candidates = list(self.candidates())
            if not candidates:
                break
            scores = [self.score(self.children_of(*one), self.wish.score) for one in candidates]
            grant = self.granted(BudgetStep("choice", number=number), self.slot)
            chosen = self.mechanisms.choose(
                grant, scores, self.sensitivity(), monotonic=self.monotonic(self.wish.score)
            )
            self.specialize(*candidates[chosen])
        self.count()

    def granted(self, step: BudgetStep, epsilon: Fraction) -> Grant:
        """Pay."""
        self.spent.append(epsilon)
        return Grant(step, epsilon)

    def sensitivity(self) -> int:
        """1, or log2 of the number of classes in units of 2^-20, and a unit for rounding."""
        if self.wish.score == "info-gain":
            return ceil(log2(max(len(self.case.classes), 2)) * 2**20) + 1
        return 1

    def monotonic(self, score: str) -> bool:
        """Only Max never falls when a record is added."""
        return score == "max" and (self.wish.saves or self.wish.score == "max-gain")

    def alive(self) -> list[Record]:
        """Give the records that are in a partition."""
        return [one for one in self.case.records if any(self.fits(p, one) for p in self.partitions)]

    def fits(self, partition: Partition, record: Record) -> bool:
        """Say whether a record is in a partition: the nodes cover all its values."""
        return all(
            self.told(at, record) == node
            if isinstance(node, frozenset)
            else self.has(at, node, record)
            for at, node in enumerate(partition)
        )

    def told(self, at: int, record: Record) -> frozenset[str]:
        """Give the nodes of a set-valued attribute's cut that a record has items under."""
        attribute = self.case.attributes[at]
        if self.cuts[at] == [attribute.name]:
            return frozenset((attribute.name,))
        return frozenset(
            node for node in self.cuts[at] if isinstance(node, str) and self.has(at, node, record)
        )

    def has(self, at: int, node: Node, record: Record) -> bool:
        """Say whether a record is under a node; everything is under the top."""
        attribute, value = self.case.attributes[at], record[0][at]
        match attribute:
            case Numbers():
                assert isinstance(node, tuple)
                assert isinstance(value, int)
                return node[0] <= value < node[1]
            case Categories():
                assert isinstance(node, str)
                return value in leaves(attribute.tree, node)
            case Items():
                assert isinstance(node, str)
                under = set(leaves(attribute.tree, node))
                return node == attribute.name or bool(under & items_in(value))

    def candidates(self) -> Iterator[tuple[int, Node]]:
        """List attributes and nodes that can be specialized."""
        for at, attribute in enumerate(self.case.attributes):
            for node in self.cuts[at]:
                holding = sum(_holds(partition[at], node) for partition in self.partitions)
                match attribute:
                    case Numbers():
                        assert isinstance(node, tuple)
                        more = 1 if node[1] - node[0] > 1 else 0
                    case Categories():
                        more = max(len(attribute.tree[str(node)]) - 1, 0)
                    case Items():
                        if holding and attribute.tree[str(node)]:
                            yield at, node
                        continue
                groups = len(self.partitions) + holding * more
                if holding and more and groups <= self.wish.most_groups:
                    yield at, node

    def children_of(self, at: int, node: Node) -> list[list[Record]]:
        """Give the records under each child of a node; for sets, under each combination."""
        attribute = self.case.attributes[at]
        under = [one for one in self.alive() if self.has(at, node, one)]
        match attribute:
            case Numbers():
                assert isinstance(node, tuple)
                return self.sides(at, node, self.splits[at, node])
            case Categories():
                below = attribute.tree[str(node)]
                return [[one for one in under if self.has(at, child, one)] for child in below]
            case Items():
                below = attribute.tree[str(node)]
                return [
                    [one for one in under if self.combination(at, below, one) == combination]
                    for combination in _combinations(below, empty=True)
                ]

    def combination(self, at: int, nodes: Sequence[str], record: Record) -> frozenset[str]:
        """Give those nodes that a record has items under."""
        return frozenset(node for node in nodes if self.has(at, node, record))

    def sides(self, at: int, node: tuple[int, int], point: int) -> list[list[Record]]:
        """Give the records left and right of a split point."""
        return [
            [one for one in self.alive() if self.has(at, side, one)]
            for side in ((node[0], point), (point, node[1]))
        ]

    def score(self, children: list[list[Record]], name: str) -> int:
        """Score a specialization by the formulas of the paper."""
        node = [one for child in children for one in child]
        right = sum(max(self.of_classes(child)) for child in children)
        match name:
            case "max":
                return right
            case "max-gain":
                return right - max(self.of_classes(node))
        if not node:
            return 0
        rest = sum(len(child) / len(node) * self.entropy(child) for child in children)
        return round(max(self.entropy(node) - rest, 0) * 2**20)

    def of_classes(self, those: list[Record]) -> list[int]:
        """Count the classes."""
        return [sum(one[1] == label for one in those) for label in self.case.classes]

    def entropy(self, those: list[Record]) -> float:
        """Give the entropy of the class, in bits."""
        shares = [number / len(those) for number in self.of_classes(those) if number]
        return -sum(share * log2(share) for share in shares)

    def choose_split(self, at: int, node: tuple[int, int], grant: Grant) -> None:
        """Choose a split point, every step inside an interval being one."""
        points = range(node[0] + 1, node[1])
        name = "max" if self.wish.score == "max-gain" else self.wish.score
        scores = [self.score(self.sides(at, node, point), name) for point in points]
        chosen = self.mechanisms.choose_interval(
            grant,
            np.array(scores, dtype=np.int64),
            np.ones(len(scores), dtype=np.int64),
            self.sensitivity(),
            monotonic=self.monotonic(name),
        )
        self.splits[at, node] = points[chosen + self.mechanisms.place(1)]

    def specialize(self, at: int, node: Node) -> None:
        """Replace a node by its children in every partition that has it."""
        attribute = self.case.attributes[at]
        match attribute:
            case Numbers():
                assert isinstance(node, tuple)
                self.steps.append(f"{attribute.name}: {_interval(node)}")
                point = self.splits.pop((at, node))
                halves = [(node[0], point), (point, node[1])]
                self.replace(at, node, halves)
                wide = [half for half in halves if half[1] - half[0] > 1]
                if wide:
                    grant = self.granted(BudgetStep("splits", (attribute.name,)), self.slot)
                    for half in wide:
                        self.choose_split(at, half, grant)
            case Categories():
                self.steps.append(f"{attribute.name}: {node}")
                self.replace(at, node, attribute.tree[str(node)])
            case Items():
                self.steps.append(f"{attribute.name}: {node}")
                self.combine(at, str(node), attribute.tree[str(node)], attribute.name)

    def replace(self, at: int, node: Node, children: Sequence[Node]) -> None:
        """Put children in the place of a node, in the cut and in the partitions."""
        where = self.cuts[at].index(node)
        self.cuts[at][where : where + 1] = children
        self.partitions = [
            (*one[:at], child, *one[at + 1 :])
            for one in self.partitions
            for child in (children if one[at] == node else (one[at],))
        ]

    def combine(self, at: int, node: str, below: Sequence[str], top: str) -> None:
        """Put combinations in the place of a node, those that seem to have records."""
        alive = self.alive()
        where = self.cuts[at].index(node)
        others = [one for one in self.partitions if not _holds(one[at], node)]
        tested: list[tuple[Partition, int]] = []
        for one in self.partitions:
            if _holds(one[at], node):
                inside = [record for record in alive if self.fits(one, record)]
                own = one[at]
                assert isinstance(own, frozenset)
                for combination in _combinations(below, empty=node == top):
                    child: Partition = (*one[:at], (own - {node}) | combination, *one[at + 1 :])
                    records = [
                        record
                        for record in inside
                        if self.combination(at, below, record) == combination
                    ]
                    tested.append((child, len(records)))
        self.cuts[at][where : where + 1] = below
        grant = self.granted(BudgetStep("combinations", (top,)), self.slot)
        noisy = self.noisy([number for _, number in tested], grant, self.wish.threshold)
        self.partitions = others + [tested[cell][0] for cell in sorted(noisy)]

    def count(self) -> None:
        """Count each class of each partition with all that is left."""
        grant = self.granted(BudgetStep("groups"), self.epsilon - sum(self.spent))
        cells = list(product(self.partitions, self.case.classes))
        true = [
            sum(self.fits(partition, one) and one[1] == label for one in self.case.records)
            for partition, label in cells
        ]
        noisy = self.noisy(true, grant, self.wish.threshold)
        self.counts = {cells[cell]: number for cell, number in noisy.items()}

    def noisy(
        self, true: list[int], grant: Grant, threshold: Callable[[Fraction, int], int]
    ) -> dict[int, int]:
        """Give the noisy counts that reach the threshold, by cell."""
        least = threshold(grant.epsilon, len(true))
        filled = [cell for cell, number in enumerate(true) if number]
        empty = [cell for cell, number in enumerate(true) if not number]
        numbers = np.array([true[cell] for cell in filled], dtype=np.int64)
        counted = zip(filled, self.mechanisms.count(grant, numbers).tolist(), strict=True)
        places, values = self.mechanisms.exceeding(grant, len(empty), least)
        found = zip([empty[place] for place in places], values.tolist(), strict=True)
        return {**{cell: number for cell, number in counted if number >= least}, **dict(found)}


def _top(attribute: Attribute) -> Node:
    return (0, attribute.size) if isinstance(attribute, Numbers) else attribute.name


def _root(attribute: Attribute) -> Node:
    return frozenset((attribute.name,)) if isinstance(attribute, Items) else _top(attribute)


def _holds(own: Node, node: Node) -> bool:
    return node in own if isinstance(own, frozenset) else own == node


def _interval(node: tuple[int, int]) -> str:
    return str(node[0]) if node[1] - node[0] == 1 else f"{node[0]} to {node[1] - 1}"


def _combinations(below: Sequence[str], *, empty: bool) -> list[frozenset[str]]:
    """List the sets of children; the last child weighs most."""
    chosen = [
        frozenset(child for child, taken in zip(below, reversed(these), strict=True) if taken)
        for these in product((False, True), repeat=len(below))
    ]
    return [one for one in chosen if one or empty]


def in_words(groups: CutGroups) -> list[Partition]:
    """Name each group by intervals, labels and sets of labels."""
    return [
        tuple(
            _node(groups, attribute, int(codes[group]))
            for attribute, codes in enumerate(groups.codes)
        )
        for group in range(groups.size)
    ]


def _node(groups: CutGroups, attribute: int, code: int) -> Node:
    cut = groups.cuts[attribute]
    match cut:
        case NumericCut(_, bounds):
            return bounds[code], bounds[code + 1]
        case CategoricalCut():
            return cut.labels[code]
        case SetCut():
            combinations = groups.combinations[attribute]
            assert combinations is not None
            return frozenset(cut.labels[place] for place in combinations[code])
