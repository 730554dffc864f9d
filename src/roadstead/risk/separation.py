"""Distinctness and separation: how well attributes distinguish records.

*Distinctness* is the number of distinct combinations of values, divided by the number of records.
*Separation* is the share of all pairs of records that differ in at least one of the attributes.
Sets of attributes with high values are quasi-identifiers that people may have overlooked (Motwani
and Xu 2007, alpha-distinct and alpha-separation quasi-identifiers).

Neither measure falls when an attribute is added. There are too many large sets of attributes to
examine all of them. So the search examines all small sets, and grows larger sets greedily.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.kernels.partitions import class_totals, refine_classes
from roadstead.risk.persons.prosecutor import persons_of_each_class
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.persons.profiles import PersonTable


class AttributeSets:
    """The classes of a table for sets of attributes. Missing values are treated as values.

    Class sizes count people if the table has person IDs, and records otherwise. If sets are in
    lexicographic order, successive sets have the same first attributes. So each set usually needs
    only one split.
    """

    def __init__(self, table: FrequencyTable) -> None:
        self._codes = [column.astype(np.uint32) for column in table.codes]
        self._counts = table.counts.reshape(-1, 1)
        self._persons = table.persons if isinstance(table, PersonTable) else None
        self._path: list[int] = []
        self._splits = [(np.zeros(table.distinct, dtype=np.uint32), 1)]

    def classes(self, places: tuple[int, ...]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Return the class of each row and the class sizes, for the attributes at these places."""
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
        if self._persons is not None:
            return classes, persons_of_each_class(self._persons, classes)
        return classes, class_totals(classes, number, self._counts)[:, 0]


def check_limit(limit: int) -> None:
    """Reject a number of attributes below 1."""
    if limit < 1:
        raise SettingError(
            f"combinations of at most {limit} attributes are requested",
            fix="request combinations of at least 1",
        )


@dataclass(frozen=True)
class Separation:
    """The distinctness and separation of a set of attributes, in the order of their addition.

    Separation is 1 if there are no pairs.
    """

    attributes: tuple[str, ...]
    distinctness: float
    separation: float


def separations(table: FrequencyTable, limit: int = 3) -> tuple[Separation, ...]:
    """Measure all sets of at most `limit` attributes, and sort them by ascending size."""
    check_limit(limit)
    sets = AttributeSets(table)
    width = len(table.attributes)
    return tuple(
        _measured(table, places, sets.classes(places)[1])
        for size in range(1, min(limit, width) + 1)
        for places in combinations(range(width), size)
    )


def greedy_separations(table: FrequencyTable) -> tuple[Separation, ...]:
    """Measure growing sets. Each step adds the attribute that distinguishes the most pairs.

    Ties are broken by the number of distinct combinations, and then by the order of the attributes
    in the table.
    """
    sets = AttributeSets(table)
    chosen: tuple[int, ...] = ()
    found = []
    while len(chosen) < len(table.attributes):
        rest = (place for place in range(len(table.attributes)) if place not in chosen)
        sizes, last = max(
            ((sets.classes((*chosen, place))[1], place) for place in rest),
            key=lambda one: (-_pairs_alike(one[0]), np.count_nonzero(one[0]), -one[1]),
        )
        chosen = (*chosen, last)
        found.append(_measured(table, chosen, sizes))
    return tuple(found)


def _measured(
    table: FrequencyTable, places: tuple[int, ...], sizes: NDArray[np.int64]
) -> Separation:
    records = table.records
    pairs = records * (records - 1) // 2
    return Separation(
        attributes=tuple(table.attributes[place] for place in places),
        distinctness=int(np.count_nonzero(sizes)) / records if records else 0.0,
        separation=(pairs - _pairs_alike(sizes)) / pairs if pairs else 1.0,
    )


def _pairs_alike(sizes: NDArray[np.int64]) -> int:
    return int((sizes * (sizes - 1) // 2).sum())
