"""Store the distribution of another column within each row of a frequency table.

Privacy models for a sensitive column and measures for a target column need this distribution. Most
rows have few values, so only values that occur are stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Histogram:
    """The number of records in each row with each value of one column.

    The entries of row r begin at ``starts[r]`` and end before ``starts[r + 1]``. `domain` has the
    same meaning as in a `FrequencyTable`. `codes` contains the index of each entry's value in the
    domain, in ascending order within a row. `counts` contains the number of records of each entry,
    which is never zero. `whole` contains the number of records with each value in the whole table.
    `whole` equals the sum over the rows, unless the rows are only a part of the table. If a person
    counts once for each value, `owners` contains the person of each row, in ascending order, and
    `whole` counts people.
    """

    column: str
    domain: tuple[str, ...] = field(repr=False)
    starts: NDArray[np.int64] = field(repr=False)
    codes: NDArray[np.int32] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    whole: NDArray[np.int64] = field(repr=False)
    owners: NDArray[np.uint32] | None = field(default=None, repr=False)

    @property
    def occurring(self) -> list[str]:
        """The values with records."""
        return [v for v, n in zip(self.domain, self.whole.tolist(), strict=True) if n]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.starts) - 1

    @property
    def row_of_entry(self) -> NDArray[np.int64]:
        """The row of each entry."""
        return np.repeat(np.arange(self.rows), np.diff(self.starts))

    def merged(self, target: NDArray[np.int64], rows: int) -> Histogram:
        """Add each row to its target row. `rows` is the number of target rows."""
        codes, counts = self.codes, self.counts
        return histogram(
            self.column, self.domain, (target[self.row_of_entry], codes, counts), rows, self.whole
        )

    def only(self, chosen: NDArray[np.bool_]) -> Histogram:
        """Return a histogram of only the chosen rows."""
        row = self.row_of_entry
        inside = chosen[row]
        place = np.cumsum(chosen) - 1
        entries = place[row[inside]], self.codes[inside], self.counts[inside]
        return histogram(self.column, self.domain, entries, int(chosen.sum()))


def histogram(
    column: str,
    domain: tuple[str, ...],
    entries: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]],
    rows: int,
    whole: NDArray[np.int64] | None = None,
) -> Histogram:
    """Build a histogram from entries (row, code, count), and add up the counts of equal entries.

    The entries can be in any order. `whole` is the number of records with each value in the whole
    table. By default, `whole` is the sum of the entries.
    """
    row, code, count = entries
    key = row.astype(np.int64) * len(domain) + code
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
    added = np.add.reduceat(count[order], first)
    key = key[first]
    starts = np.zeros(rows + 1, dtype=np.int64)
    np.cumsum(np.bincount(key // len(domain), minlength=rows), out=starts[1:])
    codes = (key % len(domain)).astype(np.int32)
    if whole is None:
        whole = np.bincount(codes, weights=added, minlength=len(domain)).astype(np.int64)
    return Histogram(column, domain, starts, codes, added, whole)
