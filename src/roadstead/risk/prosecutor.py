"""Prosecutor risk: the attacker knows that the person is in the data.

A record in an equivalence class of f records is re-identified with probability 1/f (paper 001,
Re-identification risk). Averages are over records, not over classes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.tables.frequency import FrequencyTable, Sizes


@dataclass(frozen=True)
class ProsecutorRisk:
    """The prosecutor risk of a table from its class sizes, or 0 if there are no records."""

    maximum: float  # the highest risk of a record: 1 / smallest class
    average: float  # expected share of records re-identified: classes / records
    share_above_threshold: float  # share of records whose risk is above the threshold
    threshold: float  # the acceptable risk
    records: int
    classes: int
    uniques: int  # records that are unique
    smallest: int  # records in the smallest class
    largest: int

    @property
    def mean_size(self) -> float:
        """Return the mean number of records per class, or 0 if there are no classes."""
        return self.records / self.classes if self.classes else 0.0


def prosecutor_risk(sizes: NDArray[np.int64], threshold: float) -> ProsecutorRisk:
    """Compute prosecutor risk from the number of records in each class.

    Classes without records are ignored. The threshold is the acceptable risk: 1/k under
    k-anonymity.
    """
    return _risk(Sizes(sizes, np.ones(sizes.size, dtype=np.int64)), threshold)


def risk_as_it_is(table: FrequencyTable, threshold: float) -> ProsecutorRisk:
    """Compute the prosecutor risk of an unchanged table.

    If people are counted, a combination of values has one row for each profile, but is a single
    class.
    """
    return _risk(table.combinations.sizes, threshold)


def _risk(classes: Sizes, threshold: float) -> ProsecutorRisk:
    some = classes.sizes > 0
    sizes, numbers = classes.sizes[some], classes.numbers[some]
    if not sizes.size:
        return ProsecutorRisk(0.0, 0.0, 0.0, threshold, 0, 0, 0, 0, 0)
    held = sizes * numbers
    records, number = int(held.sum()), int(numbers.sum())
    # The factor allows for rounding errors: at f = k, both 1/f > t and f * t < 1 can be wrong.
    above = int(held[1.0 / sizes > threshold * (1.0 + 1e-12)].sum())
    return ProsecutorRisk(
        maximum=1.0 / int(sizes.min()),
        average=number / records,
        share_above_threshold=above / records,
        threshold=threshold,
        records=records,
        classes=number,
        uniques=int(numbers[sizes == 1].sum()),
        smallest=int(sizes.min()),
        largest=int(sizes.max()),
    )


def size_histogram(sizes: NDArray[np.int64]) -> tuple[tuple[int, int], ...]:
    """Return pairs of a class size and the number of records in such classes."""
    values, number = np.unique(sizes[sizes > 0], return_counts=True)
    return tuple((int(v), int(v * n)) for v, n in zip(values, number, strict=True))


def histogram_as_it_is(table: FrequencyTable) -> tuple[tuple[int, int], ...]:
    """Return the size histogram of an unchanged table."""
    classes = table.added_up
    if classes is None:
        return size_histogram(table.combinations.counts)
    pairs = zip(classes.sizes.tolist(), classes.numbers.tolist(), strict=True)
    return tuple((size, size * number) for size, number in pairs)
