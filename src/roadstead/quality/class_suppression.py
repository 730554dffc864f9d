"""Count the suppressed records of each class if the rows of some records are not known.

For a bound, a quality model assumes the lowest possible cost for the unknown records. The lemmas
are in docs/methods/bounds-of-models.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.surely_lost import dearest_lost
from roadstead.policies.classes import Classes
from roadstead.quality.combination_widths import CombinationWidths
from roadstead.quality.protocol import SurelyLost

_DOUBT = 1e-9
"""A relative tolerance that exceeds the rounding error of a sum."""


@dataclass(frozen=True)
class LeftOfClasses:
    """The rows that may be released in each class, and how many of their records are suppressed.

    The rows of class c are in `order` from ``places[c]`` up to ``places[c + 1]``. At least
    `of_each` records of each class are suppressed. `more` is the number of other suppressed
    records, which may be in any class.
    """

    order: NDArray[np.uint32]
    places: NDArray[np.int64]
    of_each: NDArray[np.int64]
    more: int

    @property
    def records(self) -> int:
        """Return the number of suppressed records that are not in known rows."""
        return int(self.of_each.sum()) + self.more

    def dearest(self, counts: NDArray[np.int64], costs: NDArray[np.float64]) -> float:
        """Return the highest possible cost of the suppressed records, from the cost of each row."""
        found = float(dearest_lost(self.order, self.places, counts, costs, self.of_each))
        return found + (self.more * float(costs[self.order].max(initial=0.0)) if self.more else 0.0)


@dataclass(frozen=True)
class Missing:
    """The suppressed records and, for bounds, the lost records whose rows may be unknown."""

    records: int
    rows: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, dtype=np.uint32))
    left: LeftOfClasses | None = None

    def besides(self, counts: NDArray[np.int64], costs: NDArray[np.float64], most: float) -> float:
        """Return the extra cost of the lost records if each lost record costs `most`."""
        if self.left is None:
            return 0.0
        known = float(counts[self.rows] @ (most - costs[self.rows]))
        unknown = self.left.records * most - self.left.dearest(counts, costs)
        return max(0.0, (known + unknown) * (1.0 - _DOUBT))


class CountsMissing:
    """A loss that is computed from label widths and from the number of suppressed records."""

    groupings = 0
    _widths: CombinationWidths

    def nothing_suppressed(self) -> Missing:
        """Return the tally for the case that no records are suppressed."""
        return Missing(0)

    def suppress(self, tally: Missing, rows: NDArray[np.uint32]) -> Missing:
        """Add the records of these rows to the tally."""
        return Missing(tally.records + int(np.add.reduce(self._widths.counts[rows])))

    def lose_some(self, tally: Missing, lost: SurelyLost, classes: Classes) -> Missing:
        """Add the lost records to the tally in order to compute bounds."""
        return replace(tally, left=left_of(lost, classes, self._widths.counts), rows=lost.rows)


def left_of(lost: SurelyLost, classes: Classes, counts: NDArray[np.int64]) -> LeftOfClasses:
    """Return the lost records outside the known rows. Row i has `counts[i]` records."""
    number = classes.sizes.size
    never = np.zeros(counts.size, dtype=np.bool_)
    never[lost.rows] = True
    gone = never[classes.rows]
    known = np.bincount(
        classes.ids[gone], weights=counts[classes.rows[gone]], minlength=number
    ).astype(np.int64)
    of_each = np.maximum(lost.of_each - known, 0)
    more = max(0, lost.records - int(known.sum()) - int(of_each.sum()))
    looked_at = ~gone & ((of_each + more) > 0)[classes.ids]
    ids = classes.ids[looked_at]
    places = np.zeros(number + 1, dtype=np.int64)
    places[1:] = np.cumsum(np.bincount(ids, minlength=number))
    rows = classes.rows[looked_at][np.argsort(ids, kind="stable")]
    return LeftOfClasses(rows, places, of_each, more)
