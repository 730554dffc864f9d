"""For each choice of a few rows of a person, count the people who have the same rows.

For a person with r records, each subset of n records is one choice of n rows. Records in the same
class match the same people, so the function lists multisets of classes, and weights each multiset
by the number of subsets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from roadstead.tables.persons.profiles import Persons

MOST_CHOICES = 2_000_000
"""The largest number of multisets of one size to count. Each multiset needs up to 100 bytes."""

Floats = NDArray[np.float64]


def choices_matched_by_few(
    persons: Persons, classes: NDArray[np.integer], limits: Sequence[int], most: int
) -> Iterator[list[Floats]]:
    """For 1, 2, ..., `most` rows, yield the share of each profile's choices with few matches.

    `classes` is the zero-based class of each row. Each array belongs to one of the `limits`, and
    gives the share of choices that match fewer people than the limit. The share is 0 for a profile
    with fewer rows. The iteration ends early if there are more than `MOST_CHOICES` multisets.
    """
    number, profiles = int(classes.max()) + 1, persons.people.size
    rows, place = np.unique(persons.owners.astype(np.int64) * number + classes, return_inverse=True)
    times = np.bincount(place, persons.times)
    owners, own = rows // number, rows % number
    ends = np.searchsorted(owners, owners, "right")
    # A multiset: its number, its last row, how often the row occurs, and the number of subsets.
    keys, last, used, subsets = own, np.arange(rows.size), np.ones(rows.size), times
    for size in range(1, most + 1):
        holders = owners[last]
        matched = np.bincount(keys, persons.people[holders])[keys]
        every = np.maximum(np.bincount(holders, subsets, profiles), 1.0)
        yield [np.bincount(holders, subsets * (matched < n), profiles) / every for n in limits]
        room = ends[last] - last
        if size == most or int(room.sum()) > MOST_CHOICES:
            return
        place = np.repeat(np.arange(last.size), room)
        following = np.arange(place.size) - np.repeat(np.cumsum(room) - room, room)
        after = last[place] + following
        again = np.where(following == 0, used[place], 0.0)
        can = times[after] > again
        place, last, again = place[can], after[can], again[can]
        used, subsets = again + 1.0, subsets[place] * (times[last] - again) / (again + 1.0)
        keys = np.unique(keys[place] * number + own[last], return_inverse=True)[1]
