"""Measure how well one column determines another column.

For each record, consider the other records with the same value in the first column. The agreement
is the share of these records that also have the same value in the second column. It is compared
with the share among any two records. A value that only one record has is not evidence.
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
"""The lowest strength at which a column determines another; 1 is always, 0 is by chance."""
_SUSPECTED: Final = 0.8
_SHARED: Final = 0.2
"""The lowest share of the table's records whose value another record also has."""
_FEW: Final = 20
"""The highest number of combinations per record for counting in an array."""
_SURPRISES: Final = 30.0
"""The lowest number of records that must differ by chance for agreement to be evidence."""


@dataclass(frozen=True)
class Agreement:
    """How well records with the same value in a first column agree in a second column."""

    records: float  # records with a value in both columns
    shared: float  # of these, records whose first value another record also has
    agreeing: float  # for these, the sum of the shares of other records that agree
    chance: float  # the probability that any two records agree

    @property
    def strength(self) -> float:
        """How well the first column determines the second, beyond chance; at most 1."""
        if not self.shared or self.chance >= 1.0:
            return 0.0
        return 1.0 - (1.0 - self.agreeing / self.shared) / (1.0 - self.chance)

    @property
    def surprising(self) -> bool:
        """Whether enough records would differ by chance, so that agreement is evidence."""
        return self.shared * (1.0 - self.chance) >= _SURPRISES

    @property
    def determines(self) -> bool:
        """Whether the first column determines the second, with enough records as evidence."""
        return self.surprising and self.shared >= _SHARED * self.records and self.strength >= STRONG


def agreement(first: NDArray[np.int64], second: NDArray[np.int64]) -> Agreement:
    """Measure the agreement of codes, where -1 means a missing value."""
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
    """Return the keys that occur, and their counts; `most` is the number of possible keys."""
    if most > _FEW * keys.size:
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys)
    there = np.flatnonzero(counts)
    return there, counts[there]


def agreement_in(source: Source, first: str, second: str) -> Agreement:
    """Measure the agreement of two columns of a whole table, in the table's engine."""
    with engine_errors(source.name):
        found = texts_of(source, (first, second)).agreement()
    return _made(found["records"], found["shared"], found["agreeing"], found["pairs"])


def determined(
    source: Source, rows: DrawnRows, first: DrawnColumn, second: DrawnColumn
) -> Agreement | None:
    """Return the agreement if a column determines another; otherwise None.

    A sample is tested first, and the whole table is counted only if a dependency is likely. In a
    sample, fewer records share a value than in the whole table.
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
    """Return whether the first column could determine the second, by the frequencies of values."""
    return first.shared >= _SURPRISES and first.alike <= 2.0 * second.alike


def _made(records: float, shared: float, agreeing: float, pairs: float) -> Agreement:
    every = records * (records - 1)
    return Agreement(records, shared, agreeing, pairs / every if every else 1.0)
