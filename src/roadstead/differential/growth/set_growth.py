"""A set-valued attribute as it is specialized: which groups of items a set has items of.

A node is replaced, in each partition that has it, by the combinations of its children that a set
under it can have items of: with `m` children 2^m - 1 of them, one of which each set falls into
(paper 002, "The algorithm"). At the top there is one more: the empty set. Most combinations have no
record, so each is counted with noise and kept only if that count reaches a threshold; the records
of those that are not kept are lost, as if they had not been in the table.

The combinations are determined by the taxonomy and disjoint, so all these counts of one
specialization cost one grant together. Combinations without a record are so many that they are not
listed: those among them that the noise lifts above the threshold are drawn directly.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.domains import Combinations, SetCut, SetDomain
from roadstead.differential.growth.partitions import DROPPED, Partitions, added_up
from roadstead.differential.listing import Threshold, few_false, listed_cells
from roadstead.differential.private_table import ItemSets
from roadstead.errors import SettingError

MOST_CHILDREN = 40
"""Combinations of more children could not be numbered with the partitions."""

_MOST_BITS = 12
"""Combinations of so many children are counted in an array of all; of more, they are sorted."""

MOST_TESTS = 1 << 62
"""Combinations that can be numbered: partitions times combinations of children."""


@dataclass(frozen=True, eq=False)
class SetGrowth:
    """Nodes of a taxonomy of items, and the combinations of them that partitions have."""

    cut: SetCut
    # Shape ``(rows,)``: which of the distinct sets each row has.
    codes: NDArray[np.int32] = field(repr=False)
    sets: ItemSets = field(repr=False)  # the distinct sets
    # Shape ``(sets, classes)``: records of each class with each set.
    by_set: NDArray[np.int64] = field(repr=False)
    # Sorted nodes, by the number that partitions know them by.
    combinations: Combinations = ((0,),)
    threshold: Threshold = few_false  # how large a noisy count has to be

    @property
    def candidates(self) -> tuple[int, ...]:
        """Nodes that can be specialized: those that are no leaves."""
        return tuple(node for node in self.cut.nodes if self.cut.children(node))

    def options(self, node: int) -> int:
        """How many combinations of a node's children a partition that has it is tested for."""
        # One combination more at the top, where a set may be empty.
        return (1 << len(self.cut.children(node))) - (0 if node == 0 else 1)

    def under(self, node: int) -> NDArray[np.int64]:
        """Count the classes in the combinations of a node's children, all that have records."""
        masks = self.masks(node)
        some = slice(None) if node == 0 else np.flatnonzero(masks)
        place = masks[some]
        if len(self.cut.children(node)) > _MOST_BITS:
            place = np.unique(place, return_inverse=True)[1]
        counts = [np.bincount(place, weights=column, minlength=1) for column in self.by_set[some].T]
        return np.stack(counts, axis=1).astype(np.int64)

    def masks(self, node: int) -> NDArray[np.int64]:
        """Find which children of a node each set has items under; a bit each, ``(sets,)``."""
        taxonomy = self.cut.domain.taxonomy
        below = taxonomy.children[node]
        bounds = [int(taxonomy.first[child]) for child in below] + [int(taxonomy.last[node])]
        return self.sets.masks(np.array(bounds, dtype=np.int32))

    def specialized(
        self,
        node: int,
        partitions: Partitions,
        attribute: int,
        counts: NDArray[np.int64],
        grant: Grant,
        mechanisms: Mechanisms,
    ) -> tuple[SetGrowth, Partitions]:
        """Replace a node by combinations of its children, and keep those that seem to have records.

        `counts`: shape ``(rows,)``: records of each row. Returns the attribute and the partitions
        after it.
        """
        tests = self._tests(node, partitions, attribute)
        alive = tests.keys >= 0
        cells, records = added_up(tests.keys[alive], counts[alive])
        listed, _, _ = listed_cells(cells, records, tests.number, grant, self.threshold, mechanisms)
        kept = np.sort(listed)
        parents, masks = tests.places_of(kept)
        combinations, numbers = self._numbered(node, partitions.nodes[attribute][parents], masks)
        others = np.flatnonzero(~tests.has)
        origin = np.concatenate((others, parents))
        nodes = [column[origin] for column in partitions.nodes]
        nodes[attribute][others.size :] = numbers
        moved = np.full(partitions.size, DROPPED, dtype=np.int32)
        moved[others] = np.arange(others.size)
        found = np.searchsorted(kept, tests.keys)
        there = np.append(kept, DROPPED)[found] == tests.keys
        placed = np.where(there, others.size + found, DROPPED)
        within = np.where(alive, placed, moved[partitions.of_row])
        of_row = np.where(partitions.alive, within, DROPPED).astype(np.int32)
        grown = replace(self, cut=self.cut.specialized(node), combinations=combinations)
        return grown, Partitions(tuple(nodes), of_row)

    def _tests(self, node: int, partitions: Partitions, attribute: int) -> _Tests:
        """Lay out what is to be counted when a node is specialized."""
        holds = np.array([node in one for one in self.combinations])
        has = holds[partitions.nodes[attribute]]
        fewest = 0 if node == 0 else 1  # mask 0 is the empty set
        options = self.options(node)
        rank = np.cumsum(has) - 1
        keys = rank[partitions.of_row] * options + (self.masks(node)[self.codes] - fewest)
        counted = partitions.alive & has[partitions.of_row]
        return _Tests(has, options, fewest, np.where(counted, keys, DROPPED))

    def _numbered(
        self, node: int, before: NDArray[np.int32], masks: NDArray[np.int64]
    ) -> tuple[Combinations, NDArray[np.int32]]:
        """Number the combinations that arise; equal ones have one number.

        `before`: shape ``(kept,)``: the combination that each kept one was. `masks`: shape
        ``(kept,)``: the children that are in it now. Returns all combinations, and the number of
        each kept one.
        """
        number = {one: at for at, one in enumerate(self.combinations)}
        children = self.cut.children(node)
        pairs, place = np.unique(np.stack((before, masks)), axis=1, return_inverse=True)
        numbers = np.zeros(pairs.shape[1], dtype=np.int32)
        for at, (old, mask) in enumerate(pairs.T.tolist()):
            present = {child for bit, child in enumerate(children) if mask >> bit & 1}
            one = tuple(sorted(set(self.combinations[old]) - {node} | present))
            numbers[at] = number.setdefault(one, len(number))
        return tuple(number), numbers[place.reshape(-1)]


@dataclass(frozen=True, eq=False)
class _Tests:
    """The combinations of a node's children in each partition that has the node."""

    has: NDArray[np.bool_]  # shape ``(partitions,)``: whether a partition has the node
    options: int  # how many combinations each of them is tested for
    fewest: int  # the first combination's mask
    # Shape ``(rows,)``: the number of the combination a row falls into; negative where its
    # partition does not have the node.
    keys: NDArray[np.int64]

    @property
    def number(self) -> int:
        """How many combinations are counted, partitions times options."""
        return int(self.has.sum()) * self.options

    def places_of(self, kept: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Give of numbered combinations the partition and the mask."""
        return np.flatnonzero(self.has)[kept // self.options], kept % self.options + self.fewest


def set_growth(
    domain: SetDomain,
    codes: NDArray[np.int32],
    sets: ItemSets,
    by_set: NDArray[np.int64],
    threshold: Threshold,
) -> SetGrowth:
    """Begin with any set at all."""
    widest = max(len(children) for children in domain.taxonomy.children)
    if widest > MOST_CHILDREN:
        raise SettingError(
            f"a group has {widest} groups or values directly below it, but sets distinguish all "
            f"combinations of at most {MOST_CHILDREN}",
            where=f"taxonomy of {domain.attribute!r}",
            fix="add groups between them, or give a fan-out",
        )
    return SetGrowth(SetCut(domain, (0,)), codes, sets, by_set, threshold=threshold)
