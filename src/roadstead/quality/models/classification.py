"""The classification metric: how often a class predicts the wrong value of a column.

The best prediction for a class is the most frequent value of a target column in the class. The
records with any other value are the minority of the class. Each minority record and each suppressed
record costs one unit. The loss is the total cost divided by the number of records (Iyengar 2002,
section 4.2; Bayardo and Agrawal 2005, section 2.2). The loss is 1 if everything is suppressed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from roadstead.capabilities import Capabilities, Feature
from roadstead.policies.encoding import Encoding
from roadstead.quality.by_class import BoundByClass
from roadstead.quality.loss_capabilities import ANY_LOSS
from roadstead.quality.partition_costs import PricedClasses, Prices
from roadstead.quality.words import QualityWords, own_words


@dataclass(frozen=True)
class Classification:
    """The share of records that are suppressed or in the minority of their class."""

    target: str
    name: ClassVar[str] = "classification"
    words: ClassVar[QualityWords] = own_words("classification")
    capabilities: ClassVar[Capabilities] = ANY_LOSS.adding(Feature.TARGET, Feature.CUTS)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the target column."""
        return (self.target,)

    def bind(self, encoding: Encoding) -> BoundByClass[int]:
        """Bind the model to the target's distribution, or raise a RoleError."""
        target = encoding.table.histogram(self.target)
        prices = self.prices(encoding.records)
        return BoundByClass(encoding, PricedClasses(encoding, prices, target))

    def prices(self, records: int) -> Prices:  # noqa: ARG002 - a part of the protocol
        """Return prices such that each record costs either one unit or nothing."""
        return Prices(square=0, minority=1, suppressed=1)

    def settings(self) -> dict[str, Any]:
        """Return the parameters for the certificate."""
        return {"kind": self.name, "target": self.target}
