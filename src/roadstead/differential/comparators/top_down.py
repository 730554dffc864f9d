"""Top-down specialization: k-anonymous groups that still show the class (Fung, Wang, Yu 2007).

DiffGen's ancestor, and what paper 002 compares it with. All records begin in one group, every
attribute at its topmost value. A specialization replaces one node of one attribute's cut by its
children, everywhere. A candidate is *valid* if each group with records has at least `k` of them
afterwards, and *beneficial* if it says anything about the class. Of these the one with the largest

    InfoGain(v) / (AnonyLoss(v) + 1)

is performed, until none is left. AnonyLoss is by how much the smallest group shrinks; there is one
quasi-identifier here, all attributes together.

An interval of numbers is split where the information gain is largest, at a value that occurs. Sets,
which the original does not have, are distinguished by the combinations of children that occur.

Nothing is random and nothing is noisy: the counts are exact, and so this is *not* differentially
private.

A group never grows again, so a candidate that was not valid once never will be. And the score is
never above the gain, so of candidates in the order of their gains few are tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.diffgen import Growth, roots
from roadstead.differential.evaluation.features import CountedGroups, counted_groups
from roadstead.differential.growth.partitions import added_up
from roadstead.differential.growth.plain_growth import CategoricalGrowth, NumericGrowth, runs
from roadstead.differential.growth.set_growth import SetGrowth
from roadstead.differential.listing import few_false
from roadstead.differential.private_table import PrivateTable
from roadstead.differential.scores import InfoGain
from roadstead.errors import NoPolicyError, SettingError


@dataclass(frozen=True, eq=False)
class TopDown:
    """A k-anonymous generalization."""

    k: int  # each group has at least so many records
    steps: tuple[str, ...]  # the specializations, in words
    groups: CountedGroups = field(repr=False)  # the groups and their counts


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A node that can be specialized."""

    attribute: int
    node: int
    gain: int  # information gain, in units of 2^-20 bits
    rows: NDArray[np.int64]  # shape ``(below,)``: the rows that have the node
    child: NDArray[np.int64]  # shape ``(below,)``: the child that each of these falls under
    children: int  # how many there are

    @property
    def place(self) -> tuple[int, int]:
        """Attribute and node; of equal scores the earlier one is taken."""
        return self.attribute, self.node


def top_down(table: PrivateTable, k: int) -> TopDown:
    """Specialize while each group keeps `k` records.

    `k`: the least size of a group, at least 1.
    """
    if k < 1:
        raise SettingError(f"a group cannot have {k} records", fix="give a k of at least 1")
    if table.records < k:
        raise NoPolicyError(f"{table.records} records are no group of {k}", fix="give a smaller k")
    growths = [
        _with_splits(root) if isinstance(root, NumericGrowth) else root
        for root in roots(table, few_false)
    ]
    waiting = [one for at, growth in enumerate(growths) for one in _candidates(growth, at, (0,))]
    group = np.zeros(table.rows, dtype=np.int64)
    steps = []
    while (best := _best(waiting, group, table.counts, k)) is not None:
        growth = growths[best.attribute]
        steps.append(f"{growth.cut.attribute}: {growth.cut.label(best.node)}")
        growths[best.attribute], new = _specialized(growth, best.node)
        waiting.remove(best)
        waiting += _candidates(growths[best.attribute], best.attribute, new)
        finer = group * (best.children + 1)
        finer[best.rows] += best.child + 1
        group = np.unique(finer, return_inverse=True)[1].reshape(-1)
    cuts = tuple(growth.cut for growth in growths)
    return TopDown(k, tuple(steps), counted_groups(table, cuts))


def _best(
    waiting: list[_Candidate], group: NDArray[np.int64], counts: NDArray[np.int64], k: int
) -> _Candidate | None:
    """Find the valid candidate with the largest score; forget those that are not valid.

    `group`: shape ``(rows,)``: the group of each row. `counts`: shape ``(rows,)``: its records.
    """
    sizes = np.bincount(group, weights=counts).astype(np.float64)
    smallest = int(sizes.min())
    best: _Candidate | None = None
    highest = Fraction(0)
    for one in sorted(waiting, key=lambda one: (-one.gain, *one.place)):
        if one.gain < highest:
            break
        least = _least_after(one, group, counts, sizes)
        if least < k:
            waiting.remove(one)
            continue
        score = Fraction(one.gain, smallest - least + 1)
        if best is None or (-score, *one.place) < (-highest, *best.place):
            best, highest = one, score
    return best


def _least_after(
    one: _Candidate,
    group: NDArray[np.int64],
    counts: NDArray[np.int64],
    sizes: NDArray[np.float64],
) -> int:
    """Find how small the smallest group is once a candidate was specialized."""
    own = group[one.rows]
    _, parts = added_up(own * one.children + one.child, counts[one.rows])
    untouched = sizes.copy()
    untouched[own] = np.inf
    return int(min(parts.min(), untouched.min()))


def _with_splits(growth: NumericGrowth) -> NumericGrowth:
    """Split each new interval where the gain is largest, at a value that occurs."""
    splits = dict(growth.splits)
    for node in growth.undecided:
        begins, lengths, children = runs(growth.tally, node, growth.cut.end(node))
        run = int(InfoGain().of(children).argmax())
        splits[node] = int(begins[run] + lengths[run] - 1)
    return replace(growth, splits=splits)


def _specialized(growth: Growth, node: int) -> tuple[Growth, tuple[int, ...]]:
    """Replace a node by its children, and give these."""
    if isinstance(growth, NumericGrowth):
        return _with_splits(growth.specialized(node)), growth.children(node)
    if isinstance(growth, CategoricalGrowth):
        return growth.specialized(node), growth.children(node)
    return replace(growth, cut=growth.cut.specialized(node)), growth.cut.children(node)


def _candidates(growth: Growth, attribute: int, new: tuple[int, ...]) -> Iterator[_Candidate]:
    """List the beneficial candidates among new nodes."""
    for node in new:
        if node not in growth.candidates:
            continue
        gain = int(InfoGain().of(growth.under(node)[None])[0])
        if gain > 0:
            rows = np.flatnonzero(_below(growth, node))
            child, children = _child(growth, node)
            yield _Candidate(attribute, node, gain, rows, child[rows].astype(np.int64), children)


def _below(growth: Growth, node: int) -> NDArray[np.bool_]:
    """Find which rows have a node."""
    match growth:
        case NumericGrowth():
            return (growth.codes >= node) & (growth.codes < growth.cut.end(node))
        case CategoricalGrowth():
            tree = growth.cut.domain.taxonomy
            first, last = int(tree.first[node]), int(tree.last[node])
            return (growth.codes >= first) & (growth.codes < last)
        case SetGrowth():
            sets: NDArray[np.bool_] = np.asarray(growth.masks(node)) > 0
            below: NDArray[np.bool_] = sets[growth.codes]
            return below if node else np.ones_like(below)


def _child(growth: Growth, node: int) -> tuple[NDArray[np.integer], int]:
    """Find the child each row falls under, and how many there are; of sets, those that occur."""
    if isinstance(growth, SetGrowth):
        masks, number = np.unique(growth.masks(node), return_inverse=True)
        return number.reshape(-1)[growth.codes], masks.size
    return growth.child_of_row(node), len(growth.children(node))
