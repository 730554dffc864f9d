"""Build the input of a classifier, which is a matrix with one row per record or group.

The same cuts describe released records and test records (paper 002, "Experimental description"). A
numeric attribute has one column, which contains the middle of the interval. A categorical attribute
has one column per node of the cut, which contains 1 for the record's own node. A set-valued
attribute has one column per node of the cut, which contains 1 if the set has an item under the
node. The baseline classifier uses the unchanged numbers, one column per category, and a limited
number of nodes for sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.domains import (
    AttributeCut,
    CategoricalCut,
    CategoricalDomain,
    Combinations,
    CutGroups,
    NumericCut,
    NumericDomain,
    SetCut,
    SetDomain,
)
from roadstead.differential.private_table import ItemSets, PrivateTable

Matrix: TypeAlias = NDArray[np.float32]
"""A matrix of shape ``(rows, columns)``."""

MOST_NODES = 100
"""The largest number of columns for a set-valued attribute in the baseline."""


@dataclass(frozen=True, eq=False)
class Examples:
    """Weighted rows and their classes. Equal records are combined into one row."""

    matrix: Matrix = field(repr=False)  # shape ``(rows, columns)``
    target: NDArray[np.int32] = field(repr=False)  # shape ``(rows,)``: the class of each row
    # The number of records that each row represents, at least 1; shape ``(rows,)``.
    weights: NDArray[np.int64] = field(repr=False)

    @property
    def records(self) -> int:
        """The number of records that the rows represent."""
        return int(self.weights.sum())


def examples_of(groups: CutGroups, counts: NDArray[np.int64]) -> Examples:
    """Return one example per released cell with a count of at least 1.

    `counts` has shape ``(groups, classes)``.
    """
    row, target = np.nonzero(counts > 0)
    return Examples(of_groups(groups)[row], target.astype(np.int32), counts[row, target])


def generalized_examples(table: PrivateTable, cuts: Sequence[AttributeCut]) -> Examples:
    """Return the records of a table, generalized by cuts, as examples."""
    found = counted_groups(table, cuts)
    return examples_of(found.groups, found.counts)


def raw_examples(table: PrivateTable, most_nodes: int = MOST_NODES) -> Examples:
    """Return the unchanged records of a table as examples."""
    parts = []
    for at, (domain, codes) in enumerate(zip(table.domains, table.codes, strict=True)):
        match domain:
            case NumericDomain():
                parts.append(_numbers(domain, codes)[:, None].astype(np.float32))
            case CategoricalDomain():
                parts.append(_indicators(codes, domain.size))
            case SetDomain():
                present = presence(table.sets_of(at), level_cut(domain, most_nodes))
                parts.append(present[codes].astype(np.float32))
    return Examples(np.hstack(parts), table.target, table.counts)


@dataclass(frozen=True, eq=False)
class CountedGroups:
    """The groups that cuts form from the records of a table, with exact counts. Not private."""

    groups: CutGroups  # the groups with records
    counts: NDArray[np.int64] = field(repr=False)  # shape ``(groups, classes)``: records


def counted_groups(table: PrivateTable, cuts: Sequence[AttributeCut]) -> CountedGroups:
    """Generalize the records of a table, and count them."""
    placed = [_placed(table, at, cut) for at, cut in enumerate(cuts)]
    columns = np.stack([codes for codes, _ in placed])
    distinct, row = np.unique(columns, axis=1, return_inverse=True)
    classes = len(table.classes)
    cells, size = row.reshape(-1) * classes + table.target, distinct.shape[1] * classes
    counts = np.bincount(cells, weights=table.counts, minlength=size).astype(np.int64)
    codes = tuple(np.ascontiguousarray(one) for one in distinct)
    groups = CutGroups(tuple(cuts), codes, tuple(combinations for _, combinations in placed))
    return CountedGroups(groups, counts.reshape(-1, classes))


def _placed(
    table: PrivateTable, at: int, cut: AttributeCut
) -> tuple[NDArray[np.int32], Combinations | None]:
    """For each row, return the position of its value or of its set of items in a cut."""
    codes = table.codes[at]
    if not isinstance(cut, SetCut):
        return cut.of(codes), None
    if not cut.is_specialized:
        return np.zeros_like(codes), ((0,),)
    present = presence(table.sets_of(at), cut)
    distinct, number = np.unique(present, axis=0, return_inverse=True)
    combinations = tuple(tuple(np.flatnonzero(row).tolist()) for row in distinct)
    return number.reshape(-1).astype(np.int32)[codes], combinations


def of_groups(groups: CutGroups) -> Matrix:
    """Return the columns that describe groups, in shape ``(groups, columns)``."""
    parts: list[Matrix] = []
    for cut, codes, combinations in groups.attributes:
        match cut:
            case NumericCut(domain, bounds) if cut.is_specialized:
                ends = np.array(bounds, dtype=np.float64)
                middles = _numbers(domain, (ends[:-1] + ends[1:] - 1) / 2)
                parts.append(middles[codes][:, None].astype(np.float32))
            case CategoricalCut() if cut.is_specialized:
                parts.append(_indicators(codes, cut.size))
            case SetCut() if cut.is_specialized:
                present = np.zeros((len(combinations or ()), len(cut.nodes)), dtype=np.float32)
                for row, places in enumerate(combinations or ()):
                    present[row, list(places)] = 1
                parts.append(present[codes])
    return np.hstack([np.zeros((groups.size, 0), dtype=np.float32), *parts])


def presence(sets: ItemSets, cut: SetCut) -> NDArray[np.bool_]:
    """Return a ``(sets, nodes)`` array that shows which nodes of a cut have items of each set."""
    first = cut.domain.taxonomy.first[list(cut.nodes)]
    found = np.zeros((sets.size, len(cut.nodes)), dtype=np.bool_)
    found[sets.owners, np.searchsorted(first, sets.items, side="right") - 1] = True
    return found


def level_cut(domain: SetDomain, most_nodes: int) -> SetCut:
    """Return the finest level of a taxonomy with at most this many nodes, or the first level.

    A leaf above the level is kept unchanged.
    """
    children = domain.taxonomy.children
    nodes = children[0]
    while True:
        below = tuple(child for node in nodes for child in (children[node] or (node,)))
        if len(below) > most_nodes or below == nodes:
            return SetCut(domain, nodes)
        nodes = below


def _numbers(
    domain: NumericDomain, places: NDArray[np.float64] | NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return the numbers at the given steps, which can be fractional."""
    return float(domain.low) + np.asarray(places, dtype=np.float64) * float(domain.step)


def _indicators(places: NDArray[np.int32], size: int) -> Matrix:
    found = np.zeros((places.size, size), dtype=np.float32)
    found[np.arange(places.size), places] = 1
    return found
