"""Iyengar's loss: how much of an attribute's domain a released value covers.

A value loses (n - 1) / (|D| - 1) if its label covers n of the |D| values of the domain. A
suppressed value loses everything. An attribute's loss is the mean over all records, and an
aggregate combines the attributes into one number (Iyengar 2002; paper 003, Quality models). The
sums over records are integers, so equal policies have equal losses. As in the published results, an
attribute's loss is truncated to ten decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities, Feature
from roadstead.errors import HierarchyError
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.kernels.value_counts import MOST_CUT, cut_shares
from roadstead.policies.cells import Cells
from roadstead.policies.encoding import Encoding
from roadstead.quality.by_attribute import LossesByAttribute, RecordSums, ValueSums, bound_by_value
from roadstead.quality.loss_capabilities import OF_RECORDS
from roadstead.quality.partition_losses import Terms, terms_for
from roadstead.quality.words import QualityWords, own_words

_TEN_DECIMALS = 10**10


@dataclass(frozen=True)
class Loss(RecordSums):
    """Iyengar's loss, combined by an aggregate."""

    name: ClassVar[str] = "loss"
    words: ClassVar[QualityWords] = own_words("loss")
    capabilities: ClassVar[Capabilities] = OF_RECORDS.adding(
        Feature.RECODING, Feature.IN_ENGINE, Feature.PROOF
    )

    def bind(self, encoding: Encoding) -> LossesByAttribute:
        """Bind the model to the costs of every level."""
        encoding = self.weighed(encoding)
        costs = [[leaves - 1 for leaves in levels] for levels in encoding.leaves]
        most = most_costs(encoding.hierarchies, encoding.records * self.suppression.whole)
        counted, alike = (self.aggregate, self.suppression), self.average_over == "rows"
        return bound_by_value(encoding, costs, most, counted, cut_to_ten_decimals, alike=alike)

    def sums(self, hierarchies: Sequence[Hierarchy], records: int) -> ValueSums:
        """Return the losses of a table from sums of costs that the caller computes."""
        most = most_costs(hierarchies, records)
        return ValueSums(most, records, self.aggregate, cut_to_ten_decimals)

    def terms(self, cells: Cells) -> Terms:
        """Return (w - 1) / (n - 1), divided by the numbers of records and attributes."""
        share = 1.0 / (cells.total * len(cells.domains.sizes))
        return terms_for(
            cells,
            by_width=[
                np.maximum(np.arange(n + 1) - 1.0, 0.0) / max(n - 1, 1) * share
                for n in cells.domains.sizes
            ],
        )


def cut_to_ten_decimals(parts: NDArray[np.int64], wholes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Divide whole numbers, and truncate the exact quotient to ten decimals."""
    if wholes.max(initial=0) <= MOST_CUT:
        return cut_shares(parts, wholes)
    rows = zip(parts.tolist(), wholes.tolist(), strict=True)
    return np.array(
        [[n * _TEN_DECIMALS // whole / _TEN_DECIMALS for n in own] for own, whole in rows]
    )


def most_costs(hierarchies: Sequence[Hierarchy], records: int) -> list[int]:
    """Return n - 1, the cost of a suppressed value, or raise an error if sums would overflow."""
    for hierarchy in hierarchies:
        if hierarchy.domain_size * records > np.iinfo(np.int64).max:
            raise HierarchyError(
                f"the domain of {hierarchy.attribute!r} has {hierarchy.domain_size:.3g} values, "
                "too many to measure the loss",
                where=hierarchy.origin,
                fix="make its values coarser",
            )
    return [hierarchy.domain_size - 1 for hierarchy in hierarchies]
