"""A lower bound on every frontier, for lattices that are too large for a proof of optimality.

A policy cuts each attribute in one way for all records. A nested cut is more general. Each interval
of the first attribute is cut along the second attribute in its own way, each of the resulting
pieces is cut along the third attribute, and so on. For measures that are sums over classes, the
lowest value of risk plus price times loss over all nested cuts is therefore a lower bound for all
policies. Nested dynamic programming computes this bound: the cost of an interval is the lowest cost
of cutting the content of the interval.

Each price gives a line in the plane of risk and loss, and no policy is below the line. Together,
the lines bound a convex region. No frontier has a smaller area than the area below this region. The
bound is proven, but not tight.

The shortest domain is cut first, and the longest last. The time is proportional to the product,
over all domains, of the numbers of intervals that begin and end at values with records.
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
"""The default prices of loss, in units of risk."""

_MOST_BOXES = 1 << 25
"""The largest number of combinations of values."""

_STEPS = 4096
"""The number of steps of the lower staircase."""


@dataclass(frozen=True, eq=False)
class LowerBound:
    """Lower bounds on risk and loss.

    For each of the `prices`, risk plus price times loss is at least the cost, for every policy.
    `least` contains the lowest risk and the lowest loss of any policy.
    """

    prices: NDArray[np.float64] = field(repr=False)
    costs: NDArray[np.float64] = field(repr=False)
    least: Point

    def losses(self, risks: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the lowest possible loss at each risk."""
        found = np.full(risks.shape, self.least.loss)
        for price, cost in zip(self.prices, self.costs, strict=True):
            np.maximum(found, (cost - risks) / price, out=found)
        return found

    def staircase(self) -> Frontier[None]:
        """Return points such that each policy's point is dominated by at least one of them."""
        risks = np.linspace(self.least.risk, 1.0, _STEPS + 1)
        losses = np.minimum(self.losses(risks[1:]), 1.0)
        found: Frontier[None] = Frontier()
        found.insert_all(risks[:-1], losses, lambda _: None)
        found.insert(1.0, self.least.loss, None)
        return found


def gap(frontier: Frontier[P], lower: Frontier[None]) -> float:
    """Return the area between a frontier and a lower staircase, which bounds any improvement."""
    return max(0.0, frontier.area - lower.area)


def lower_staircase(problem: FrontierProblem, prices: tuple[float, ...] = PRICES) -> Frontier[None]:
    """Return points such that each policy's point is dominated by at least one of them."""
    return lower_bound(problem, prices).staircase()


def lower_bound(
    problem: FrontierProblem, prices: tuple[float, ...] = PRICES, threads: int = 2
) -> LowerBound:
    """Return lower bounds on risk plus price times loss over all policies.

    The `prices` of loss in terms of risk are above 0. The function raises a SettingError if a
    measure is not a sum over classes, or if there are too many combinations of values.
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

    `first` and `last` are the numbers of these values among the values with records. `own` contains
    the values of the interval, and `around` also includes adjacent values without records.
    """

    first: int
    last: int
    own: slice
    around: slice


class _Nested:
    """The nested cuts of one table, and their lowest costs."""

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
        """Return the lowest cost of all nested cuts for each price."""
        found = np.array(list(pool.map(self._of_box, product(*self._spans))))
        costs = found.reshape(*[len(spans) for spans in self._spans], self._prices.size)
        for spans in reversed(self._spans):
            costs = _cut(costs, spans)
        return costs

    def _of_box(self, box: tuple[_Span, ...]) -> NDArray[np.float64]:
        """Return the lowest cost in intervals of all attributes except the two longest."""
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
    """Return all intervals that begin and end at values with records, in order."""
    places = np.flatnonzero(records)
    ends = [-1, *(int(place) for place in places), records.size]
    return [
        _Span(i, j, slice(ends[i + 1], ends[j + 1] + 1), slice(ends[i] + 1, ends[j + 2]))
        for i in range(places.size)
        for j in range(i, places.size)
    ]


def _cut(costs: NDArray[np.float64], spans: list[_Span]) -> NDArray[np.float64]:
    """Return the lowest cost of cutting along the last attribute."""
    none = np.full((*costs.shape[:-2], costs.shape[-1]), np.inf)
    best = [none] * (spans[-1].last + 2)
    best[0] = np.zeros_like(none)
    for number, span in enumerate(spans):
        cost = best[span.first] + costs[..., number, :]
        best[span.last + 1] = np.minimum(best[span.last + 1], cost)
    return best[-1]
