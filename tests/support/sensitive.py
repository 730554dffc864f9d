"""Small tables with quasi-identifiers and a sensitive column, and classes of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from roadstead.kernels.grouping import pack
from roadstead.policies.classes import Classes
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.histograms import histogram

COLUMN = "7"
"""The sensitive column's name: it looks like a number."""

Records = tuple[int, ...]
"""Records with each value of the column."""


@dataclass(frozen=True)
class Sample:
    """Rows of a table, each with its records by sensitive value, and some of them in classes."""

    domain: tuple[str, ...]
    rows: tuple[Records, ...]
    groups: tuple[tuple[int, ...], ...]

    @property
    def whole(self) -> Records:
        """Records of all rows, by value."""
        return self.added(range(len(self.rows)))

    def added(self, group: Sequence[int]) -> Records:
        """Records of some rows, by value."""
        return tuple(sum(self.rows[row][v] for row in group) for v in range(len(self.domain)))

    def table(self) -> FrequencyTable:
        """Make a frequency table with one quasi-identifier that is unique in each row."""
        entries = [
            (row, code, count)
            for row, records in enumerate(self.rows)
            for code, count in enumerate(records)
            if count
        ]
        rows, codes, counts = np.array(entries, dtype=np.int64).T
        alongside = histogram(
            COLUMN, self.domain, (rows, codes.astype(np.int32), counts), len(self.rows)
        )
        return FrequencyTable(
            attributes=("row",),
            domains=(tuple(f"{row:03d}" for row in range(len(self.rows))),),
            codes=(np.arange(len(self.rows), dtype=np.int32),),
            counts=np.array([sum(records) for records in self.rows], dtype=np.int64),
            alongside=(alongside,),
        )

    def classes(self, groups: Sequence[Sequence[int]]) -> Classes:
        """Put rows into classes."""
        rows = np.array([row for group in groups for row in group], dtype=np.int64)
        ids = [number for number, group in enumerate(groups) for _ in group]
        sizes = [sum(self.added(group)) for group in groups]
        return Classes(
            pack(len(self.rows))[rows] | np.array(ids, dtype=np.uint64),
            np.arange(len(groups), dtype=np.uint32),
            np.array(sizes, dtype=np.int64),
        )


@st.composite
def samples(draw: st.DrawFn, universe: Sequence[str]) -> Sample:
    """Up to twelve rows of values of a universe, in any order, in classes or in none."""
    domain = tuple(sorted(draw(st.sets(st.sampled_from(universe), min_size=1))))
    most = draw(st.sampled_from([1, 3, 40]))
    records = st.lists(st.integers(0, most), min_size=len(domain), max_size=len(domain))
    drawn = draw(st.lists(records.filter(any).map(tuple), min_size=1, max_size=12))
    present = [v for v in range(len(domain)) if any(row[v] for row in drawn)]
    rows = tuple(tuple(row[v] for v in present) for row in drawn)
    order = draw(st.permutations(range(len(rows))))
    cuts = sorted(draw(st.sets(st.integers(0, len(rows)), max_size=4)))
    ends = zip([0, *cuts], [*cuts, draw(st.sampled_from([0, len(rows)]))], strict=True)
    groups = tuple(tuple(order[a:b]) for a, b in ends if a < b)
    return Sample(tuple(domain[v] for v in present), rows, groups)


def sample_of(domain: Sequence[str], *classes: Records, rest: Records | None = None) -> Sample:
    """Make a sample of classes of one row each, and of other records."""
    rows = (*classes, rest) if rest else classes
    return Sample(tuple(domain), tuple(rows), tuple((row,) for row in range(len(classes))))
