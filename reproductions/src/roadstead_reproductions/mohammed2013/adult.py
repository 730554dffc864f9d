"""The complete records of both files of Adult, as used in paper 002.

The scaling experiment needs the records in their original order. All other experiments count equal
records together.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.private_table import PrivateTable, within
from roadstead.errors import SourceError
from roadstead.tables.frequency import canonical
from roadstead_reproductions.datasets import data_set
from roadstead_reproductions.mohammed2013.adult_domains import (
    CLASSES,
    COLUMNS,
    TARGET,
    adult_domains,
)

_FILES = ("adult.data", "adult.test")
_MISSING = "?"


@dataclass(frozen=True, eq=False)
class Records:
    """A list of records whose values are stored as codes.

    `values` contains the distinct values of each column, and `codes` contains the place of each
    record's value among them.
    """

    values: tuple[tuple[str, ...], ...] = field(repr=False)
    codes: tuple[NDArray[np.int32], ...] = field(repr=False)

    @property
    def size(self) -> int:
        """Return the number of records."""
        return self.codes[0].size


def complete_records() -> Records:
    """Read the records of Adult that have no missing values.

    The function raises a SourceError if Adult is not available or has an invalid line, and a
    MissingExtraError if the library for fetching data is not installed.
    """
    folder = data_set("adult_uci")
    found: list[Sequence[str]] = []
    for name in _FILES:
        path = folder / name
        if not path.is_file():
            raise SourceError(
                "the file does not exist", where=f"adult_uci/{name}", fix="get UCI's Adult"
            )
        with path.open(encoding="utf-8", newline="") as stream:
            for number, row in enumerate(csv.reader(stream, skipinitialspace=True), start=1):
                if not row:
                    continue
                if len(row) != len(COLUMNS):
                    raise SourceError(
                        "it is not a record of Adult",
                        where=f"adult_uci/{name}, line {number}",
                        fix=f"get UCI's {name} again",
                    )
                if _MISSING not in row:
                    # The test file has a full stop after the class.
                    found.append((*row[:-1], row[-1].rstrip(".")))
    return _coded(found)


def _coded(rows: Sequence[Sequence[str]]) -> Records:
    coded = [np.unique(column, return_inverse=True) for column in zip(*rows, strict=True)]
    return Records(
        tuple(tuple(str(value) for value in values) for values, _ in coded),
        tuple(codes.reshape(-1).astype(np.int32) for _, codes in coded),
    )


def private_table(records: Records) -> PrivateTable:
    """Return a table of these records in the public domains of Adult."""
    ones = np.ones(records.size, dtype=np.int64)
    table, _ = canonical(COLUMNS, records.values, records.codes, ones)
    return within(table, adult_domains(), TARGET, CLASSES)
