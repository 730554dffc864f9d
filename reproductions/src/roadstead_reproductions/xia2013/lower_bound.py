"""A lower bound on every frontier, where the policies are too many for a proof of the best.

A policy cuts each attribute once, for everybody. Let each interval of the first attribute instead
be cut along the second in its own way, each of these pieces along the third, and so on. Whatever a
policy does can be done so, too. So the least risk plus price times loss over all such nested cuts
is no more than that of any policy, for measures that are sums over classes. It is found by dynamic
programming inside dynamic programming: the cost of an interval is the least cost of cutting what
is in it.

For each price there is a line in the plane of risk and loss, and no policy lies below it. Lines
together bound a convex region; below it there is nothing. No frontier, whoever finds it, has a
smaller area than what lies below this region. The region is convex and the frontier is not, and
nested cuts are freer than policies, so the bound is not tight; but it is proven.

The shortest domain is cut first and the longest last. The time is the product, over all domains,
of the numbers of their intervals that begin and end at values with records.
"""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from math import fsum, prod
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.search.frontiers.frontier import Frontier, Point
from roadstead.search.frontiers.interval_costs import IntervalCounter
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead_reproductions.xia2013.nested_segments import Weights, least_of_grid

P = TypeVar("P")

PRICES = tuple(float(price) for price in np.geomspace(1e-3, 10.0, 12))
"""Prices of loss in terms of risk that are bounded by default."""

_MOST_BOXES = 1 << 25
"""Most combinations of values, all of which are addressed."""

_STEPS = 4096
"""Steps of the lower staircase."""


@dataclass(frozen=True, eq=False)
class LowerBound:
    """What no policy lies below.

    Attributes
    ----------
    prices, costs
        Risk plus price times loss is at least the cost, whatever the policy.
    least
        The least risk and the least loss of any policy.
    """

    prices: NDArray[np.float64] = field(repr=False)
    costs: NDArray[np.float64] = field(repr=False)
    least: Point

    def losses(self, risks: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the least loss at each risk."""
        found = np.full(risks.shape, self.least.loss)
        for price, cost in zip(self.prices, self.costs, strict=True):
            np.maximum(found, (cost - risks) / price, out=found)
        return found

    def staircase(self) -> Frontier[None]:
        """Give points of which each policy's point is dominated by one."""
        risks = np.linspace(self.least.risk, 1.0, _STEPS + 1)
        losses = np.minimum(self.losses(risks[1:]), 1.0)
        found: Frontier[None] = Frontier()
        found.insert_all(risks[:-1], losses, lambda _: None)
        found.insert(1.0, self.least.loss, None)
        return found


def gap(frontier: Frontier[P], lower: Frontier[None]) -> float:
    """Area between a frontier and a lower staircase: how much smaller it can become at most."""
    return max(0.0, frontier.area - lower.area)


def lower_staircase(problem: FrontierProblem, prices: tuple[float, ...] = PRICES) -> Frontier[None]:
    """Give points of which each policy's point is dominated by one; see `lower_bound`."""
    return lower_bound(problem, prices).staircase()


def lower_bound(
    problem: FrontierProblem, prices: tuple[float, ...] = PRICES, threads: int = 2
) -> LowerBound:
    """Bound the risk plus price times loss of all policies from below.

    Parameters
    ----------
    problem
        Its measures are sums, without terms of intervals by their records.
    prices
        Of loss in terms of risk, both as shares, above 0.
    threads
        How many work side by side.

    Raises
    ------
    SettingError
        When a measure is no such sum, or there are too many combinations of values.
    """
    counter = IntervalCounter(problem)
    domains = problem.domains
    if any(counter.terms.interval_scale):
        raise SettingError(
            f"the loss {problem.loss.name!r} has terms of whole intervals",
            fix="use a loss whose terms are about classes and records",
        )
    if prod(domains.sizes) > _MOST_BOXES:
        raise SettingError(
            f"{prod(domains.sizes):,} combinations of values are too many to compute a bound",
            fix="merge neighboring values first",
        )
    unit = 1.0 / problem.loss_unit
    nested = _Nested(counter, np.array(prices), 1.0 / problem.risk_unit, unit)
    with ThreadPoolExecutor(threads) as pool:
        costs = nested.least(pool)
    costs += np.array(prices) * (counter.constant - problem.least_loss) * unit
    general = problem.point(domains.most_general)
    return LowerBound(np.array(prices), costs, Point(general.risk, 0.0))


class _Span(NamedTuple):
    """An interval of an attribute that begins and ends at values with records.

    Attributes
    ----------
    first, last
        Numbers of these among the values with records.
    own, around
        Its values, and those with the values without records on both sides.
    """

    first: int
    last: int
    own: slice
    around: slice


class _Nested:
    """Nested cuts of one table.

    Parameters
    ----------
    counter
        The measures.
    prices
        Of loss in terms of risk, both as shares.
    risk_unit, loss_unit
        Shares in one unit of the measures.
    """

    def __init__(
        self,
        counter: IntervalCounter,
        prices: NDArray[np.float64],
        risk_unit: float,
        loss_unit: float,
    ) -> None:
        cells = counter.problem.cells
        sizes = cells.domains.sizes
        order = sorted(range(len(sizes)), key=lambda i: sizes[i])
        widths = [counter.terms.by_width[i] * loss_unit for i in order]
        shape = [sizes[i] for i in order]
        if len(order) == 1:  # a grid has two attributes
            shape, widths = [1, *shape], [np.zeros(2), *widths]
        place = np.ravel_multi_index(tuple(cells.codes[order].astype(np.int64)), sorted(sizes))
        self._grids = [
            np.bincount(place, weights=own, minlength=prod(shape)).astype(np.int64).reshape(shape)
            for own in (cells.records, cells.people)
        ]
        weights = counter.weights
        self._risk: Weights = (weights.small * risk_unit, weights.scale * risk_unit, weights.power)
        self._by_class = counter.terms.by_class * loss_unit
        self._widths = widths
        self._prices = prices
        outer = range(len(shape) - 2)
        records = self._grids[0]
        self._spans = [
            _spans(records.sum(axis=tuple(j for j in range(records.ndim) if j != i))) for i in outer
        ]

    def least(self, pool: Executor) -> NDArray[np.float64]:
        """Least cost of all nested cuts, for every price."""
        found = np.array(list(pool.map(self._of_box, product(*self._spans))))
        costs = found.reshape(*[len(spans) for spans in self._spans], self._prices.size)
        for spans in reversed(self._spans):
            costs = _cut(costs, spans)
        return costs

    def _of_box(self, box: tuple[_Span, ...]) -> NDArray[np.float64]:
        """Least cost of what is in intervals of all attributes but the two longest."""
        axes = tuple(range(len(box)))
        records = self._grids[0][tuple(span.own for span in box)].sum(axis=axes)
        people = self._grids[1][tuple(span.around for span in box)].sum(axis=axes)
        wide = [
            width[span.own.stop - span.own.start]
            for width, span in zip(self._widths, box, strict=False)
        ]
        slabs, pieces = self._widths[-2:]
        found = least_of_grid(
            records, people, self._risk, self._by_class, slabs, pieces, self._prices
        )
        return found + self._prices * (int(records.sum()) * fsum(wide))


def _spans(records: NDArray[np.int64]) -> list[_Span]:
    """All intervals that begin and end at values with records, in the order of their begins."""
    places = np.flatnonzero(records)
    ends = [-1, *(int(place) for place in places), records.size]
    return [
        _Span(i, j, slice(ends[i + 1], ends[j + 1] + 1), slice(ends[i] + 1, ends[j + 2]))
        for i in range(places.size)
        for j in range(i, places.size)
    ]


def _cut(costs: NDArray[np.float64], spans: list[_Span]) -> NDArray[np.float64]:
    """Least cost of cutting along one attribute, the last before the prices."""
    none = np.full((*costs.shape[:-2], costs.shape[-1]), np.inf)
    best = [none] * (spans[-1].last + 2)
    best[0] = np.zeros_like(none)
    for number, span in enumerate(spans):
        cost = best[span.first] + costs[..., number, :]
        best[span.last + 1] = np.minimum(best[span.last + 1], cost)
    return best[-1]
