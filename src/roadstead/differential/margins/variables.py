"""Define the variables of a release for general use, and count their margins.

An attribute is one variable, and its values are the positions in the attribute's cut. A set-valued
attribute has one variable for each node of its cut. This variable shows whether the record has an
item under the node. So a record is counted in exactly one cell of each margin. A *grouping* merges
values of a variable. A margin counts records by groups of one or two variables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.domains import AttributeCut, CategoricalCut, NumericCut, SetCut
from roadstead.differential.private_table import PrivateTable

Grouping: TypeAlias = NDArray[np.int64]
"""The group of each value of a variable. Groups have consecutive numbers from 0."""

TARGET = -1
"""The number of the target, in place of an attribute index."""


@dataclass(frozen=True)
class Variable:
    """A variable with one value per record."""

    name: str  # unique among variables; for a node of a set, it includes the name of the set
    attribute: int  # the index of the attribute, or `TARGET`
    size: int  # the number of values
    ordered: bool = False  # whether neighboring values are similar
    node: int | None = None  # the place of the node in the cut of a set


@dataclass(frozen=True, eq=False)
class Coded:
    """The records of a private table as values of variables."""

    variables: tuple[Variable, ...]
    cuts: tuple[AttributeCut, ...]
    codes: NDArray[np.int64] = field(repr=False)  # shape ``(variables, rows)``
    counts: NDArray[np.int64] = field(repr=False)  # shape ``(rows,)``: the number of records

    def margin(self, at: Sequence[int], groupings: Sequence[Grouping]) -> NDArray[np.int64]:
        """Count the records exactly by groups of one or two variables."""
        shape = tuple(int(one.max()) + 1 for one in groupings)
        cells = np.zeros(self.counts.size, dtype=np.int64)
        for variable, grouping, size in zip(at, groupings, shape, strict=True):
            cells = cells * size + grouping[self.codes[variable]]
        found = np.zeros(int(np.prod(shape)), dtype=np.int64)
        np.add.at(found, cells, self.counts)
        return found.reshape(shape)


def variables_of(
    cuts: Sequence[AttributeCut], target: str | None, classes: Sequence[str]
) -> tuple[Variable, ...]:
    """Return the variables for the cuts. The target is last.

    An attribute whose cut has only one value gets no variable.
    """
    found: list[Variable] = []
    for at, cut in enumerate(cuts):
        if not cut.is_specialized:
            continue
        if isinstance(cut, SetCut):
            names = node_names(cut)
            found += [Variable(name, at, 2, node=node) for node, name in enumerate(names)]
        else:
            found.append(Variable(cut.attribute, at, cut.size, isinstance(cut, NumericCut)))
    if target is not None:
        found.append(Variable(target, TARGET, len(classes)))
    return tuple(found)


def node_names(cut: SetCut) -> tuple[str, ...]:
    """Name the variables of a set-valued attribute, one for each node of the cut."""
    return tuple(
        f"{cut.attribute} has {label} (node {node})"
        for node, label in zip(cut.nodes, cut.labels, strict=True)
    )


def coded(table: PrivateTable, cuts: Sequence[AttributeCut], target: str | None) -> Coded:
    """Return the values of the variables for each record."""
    variables = variables_of(cuts, target, table.classes)
    codes = np.zeros((len(variables), table.rows), dtype=np.int64)
    masks = {
        at: table.sets_of(at).masks(_bounds(cut))
        for at, cut in enumerate(cuts)
        if isinstance(cut, SetCut)
    }
    for row, one in enumerate(variables):
        if one.attribute == TARGET:
            codes[row] = table.target
            continue
        cut = cuts[one.attribute]
        if isinstance(cut, NumericCut | CategoricalCut):
            codes[row] = cut.of(table.codes[one.attribute])
        elif one.node is not None:
            held = masks[one.attribute] >> np.int64(one.node) & 1
            codes[row] = held[table.codes[one.attribute]]
    return Coded(variables, tuple(cuts), codes, table.counts)


def _bounds(cut: SetCut) -> NDArray[np.int32]:
    """Return the first leaf of each node in a cut, and the end of the last node."""
    taxonomy = cut.domain.taxonomy
    return np.append(taxonomy.first[list(cut.nodes)], taxonomy.size).astype(np.int32)
