"""Equivalence classes by any set of attributes, each found from those of a smaller set.

A set's classes are those of its first attributes, split by its last one. Sets that are asked for in
lexicographic order share their beginnings, so each costs about one split.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.kernels.partitions import class_totals, refine_classes
from roadstead.tables.frequency import FrequencyTable


class AttributeSets:
    """Classes of a table by sets of its attributes; a missing value is a value like others."""

    def __init__(self, table: FrequencyTable) -> None:
        self._codes = [column.astype(np.uint32) for column in table.codes]
        self._counts = table.counts.reshape(-1, 1)
        self._path: list[int] = []
        self._splits = [(np.zeros(table.distinct, dtype=np.uint32), 1)]

    def classes(self, places: tuple[int, ...]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Give the class of each row by the attributes at some places, and records in each class.

        The rows are split in the order of the places.
        """
        shared = 0
        for one, other in zip(self._path, places, strict=False):
            if one != other:
                break
            shared += 1
        del self._path[shared:], self._splits[shared + 1 :]
        for place in places[shared:]:
            self._splits.append(refine_classes(self._splits[-1][0], self._codes[place]))
            self._path.append(place)
        classes, number = self._splits[-1]
        return classes, class_totals(classes, number, self._counts)[:, 0]


def check_limit(limit: int) -> None:
    """Refuse a number of attributes below one."""
    if limit < 1:
        raise SettingError(
            f"combinations of at most {limit} attributes were asked for",
            fix="ask for combinations of at least 1",
        )
