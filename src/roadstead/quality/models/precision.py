"""Precision: the number of hierarchy levels by which a value is generalized.

A value at level l of a hierarchy with h levels loses l / (h - 1), regardless of the data. A
suppressed value loses everything. An attribute's loss is the mean over all records, and an
aggregate combines the attributes into one number (Sweeney 2002, where precision is one minus this
number). An attribute whose hierarchy has one level cannot be generalized, so only suppression
causes a loss.
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
    """The mean share of the hierarchy's levels by which a value is generalized."""

    name: ClassVar[str] = "precision"
    words: ClassVar[QualityWords] = own_words("precision")
    capabilities: ClassVar[Capabilities] = OF_RECORDS

    def bind(self, encoding: Encoding) -> LossesByAttribute:
        """Count the levels of generalization. A suppressed value loses at least one level."""
        encoding = self.weighed(encoding)
        costs = [
            [np.full(leaves.shape, level, dtype=np.int64) for level, leaves in enumerate(levels)]
            for levels in encoding.leaves
        ]
        most = [max(height - 1, 1) for height in encoding.heights]
        counted, alike = (self.aggregate, self.suppression), self.average_over == "rows"
        return bound_by_value(encoding, costs, most, counted, divided, alike=alike)
