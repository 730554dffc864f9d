"""Find the people who match an attacker's knowledge, by counting multisets of rows.

The search for a policy uses compiled loops. This module uses only sorting, so a release is checked
by other code than the code that created the release. People are processed in blocks, so memory use
does not grow with the number of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roadstead.tables.persons.profiles import Persons

Integers = NDArray[np.int64]
_AT_ONCE = 2_000_000
"""The largest number of multisets that are listed at once."""
_MOST_NUMBERED = 2**63


class ClassRows(NamedTuple):
    """The rows of people, with one entry per profile and class, in this order."""

    owners: Integers  # the profile of each entry
    classes: Integers  # the class of each entry
    times: Integers  # how many such records each person with the profile has


def rows_of_classes(persons: Persons, classes: NDArray[np.integer]) -> ClassRows:
    """Count the rows of each profile in each class. Rows with a negative class are ignored."""
    there = classes >= 0
    number = int(classes.max(initial=0)) + 1
    keys = persons.owners[there].astype(np.int64) * number + classes[there]
    each, times = added(keys, persons.times[there])
    return ClassRows(each // number, each % number, times)


def fitting_by_blocks(rows: ClassRows, people: Integers, knows: int) -> Integers | None:
    """For each profile, return the fewest people who match any `knows` rows of the profile.

    An attacker may also know fewer than `knows` rows. `people` gives the number of people with each
    profile. A profile without rows gets 0. The function returns None if multisets of this size
    cannot be numbered with 64 bits.
    """
    if (int(rows.classes.max(initial=0)) + 2) ** knows >= _MOST_NUMBERED:
        return None
    blocks = [added(keys, people[owners]) for keys, owners in _multisets(rows, knows)]
    each, support = added(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))
    found = np.zeros(people.size, np.int64)
    found[rows.owners] = np.iinfo(np.int64).max
    for keys, owners in _multisets(rows, knows):
        np.minimum.at(found, owners, support[np.searchsorted(each, keys)])
    return found


def added(keys: Integers, amounts: Integers) -> tuple[Integers, Integers]:
    """Return the distinct keys in ascending order, with the sum of the amounts of each key."""
    each, place = np.unique(keys, return_inverse=True)
    total = np.zeros(each.size, np.int64)
    np.add.at(total, place, amounts)
    return each, total


def _multisets(rows: ClassRows, most: int) -> Iterator[tuple[Integers, Integers]]:
    """Yield the multisets of up to `most` of a person's rows, with the profile of each multiset.

    A multiset is encoded as a number whose digits are classes. Smaller multisets are yielded first.
    """
    number = int(rows.classes.max(initial=0)) + 1
    ends = np.searchsorted(rows.owners, rows.owners, side="right")
    listed = float((np.bincount(rows.owners).astype(np.float64) ** most).sum())
    for block in np.array_split(np.arange(rows.owners.size), max(1, int(listed / _AT_ONCE))):
        # A multiset so far: its number, its last row, and how often it contains this row.
        keys, last, used = rows.classes[block], block, np.ones(block.size, np.int64)
        smaller = 0
        yield keys, rows.owners[last]
        for size in range(2, most + 1):
            room = ends[last] - last
            place = np.repeat(np.arange(last.size), room)
            following = np.arange(place.size) - np.repeat(np.cumsum(room) - room, room)
            chosen = last[place] + following
            again = np.where(following == 0, used[place] + 1, 1)
            can = again <= rows.times[chosen]
            place, last, used = place[can], chosen[can], again[can]
            keys = keys[place] * number + rows.classes[last]
            smaller += number ** (size - 1)
            yield keys + smaller, rows.owners[last]
