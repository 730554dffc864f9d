"""Specialize a set-valued attribute by the groups that contain the items of a set.

In each partition that has a specialized node, combinations of the node's children replace the node.
A combination lists the children under which a set has items (paper 002, "The algorithm"). Each
combination is counted with noise, and is dropped together with its records if the count is below a
threshold. The combinations are disjoint, so one grant pays for all counts of a specialization.
Instead of listing all empty combinations, the module draws only the combinations whose noise
reaches the threshold.
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
"""The largest number of children. With more children, numbers would not fit in 64 bits."""

_MOST_BITS = 12
"""Up to this number of children, combinations are counted in an array; above it, by sorting."""

MOST_TESTS = 1 << 62
"""The largest product of the number of partitions and the number of child combinations."""


@dataclass(frozen=True, eq=False)
class SetGrowth:
    """The growth of a set-valued attribute, with the combinations of nodes in each partition."""

    cut: SetCut
    # The distinct set of each row, as a number; shape ``(rows,)``.
    codes: NDArray[np.int32] = field(repr=False)
    sets: ItemSets = field(repr=False)  # the distinct sets
    # The records of each class with each set; shape ``(sets, classes)``.
    by_set: NDArray[np.int64] = field(repr=False)
    # The sorted nodes of each combination. Partitions refer to a combination by its index.
    combinations: Combinations = ((0,),)
    threshold: Threshold = few_false  # the smallest noisy count that is kept

    @property
    def candidates(self) -> tuple[int, ...]:
        """The nodes that can be specialized, which are all nodes except leaves."""
        return tuple(node for node in self.cut.nodes if self.cut.children(node))

    def options(self, node: int) -> int:
        """Return the number of combinations of a node's children to test per partition."""
        # There is one more combination at the top, where a set may be empty.
        return (1 << len(self.cut.children(node))) - (0 if node == 0 else 1)

    def under(self, node: int) -> NDArray[np.int64]:
        """Count the classes in each combination of a node's children that has records."""
        masks = self.masks(node)
        some = slice(None) if node == 0 else np.flatnonzero(masks)
        place = masks[some]
        if len(self.cut.children(node)) > _MOST_BITS:
            place = np.unique(place, return_inverse=True)[1]
        counts = [np.bincount(place, weights=column, minlength=1) for column in self.by_set[some].T]
        return np.stack(counts, axis=1).astype(np.int64)

    def masks(self, node: int) -> NDArray[np.int64]:
        """For each set, return bits for the children of a node under which the set has items."""
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
        """Replace a node with the combinations of its children that seem to have records.

        `counts` gives the number of records that each row represents. Return the attribute and the
        partitions after the specialization.
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
        """Return the combinations to test when a node is specialized."""
        holds = np.array([node in one for one in self.combinations])
        has = holds[partitions.nodes[attribute]]
        fewest = 0 if node == 0 else 1  # Mask 0 is the empty set.
        options = self.options(node)
        rank = np.cumsum(has) - 1
        keys = rank[partitions.of_row] * options + (self.masks(node)[self.codes] - fewest)
        counted = partitions.alive & has[partitions.of_row]
        return _Tests(has, options, fewest, np.where(counted, keys, DROPPED))

    def _numbered(
        self, node: int, before: NDArray[np.int32], masks: NDArray[np.int64]
    ) -> tuple[Combinations, NDArray[np.int32]]:
        """Number the combinations that result from a specialization.

        Equal combinations have the same number.

        For each kept combination, `before` gives the earlier combination, and `masks` gives the
        children that the kept combination contains. Return all combinations, and the number of each
        kept combination.
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
    options: int  # number of combinations to test per partition
    fewest: int  # the first combination's mask
    # The combination of each row, as a number; shape ``(rows,)``. It is negative if the partition
    # does not have the node.
    keys: NDArray[np.int64]

    @property
    def number(self) -> int:
        """The number of counted combinations: partitions times options."""
        return int(self.has.sum()) * self.options

    def places_of(self, kept: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the partition and the mask of each numbered combination."""
        return np.flatnonzero(self.has)[kept // self.options], kept % self.options + self.fewest


def set_growth(
    domain: SetDomain,
    codes: NDArray[np.int32],
    sets: ItemSets,
    by_set: NDArray[np.int64],
    threshold: Threshold,
) -> SetGrowth:
    """Return the initial growth, in which one node contains every set."""
    widest = max(len(children) for children in domain.taxonomy.children)
    if widest > MOST_CHILDREN:
        raise SettingError(
            f"a group has {widest} groups or values directly below it, but the limit for a "
            f"column with sets is {MOST_CHILDREN}",
            where=f"taxonomy of {domain.attribute!r}",
            fix="add a level of groups between them, or give a fan-out",
        )
    return SetGrowth(SetCut(domain, (0,)), codes, sets, by_set, threshold=threshold)
