"""Non-uniform entropy: the share of the information about a value that is lost.

Let S be the suppressed records among N records. With natural logarithms, an attribute costs

    N H(value | label) + |S| H(label within S)

and its loss is this cost divided by N H(value), the cost of removing the attribute (de Waal and
Willenborg 1999; Gionis and Tassa 2009; suppression as in paper 003, Quality models). If `monotone`
is set, the second term is omitted, because a suppressed record is treated as if it kept its label.
A factor gives the weight g to the cost of kept records, and the weight s to the cost of suppressed
records:

    g N H(value | label) + (s - g) R + s |S| H(label within S)

where R is the part of the first term that comes from S: the sum over the records in S of -ln of the
frequency of the value under the label.

The bound is derived as follows. Let y be a policy between a and a more general policy b, and let
S_b be the rows that b suppresses. By the chain rule, N H(value | y) = N H(value | a) + N H(a | y).
The records of S_b contribute at least |S_b| H(a | y, S_b) to the last term. The policy y suppresses
all rows in S_b and possibly more, and n H(label) does not fall when records are added. So y costs
at least

    N H(value | a) + |S_b| H(a | y, S_b) + |S_b| H(y within S_b)
        = N H(value | a) + |S_b| H(a within S_b)

which is the formula at (a, S_b). With a factor and s >= g, the cost is g times this value, plus
(s - g) (R + |S| H(label within S)). This sum grows with S, and with the level by the log-sum
inequality. With s < g, the cost is at least s times the formula without a factor.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import fsum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities
from roadstead.policies.cells import Cells
from roadstead.policies.classes import Classes
from roadstead.policies.encoding import Encoding
from roadstead.quality.aggregates import Aggregate
from roadstead.quality.by_attribute import (
    AttributeModel,
    BoundByAttribute,
    CheapSuppression,
    Shares,
)
from roadstead.quality.class_suppression import left_of
from roadstead.quality.loss_capabilities import PRICED_SUPPRESSION
from roadstead.quality.partition_losses import Terms, terms_for, times_log
from roadstead.quality.protocol import BoundQuality, SurelyLost
from roadstead.quality.suppression_prices import EVEN, SuppressionPrices, prices_of
from roadstead.quality.value_counts import Counts, ValueCounts, n_log_n
from roadstead.quality.words import QualityWords, own_words

_DECIMALS = 10
_DOUBT = 1e-9
"""The tolerance for bounds, because losses are rounded to `_DECIMALS` decimals."""


@dataclass(frozen=True)
class Entropy(AttributeModel):
    """The share of each attribute's entropy that is lost, combined into one number."""

    gs_factor: float = EVEN  # the balance between generalization and suppression
    monotone: bool = False  # whether suppressed records count as generalized
    name: ClassVar[str] = "entropy"
    words: ClassVar[QualityWords] = own_words("entropy")
    capabilities: ClassVar[Capabilities] = PRICED_SUPPRESSION

    def __post_init__(self) -> None:
        prices_of(self.gs_factor, monotone=self.monotone)

    def bind(self, encoding: Encoding) -> BoundQuality[Any]:
        """Bind the model to the counts of a table's values and labels."""
        prices = prices_of(self.gs_factor, monotone=self.monotone)
        exact = _Entropies(encoding, self.aggregate, prices)
        if prices.suppressed >= prices.kept:
            return exact
        least = replace(prices, kept=prices.suppressed)
        return CheapSuppression(exact, _Entropies(encoding, self.aggregate, least))

    def settings(self) -> dict[str, Any]:
        """Return the parameters for the certificate."""
        own: dict[str, Any] = {} if self.gs_factor == EVEN else {"gs_factor": self.gs_factor}
        own |= {"monotone": True} if self.monotone else {}
        return {**super().settings(), **own}

    def terms(self, cells: Cells) -> Terms:
        """Return f ln f for each interval, minus the sum of f ln f over single values."""
        shares = cells.total * len(cells.domains.sizes)
        own = fsum(fsum(one[one > 0] * np.log(one[one > 0])) for one in cells.by_value)
        return terms_for(
            cells, by_interval=times_log(cells), scale=1.0 / shares, constant=-(own / shares)
        )


@dataclass(frozen=True)
class EntropyTally(Shares):
    """A tally of suppressed rows: counts of values, the number of records, and losses."""

    counts: Counts
    records: int


class _Entropies(BoundByAttribute[EntropyTally]):
    """The entropy loss, bound to one table."""

    def __init__(self, encoding: Encoding, aggregate: Aggregate, prices: SuppressionPrices) -> None:
        super().__init__(aggregate, len(encoding.attributes))
        self._monotone = prices.as_generalized
        self._kept, self._gone = prices.kept / prices.whole, prices.suppressed / prices.whole
        self._values = values = ValueCounts(encoding)
        self._row_counts = encoding.counts
        logs = [fsum(map(n_log_n, own.tolist())) for own in values.by_attribute(values.whole)]
        labels = values.label_logs(values.whole)
        self._conditional = [
            [sum_of_labels - of_values for sum_of_labels in own]
            for own, of_values in zip(labels, logs, strict=True)
        ]
        everything = n_log_n(encoding.records)
        varied = [np.count_nonzero(own) > 1 for own in values.by_attribute(values.whole)]
        self._whole = [
            everything - of_values if some else None
            for of_values, some in zip(logs, varied, strict=True)
        ]
        self._surprise = values.surprise()
        self._start = self._tally(values.none, 0)

    def nothing_suppressed(self) -> EntropyTally:
        return self._start

    def suppress(self, tally: EntropyTally, rows: NDArray[np.uint32]) -> EntropyTally:
        if self._monotone or not rows.size:
            return tally
        records = tally.records + int(np.add.reduce(self._row_counts[rows]))
        return self._tally(tally.counts + self._values.of(rows), records)

    def lose_some(self, tally: EntropyTally, lost: SurelyLost, classes: Classes) -> EntropyTally:
        """Suppress the known rows and, in each class, the most similar further records."""
        if self._monotone:
            return tally
        tally = self.suppress(tally, lost.rows)
        left = left_of(lost, classes, self._row_counts)
        if not left.records:
            return tally
        merged = n_log_n(tally.records + left.records)
        alike = self._values.most_alike(tally.counts, left)
        losses = [
            [0.0] * len(given)
            if whole is None
            else [
                max(known, _share(one + self._gone * (merged - label), whole, _DOUBT))
                for known, one, label in zip(own, given, labels, strict=True)
            ]
            for own, given, labels, whole in zip(
                tally.losses, self._of_labels(tally.counts), alike, self._whole, strict=True
            )
        ]
        rising = [np.maximum.accumulate(own).tolist() for own in losses]
        return EntropyTally(rising, tally.counts, tally.records)

    def _tally(self, counts: Counts, records: int) -> EntropyTally:
        merged = n_log_n(records)
        losses = [
            [
                0.0 if whole is None else _share(given + self._gone * (merged - label), whole)
                for given, label in zip(conditional, labels, strict=True)
            ]
            for conditional, labels, whole in zip(
                self._of_labels(counts), self._values.label_logs(counts), self._whole, strict=True
            )
        ]
        return EntropyTally(losses, counts, records)

    def _of_labels(self, counts: Counts) -> list[list[float]]:
        """Return the uncertainty of values under labels, including the price of suppression."""
        if self._kept == self._gone:
            return [[self._kept * one for one in own] for own in self._conditional]
        gone = self._values.weighed(counts, self._surprise)
        return [
            [
                self._kept * one + (self._gone - self._kept) * lost
                for one, lost in zip(a, b, strict=True)
            ]
            for a, b in zip(self._conditional, gone, strict=True)
        ]


def _share(part: float, whole: float, doubt: float = 0.0) -> float:
    return min(1.0, max(0.0, round(part / whole - doubt, _DECIMALS)))
