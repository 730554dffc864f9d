"""Bits: the share of the information about a record that the release no longer contains.

A label that covers w of the |D| values of a domain hides log2(w) of log2(|D|) bits. The loss is the
mean share of a record's bits that are hidden (the entropy-based information loss of Wan et al.
2015, if all values are equally likely). Costs are whole multiples of a small unit, so equal
policies have equal losses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from roadstead.capabilities import Capabilities
from roadstead.policies.encoding import Encoding
from roadstead.quality.aggregates import ArithmeticMean
from roadstead.quality.by_attribute import LossesByAttribute, bound_by_value, divided
from roadstead.quality.loss_capabilities import PRICED_SUPPRESSION
from roadstead.quality.suppression_prices import EVEN, prices_of
from roadstead.quality.words import QualityWords, own_words

_MOST_PRECISE = 40
"""The largest number of binary digits of a cost. Fewer digits are used if sums would overflow."""


@dataclass(frozen=True)
class Bits:
    """The mean share of a record's bits that are hidden."""

    gs_factor: float = EVEN  # the balance between generalization and suppression
    monotone: bool = False  # whether suppressed records count as generalized
    name: ClassVar[str] = "bits"
    columns: ClassVar[tuple[str, ...]] = ()
    words: ClassVar[QualityWords] = own_words("bits")
    capabilities: ClassVar[Capabilities] = PRICED_SUPPRESSION

    def __post_init__(self) -> None:
        prices_of(self.gs_factor, monotone=self.monotone)

    def bind(self, encoding: Encoding) -> LossesByAttribute:
        """Count the bits that each label hides."""
        prices = prices_of(self.gs_factor, monotone=self.monotone)
        largest = max(max(int(own.max()) for own in levels) for levels in encoding.leaves)
        room = 62 - (encoding.records * prices.whole * max(largest.bit_length(), 1)).bit_length()
        unit = 2.0 ** min(_MOST_PRECISE, room)
        costs = [
            [np.rint(np.log2(own) * unit).astype(np.int64) for own in levels]
            for levels in encoding.leaves
        ]
        most = [max(int(own.max()) for own in levels) for levels in costs]
        weights = tuple(float(one) for one in most) if any(most) else None
        mean = ArithmeticMean(weights)
        return bound_by_value(encoding, costs, most, (mean, prices), divided)

    def settings(self) -> dict[str, Any]:
        """Return the parameters for the certificate."""
        own: dict[str, Any] = {} if self.gs_factor == EVEN else {"gs_factor": self.gs_factor}
        return {"kind": self.name, **own, **({"monotone": True} if self.monotone else {})}
