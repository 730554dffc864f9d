"""How much every recoding by intervals loses at least.

A class shows a box, one interval of each attribute, and holds at least k records. A record is a
point, its coordinates scaled by the attributes' weights, so that a box costs the sum of its sides.
Three bounds, each at least as high as the one before:

- *neighbor*: the class of a record holds k - 1 others, so its box costs at least what the box of
  the record and its (k - 1)-th nearest neighbor costs;
- *smallest*: it costs at least what the cheapest box around the record that holds k records costs;
- *prices*: records compete for companions. Let each record have a price such that no k records
  have prices that add up to more than k times the cost of their box. Of the records of any class,
  the k that have the highest prices have a mean price of at most the cost of their box, thus of
  the class's box; so has the class as a whole. So what all records lose is at least the sum of
  all prices. A suppressed record loses 1, and no price is more than 1.

All hold for any classes of k records or more, whether or not equal records are in one class.

Where ends of intervals must name no rare values, an interval is longer than from the middle of its
first place to that of its last: by half of what these two places lose by themselves. So each record
loses at least what the narrowest places lose, on top of all three bounds; and by itself, at least
what its own places lose.
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
"""Points looked at, in all; about 30 seconds of processor time."""
_LARGE = 100_000
"""A table of more rows has fewer steps, as each row takes time besides."""
_FOR_SMALLEST, _FOR_SMALLEST_OF_MANY = 0.4, 0.1
"""Share of the steps that the smallest boxes may take; of many records prices prove more."""
_MORE = 2
"""Where classes may have fewer records, every record can stay as it is."""
_ROUNDING = 1e-10
"""What the sums of numbers with fixed precision may be too high, with room to spare."""


@dataclass(frozen=True)
class BoxBound:
    """No recoding by intervals loses less than `value`, the highest of three bounds.

    All are means over records, 0 to 1; infinite where there is provably no recoding. `steps` are
    the points looked at.
    """

    value: float
    neighbor: float
    smallest: float
    steps: int
    ending: Ending


def box_bound(problem: RecodingProblem, control: Control, *, steps: int | None = None) -> BoxBound:
    """Bound the arithmetic mean from below; stopped early, with what is proven by then.

    The same steps give the same bound on every machine. Rows for which they are not enough count
    with the less that is proven for them.
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
    """Mean of what the smallest box around each record loses, whoever else is in it."""
    own = [
        share * width[axis.places[codes]]
        for share, width, axis, codes in zip(
            problem.shares, widths, problem.axes, problem.encoding.codes, strict=True
        )
    ]
    mean = float(np.sum(own, axis=0) @ problem.encoding.counts) / problem.records
    return max(mean - _ROUNDING, 0.0)


def tree_of(problem: RecodingProblem) -> PointTree:
    """Make the distinct points of a table's records."""
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
    """Mean over records, less what may be wrong with the sums; suppression costs 1."""
    mean = float(tree.counts @ np.minimum(proven, 1.0)) / float(tree.counts.sum())
    return max(mean - _ROUNDING, 0.0)
