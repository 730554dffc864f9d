"""Whose the rows of a frequency table are: counting persons, and leaving whole persons out.

Rows of one person, or of several persons alike (a *profile*), stand next to each other, and
members keep the order of rows. So a profile is a run of members, and to count it once in a class
it is enough to remember, for each class, which profile was met there last.

What an attacker knows of a person is a multiset of classes: one row, up to three rows, or all. A
profile is *supported* when at least k persons have what may be known of it. Leaving one out may
take the support of another, so `peel` goes on until nothing changes; any order ends alike, at the
greatest set of persons of whom everything is supported (the union of two such sets is one).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.compiled import compiled

Members: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.uint32]
Counts: TypeAlias = NDArray[np.int64]
Marks: TypeAlias = NDArray[np.bool_]

_HALF = np.uint64(32)
_CLASS = np.uint64(0xFFFFFFFF)
_NOBODY = np.uint32(0xFFFFFFFF)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: Fibonacci hashing
_OTHER = np.uint64(0xC2B2AE3D27D4EB4F)  # an odd number unlike it, for a second, independent mix
_FREE = np.int64(-1)
MOST_KNOWN = 3
"""Most rows of a person that are counted one multiset at a time."""


@compiled
def persons_of_classes(
    members: Members, numbers: Numbers, classes: int, owners: Numbers, people: Counts
) -> Counts:
    """Count the distinct persons of each class.

    `owners` has the profile of every row of the table, ascending; `people` the persons of each.
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
    """Mark each profile of whom no member stands in a class that is not kept."""
    inside = np.ones(int(owners[-1]) + 1 if owners.size else 0, np.bool_)
    for j in range(members.size):
        if not kept[numbers[members[j] & _CLASS]]:
            inside[owners[members[j] >> _HALF]] = False
    return inside


@compiled
def members_of(members: Members, numbers: Numbers, owners: Numbers, stays: Marks) -> Members:
    """Give the members of profiles that stay, with the class of each."""
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
    """Find where the members of each profile begin; the last entry is the number of members."""
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
    """Number the multisets of classes that the runs have, by first appearance.

    Two are taken for the same when 128 bits of a commutative sum agree; `truly_alike` checks it.
    `times` has how many records a person has in each row.
    """
    runs = starts.size - 1
    bits = 4
    while (1 << bits) < 2 * runs:
        bits += 1
    slots = np.full(1 << bits, _FREE, np.int64)
    shift, last = np.uint64(64 - bits), np.uint64((1 << bits) - 1)
    one, two = np.zeros(runs, np.uint64), np.zeros(runs, np.uint64)
    groups = np.empty(runs, np.uint32)
    found = 0
    for run in range(runs):
        for j in range(starts[run], starts[run + 1]):
            row = members[j] >> _HALF
            mixed = (np.uint64(numbers[members[j] & _CLASS]) + np.uint64(1)) * _GOLDEN
            mixed ^= mixed >> np.uint64(29)
            often = np.uint64(times[row])
            one[run] += often * (mixed * _OTHER ^ (mixed * _OTHER) >> np.uint64(32))
            mixed = (mixed + _OTHER) * _GOLDEN
            two[run] += often * (mixed ^ mixed >> np.uint64(31))
        slot = (one[run] * _GOLDEN) >> shift
        while slots[slot] != _FREE and (
            one[slots[slot]] != one[run] or two[slots[slot]] != two[run]
        ):
            slot = (slot + np.uint64(1)) & last
        if slots[slot] == _FREE:
            slots[slot] = run
            groups[run] = found
            found += 1
        else:
            groups[run] = groups[slots[slot]]
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
    """Whether all runs of a group have the same multiset of classes, compared sorted, in full."""
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
    """Give the members with the group of their run in place of their class."""
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
    """Count, for each run, the persons whose rows are in the same classes equally often."""
    groups, found = groups_alike(members, numbers, starts, times)
    persons = np.zeros(found, dtype=np.int64)
    np.add.at(persons, groups, people[owners[members[starts[:-1]] >> _HALF]])
    same: Counts = persons[groups]
    return same


@compiled
def _known_keys(
    classes: NDArray[np.int64], often: Counts, radix: np.uint64, most: int, keys: NDArray[np.uint64]
) -> int:
    """Write a key for each multiset of up to `most` rows of a person; return how many.

    `classes` are the person's, each once; `often` how many of the person's rows are in each.
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
    """Give the classes of one run, ascending, and how many rows of a person are in each."""
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
    """Number the multisets of up to `most` classes that rows of each run's persons make.

    Returns
    -------
    tuple
        For each run where its numbers begin, with the end last; the numbers, of all runs; and how
        many different ones there are. ``(classes + 1) ** most`` must fit in 64 bits.
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
    bits = 4
    while 2 * (1 << bits) < 3 * keys.size:
        bits += 1
    # A slot has where a key comes first, in four bytes: this is most of the memory of a search.
    slots = np.full(1 << bits, _NOBODY, np.uint32)
    shift, last = np.uint64(64 - bits), np.uint64((1 << bits) - 1)
    known = np.empty(keys.size, np.int64)
    found = 0
    for at in range(keys.size):
        slot = (keys[at] * _GOLDEN) >> shift
        while slots[slot] != _NOBODY and keys[slots[slot]] != keys[at]:
            slot = (slot + np.uint64(1)) & last
        if slots[slot] == _NOBODY:
            slots[slot] = at
            known[at] = found
            found += 1
        else:
            known[at] = known[slots[slot]]
    return ends, known, found


@compiled
def peel(  # noqa: C901 - one loop that is compiled as a whole
    ends: NDArray[np.int64],
    known: NDArray[np.int64],
    different: int,
    persons: Counts,
    k: int,
    stays: Marks,
) -> None:
    """Unmark the runs of whom something may be known that fits fewer than `k` persons.

    `persons` has how many persons each run stands for, `stays` the runs to begin with. It keeps a
    list of what lost its support, and of whom it is known, so all is looked at once.
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
