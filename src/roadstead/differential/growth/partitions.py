"""Divide the records into partitions.

Each combination of nodes of the cuts is a partition, even if it has no records. A specialization
replaces a node with its children in every partition that has the node (paper 002, algorithm 1). So
the list of partitions depends only on public choices, and does not reveal which partitions are
empty.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

DROPPED = -1
"""The mark of a row in a partition that was dropped because it seemed to be empty."""


@dataclass(frozen=True, eq=False)
class Partitions:
    """All partitions, and the rows in them."""

    # For each attribute, the node of each partition, shape ``(partitions,)``, in the numbering of
    # the attribute.
    nodes: tuple[NDArray[np.int32], ...] = field(repr=False)
    # The partition of each row of the private table, or `DROPPED`; shape ``(rows,)``.
    of_row: NDArray[np.int32] = field(repr=False)

    @property
    def size(self) -> int:
        """The number of partitions."""
        return self.nodes[0].size

    @property
    def alive(self) -> NDArray[np.bool_]:
        """An array of shape ``(rows,)`` that shows whether each row is in a partition."""
        alive: NDArray[np.bool_] = self.of_row != DROPPED
        return alive

    def cells(
        self, target: NDArray[np.int32], counts: NDArray[np.int64], classes: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the cells that have records, in ascending order, and their numbers of records.

        Cell ``p * classes + c`` is class `c` of partition `p`.
        """
        alive = self.alive
        cells = self.of_row[alive].astype(np.int64) * classes + target[alive]
        return added_up(cells, counts[alive])


def added_up(
    keys: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct keys in ascending order, and the sum of the counts of each key."""
    if not keys.size:
        return keys, counts
    if (most := int(keys.max())) < max(4 * keys.size, 1 << 16):
        sums = np.bincount(keys, weights=counts, minlength=most + 1).astype(np.int64)
        distinct = np.flatnonzero(sums)
        return distinct, sums[distinct]
    distinct, inverse = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(inverse, weights=counts).astype(np.int64)


def whole(roots: tuple[int, ...], rows: int) -> Partitions:
    """Return one partition of all rows, with each attribute at its topmost node."""
    return Partitions(
        tuple(np.array([root], dtype=np.int32) for root in roots), np.zeros(rows, dtype=np.int32)
    )


def split(
    partitions: Partitions,
    attribute: int,
    node: int,
    child_of_row: NDArray[np.int32],
    children: tuple[int, ...],
) -> Partitions:
    """Replace a node with its children in every partition that has the node.

    `child_of_row` gives the child of each row that has the node.
    """
    affected = partitions.nodes[attribute] == node
    sizes = np.where(affected, len(children), 1)
    ends = np.cumsum(sizes)
    starts = ends - sizes
    origin = np.repeat(np.arange(partitions.size), sizes)
    child = np.arange(origin.size) - starts[origin]
    nodes = [own[origin] for own in partitions.nodes]
    nodes[attribute] = np.where(
        affected[origin], np.array(children, dtype=np.int32)[child], nodes[attribute]
    )
    alive, of_row = partitions.alive, partitions.of_row
    moved = starts[of_row] + np.where(affected[of_row], child_of_row, 0)
    return Partitions(tuple(nodes), np.where(alive, moved, DROPPED).astype(np.int32))
