"""Measure how far one column determines another: how often records with one value agree in both.

For every record, take the other records with the same value. The share of these that agree with it
in the other column is compared with the share among any two records. A value that only one record
has says nothing, so a column of exact charges, whose values rarely repeat, determines nothing. A
column in which nearly all records agree is not determined by another column either.
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
"""From here on a column determines another, 1 being always and 0 no more than by chance."""
_SUSPECTED: Final = 0.8
_SHARED: Final = 0.2
"""Share of the records that must have a value with another record, over the whole table."""
_FEW: Final = 20
"""Up to this many combinations per record are counted in an array of all combinations."""
_SURPRISES: Final = 30.0
"""If fewer records would disagree by chance, agreement is not evidence."""


@dataclass(frozen=True)
class Agreement:
    """How often records that share a value of one column agree in another column."""

    records: float  # with a value of both columns
    shared: float  # among these, records whose value of the first column another record has
    agreeing: float  # among these, how many agree with the others, as a sum of shares
    chance: float  # the share of agreement among any two records

    @property
    def strength(self) -> float:
        """How far the first determines the second, beyond chance: at most 1."""
        if not self.shared or self.chance >= 1.0:
            return 0.0
        return 1.0 - (1.0 - self.agreeing / self.shared) / (1.0 - self.chance)

    @property
    def surprising(self) -> bool:
        """Whether enough records could have disagreed."""
        return self.shared * (1.0 - self.chance) >= _SURPRISES

    @property
    def determines(self) -> bool:
        """Whether the first determines the second, in enough records to say so."""
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
    """Return the keys that occur, and how often; `most` are thinkable."""
    if most > _FEW * keys.size:
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys)
    there = np.flatnonzero(counts)
    return there, counts[there]


def agreement_in(source: Source, first: str, second: str) -> Agreement:
    """Measure it between two columns of a whole table, in its engine."""
    with engine_errors(source.name):
        found = texts_of(source, (first, second)).agreement()
    return _made(found["records"], found["shared"], found["agreeing"], found["pairs"])


def determined(
    source: Source, rows: DrawnRows, first: DrawnColumn, second: DrawnColumn
) -> Agreement | None:
    """Return how far a column determines another: suspected in sampled records, then counted.

    Fewer of the sampled records share a value than in the table, so sampled records need not show
    it.
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
    """Whether the frequencies allow that the first column determines the second.

    If it does, any two records agree in the second at least about as often as in the first.
    """
    return first.shared >= _SURPRISES and first.alike <= 2.0 * second.alike


def _made(records: float, shared: float, agreeing: float, pairs: float) -> Agreement:
    every = records * (records - 1)
    return Agreement(records, shared, agreeing, pairs / every if every else 1.0)
