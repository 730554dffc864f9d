"""Generate other releases for comparison: k-anonymous groups, and counts of all combinations.

**Top-down specialization** creates k-anonymous groups that can still predict the class (Fung, Wang,
Yu 2007). A candidate is *valid* if each group with records keeps at least `k` records. A candidate
is *beneficial* if it gives any information about the class. The method repeatedly performs the
valid and beneficial specialization with the largest score:

  InfoGain(v) / (AnonyLoss(v) + 1)

AnonyLoss is the decrease in the size of the smallest group. A group never grows, so an invalid
candidate stays invalid. The score never exceeds the gain, so the search tries candidates in the
order of their gains. Counts are exact, so this method is *not* differentially private.

**A noisy contingency table** counts every combination of values, and spends the whole budget on the
counts. Paper 002 ("Summary") states that DiffGen gives better results than this table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from math import prod

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.diffgen import Growth, roots
from roadstead.differential.domains import (
    AttributeCut,
    CategoricalCut,
    CategoricalDomain,
    Combinations,
    CutGroups,
    Domain,
    NumericCut,
    NumericDomain,
    SetCut,
    SetDomain,
    Specialization,
    specialization_of,
)
from roadstead.differential.evaluation.features import CountedGroups, counted_groups, presence
from roadstead.differential.growth.partitions import added_up
from roadstead.differential.growth.plain_growth import CategoricalGrowth, NumericGrowth, runs
from roadstead.differential.growth.set_growth import SetGrowth
from roadstead.differential.listing import Threshold, few_false
from roadstead.differential.private_table import PrivateTable
from roadstead.differential.scores import InfoGain
from roadstead.differential.synthesis import NoisyGroups, noisy_cells
from roadstead.errors import NoPolicyError, SettingError
from roadstead.hierarchies.taxonomy import Taxonomy


def finest_cuts(domains: Sequence[Domain], bands: int) -> tuple[AttributeCut, ...]:
    """Divide every attribute as finely as its domain allows.

    Numbers are divided into at most `bands` bands. The bands of a range have equal widths, apart
    from rounding to whole steps.
    """
    if bands < 1:
        raise SettingError(f"a range cannot have {bands} bands", fix="give at least 1")
    return tuple(_finest(domain, bands) for domain in domains)


def can_be_tabulated(cuts: Sequence[AttributeCut], classes: int) -> bool:
    """Return whether 64-bit integers are large enough to number the cells. The answer is public."""
    return prod(cut.size for cut in cuts) * classes <= 1 << 62


def contingency_table(
    table: PrivateTable,
    cuts: Sequence[AttributeCut],
    grant: Grant,
    threshold: Threshold,
    mechanisms: Mechanisms,
) -> NoisyGroups:
    """Count all combinations of values with noise."""
    groups, classes = prod(cut.size for cut in cuts), len(table.classes)
    cells = groups * classes
    if not can_be_tabulated(cuts, classes):
        raise SettingError(
            f"the contingency table would have at least 10^{len(str(cells)) - 1} cells",
            where="contingency table",
            fix="release fewer attributes, or use fewer bands for numbers",
        )
    numbers = np.zeros(table.rows, dtype=np.int64)
    for at, cut in enumerate(cuts):
        numbers = numbers * cut.size + _place(table, at, cut)
    keyed = added_up(numbers * classes + table.target, table.counts)
    groups_at = partial(_groups, cuts)
    return noisy_cells(keyed, groups_at, groups, table.classes, grant, threshold, mechanisms)


def _finest(domain: Domain, bands: int) -> AttributeCut:
    match domain:
        case NumericDomain(size=size):
            number = min(bands, size)
            return NumericCut(domain, tuple(size * at // number for at in range(number + 1)))
        case CategoricalDomain(taxonomy):
            return CategoricalCut(domain, _leaves(taxonomy))
        case SetDomain(taxonomy):
            return SetCut(domain, _leaves(taxonomy))


def _leaves(taxonomy: Taxonomy) -> tuple[int, ...]:
    return tuple(node for node, below in enumerate(taxonomy.children) if not below)


def _place(table: PrivateTable, at: int, cut: AttributeCut) -> NDArray[np.int64]:
    """Return the number of each row's value. For a set, each bit is one node with an item."""
    codes = table.codes[at]
    if not isinstance(cut, SetCut):
        return cut.of(codes).astype(np.int64)
    if not cut.is_specialized:
        return np.zeros(codes.size, dtype=np.int64)
    present = presence(table.sets_of(at), cut)
    masks: NDArray[np.int64] = present @ (np.int64(1) << np.arange(len(cut.nodes)))
    return masks[codes]


def _groups(cuts: Sequence[AttributeCut], numbers: NDArray[np.int64]) -> CutGroups:
    """Return the value of each attribute in numbered groups.

    The last attribute is the lowest digit of a group's number.
    """
    codes: list[NDArray[np.int32]] = []
    combinations: list[Combinations | None] = []
    for cut in reversed(cuts):
        numbers, digit = np.divmod(numbers, cut.size)
        sets = None
        if isinstance(cut, SetCut):
            masks, digit = np.unique(digit, return_inverse=True)
            sets = tuple(_members(mask, cut) for mask in masks.tolist())
        codes.append(digit.astype(np.int32))
        combinations.append(sets)
    return CutGroups(tuple(cuts), tuple(reversed(codes)), tuple(reversed(combinations)))


def _members(mask: int, cut: SetCut) -> tuple[int, ...]:
    """Return the positions in the cut that a mask contains.

    An unspecialized root is always included.
    """
    places = range(len(cut.nodes))
    return tuple(at for at in places if mask >> at & 1) if cut.is_specialized else (0,)


@dataclass(frozen=True, eq=False)
class TopDown:
    """A k-anonymous generalization by top-down specialization."""

    k: int  # the smallest number of records in each group
    steps: tuple[Specialization, ...]
    groups: CountedGroups = field(repr=False)  # the groups and their counts


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A node that can be specialized."""

    attribute: int
    node: int
    gain: int  # information gain, in units of 2^-20 bits
    rows: NDArray[np.int64]  # shape ``(below,)``: the rows that have the node
    child: NDArray[np.int64]  # shape ``(below,)``: the child of each of these rows
    children: int  # number of children

    @property
    def place(self) -> tuple[int, int]:
        """The attribute and the node. If scores are equal, the smallest place is chosen."""
        return self.attribute, self.node


def top_down(table: PrivateTable, k: int) -> TopDown:
    """Specialize as long as each group keeps at least `k` records."""
    if k < 1:
        raise SettingError(f"a group cannot have {k} records", fix="give a k of at least 1")
    if table.records < k:
        raise NoPolicyError(
            f"{table.records} records are too few for a group of {k}", fix="give a smaller k"
        )
    growths = [
        _with_splits(root) if isinstance(root, NumericGrowth) else root
        for root in roots(table, few_false)
    ]
    waiting = [one for at, growth in enumerate(growths) for one in _candidates(growth, at, (0,))]
    group = np.zeros(table.rows, dtype=np.int64)
    steps = []
    while (best := _best(waiting, group, table.counts, k)) is not None:
        growth = growths[best.attribute]
        steps.append(specialization_of(growth.cut, best.node))
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
    """Return the valid candidate with the largest score, and drop invalid candidates.

    `group` gives the group of each row, and `counts` gives the number of records that each row
    represents.
    """
    sizes = np.bincount(group, weights=counts).astype(np.float64)
    smallest = int(sizes.min())
    best: _Candidate | None = None
    highest = Fraction(0)
    for one in sorted(waiting, key=lambda one: (-one.gain, *one.place)):
        if one.gain < highest:
            break
        own = group[one.rows]
        _, parts = added_up(own * one.children + one.child, counts[one.rows])
        untouched = sizes.copy()
        untouched[own] = np.inf
        least = int(min(parts.min(), untouched.min()))  # the sizes after the specialization
        if least < k:
            waiting.remove(one)
            continue
        score = Fraction(one.gain, smallest - least + 1)
        if best is None or (-score, *one.place) < (-highest, *best.place):
            best, highest = one, score
    return best


def _with_splits(growth: NumericGrowth) -> NumericGrowth:
    """Split each new interval at the value with the largest gain."""
    splits = dict(growth.splits)
    for node in growth.undecided:
        begins, lengths, children = runs(growth.tally, node, growth.cut.end(node))
        run = int(InfoGain().of(children).argmax())
        splits[node] = int(begins[run] + lengths[run] - 1)
    return replace(growth, splits=splits)


def _specialized(growth: Growth, node: int) -> tuple[Growth, tuple[int, ...]]:
    """Replace a node with its children, and return the result and the children."""
    if isinstance(growth, NumericGrowth):
        return _with_splits(growth.specialized(node)), growth.children(node)
    if isinstance(growth, CategoricalGrowth):
        return growth.specialized(node), growth.children(node)
    return replace(growth, cut=growth.cut.specialized(node)), growth.cut.children(node)


def _candidates(growth: Growth, attribute: int, new: tuple[int, ...]) -> Iterator[_Candidate]:
    """Yield the beneficial candidates among new nodes."""
    for node in new:
        if node not in growth.candidates:
            continue
        gain = int(InfoGain().of(growth.under(node)[None])[0])
        if gain > 0:
            rows = np.flatnonzero(_below(growth, node))
            child, children = _child(growth, node)
            yield _Candidate(attribute, node, gain, rows, child[rows].astype(np.int64), children)


def _below(growth: Growth, node: int) -> NDArray[np.bool_]:
    """Return which rows have a node."""
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
    """Return the child of each row, and the number of children.

    For sets, only children that occur are counted.
    """
    if isinstance(growth, SetGrowth):
        masks, number = np.unique(growth.masks(node), return_inverse=True)
        return number.reshape(-1)[growth.codes], masks.size
    return growth.child_of_row(node), len(growth.children(node))
