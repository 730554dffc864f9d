"""Compute the cost of every interval of one attribute while all other attributes are fixed.

If a risk is a sum over records, and a loss is a sum over classes and intervals, the cost of an
interval does not depend on the boundaries of the other intervals. The best partition of one
attribute for a given price of loss is therefore a shortest path.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import cast

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.kernels.segmentation import RECORDS, cheapest, interval_sums
from roadstead.policies.cells import Cells
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.quality.partition_losses import SummedLoss, Terms
from roadstead.risk.measures import SummedRisk, Weights
from roadstead.search.frontiers.frontier import Frontier, Point
from roadstead.search.frontiers.protocol import FrontierProblem

_MOST_BOXES = 1 << 22
"""The largest number of (group, value) pairs that are counted in a dense table."""

_MOST_VALUES = 4_000
"""The largest domain for which all interval costs are computed; the costs take 256 MB."""


@dataclass(frozen=True, eq=False)
class IntervalCosts:
    """The risk and the loss that each interval of one attribute contributes.

    The tables have the shape ``(values, values)`` and are indexed by the first and the last value
    of an interval. `partition` matters only for the other attributes. `rest` is the share of the
    loss that does not depend on the intervals, and may be negative.
    """

    domains: OrderedDomains
    attribute: int
    partition: Partition
    risks: NDArray[np.float64] = field(repr=False)
    losses: NDArray[np.float64] = field(repr=False)
    rest: float

    @property
    def size(self) -> int:
        """The number of values in the domain."""
        return int(self.risks.shape[0])

    def point(self, firsts: NDArray[np.int64]) -> Point:
        """Return the risk and the loss of the intervals that begin at `firsts`."""
        lasts = np.append(firsts[1:], self.size) - 1
        risk = self.risks[firsts, lasts].sum()
        return Point(float(risk), float(self.losses[firsts, lasts].sum()) + self.rest)

    def cheapest(self, price: float) -> NDArray[np.int64]:
        """Return the first values of the intervals that minimize risk + price * loss."""
        _, source = cheapest(self.risks, self.losses, price)
        firsts = [int(source[-1])]
        while firsts[-1] > 0:
            firsts.append(int(source[firsts[-1]]))
        return np.array(firsts[::-1], dtype=np.int64)

    def insert_into(self, frontier: Frontier[Partition], firsts: NDArray[np.int64]) -> None:
        """Add the policy whose intervals begin at `firsts` to a frontier."""
        point = self.point(firsts)
        if not frontier.dominates(*point):
            policy = self.domains.with_firsts(self.partition, self.attribute, firsts)
            frontier.insert(*point, policy)


class IntervalCounter:
    """Computes `IntervalCosts` for one problem with a `SummedRisk` and a `SummedLoss`.

    `weights` and `terms` contain the summands in the measures' units. A SettingError is raised if a
    measure is not a sum, or if a domain has too many values.
    """

    def __init__(self, problem: FrontierProblem) -> None:
        for measure, sums in ((problem.risk, "weights"), (problem.loss, "terms")):
            if not hasattr(measure, sums):
                raise SettingError(
                    f"{measure.name!r} is not a sum over groups",
                    fix="use a search that evaluates whole policies",
                )
        for name, size in zip(problem.domains.attributes, problem.domains.sizes, strict=True):
            if size > _MOST_VALUES:
                raise SettingError(
                    f"the domain of {name!r} has {size:,} values, too many to compute the cost of "
                    "all intervals",
                    fix=f"merge neighboring values until at most {_MOST_VALUES:,} values remain",
                )
        self.problem = problem
        self.weights: Weights = cast("SummedRisk", problem.risk).weights()
        self.terms: Terms = cast("SummedLoss", problem.loss).terms(problem.cells)

    @cached_property
    def constant(self) -> float:
        """The difference, in the measure's units, between the loss and the sum of its terms."""
        general = self.problem.cells.classes(self.problem.domains.most_general)
        return self.problem.greatest_loss - self.terms.sum(general)

    @cached_property
    def _before(self) -> tuple[NDArray[np.int64], ...]:
        """For each attribute, the cumulative number of records before each value."""
        counts = self.problem.cells.by_value
        return tuple(np.concatenate([[0], np.cumsum(own)]).astype(np.int64) for own in counts)

    def own_terms(self, attribute: int) -> NDArray[np.float64]:
        """Return the loss, in the measure's units, that each interval adds by itself, or 0."""
        before = self._before[attribute]
        size = before.size - 1
        records = np.maximum(before[None, 1:] - before[:-1, None], 0)
        widths = np.maximum(np.arange(size)[None, :] - np.arange(size)[:, None] + 1, 0)
        terms = records * self.terms.by_width[attribute][widths]
        scale = self.terms.interval_scale[attribute]
        if scale:
            terms += scale * self.terms.by_interval[records]
        return cast("NDArray[np.float64]", np.triu(terms))

    def costs(self, partition: Partition, attribute: int) -> IntervalCosts:
        """Compute the costs of all intervals of an attribute."""
        problem, terms = self.problem, self.terms
        starts, found = _grouped(problem.cells, partition, attribute)
        size = problem.domains.sizes[attribute]
        weights = self.weights.small, self.weights.scale, self.weights.power
        risks = interval_sums(starts, found, size, np.empty(0), *weights)
        some = found[RECORDS] > 0
        before = np.concatenate([[0], np.cumsum(some)])[starts]
        losses = interval_sums(before, found[:, some].copy(), size, terms.by_class, *weights)
        losses += self.own_terms(attribute)
        rest = self.constant + self._others(partition, attribute)
        unit = 1.0 / problem.loss_unit
        return IntervalCosts(
            domains=problem.domains,
            attribute=attribute,
            partition=partition,
            risks=risks * (1.0 / problem.risk_unit),
            losses=losses * unit,
            rest=(rest - problem.least_loss) * unit,
        )

    def _others(self, partition: Partition, attribute: int) -> float:
        """Return the sum of the terms of the other attributes' intervals."""
        total = 0.0
        intervals = self.problem.domains.intervals(partition)
        for other, found in enumerate(intervals):
            if other == attribute:
                continue
            before = self._before[other]
            firsts, lasts = np.array(found).T
            records = before[lasts + 1] - before[firsts]
            widths = lasts - firsts + 1
            total += float((records * self.terms.by_width[other][widths]).sum())
            by_interval = self.terms.by_interval[records]
            total += self.terms.interval_scale[other] * float(by_interval.sum())
        return total


def _grouped(
    cells: Cells, partition: Partition, attribute: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Group cells that differ only in the given attribute, and omit groups without records.

    The function returns the index of the first cell of each group, followed by the number of cells.
    It also returns the value, the number of records, and the number of people of each cell in an
    array with the shape ``(3, cells)``.
    """
    labels = cells.domains.labels(partition)
    size = cells.domains.sizes[attribute]
    others = [i for i in range(len(labels)) if i != attribute]
    widths = [int(labels[i][-1]) + 1 for i in others]
    boxes = prod(widths) * size
    box = np.zeros(cells.number, dtype=np.int64)
    for i, width in zip(others, widths, strict=True):
        box *= width
        box += labels[i][cells.codes[i]]
        if boxes > _MOST_BOXES:
            box = np.unique(box, return_inverse=True)[1].reshape(-1)
    box *= size
    box += cells.codes[attribute]
    if boxes > _MOST_BOXES:
        keys, box = np.unique(box, return_inverse=True)
    else:
        keys = np.arange(boxes)
    records = np.bincount(box, weights=cells.records, minlength=keys.size).astype(np.int64)
    people = np.bincount(box, weights=cells.people, minlength=keys.size).astype(np.int64)
    groups = keys // size
    with_records = np.zeros(int(groups[-1]) + 1, dtype=np.bool_)
    with_records[groups[records > 0]] = True
    stays = np.flatnonzero((people > 0) & with_records[groups])
    group = groups[stays]
    starts = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1], [True]]))
    found = np.array([keys[stays] % size, records[stays], people[stays]], dtype=np.int64)
    return starts.astype(np.int64), found
