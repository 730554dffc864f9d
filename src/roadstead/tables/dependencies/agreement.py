"""Measure how well one column determines another column.

For each record, consider the other records with the same value in the first column. The agreement
is the share of these records that also have the same value in the second column. The agreement is
compared with the probability that two random records have the same value in the second column. A
value of the first column that occurs in only one record is not evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from roadstead.tables.failures import engine_errors
from roadstead.tables.texts import texts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roadstead.tables.dependencies.rows import DrawnColumn, DrawnRows
    from roadstead.tables.source import Source

STRONG: Final = 0.85
"""The minimum strength at which a column determines another. Chance has strength 0."""
_SUSPECTED: Final = 0.8
_SHARED: Final = 0.2
"""The minimum share of records that have a value in common with another record."""
_FEW: Final = 20
"""The maximum number of combinations per record for which an array contains the counts."""
_SURPRISES: Final = 30.0
"""The minimum expected number of differing records for agreement to be evidence."""


@dataclass(frozen=True)
class Agreement:
    """How often records with the same value in one column also have the same value in another."""

    records: float  # records with a value in both columns
    shared: float  # among them, records whose first value another record also has
    agreeing: float  # for the latter records, the sum of the shares of other records that agree
    chance: float  # the probability that two random records agree

    @property
    def strength(self) -> float:
        """Return how much better than chance the first column determines the second; at most 1."""
        if not self.shared or self.chance >= 1.0:
            return 0.0
        return 1.0 - (1.0 - self.agreeing / self.shared) / (1.0 - self.chance)

    @property
    def surprising(self) -> bool:
        """Return whether so many records would differ by chance that agreement is evidence."""
        return self.shared * (1.0 - self.chance) >= _SURPRISES

    @property
    def determines(self) -> bool:
        """Return whether there is enough evidence that the first column determines the second."""
        return self.surprising and self.shared >= _SHARED * self.records and self.strength >= STRONG


def agreement(first: NDArray[np.int64], second: NDArray[np.int64]) -> Agreement:
    """Measure the agreement of two columns of codes, where -1 means a missing value."""
    there = (first >= 0) & (second >= 0)
    one, other = first[there], second[there]
    if not one.size:
        return Agreement(0.0, 0.0, 0.0, 1.0)
    wide = int(other.max()) + 1
    keys, own = _counted(one * wide + other, (int(one.max()) + 1) * wide)
    members = np.bincount(keys // wide, weights=own)
    squares = np.bincount(keys // wide, weights=own.astype(np.float64) ** 2)
    several = members > 1
    agreeing = float(((squares - members)[several] / (members - 1)[several]).sum())
    seconds = np.bincount(other).astype(np.float64)
    pairs = float((seconds * (seconds - 1)).sum())
    return _made(float(one.size), float(members[several].sum()), agreeing, pairs)


def _counted(keys: NDArray[np.int64], most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the keys that occur, and their counts. `most` is the number of possible keys."""
    if most > _FEW * keys.size:
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys)
    there = np.flatnonzero(counts)
    return there, counts[there]


def agreement_in(source: Source, first: str, second: str) -> Agreement:
    """Measure the agreement of two columns over a whole table, in the table's engine."""
    with engine_errors(source.name):
        found = texts_of(source, (first, second)).agreement()
    return _made(found["records"], found["shared"], found["agreeing"], found["pairs"])


def determined(
    source: Source, rows: DrawnRows, first: DrawnColumn, second: DrawnColumn
) -> Agreement | None:
    """Return the agreement if a column determines another column, or None otherwise.

    A sample is tested first. The whole table is counted only if a dependency is likely in the
    sample.
    """
    if not may_determine(first, second):
        return None
    seen = agreement(first.codes, second.codes)
    if rows.whole:
        return seen if seen.determines else None
    if not seen.surprising or seen.strength < _SUSPECTED:
        return None
    exact = agreement_in(source, first.name, second.name)
    return exact if exact.determines else None


def may_determine(first: DrawnColumn, second: DrawnColumn) -> bool:
    """Return whether the first column can determine the second, by the frequencies of values."""
    return first.shared >= _SURPRISES and first.alike <= 2.0 * second.alike


def _made(records: float, shared: float, agreeing: float, pairs: float) -> Agreement:
    every = records * (records - 1)
    return Agreement(records, shared, agreeing, pairs / every if every else 1.0)
