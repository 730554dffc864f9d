"""Give people equal weight in a loss: if a person has n records, each record weighs 1 / n.

Weights are whole numbers, so equal policies have equal losses. The weight of a record is the least
common multiple of all people's record counts, divided by the record count of the record's person.
If the sum of these weights would overflow a machine word, a smaller power of two replaces the least
common multiple, and each quotient is rounded.
"""

from __future__ import annotations

from dataclasses import replace
from math import lcm

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.encoding import Encoding
from roadstead.tables.persons.profiles import PersonTable

_LARGEST = np.iinfo(np.int64).max


def each_person_alike(encoding: Encoding) -> Encoding:
    """Return an encoding with weights as counts, so that each person has the same total.

    A table without person IDs raises a `SettingError`.
    """
    table = encoding.table
    if not isinstance(table, PersonTable):
        raise SettingError(
            "giving each person the same weight requires a person ID column",
            where=option("average_over"),
            fix=f"name the column with {option('person', 'COLUMN')}",
        )
    persons = table.persons
    records = np.zeros(persons.people.size, dtype=np.int64)
    np.add.at(records, persons.owners, persons.times)
    widest = max(hierarchy.domain_size for hierarchy in encoding.hierarchies)
    room = _LARGEST // max(widest * persons.number, 1)
    weights = encoding.counts * _parts(records, room)[persons.owners]
    return replace(encoding, table=replace(table, counts=weights), counts=weights)


def _parts(records: NDArray[np.int64], room: int) -> NDArray[np.int64]:
    """Return a weight for each person's records. The total of a person is at most `room`."""
    one = 1
    for number in np.unique(records).tolist():
        one = lcm(one, number)
        if one > room:
            # A weight is rounded up by less than half a record, so there is room for the sum.
            one = 1 << max((room // 2).bit_length() - 1, 0)
            rounded: NDArray[np.int64] = (2 * one + records) // (2 * records)
            return np.maximum(rounded, 1)
    parts: NDArray[np.int64] = one // records
    return parts
