"""A categorical attribute as it is specialized: nodes of a taxonomy, replaced by their children."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.attribute_cuts import CategoricalCut
from roadstead.differential.domains import CategoricalDomain
from roadstead.differential.growth.tallies import Tally


@dataclass(frozen=True, eq=False)
class CategoricalGrowth:
    """Nodes of a taxonomy that cover each leaf once."""

    domain: CategoricalDomain
    codes: NDArray[np.int32] = field(repr=False)  # shape ``(rows,)``: the leaf of each row
    tally: Tally = field(repr=False)  # class counts along the leaves
    nodes: tuple[int, ...] = (0,)  # the cut, in the order of the leaves

    @property
    def attribute(self) -> str:
        """The column."""
        return self.domain.attribute

    @property
    def cut(self) -> CategoricalCut:
        """The nodes, to be released."""
        return CategoricalCut(self.domain, self.nodes)

    @property
    def candidates(self) -> tuple[int, ...]:
        """Nodes that can be specialized: those that have two children or more."""
        return tuple(node for node in self.nodes if len(self.children(node)) > 1)

    def label(self, node: int) -> str:
        """What a node is called."""
        return self.domain.taxonomy.labels[node]

    def under(self, node: int) -> NDArray[np.int64]:
        """Count the classes under each child of a node; ``(children, classes)``."""
        taxonomy = self.domain.taxonomy
        return np.stack(
            [
                self.tally.between(int(taxonomy.first[child]), int(taxonomy.last[child]))
                for child in self.children(node)
            ]
        )

    def specialized(self, node: int) -> CategoricalGrowth:
        """Replace a node by its children."""
        at = self.nodes.index(node)
        return replace(self, nodes=(*self.nodes[:at], *self.children(node), *self.nodes[at + 1 :]))

    def children(self, node: int) -> tuple[int, ...]:
        """Give the nodes right below."""
        return self.domain.taxonomy.children[node]

    def child_of_row(self, node: int) -> NDArray[np.int32]:
        """Find for each row under which child of a node its leaf lies."""
        first = self.domain.taxonomy.first[list(self.children(node))]
        return (np.searchsorted(first, self.codes, side="right") - 1).astype(np.int32)
