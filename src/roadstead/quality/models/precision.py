"""Precision: how far up its hierarchy a value was taken.

A value at level l of a hierarchy of h levels loses l / (h - 1), whatever the data are; a
suppressed one loses everything. An attribute's loss is the mean over all records, and an
aggregate makes one number of them (Sweeney 2002, where precision is one minus this).

An attribute whose hierarchy has one level only has no step to take: it loses by suppression alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from roadstead.capabilities import Capabilities
from roadstead.policies.encoding import Encoding
from roadstead.quality.by_attribute import LossesByAttribute, RecordSums, bound_by_value, divided
from roadstead.quality.loss_capabilities import OF_RECORDS
from roadstead.quality.words import QualityWords, own_words


@dataclass(frozen=True)
class Precision(RecordSums):
    """Share of the levels climbed, under an aggregate."""

    name: ClassVar[str] = "precision"
    words: ClassVar[QualityWords] = own_words("precision")
    capabilities: ClassVar[Capabilities] = OF_RECORDS

    def bind(self, encoding: Encoding) -> LossesByAttribute:
        """Count the steps climbed: l, and one at least for a suppressed value."""
        encoding = self.weighed(encoding)
        costs = [
            [np.full(leaves.shape, level, dtype=np.int64) for level, leaves in enumerate(levels)]
            for levels in encoding.leaves
        ]
        most = [max(height - 1, 1) for height in encoding.heights]
        counted, alike = (self.aggregate, self.suppression), self.average_over == "rows"
        return bound_by_value(encoding, costs, most, counted, divided, alike=alike)
