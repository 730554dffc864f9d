"""Compute a lower bound on the loss of recodings by nodes of hierarchies.

*First bound*: For each record, consider the cells (vectors of nodes) that contain the record and at
least k records of the whole table. The record loses at least as much as in the cheapest of these
cells (docs/methods/recodings.md).

*Tightened bound*: Let each record have a price of at most 1 + q. In every cell of at least k
records, let the k highest prices add up to at most k times the cost of the cell. Then no release
loses less than the sum of all prices, minus q times the suppression limit. Two steps alternate to
find prices. The first step raises prices under the known columns, which are sets of k records
(`columns`). The second step visits all cells (`cell_walk`), adds sets with prices above their cost
as columns, and lowers the prices until no set has an excess. Therefore, each bound is checked
against every cell.

Floating point: The prices of a set may exceed its loss by `cell_walk.TOLERANCE`, and a release has
at most records / k sets. The tolerance is subtracted from the mean, so the bound also covers the
rounding of sums.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from roadstead.search.protocol import Control, Ending
from roadstead.search.recoding.bounds.cell_walk import TOLERANCE, CellWalk
from roadstead.search.recoding.bounds.columns import ColumnSet
from roadstead.search.recoding.protocol import RecodingProblem

STEPS = 1_200_000_000
"""The largest number of rows to read; a core reads about a hundred million rows per second."""
ROUNDS = 16
_FIRST_SHARE = 2
"""The first bound may use the total number of steps divided by this number."""
_TURNS = 100
_CLOSE = 1e-3
"""The search ends if the prices under the known columns exceed the bound by only this share."""
_START, _RATIO = 1 / 128, 1.5
"""The first cost limit for cells, and the factor by which the limit rises."""
_NO_CELL = 2.0
"""A cost that exceeds all possible costs."""
_GROWTH, _HEADWAY = 1.5, 0.3
"""The factor and the share of the mean by which new prices may exceed the best prices."""
_LOWEST = -1.0


@dataclass(frozen=True)
class NodeBound:
    """A lower bound `value`, at least `first`, on the loss of recodings by nodes.

    Both bounds are means per record, from 0 to 1, or infinite if it is proven that no recoding
    exists. `prices` gives, for each row of the table, the amount that each of its records adds to
    the bound. `suppression` is the amount by which the cost of suppression exceeds 1. `columns`
    contains the sets of records that constrain the last prices, with their weights.
    """

    value: float
    first: float
    prices: NDArray[np.float64] = field(repr=False)
    suppression: float
    columns: ColumnSet = field(repr=False)
    rounds: int
    steps: int
    ending: Ending


def node_bound(
    problem: RecodingProblem, control: Control, *, steps: int = STEPS, rounds: int = ROUNDS
) -> NodeBound:
    """Return a lower bound on the loss of recodings by nodes, within the given steps and rounds.

    The control may end the search earlier. Its clock must be running, and its budget is ignored.
    """
    walk, counts = CellWalk(problem), problem.encoding.counts
    least, taken, ending = _least_costs(problem, walk, steps // _FIRST_SHARE, control)
    if int(counts[least >= _NO_CELL].sum()) > problem.limit:
        empty = ColumnSet.none()
        return NodeBound(inf, inf, np.minimum(least, 1.0), inf, empty, 0, taken, "complete")
    prices = np.minimum(least, 1.0)
    first = _Dual(prices, *_worth(prices, counts, problem.limit))
    best, columns, turn = first, ColumnSet.none(), 0
    ceiling = float(problem.k) if problem.limit == 0 else 1.0
    tried, ending = prices, ending or control.ending()
    while ending is None and turn < rounds and taken < steps:
        scale = max(best.worth / problem.records, TOLERANCE)
        highest = np.minimum(best.prices * _GROWTH, ceiling)
        highest = np.minimum(np.maximum(highest, 0.0) + _HEADWAY * scale, ceiling)
        if columns.number:
            columns, tried, unmet = columns.ascended(
                counts, tried, (np.full(counts.size, _LOWEST), highest), _TURNS, scale
            )
            ceiling = _ceiling(problem, ceiling, float(unmet[tried >= ceiling - TOLERANCE].sum()))
        else:
            tried = highest
        walked = walk.run(
            tried, least=problem.k, take=problem.k, steps=steps - taken, control=control
        )
        taken += walked.steps
        turn += 1
        if walked.complete:
            found = _Dual(walked.prices, *_worth(walked.prices, counts, problem.limit))
            best = max(best, found, key=lambda dual: dual.worth)
        columns = columns.with_others(walked.columns)
        ending = control.ending()
        hoped, _ = _worth(tried, counts, problem.limit)
        if turn > 1 and hoped - best.worth <= _CLOSE * best.worth:
            ending = ending or "complete"
    return NodeBound(
        value=_mean(best.worth, problem),
        first=_mean(first.worth, problem),
        prices=best.prices,
        suppression=best.suppression,
        columns=columns,
        rounds=turn,
        steps=taken,
        ending=ending or ("budget" if taken >= steps else "iterations"),
    )


@dataclass(frozen=True)
class _Dual:
    """Prices that are valid for all cells, and the bound that follows from the prices."""

    prices: NDArray[np.float64]
    worth: float
    suppression: float


def _least_costs(
    problem: RecodingProblem, walk: CellWalk, steps: int, control: Control
) -> tuple[NDArray[np.float64], int, Ending | None]:
    """Find the loss of each row in the cheapest cell that is large enough, or a bound on it.

    The first walk visits all cells up to a cost limit. For each further walk, the limit rises by
    half. If a walk is stopped early, a row without a cell costs at least as much as the limit of
    the last completed walk.
    """
    least = np.full(problem.encoding.counts.size, _START)
    settled = np.zeros(least.size, dtype=np.bool_)
    ceiling, taken = _START, 0
    while True:
        start = np.where(settled, least, ceiling)
        walked = walk.run(start, least=problem.k, take=1, steps=steps - taken, control=control)
        taken += walked.steps
        if not walked.complete:
            known = np.where(settled, least, 0.0 if ceiling == _START else ceiling / _RATIO)
            return known, taken, control.ending() or "budget"
        least = walked.prices
        settled = least < ceiling
        if settled.all() or ceiling >= _NO_CELL:
            return least, taken, None
        ceiling *= _RATIO


def _worth(
    prices: NDArray[np.float64], counts: NDArray[np.int64], limit: int
) -> tuple[float, float]:
    """Return the bound from prices, and the amount by which the cost of suppression exceeds 1.

    The bound is the sum of all prices, minus this amount for each record that may be suppressed.
    Prices are limited to the cost of suppression. The bound is largest if the number of records
    with higher prices equals the number that may be suppressed.
    """
    order = np.argsort(-prices, kind="stable")
    beyond = np.searchsorted(np.cumsum(counts[order]), limit, side="right")
    above = max(float(prices[order[beyond]]) - 1.0, 0.0) if beyond < order.size else 0.0
    worth = float(counts @ np.minimum(prices, 1.0 + above)) - limit * above
    return worth, above


def _ceiling(problem: RecodingProblem, ceiling: float, wanting: float) -> float:
    """Adjust the highest price, depending on how many records are cheaper to suppress."""
    if problem.limit == 0:
        return ceiling
    if wanting > problem.limit:
        return min(ceiling * 1.25, float(problem.k))
    return max(ceiling / 1.1, 1.0)


def _mean(worth: float, problem: RecodingProblem) -> float:
    """Return the mean per record, rounded down to be a safe bound."""
    return min(max(worth / problem.records - TOLERANCE, 0.0), 1.0)
