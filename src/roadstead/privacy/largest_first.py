"""Keep as many of the largest classes as the bounds on the whole release allow.

A record in a larger class adds less to a limited count. Therefore, classes are kept in descending
order of size until a limit is reached. Classes of the same size are ordered by their values and
chosen at regular intervals, because the first classes in this order would all describe similar
people. The choice depends only on the table, so a search and a release make the same choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities, Feature
from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import SLACK, TOLERANCE, LeastSize, none_below
from roadstead.privacy.model_capabilities import OVER_RECORDS
from roadstead.privacy.protocol import PrivacyModel
from roadstead.tables.frequency import FrequencyTable


@dataclass(frozen=True)
class ShareOfRecords:
    """A bound that limits the sum of the classes' counts to a share of the classes' records.

    `counts` returns the count of a class of a given size. The count is a whole number, and the
    count per record does not fall as classes get smaller.
    """

    counts: Callable[[NDArray[np.int64]], NDArray[np.int64]]
    share: float

    def holds(self, counted: NDArray[np.int64], records: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether sums of counts satisfy the bound for the given numbers of records."""
        return counted <= self.share * (1.0 + TOLERANCE) * records


def one_a_class(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a count of 1 for each class, so that the count per record is the mean risk."""
    return np.ones_like(sizes)


def records_below(safe: int) -> Callable[[NDArray[np.int64]], NDArray[np.int64]]:
    """Return a function that counts the records of classes with fewer than `safe` records."""
    return lambda sizes: np.where(sizes < safe, sizes, 0)


def largest_first(
    classes: Classes, bounds: Sequence[ShareOfRecords], least: int = 1
) -> NDArray[np.bool_]:
    """Mark the classes to keep. A class with fewer than `least` records is never kept."""
    size, number = np.unique(classes.sizes[classes.sizes >= least], return_counts=True)
    size, number = size[::-1], number[::-1]
    counted = [np.cumsum(bound.counts(size) * number) for bound in bounds]
    records = np.cumsum(size * number)
    fits = _all_hold(bounds, counted, records)
    if fits.all():
        return classes.sizes >= least
    at = int(np.argmin(fits))
    more = np.arange(number[at] + 1)
    counted = [
        (own[at - 1] if at else 0) + more * bound.counts(size[at : at + 1])
        for bound, own in zip(bounds, counted, strict=True)
    ]
    some = _all_hold(bounds, counted, (records[at - 1] if at else 0) + more * size[at])
    marked: NDArray[np.bool_] = classes.sizes > size[at]
    marked[
        at_equal_distances(classes, classes.sizes == size[at], int(np.count_nonzero(some)) - 1)
    ] = True
    return marked


def _all_hold(
    bounds: Sequence[ShareOfRecords],
    counted: Sequence[NDArray[np.int64]],
    records: NDArray[np.int64],
) -> NDArray[np.bool_]:
    held = [bound.holds(own, records) for bound, own in zip(bounds, counted, strict=True)]
    every: NDArray[np.bool_] = np.logical_and.reduce(held)
    return every


def at_equal_distances(classes: Classes, alike: NDArray[np.bool_], some: int) -> NDArray[np.uint32]:
    """Choose `some` of the marked classes, evenly spaced in the order of their first rows."""
    inside = alike[classes.ids]
    ids = classes.ids[inside][np.argsort(classes.rows[inside])]
    in_order = ids[np.sort(np.unique(ids, return_index=True)[1])]
    return in_order[(2 * np.arange(some) + 1) * in_order.size // (2 * max(some, 1))]


class Limits(NamedTuple):
    """Limits on the released classes.

    Each class has at least `least` records, at most a share `at_risk` of the records is in classes
    with fewer than `safe` records, and the mean risk is at most `average`.
    """

    least: int = 1
    safe: int = 1
    at_risk: float = 1.0
    average: float = 1.0


class OfLargestClasses(PrivacyModel):
    """A model that keeps the largest classes that meet its `limits`."""

    merges: ClassVar[bool] = True
    per_class: ClassVar[bool] = False
    capabilities: ClassVar[Capabilities] = OVER_RECORDS.adding(Feature.INFERENCE)

    @property
    def limits(self) -> Limits:
        """Return the limits of the model."""
        raise NotImplementedError

    def bind(self, table: FrequencyTable) -> Self:  # noqa: ARG002 - needs nothing of it
        """Return the model itself, because the model uses only class sizes."""
        return self

    @property
    def monotone_part(self) -> LeastSize:
        """Return the minimum class size."""
        return LeastSize(self.limits.least)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Mark the largest classes that together meet the limits."""
        least, safe, at_risk, average = self.limits
        few = ShareOfRecords(records_below(safe), at_risk)
        return largest_first(classes, [few, ShareOfRecords(one_a_class, average)], least)

    def most_released(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.int64]:  # noqa: ARG002 - of the numbers alone
        """Lower the bound to 0 for each part that is smaller than the minimum class size."""
        return none_below(most, self.limits.least)

    def most_together(self, parts: Classes, most: NDArray[np.int64]) -> int:  # noqa: ARG002 - of the numbers alone
        """Return the number of records that the limits allow."""
        _, safe, at_risk, average = self.limits
        return min(most_on_average(most, average), most_for_share(most, safe, at_risk))

    def most_classes(self, records: int) -> int:
        """Return the number of classes that the limits allow."""
        _, safe, at_risk, average = self.limits
        most = min(average, most_classes_a_record(safe, at_risk))
        return int(most * (1.0 + SLACK) * records)


def share_below(sizes: NDArray[np.int64], safe: int) -> float:
    """Return the share of records in classes with fewer than `safe` records; 0 for no records."""
    records = int(sizes.sum())
    return float(sizes[sizes < safe].sum()) / records if records else 0.0


def most_for_share(most: NDArray[np.int64], safe: int, share: float) -> int:
    """Find a bound on the records if at most `share` are in parts of fewer than `safe` records."""
    records, others = int(most.sum()), int(most[most >= safe].sum())
    rest = 1.0 - share * (1.0 + SLACK)
    return records if rest * records <= others else int(others / rest * (1.0 + SLACK))


def most_classes_a_record(safe: int, share: float) -> float:
    """Find a bound on the number of classes per record.

    At most `share` of the records are in classes with fewer than `safe` records.
    """
    return min(1.0, share + (1.0 - share) / safe)


def most_on_average(most: NDArray[np.int64], average: float) -> int:
    """If each part is one class, return the largest number of records that the average allows."""
    largest = np.sort(most[most > 0])[::-1]
    records = np.cumsum(largest)
    low = np.arange(1, largest.size + 1) <= average * (1.0 + SLACK) * records
    return int(records[np.flatnonzero(low)[-1]]) if low.any() else 0
