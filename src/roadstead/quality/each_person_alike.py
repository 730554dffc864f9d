"""Give people equal weight in a loss: a record has the weight 1 / (its person's records).

Losses are means over records, so a person with forty records counts forty times. A weighted loss is
the mean over people of the mean over a person's records. Weights are whole numbers. So equal
policies have equal losses, regardless of the path of the search. The weight of a record is the
smallest common multiple of all people's numbers of records, divided by the number of its person's
records. If sums of these weights would not fit into a machine word, a power of two that fits
replaces the common multiple, and each quotient is rounded. The weight of a record then has an error
of at most half a unit.
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
    """Return an encoding with the weights of its rows as counts, for sums over records.

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
    """Return a record's weight by its person's number of records; people weigh at most `room`."""
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
