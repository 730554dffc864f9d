"""Divergence: the distance between the joint distributions of the release and the table.

A recipient can spread each group evenly over all combinations that the group's labels allow. The
result is an estimated distribution Q instead of the true distribution P. The loss is the
Kullback-Leibler divergence of P from Q, divided by the divergence when everything is generalized
(Kifer and Gehrke 2006; paper 002, Utility, equation 4). Suppressed records form one group that
allows every combination.

Let f be the number of records in a group, and v the number of combinations that the group allows. N
times the divergence is then, up to a constant, the sum of f ln v - f ln f over all groups. By the
log-sum inequality, the sum does not fall when groups are merged. The group of the suppressed
records overlaps other groups, so the divergence may fall when one more class is suppressed.
Therefore, a bound treats the known suppressed rows as unchanged rows, which have no cost.

Raising the level of one attribute adds to the divergence. Let Q be the distribution for the groups
of a policy, and R the distribution for the groups of a more general policy. Then D(P|R) = D(P|Q) +
D(Q|R), because ln(Q/R) is constant within each group. D(Q|R) is at least the divergence between the
distributions of a single attribute. The module computes this divergence from the counts of values.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, log, prod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities, Feature, Reason, supporting
from roadstead.policies.cells import Cells
from roadstead.policies.classes import Classes
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.quality.by_class import BoundByClass, ClassMeasure, ClassModel
from roadstead.quality.class_suppression import Missing
from roadstead.quality.partition_losses import Terms, logs, terms_for, times_log
from roadstead.quality.value_counts import Counts, ValueCounts, n_log_n
from roadstead.quality.words import QualityWords, own_words
from roadstead.tables.persons.profiles import PersonTable

_DECIMALS = 10
"""Losses are rounded to this many decimals, to remove differences from rounding errors."""
_DOUBT = 1e-9
"""A tolerance that exceeds the rounding error of a sum, relative to the terms of the sum."""
_HALF_UNIT = 0.5 / 10**_DECIMALS


@dataclass(frozen=True)
class Divergence(ClassModel):
    """The Kullback-Leibler divergence, divided by the largest possible divergence."""

    name: ClassVar[str] = "divergence"
    words: ClassVar[QualityWords] = own_words("divergence")
    capabilities: ClassVar[Capabilities] = supporting(
        Feature.WEIGHTS,
        reasons={
            Feature.PERSONS: Reason(
                "{part} works only if Roadstead releases all records with the same combination of "
                "values, or none of them. If a person is left out, other people with the same "
                "combination may remain",
                "use another loss, such as {quality=loss}, or leave out {person}",
            )
        },
    )

    def bind(self, encoding: Encoding) -> BoundByClass[Gone]:
        """Bind the model, and compute the divergence when everything is generalized."""
        return BoundByClass(encoding, _Divergences(encoding))

    def terms(self, cells: Cells) -> Terms:
        """Return -f ln f for each class and ln(values) for each interval, per record."""
        return terms_for(
            cells,
            by_class=-times_log(cells) / cells.total,
            by_width=[logs(np.arange(n + 1)) / cells.total for n in cells.domains.sizes],
            constant=cells.logs / cells.total,
        )


@dataclass(frozen=True)
class Gone:
    """A tally of suppressed rows: counts of values, the number of records, and a sum of n ln n."""

    counts: Counts
    records: int
    cells: float


class _Divergences(ClassMeasure[Gone]):
    """A measure of the divergence for one table, multiplied by the number of records."""

    prices_lost = True

    def __init__(self, encoding: Encoding) -> None:
        self._values = values = ValueCounts(encoding)
        self._row_counts = encoding.counts
        volumes = [_volumes(encoding, i) for i in range(len(encoding.attributes))]
        self._by_level = [[np.log(one) for one in own] for own in volumes]
        self._codes = encoding.codes
        self._log_volumes = np.log(values.flat(volumes))
        everything = [int(own[-1][0]) for own in volumes]
        self._log_everything = fsum(map(log, everything))
        combinations = encoding.counts
        if isinstance(encoding.table, PersonTable):  # there is one row per combination and profile
            combinations = encoding.table.combinations.counts
        self._cells = _sum_of_logs(combinations)
        records = encoding.records
        present = combinations[combinations > 0]  # a row without records is not in P
        even = present.min() == present.max()
        if even and present.size == prod(everything):
            self._whole = 0.0  # P is uniform; rounding errors could give a different value
        else:
            self._whole = fsum([self._cells, records * self._log_everything, -n_log_n(records)])

    def nothing(self) -> Gone:
        return Gone(self._values.none, 0, 0.0)

    def more(self, suppressed: Gone, rows: NDArray[np.uint32]) -> Gone:
        records = suppressed.records + int(np.add.reduce(self._row_counts[rows]))
        cells = suppressed.cells + _sum_of_logs(self._row_counts[rows])
        return Gone(suppressed.counts + self._values.of(rows), records, cells)

    def price(self, classes: Classes) -> float:
        return -_sum_of_logs(classes.sizes)

    def loss(self, levels: Levels, suppressed: Gone, price: float) -> float:
        lost = suppressed.records * self._log_everything - n_log_n(suppressed.records)
        return self._share(levels, suppressed, price, lost)

    def bound(self, levels: Levels, suppressed: Gone, price: float) -> float:
        return self._share(levels, suppressed, price, -suppressed.cells)

    def bound_in_classes(
        self, levels: Levels, suppressed: Gone, missing: Missing, classes: Classes
    ) -> float:
        """Return a bound that uses the lowest cost of a suppressed record, ln(all / records)."""
        if not self._whole:
            return 0.0
        records = int(np.add.reduce(self._row_counts))
        most = self._log_everything - log(records)
        rows = classes.rows
        costs = np.zeros(self._row_counts.size)
        own = -np.log(classes.sizes)[classes.ids]
        for i, level in enumerate(levels):
            own += self._by_level[i][level][self._codes[i][rows]]
        costs[rows] = np.minimum(own, most)
        kept = float(self._row_counts[rows] @ costs[rows])
        more = missing.besides(self._row_counts, costs, most)
        total = fsum([self._cells, kept, more, suppressed.records * most])
        doubt = _DOUBT * (1.0 + fsum([abs(kept), self._cells]) / self._whole)
        return min(1.0, max(0.0, round(total / self._whole - doubt, _DECIMALS)))

    def _share(self, levels: Levels, suppressed: Gone, price: float, lost: float) -> float:
        """Return the loss if the suppressed rows cost `lost`."""
        if not self._whole:
            return 0.0
        volumes = self._values.weighed(self._values.whole - suppressed.counts, self._log_volumes)
        divergence = fsum(
            [
                self._cells,
                price,
                *[own[level] for own, level in zip(volumes, levels, strict=True)],
                lost,
            ]
        )
        return min(1.0, max(0.0, round(divergence / self._whole, _DECIMALS)))

    def raised(
        self, loss: float, lower: Levels, upper: Levels, suppressed: Gone
    ) -> list[list[float]]:
        if not self._whole:
            return [[0.0] * (high - low) for low, high in zip(lower, upper, strict=True)]
        kept = self._values.whole - suppressed.counts
        volumes = self._values.weighed(kept, self._log_volumes)
        logs = self._values.label_logs(kept)
        bounds = []
        for i, (low, high) in enumerate(zip(lower, upper, strict=True)):
            alone = [v - n for v, n in zip(volumes[i], logs[i], strict=True)]
            own, least = [], loss
            for level in range(low + 1, high + 1):
                grown = loss + (alone[level] - alone[low]) / self._whole
                least = min(1.0, max(least, round(grown - _HALF_UNIT, _DECIMALS)))
                own.append(least)
            bounds.append(own)
        return bounds


def _volumes(encoding: Encoding, attribute: int) -> list[NDArray[np.float64]]:
    """For each level and value code, return the number of domain values that the label covers.

    The number comes from the hierarchy, but is at least the sum of the numbers for the merged
    labels. A hierarchy of ranges may use steps so wide that several values fall on one step.
    Without this minimum, merging these values would lower the divergence.
    """
    covered = []
    values = encoding.lookups[attribute][0].size
    below, volume = np.arange(values, dtype=np.uint32), np.ones(values)
    for labels, leaves in zip(encoding.lookups[attribute], encoding.leaves[attribute], strict=True):
        _, first = np.unique(below, return_index=True)
        together = np.bincount(labels[first], weights=volume[first])[labels]
        below, volume = labels, np.maximum(leaves, together)
        covered.append(volume)
    return covered


def _sum_of_logs(sizes: NDArray[np.int64]) -> float:
    """Return the sum of n ln n over all sizes n."""
    distinct, times = np.unique(sizes[sizes > 0], return_counts=True)
    return fsum((times * distinct * np.log(distinct)).tolist())
