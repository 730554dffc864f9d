"""Represent a release as sets of values. Each cell shows a set of the original column's values.

The label of a cell determines the set: the label is a value, an interval, a node of a hierarchy, or
``*``. All analyses in this package use these sets, so the analyses measure every kind of release in
the same way. Such a set is called a *part* of the column. In the original, each part contains one
value.

A column is *ordered* if all its values are numbers, or if all its values are dates. Missing values,
which include codes that the file declares as missing, have no position in this order.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from roadstead.hierarchies.number_text import parse_number
from roadstead.hierarchies.rules import MISSING
from roadstead.hierarchies.written_dates import parse_date
from roadstead.tables.frequency import FrequencyTable

_CODE = re.compile(r"\s*0\d", re.ASCII)
"""Digits with a leading zero are treated as a code, such as a ZIP code, not as a number."""


@dataclass(frozen=True, eq=False)
class ShownColumn:
    """A column, which is represented by the parts that it shows.

    `values` lists the values of the original as strings. In an ordered column, `numbers` represents
    each value as a number or a day, and a missing value as NaN. Other columns do not have
    `numbers`. `missing` contains the values that represent a missing value. Part p consists of the
    value codes ``members[starts[p]:starts[p + 1]]``, and contains at least one value.
    """

    name: str
    values: tuple[str, ...] = field(repr=False)
    numbers: NDArray[np.float64] | None = field(repr=False)
    starts: NDArray[np.int64] = field(repr=False)
    members: NDArray[np.int32] = field(repr=False)
    missing: frozenset[str] = field(default=frozenset({MISSING}), repr=False)

    @property
    def parts(self) -> int:
        """Return the number of parts."""
        return self.starts.size - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Return the number of values in each part."""
        return np.diff(self.starts)

    @property
    def owners(self) -> NDArray[np.int64]:
        """Return the part to which each member belongs."""
        return np.repeat(np.arange(self.parts), self.sizes)

    @property
    def ends(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the smallest and the largest number in each part, or NaN if there are none."""
        assert self.numbers is not None  # noqa: S101 - of ordered columns alone
        own = self.numbers[self.members]
        low = np.fmin.reduceat(own, self.starts[:-1])
        return low, np.fmax.reduceat(own, self.starts[:-1])

    @property
    def losses(self) -> NDArray[np.float64]:
        """Return the loss of each part: (n - 1) / (|D| - 1) for n of the column's |D| values.

        In an ordered column without missing values, the loss is the distance between the part's
        ends, divided by the length of the domain (Iyengar, KDD 2002).
        """
        if self.numbers is not None and not np.isnan(self.numbers).any():
            low, high = self.ends
            whole = float(self.numbers.max() - self.numbers.min())
            return (high - low) / whole if whole else np.zeros(self.parts)
        return (self.sizes - 1) / max(len(self.values) - 1, 1)

    def with_parts(self, sets: Sequence[NDArray[np.int32]]) -> ShownColumn:
        """Return the column with the given parts, followed by a part that contains all values."""
        every = np.arange(len(self.values), dtype=np.int32)
        own = [*sets, every]
        starts = np.concatenate(([0], np.cumsum([one.size for one in own]))).astype(np.int64)
        return replace(self, starts=starts, members=np.concatenate(own).astype(np.int32))


@dataclass(frozen=True, eq=False)
class ShownTable:
    """A table of weighted rows. Each cell shows a part of its column."""

    columns: tuple[ShownColumn, ...]
    codes: tuple[NDArray[np.int32], ...] = field(repr=False)  # for each column, the part in a row
    weights: NDArray[np.int64] = field(repr=False)  # the number of records that each row represents

    @property
    def records(self) -> int:
        """Return the number of records that all rows together represent."""
        return int(self.weights.sum())

    @property
    def mean_loss(self) -> float:
        """Return the mean loss of all cells in all records and columns."""
        rows = np.mean([c.losses[p] for c, p in zip(self.columns, self.codes, strict=True)], axis=0)
        return float((rows * self.weights).sum() / max(self.records, 1))

    def only(self, names: Sequence[str]) -> ShownTable:
        """Return a table that has only the given columns, in the given order."""
        at = [self.place(name) for name in names]
        columns = tuple(self.columns[one] for one in at)
        return replace(self, columns=columns, codes=tuple(self.codes[one] for one in at))

    def place(self, name: str) -> int:
        """Return the position of a column."""
        return [one.name for one in self.columns].index(name)

    def class_sizes(self) -> NDArray[np.int64]:
        """Count the records with each combination of parts."""
        sizes = np.bincount(combined(self.codes), weights=self.weights).astype(np.int64)
        return sizes[sizes > 0]


def combined(codes: Sequence[NDArray[np.integer]]) -> NDArray[np.int64]:
    """Number the combinations of several columns of codes, starting at 0."""
    found = np.zeros(codes[0].size, dtype=np.int64)
    for one in codes:
        pairs = found * (int(one.max(initial=0)) + 1) + one
        found = np.unique(pairs, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return found


def original_table(
    table: FrequencyTable, missing_codes: Mapping[str, Collection[str]] = MappingProxyType({})
) -> ShownTable:
    """Return the unchanged records as a table in which each cell shows one value.

    For each column, `missing_codes` lists the values that the file declares as missing.
    """
    named = zip(table.attributes, table.domains, strict=True)
    columns = tuple(
        original_column(name, domain, missing_codes.get(name, ())) for name, domain in named
    )
    return ShownTable(columns, table.codes, table.counts)


def original_column(
    name: str, values: Sequence[str], missing_codes: Collection[str] = ()
) -> ShownColumn:
    """Return a column that shows each value unchanged."""
    number = len(values)
    single = np.arange(number, dtype=np.int32)
    starts = np.arange(number + 1, dtype=np.int64)
    missing = frozenset({MISSING, *missing_codes})
    return ShownColumn(name, tuple(values), numbers_of(values, missing), starts, single, missing)


def numbers_of(
    values: Sequence[str], missing: Collection[str] = (MISSING,)
) -> NDArray[np.float64] | None:
    """Parse all values as numbers, or all values as dates. Return None if neither is possible."""
    for reading in (_number, _day):
        found = [np.nan if value in missing else reading(value) for value in values]
        if all(one is not None for one in found) and any(one == one for one in found):  # noqa: PLR0124 - not NaN
            return np.array(found, dtype=np.float64)
    return None


def _number(value: str) -> float | None:
    found = parse_number(value)
    return None if found is None or _CODE.match(value) else float(found)


def _day(value: str) -> float | None:
    found = parse_date(value)
    return None if found is None else float(found.toordinal())
