"""Search around all rows of a table in parallel, within a given number of steps.

Rows are searched in independent blocks, so the number of threads does not change the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from roadstead.kernels.compiled import Real, Whole
from roadstead.kernels.recoding.box_sets import Cheapest, cheapest_sets, grown_boxes
from roadstead.kernels.recoding.box_tree import PointTree, highest_in_nodes, neighbor_costs
from roadstead.search.protocol import Control, Ending
from roadstead.search.recoding.side_by_side import side_by_side

T = TypeVar("T")

_BLOCK = 512
"""The number of rows per block."""
_PASSES = 3
"""The number of passes over unfinished rows; in each pass, the rows share the remaining steps."""
_WIDER = 2.0
"""A box is grown from the points within this multiple of the distance to the k-th point."""
_VISIT = 100
"""The number of steps that are counted for descending the tree once per row."""
_ABOVE = 1e-12
"""The amount added to ceilings so that rounding does not exclude a known box."""


class RowSearch:
    """The rows of a tree, and the number of search steps used so far.

    `smallest_sets` contains k records in the smallest box around a row, for many rows.
    """

    def __init__(self, tree: PointTree, k: int, control: Control) -> None:
        self.tree, self.k = tree, k
        self.steps = 0
        self.smallest_sets = np.empty((0, k), np.int64)
        self.ending: Ending | None = None
        self._control = control

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.tree.counts.size)

    def neighbors(self) -> Real:
        """Return the cost of the box around each row and its (k - 1)-th neighbor; 0 if stopped."""
        found = np.zeros(self.rows)
        every = np.arange(self.rows)
        for rows, own in self._blocks(every, lambda rows: neighbor_costs(self.tree, self.k, rows)):
            found[rows] = own
        return found

    def smallest(self, near: Real, budget: int) -> Real:
        """Return a lower bound on the cost of each row's cheapest box, given a first bound."""
        found, until = near.copy(), self.steps + budget
        every = np.flatnonzero(near > 0)
        ceilings = np.full(self.rows, np.inf)
        for rows, own in self._blocks(
            every, lambda rows: grown_boxes(self.tree, self.k, _WIDER * near[rows], rows)
        ):
            ceilings[rows] = self.k * own + _ABOVE
        left = every[np.isfinite(ceilings[every])]
        none = np.zeros(self.rows)
        for _ in range(_PASSES):
            if not left.size or self.ending:
                break
            each = max((until - self.steps) // left.size, 0)
            cut, sets = [], [self.smallest_sets]
            for rows, best in self.cheapest(none, ceilings, left, each, every=True):
                sets.append(best.sets[np.isfinite(best.value)])
                found[rows] = np.maximum(found[rows], best.least / self.k)
                ceilings[rows] = np.minimum(ceilings[rows], best.value + _ABOVE)
                cut.append(rows[best.steps > each])
            left = np.concatenate(cut) if cut else left[:0]
            self.smallest_sets = np.concatenate(sets)
        return found

    def cheapest(
        self, prices: Real, ceilings: Real, rows: Whole, budget: int, *, every: bool
    ) -> Iterator[tuple[Whole, Cheapest]]:
        """Search around rows, each within a step budget, and yield the results block by block."""
        tree = self.tree
        tops = highest_in_nodes(tree, prices)

        def one(own: Whole) -> Cheapest:
            return cheapest_sets(tree, prices, tops, ceilings[own], self.k, own, budget, every)

        for block, found in self._blocks(rows, one):
            self.steps += int(found.steps.sum()) + _VISIT * block.size
            yield block, found

    def _blocks(self, rows: Whole, work: Callable[[Whole], T]) -> Iterator[tuple[Whole, T]]:
        """Process rows in blocks, each a sample of the table, until the search must end."""

        def one(block: Whole) -> T | None:
            return None if self._ended() else work(block)

        number = -(-rows.size // _BLOCK)
        # The blocks are contiguous arrays, because Numba would compile again for strided arrays.
        blocks = [np.ascontiguousarray(rows[at::number]) for at in range(number)]
        for block, found in zip(blocks, side_by_side(one, blocks), strict=True):
            if found is not None:
                yield block, found

    def _ended(self) -> bool:
        self.ending = self.ending or self._control.ending()
        return self.ending is not None
