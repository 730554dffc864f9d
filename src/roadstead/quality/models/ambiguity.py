"""Ambiguity: how many original records a released record could come from.

If the labels of a record cover w_1, ..., w_m values, each of the w_1 ... w_m combinations could be
the original record. For a suppressed record, any of the |D_1| ... |D_m| combinations could be the
original record (Goldberger and Tassa 2010). The loss is ln(mean number of combinations) / ln(number
of all combinations). Widths do not fall as levels rise, and a suppressed record has the highest
cost. So the known suppressed rows and the widths at the lower end of a sublattice give a lower
bound for the whole sublattice.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, log
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities
from roadstead.policies.classes import Classes
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.quality.by_class import ClassModel
from roadstead.quality.class_suppression import CountsMissing, Missing
from roadstead.quality.combination_widths import CombinationWidths
from roadstead.quality.loss_capabilities import ANY_LOSS
from roadstead.quality.words import QualityWords, own_words


@dataclass(frozen=True)
class Ambiguity(ClassModel):
    """The mean number of possible original combinations, on a logarithmic scale."""

    name: ClassVar[str] = "ambiguity"
    words: ClassVar[QualityWords] = own_words("ambiguity")
    capabilities: ClassVar[Capabilities] = ANY_LOSS

    def bind(self, encoding: Encoding) -> BoundAmbiguity:
        """Bind the model to the label widths of a table."""
        return BoundAmbiguity(encoding)


class BoundAmbiguity(CountsMissing):
    """Ambiguity, bound to one table. The tally is the number of suppressed records."""

    def __init__(self, encoding: Encoding) -> None:
        self._widths = CombinationWidths(encoding)
        self._records = encoding.records
        self._all = _product(self._widths.everything)

    def loss(self, levels: Levels, tally: Missing, classes: Classes) -> float:
        """Return the logarithm of the mean number of combinations, scaled to the range from 0 to 1.

        The sum is rounded only once, so the result does not depend on the order of the classes.
        """
        widths = self._widths.of_classes(classes, levels)
        kept = classes.sizes * np.prod(np.array(widths, dtype=np.float64), axis=0)
        return self._share(fsum(kept.tolist()), tally)

    def loss_by_attribute(self, levels: Levels, tally: Missing, classes: Classes) -> None:  # noqa: ARG002 - as the protocol has it
        """Return None, because widths are multiplied and the loss has no separate parts."""
        return

    def lower_bound(self, lower: Levels, upper: Levels, tally: Missing, classes: Classes) -> float:
        """Return the loss that results when the kept records are at `lower`."""
        if lower == upper and tally.left is None:
            return self.loss(lower, tally, classes)
        each = self._of_rows(lower, classes)
        return self._share(float(each.sum()) + self._besides(each, tally, classes), tally)

    def raised_bounds(
        self, lower: Levels, upper: Levels, tally: Missing, classes: Classes
    ) -> list[list[float]]:
        """Return bounds on the loss after one component of `lower` is raised."""
        each, rows = self._of_rows(lower, classes), classes.rows
        base = self._share(float(each.sum()) + self._besides(each, tally, classes), tally)
        bounds = []
        for i, (low, high) in enumerate(zip(lower, upper, strict=True)):
            leaves = self._widths.leaves[i]
            others = self._widths.by_value(i, rows, each / leaves[low][self._widths.codes[i][rows]])
            sums = [float(others @ leaves[level]) for level in range(low + 1, high + 1)]
            own = np.maximum.accumulate([max(base, self._share(one, tally)) for one in sums])
            bounds.append([float(one) for one in own])
        return bounds

    def _of_rows(self, levels: Levels, classes: Classes) -> NDArray[np.float64]:
        """Return the cost of each row."""
        rows = classes.rows
        found = self._widths.counts[rows].astype(np.float64)
        for own in self._widths.of_rows(rows, levels):
            found *= own
        return found

    def _besides(self, each: NDArray[np.float64], tally: Missing, classes: Classes) -> float:
        """Return the extra cost of the lost records."""
        if tally.left is None:
            return 0.0
        counts = self._widths.counts
        costs = np.zeros(counts.size)
        costs[classes.rows] = each / np.maximum(counts[classes.rows], 1)
        return tally.besides(counts, costs, self._all)

    def _share(self, kept: float, tally: Missing) -> float:
        """Convert the cost of all records to the scale from 0 to 1."""
        if self._all <= 1.0:
            return 0.0
        mean = (kept + tally.records * self._all) / self._records
        return min(1.0, max(0.0, log(max(mean, 1.0)) / log(self._all)))


def _product(widths: tuple[int, ...]) -> float:
    return float(np.prod(np.array(widths, dtype=np.float64)))
