"""Precision: how far up its hierarchy a value was taken.

A value at level l of a hierarchy of h levels loses l / (h - 1), whatever the data are; a
suppressed one loses everything. An attribute's loss is the mean over all records, and an
aggregate makes one number of them (Sweeney 2002, where precision is one minus this).

An attribute whose hierarchy has one level only has no step to take: it loses by suppression alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import truediv
from typing import Any, ClassVar

import numpy as np

from roadstead.policies.encoding import Encoding
from roadstead.quality.aggregates import Aggregate, GeometricMean
from roadstead.quality.by_attribute import BoundByValue, settings
from roadstead.quality.words import QualityWords


@dataclass(frozen=True)
class Precision:
    """Share of the levels climbed, under an aggregate."""

    aggregate: Aggregate = field(default_factory=GeometricMean)
    name: ClassVar[str] = "precision"
    columns: ClassVar[tuple[str, ...]] = ()
    words: ClassVar[QualityWords] = QualityWords(
        title="Precision",
        figure="Precision lost",
        sentence="The release climbs {share} of the levels of the hierarchies.",
        clause="{share} of the levels of the hierarchies",
        by_attribute=True,
        formula="What was minimized is <em>precision lost</em>. A value at level <i>l</i> of a "
        'hierarchy of <i>h</i> levels loses <span class="formula"><i>l</i> / (<i>h</i> '
        "\N{MINUS SIGN} 1)</span>, a suppressed one 1, and the loss of an attribute is the mean "
        "over all records{cited}. 0 means that every value is exact, 1 that all are removed. All "
        "steps of a hierarchy count the same.",
        sources=("sweeney2002",),
    )

    def bind(self, encoding: Encoding) -> BoundByValue:
        """Count the steps climbed: l, and one at least for a suppressed value."""
        costs = [
            [np.full(leaves.shape, level, dtype=np.int64) for level, leaves in enumerate(levels)]
            for levels in encoding.leaves
        ]
        most = [max(height - 1, 1) for height in encoding.heights]
        return BoundByValue(encoding, costs, most, self.aggregate, truediv)

    def settings(self) -> dict[str, Any]:
        """Parameters for the certificate."""
        return settings(self.name, self.aggregate)
