"""Count people in the classes of a frequency table, and remove unprotected people.

A *profile* belongs to one person or to several people with equal rows. The rows of a profile are
contiguous, and members keep the order of rows, so a profile is a run of members.

An attacker knows a multiset of a person's classes. The multiset contains the classes of one row, of
up to three rows, or of all rows. A profile is *supported* if at least k people share each multiset
that an attacker may know. `peel` removes profiles until all remaining profiles are supported. The
result is the unique largest set, because the union of two sets of supported profiles also contains
only supported profiles.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.compiled import compiled
from roadstead.kernels.hash_table import GOLDEN, find, find_next, number_of, slots_for, table_of

Members: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.uint32]
Counts: TypeAlias = NDArray[np.int64]
Marks: TypeAlias = NDArray[np.bool_]

_HALF = np.uint64(32)
_CLASS = np.uint64(0xFFFFFFFF)
_NOBODY = np.uint32(0xFFFFFFFF)
_OTHER = np.uint64(0xC2B2AE3D27D4EB4F)  # another odd number for a second, independent mix
_FREE = np.int64(-1)
MOST_KNOWN = 3
"""The largest number of known rows for which multisets are counted one by one."""


@compiled
def persons_of_classes(
    members: Members, numbers: Numbers, classes: int, owners: Numbers, people: Counts
) -> Counts:
    """Count the distinct people in each class.

    `owners` gives the profile of every row of the table, in ascending order. `people` gives the
    number of people in each profile.
    """
    last = np.full(classes, _NOBODY, np.uint32)
    found = np.zeros(classes, np.int64)
    for j in range(members.size):
        number = numbers[members[j] & _CLASS]
        owner = owners[members[j] >> _HALF]
        if last[number] != owner:
            last[number] = owner
            found[number] += people[owner]
    return found


@compiled
def profiles_within(members: Members, numbers: Numbers, kept: Marks, owners: Numbers) -> Marks:
    """Mark the profiles whose members are all in kept classes."""
    inside = np.ones(int(owners[-1]) + 1 if owners.size else 0, np.bool_)
    for j in range(members.size):
        if not kept[numbers[members[j] & _CLASS]]:
            inside[owners[members[j] >> _HALF]] = False
    return inside


@compiled
def members_of(members: Members, numbers: Numbers, owners: Numbers, stays: Marks) -> Members:
    """Return the members of the kept profiles, with their classes."""
    inside = np.empty(members.size, np.uint64)
    found = 0
    for j in range(members.size):
        row = members[j] >> _HALF
        if stays[owners[row]]:
            inside[found] = (row << _HALF) | np.uint64(numbers[members[j] & _CLASS])
            found += 1
    return inside[:found].copy()


@compiled
def run_starts(members: Members, owners: Numbers) -> NDArray[np.int64]:
    """Return the indices at which the members of each profile begin, followed by the end."""
    starts = np.empty(members.size + 1, np.int64)
    found = 0
    for j in range(members.size):
        if j == 0 or owners[members[j] >> _HALF] != owners[members[j - 1] >> _HALF]:
            starts[found] = j
            found += 1
    starts[found] = members.size
    return starts[: found + 1].copy()


@compiled
def groups_alike(
    members: Members, numbers: Numbers, starts: NDArray[np.int64], times: Counts
) -> tuple[Numbers, int]:
    """Number the runs' multisets of classes by first appearance; return the number of multisets.

    Two multisets are treated as equal if 128 bits of a commutative sum agree. `truly_alike`
    verifies that the multisets are equal. `times` gives the number of records that a person has in
    each row.
    """
    runs = starts.size - 1
    table = table_of(slots_for(runs), np.empty(runs, np.uint64))
    others = np.empty(runs, np.uint64)  # the second sum of each group, whose first sum is its key
    groups = np.empty(runs, np.uint32)
    found = 0
    for run in range(runs):
        one, two = np.uint64(0), np.uint64(0)
        for j in range(starts[run], starts[run + 1]):
            row = members[j] >> _HALF
            mixed = (np.uint64(numbers[members[j] & _CLASS]) + np.uint64(1)) * GOLDEN
            mixed ^= mixed >> np.uint64(29)
            often = np.uint64(times[row])
            one += often * (mixed * _OTHER ^ (mixed * _OTHER) >> np.uint64(32))
            mixed = (mixed + _OTHER) * GOLDEN
            two += often * (mixed ^ mixed >> np.uint64(31))
        slot = find(table, one)
        while table.slots[slot] >= 0 and others[table.slots[slot]] != two:
            slot = find_next(table, one, slot)
        if table.slots[slot] < 0:
            table.slots[slot] = found
            table.keys[found], others[found] = one, two
            found += 1
        groups[run] = table.slots[slot]
    return groups, found


@compiled
def truly_alike(
    members: Members,
    numbers: Numbers,
    starts: NDArray[np.int64],
    times: Counts,
    groups: Numbers,
    found: int,
) -> bool:
    """Compare all runs in full, and return whether each group's runs have the same multiset."""
    first = np.full(found, _FREE, np.int64)
    for run in range(groups.size):
        group = groups[run]
        if first[group] == _FREE:
            first[group] = run
            continue
        other = first[group]
        classes, often = _distinct(members, numbers, times, starts[run], starts[run + 1])
        same, same_often = _distinct(members, numbers, times, starts[other], starts[other + 1])
        if classes.size != same.size:
            return False
        for i in range(classes.size):
            if classes[i] != same[i] or often[i] != same_often[i]:
                return False
    return True


@compiled
def in_groups(members: Members, starts: NDArray[np.int64], groups: Numbers) -> Members:
    """Return the members with the group of their run instead of their class."""
    grouped = np.empty(members.size, np.uint64)
    for run in range(groups.size):
        for j in range(starts[run], starts[run + 1]):
            grouped[j] = (members[j] >> _HALF) << _HALF | np.uint64(groups[run])
    return grouped


def alike(
    members: Members,
    numbers: Numbers,
    starts: NDArray[np.int64],
    owners: Numbers,
    times: Counts,
    people: Counts,
) -> Counts:
    """For each run, return the number of people with the same multiset of classes."""
    groups, found = groups_alike(members, numbers, starts, times)
    persons = np.zeros(found, dtype=np.int64)
    np.add.at(persons, groups, people[owners[members[starts[:-1]] >> _HALF]])
    same: Counts = persons[groups]
    return same


@compiled
def _known_keys(
    classes: NDArray[np.int64], often: Counts, radix: np.uint64, most: int, keys: NDArray[np.uint64]
) -> int:
    """Write a key for each multiset of up to `most` rows of a person; return the number of keys.

    `classes` contains each class of the person once, and `often` gives the number of the person's
    rows in each class.
    """
    found = 0
    for a in range(classes.size):
        first = np.uint64(classes[a] + 1)
        keys[found] = first
        found += 1
        if most == 1:
            continue
        for b in range(a, classes.size):
            if a == b and often[a] == 1:
                continue
            second = first * radix + np.uint64(classes[b] + 1)
            keys[found] = second
            found += 1
            if most == 2:  # noqa: PLR2004 - two rows
                continue
            for c in range(b, classes.size):
                needed = 1 + (b == c) + (a == c)
                if often[c] < needed:
                    continue
                keys[found] = second * radix + np.uint64(classes[c] + 1)
                found += 1
    return found


@compiled
def _distinct(
    members: Members, numbers: Numbers, times: Counts, begin: int, end: int
) -> tuple[NDArray[np.int64], Counts]:
    """Return the classes of one run in ascending order, and a person's rows in each class."""
    own = np.empty(end - begin, np.int64)
    for j in range(begin, end):
        own[j - begin] = numbers[members[j] & _CLASS]
    order = np.argsort(own)
    classes, often = np.empty(own.size, np.int64), np.zeros(own.size, np.int64)
    found = 0
    for at in order:
        if found == 0 or classes[found - 1] != own[at]:
            classes[found] = own[at]
            found += 1
        often[found - 1] += times[members[begin + at] >> _HALF]
    return classes[:found], often[:found]


@compiled
def known_multisets(
    members: Members,
    numbers: Numbers,
    classes: int,
    starts: NDArray[np.int64],
    times: Counts,
    most: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Assign numbers to the multisets of up to `most` classes from the rows of each run.

    ``(classes + 1) ** most`` must fit in 64 bits. The function returns the index at which the
    numbers of each run begin, followed by the end. It also returns the numbers of all runs, and the
    number of different multisets.
    """
    runs = starts.size - 1
    ends = np.zeros(runs + 1, np.int64)
    for run in range(runs):
        distinct, often = _distinct(members, numbers, times, starts[run], starts[run + 1])
        n = distinct.size
        twice = (often > 1).sum()
        total = n
        if most > 1:
            total += n * (n - 1) // 2 + twice
        if most > 2:  # noqa: PLR2004 - three rows
            total += n * (n - 1) * (n - 2) // 6 + twice * (n - 1) + (often > 2).sum()  # noqa: PLR2004 - three rows
        ends[run + 1] = ends[run] + total
    keys = np.empty(ends[runs], np.uint64)
    radix = np.uint64(classes + 1)
    for run in range(runs):
        distinct, often = _distinct(members, numbers, times, starts[run], starts[run + 1])
        _known_keys(distinct, often, radix, most, keys[ends[run] : ends[run + 1]])
    # `keys` is most of the memory of a search. So only a third of the slots stays free, and
    # different keys move to the front of `keys`. This move is safe, because there are never more
    # different keys than keys read so far.
    table = table_of(slots_for(keys.size * 3 // 4), keys)
    known = np.empty(keys.size, np.int64)
    found = 0
    for at in range(keys.size):
        known[at] = number_of(table, keys[at], found)
        found += known[at] == found
    return ends, known, found


@compiled
def peel(  # noqa: C901 - one loop, compiled as a whole
    ends: NDArray[np.int64],
    known: NDArray[np.int64],
    different: int,
    persons: Counts,
    k: int,
    stays: Marks,
) -> None:
    """Unmark runs until at least `k` people share each multiset of the remaining runs.

    A queue contains the multisets that lost their support, and a list contains the runs of each
    multiset. As a result, each multiset is visited only once. `ends`, `known`, and `different` are
    the results of `known_multisets`. `persons` gives the number of people in each run. `stays`
    marks the runs, and is changed in place.
    """
    support = np.zeros(different, np.int64)
    places = np.zeros(different + 1, np.int64)
    for run in range(stays.size):
        if stays[run]:
            for at in range(ends[run], ends[run + 1]):
                support[known[at]] += persons[run]
                places[known[at] + 1] += 1
    for one in range(different):
        places[one + 1] += places[one]
    filled = places[:-1].copy()
    holders = np.empty(places[different], np.int64)
    for run in range(stays.size):
        if stays[run]:
            for at in range(ends[run], ends[run + 1]):
                holders[filled[known[at]]] = run
                filled[known[at]] += 1
    lost = np.flatnonzero((support > 0) & (support < k))
    waiting = np.empty(different, np.int64)
    waiting[: lost.size] = lost
    left = lost.size
    while left > 0:
        left -= 1
        one = waiting[left]
        for holder in range(places[one], places[one + 1]):
            run = holders[holder]
            if not stays[run]:
                continue
            stays[run] = False
            for at in range(ends[run], ends[run + 1]):
                other = known[at]
                before = support[other]
                support[other] -= persons[run]
                if before >= k > support[other] > 0:
                    waiting[left] = other
                    left += 1
