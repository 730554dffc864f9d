"""Top-down specialization compared with its definition, on lists of records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import log2

import pytest
from effort import thorough, unhurried
from hypothesis import assume, given
from hypothesis import strategies as st
from private_tables import (
    Case,
    Categories,
    Items,
    Numbers,
    Record,
    Value,
    cases,
    items_in,
    leaves,
    private_table,
)

from roadstead.differential.comparators import TopDown, top_down
from roadstead.differential.domains import NumericCut
from roadstead.errors import NoPolicyError, SettingError

Node = str | tuple[int, int]
Cuts = list[list[Node]]


@dataclass(frozen=True)
class ByHand:
    """The records, and the results of the definition. Everything is counted again each time."""

    case: Case
    k: int

    def roots(self) -> Cuts:
        """Begin with the topmost values."""
        return [
            [(0, one.size) if isinstance(one, Numbers) else one.name]
            for one in self.case.attributes
        ]

    def told(self, at: int, nodes: list[Node], value: Value) -> object:
        """Generalize a value: a node; for a set the nodes that it has items under."""
        attribute = self.case.attributes[at]
        found = [node for node in nodes if self.has(at, node, value)]
        if isinstance(attribute, Items):
            return "any" if nodes == [attribute.name] else tuple(found)
        assert len(found) == 1
        return found[0]

    def has(self, at: int, node: Node, value: Value) -> bool:
        """Say whether a value is under a node, and for a set, whether an item is."""
        match self.case.attributes[at], node:
            case Numbers(), (begin, end):
                return isinstance(value, int) and int(begin) <= value < int(end)
            case Categories(_, tree), str():
                return value in leaves(tree, node)
            case Items(_, tree), str():
                return bool(items_in(value) & set(leaves(tree, node)))
        raise AssertionError

    def groups(self, cuts: Cuts) -> Counter[tuple[object, ...]]:
        """Count the records of each group."""
        return Counter(self.group(cuts, record) for record in self.case.records)

    def group(self, cuts: Cuts, record: Record) -> tuple[object, ...]:
        """Generalize a record."""
        return tuple(
            self.told(at, nodes, value)
            for at, (nodes, value) in enumerate(zip(cuts, record[0], strict=True))
        )

    def children(self, at: int, node: Node) -> list[Node]:
        """Give what a node is replaced by; an interval is split where the gain is largest."""
        match self.case.attributes[at], node:
            case Numbers(), (begin, end):
                values = {int(str(values[at])) for values, _ in self.case.records}
                points = [one for one in sorted(values) if int(begin) < one < int(end)]
                halves: list[list[Node]] = [
                    [(int(begin), point), (point, int(end))] for point in points
                ]
                return max(halves, key=lambda pair: self.gain(at, node, pair), default=[])
            case ((Categories(_, tree) | Items(_, tree)), str()):
                return list(tree[node])
        raise AssertionError

    def gain(self, at: int, node: Node, children: list[Node]) -> int:
        """Information gain in units of 2^-20 bits."""
        attribute = self.case.attributes[at]
        root = isinstance(attribute, Items) and node == attribute.name
        below = [one for one in self.case.records if root or self.has(at, node, one[0][at])]
        parts: dict[object, list[str]] = {}
        for values, label in below:
            part = tuple(child for child in children if self.has(at, child, values[at]))
            parts.setdefault(part, []).append(label)
        if not below:
            return 0
        whole = entropy([label for _, label in below])
        shared = sum(len(part) / len(below) * entropy(part) for part in parts.values())
        return round((whole - shared) * 2**20)

    def candidates(self, cuts: Cuts) -> Iterator[tuple[Fraction, int, Node, Cuts]]:
        """List the valid and beneficial ones: score, attribute, node, the cuts afterwards."""
        smallest = min(self.groups(cuts).values())
        for at, nodes in enumerate(cuts):
            for node in nodes:
                children = self.children(at, node)
                if not children or (gain := self.gain(at, node, children)) <= 0:
                    continue
                own = [new for old in nodes for new in (children if old == node else [old])]
                after = [*cuts[:at], own, *cuts[at + 1 :]]
                least = min(self.groups(after).values())
                if least >= self.k:
                    yield Fraction(gain, smallest - least + 1), at, node, after

    def run(self) -> tuple[Cuts, list[str]]:
        """Specialize until nothing is left."""
        cuts, steps = self.roots(), []
        while found := list(self.candidates(cuts)):
            best = max(score for score, *_ in found)
            # Of equal scores the first attribute, and in it the first node.
            _, at, node, cuts = next(one for one in found if one[0] == best)
            steps.append(f"{self.case.attributes[at].name}: {words(node)}")
        return cuts, steps


def entropy(labels: list[str]) -> float:
    """Bits of a list of classes."""
    counts = Counter(labels).values()
    return -sum(count / len(labels) * log2(count / len(labels)) for count in counts)


def words(node: Node) -> str:
    """Call a node as steps do."""
    if isinstance(node, str):
        return node
    begin, last = node[0], node[1] - 1
    return f"{begin}" if begin == last else f"{begin} to {last}"


def released(found: TopDown, classes: tuple[str, ...]) -> Counter[tuple[tuple[object, ...], str]]:
    """Give the groups and their counts as the second implementation does."""
    groups, counted = found.groups.groups, Counter[tuple[tuple[object, ...], str]]()
    for row, counts in enumerate(found.groups.counts.tolist()):
        values: list[object] = []
        for cut, codes, sets in zip(groups.cuts, groups.codes, groups.combinations, strict=True):
            code = int(codes[row])
            if isinstance(cut, NumericCut):
                values.append((cut.bounds[code], cut.bounds[code + 1]))
            elif sets is None:
                values.append(cut.labels[code])
            elif cut.nodes == (0,):
                values.append("any")
            else:
                values.append(tuple(cut.labels[place] for place in sets[code]))
        for label, count in zip(classes, counts, strict=True):
            counted[tuple(values), label] += count
    return +counted


@thorough
@given(cases(), st.integers(1, 4))
def test_it_specializes_as_the_definition_does(case: Case, k: int) -> None:
    """The same steps in the same order, the same groups, the same counts."""
    assume(len(case.records) >= k)
    by_hand = ByHand(case, k)
    cuts, steps = by_hand.run()
    found = top_down(private_table(case), k)
    assert tuple(one.words for one in found.steps) == tuple(steps)
    expected = Counter((by_hand.group(cuts, record), record[1]) for record in case.records)
    assert released(found, case.classes) == expected


@unhurried
@given(cases(), st.integers(1, 6))
def test_each_group_has_k_records(case: Case, k: int) -> None:
    """And all records are released."""
    assume(len(case.records) >= k)
    found = top_down(private_table(case), k)
    sizes = found.groups.counts.sum(axis=1)
    assert sizes.min() >= k
    assert sizes.sum() == len(case.records)


def test_anonymity_lost_weighs_against_information_gained() -> None:
    """Ten records; the smallest group shrinks from 10.

    First x gains 1 bit with a smallest group of 5, and y 0.610 bits with 4: 1 / 6 is more than
    0.610 / 7. Then x gains 0.269 bits but leaves a group of 1, and y gains 0.236 bits with 5: now
    0.269 / 10 is less than 0.236 / 6.
    """
    tree = {"x": ("a", "b"), "a": (), "b": ()}
    other = {"y": ("c", "d"), "c": (), "d": ()}

    def first_step(rows: str) -> str:
        records = tuple(((one[0], one[1]), one[2]) for one in rows.split())
        case = Case((Categories("x", tree), Categories("y", other)), ("1", "0"), records)
        return top_down(private_table(case), 1).steps[0].words

    assert first_step("ac1 ac1 ac1 ac1 ad1 bd0 bd0 bd0 bd0 bd0") == "x: x"
    assert first_step("ac1 bc1 bc0 bc0 bc0 bd0 bd0 bd0 bd0 bd0") == "y: y"


def test_too_few_records_are_refused() -> None:
    """And a k below 1 is an error."""
    case = Case((Numbers("x", 5),), ("1", "0"), (((1,), "1"), ((2,), "0")))
    with pytest.raises(NoPolicyError, match="2 records are too few for a group of 3"):
        top_down(private_table(case), 3)
    with pytest.raises(SettingError, match="at least 1"):
        top_down(private_table(case), 0)
