"""Compute a lower bound on the loss of every recoding by intervals.

A record is a point whose coordinates are scaled by the weights of the attributes. A box consists of
one interval per attribute, and its cost is the sum of its sides. There are three bounds, each at
least as high as the previous one (docs/methods/recodings.md). *Neighbor* uses the (k - 1)-th
nearest neighbor, and *smallest* uses the cheapest box with k records around each record. *Prices*
assigns prices to records such that the prices of any k records add up to at most k times the cost
of their box.

If the ends of intervals must not reveal rare values, an interval is longer than the distance from
the middle of its first place to the middle of its last place. The difference is half the total loss
of these two places. Therefore, the loss of the narrowest places can be added to all three bounds.
Each record also has at least the loss of its own places.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.recoding.box_tree import PointTree, point_tree
from roadstead.search.protocol import Control, Ending
from roadstead.search.recoding.bounds.box_prices import MANY, PriceRounds
from roadstead.search.recoding.bounds.box_rows import RowSearch
from roadstead.search.recoding.protocol import RecodingProblem

STEPS = 400_000_000
"""The number of points that are examined in total, which takes about 30 seconds of CPU time."""
_LARGE = 100_000
"""A table with more rows than this gets fewer steps, because each row also takes time."""
_FOR_SMALLEST, _FOR_SMALLEST_OF_MANY = 0.4, 0.1
"""The shares of the steps spent on smallest boxes, for small and for large k."""
_MORE = 2
"""If classes may have fewer records than this number, every record can remain unchanged."""
_ROUNDING = 1e-10
"""The largest rounding error of sums of floating-point numbers, with a safety margin."""


@dataclass(frozen=True)
class BoxBound:
    """A lower bound `value` on the loss of every recoding by intervals.

    The value is the highest of three bounds. All bounds are means over records, from 0 to 1, or
    infinite if it is proven that no recoding exists. `steps` is the number of points that were
    examined.
    """

    value: float
    neighbor: float
    smallest: float
    steps: int
    ending: Ending


def box_bound(problem: RecodingProblem, control: Control, *, steps: int | None = None) -> BoxBound:
    """Return a lower bound on the mean loss, or the bound so far if the search is stopped early.

    The same steps give the same bound on every machine. If a row's search is not finished, the
    lower bound that is proven for the row is used.
    """
    k = problem.k
    if problem.records < k or k < _MORE:
        least = 0.0 if k < _MORE else 1.0 if problem.records <= problem.limit else inf
        return BoxBound(least, least, least, 0, "complete")
    tree = tree_of(problem)
    if steps is None:
        steps = STEPS * _LARGE // max(tree.counts.size, _LARGE)
    share = _FOR_SMALLEST if k < MANY else _FOR_SMALLEST_OF_MANY
    search = RowSearch(tree, k, control)
    near = search.neighbors()
    small = search.smallest(near, int(steps * share))
    prices = PriceRounds(search, np.minimum(small, 1.0)).run(steps - search.steps)
    widths = [axis.highs - axis.lows for axis in problem.axes]
    narrowest = float(problem.shares @ [own.min() for own in widths])
    neighbor, smallest, value = (_mean(tree, own + narrowest) for own in (near, small, prices))
    smallest = max(neighbor, smallest, _by_itself(problem, widths))
    return BoxBound(
        max(value, smallest), neighbor, smallest, search.steps, search.ending or "complete"
    )


def _by_itself(problem: RecodingProblem, widths: list[NDArray[np.float64]]) -> float:
    """Return the mean loss if each record has its own smallest box, even without k records."""
    own = [
        share * width[axis.places[codes]]
        for share, width, axis, codes in zip(
            problem.shares, widths, problem.axes, problem.encoding.codes, strict=True
        )
    ]
    mean = float(np.sum(own, axis=0) @ problem.encoding.counts) / problem.records
    return max(mean - _ROUNDING, 0.0)


def tree_of(problem: RecodingProblem) -> PointTree:
    """Return a tree of the distinct points of a table's records."""
    coordinates = [
        axis.positions[axis.places[codes]] * share
        for axis, codes, share in zip(
            problem.axes, problem.encoding.codes, problem.shares, strict=True
        )
    ]
    points, inverse = np.unique(np.stack(coordinates, axis=1), axis=0, return_inverse=True)
    counts = np.zeros(points.shape[0], np.int64)
    np.add.at(counts, inverse.reshape(-1), problem.encoding.counts)
    return point_tree(np.ascontiguousarray(points), counts)


def _mean(tree: PointTree, proven: NDArray[np.float64]) -> float:
    """Return the mean over records minus the largest rounding error; suppression costs 1."""
    mean = float(tree.counts @ np.minimum(proven, 1.0)) / float(tree.counts.sum())
    return max(mean - _ROUNDING, 0.0)
