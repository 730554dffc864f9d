"""Find people whom two releases with the same pseudonyms reveal together.

If the pseudonyms of two releases were made with one key, anyone who has both releases can join the
records of a person. Then each pseudonym that both releases show has classes in both releases.
Suppose that an attacker knows one record of a person in each release. The person has records in the
classes of both known records. If fewer than k people have such records, the attacker can single out
people. An attacker may also know that a person is in only one of the two releases. So the people
whose pseudonym appears in only one release also form classes. The columns of the releases do not
matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.release.ledger.classes import CellsOfClasses, ReleasedClasses
from roadstead.release.ledger.differences import Pair, keys_of, with_same_pseudonyms
from roadstead.release.ledger.facts import OverlayFinding

Integers = NDArray[np.int64]
MOST_PAIRS = 20_000_000
"""The largest number of pairs of classes, over all people, that are counted."""


@dataclass(frozen=True)
class JoinedPeople:
    """The people who are in both of two releases with the same pseudonyms."""

    people: int
    findings: tuple[OverlayFinding, ...]
    cut_short: bool  # whether there were too many pairs of classes to count them


def joined_people(
    earlier: ReleasedClasses,
    later: ReleasedClasses,
    *,
    k: int,
    name: str,
) -> JoinedPeople | None:
    """Compare two releases person by person. Return None if they have no common pseudonym."""
    both = with_same_pseudonyms(earlier, later)
    if both is None:
        return None
    people = len({*both[0].values[0]} & {*both[1].values[0]})
    sizes = _joint_sizes(both, (len(earlier.counts), len(later.counts)))
    if sizes is None:
        return JoinedPeople(people, (), cut_short=True)
    few = sizes[sizes < k]
    if not few.size:
        return JoinedPeople(people, (), cut_short=False)
    found = OverlayFinding("joined", name, int(few.size), k, int(few.min()), unit="person")
    return JoinedPeople(people, (found,), cut_short=False)


def _joint_sizes(cells: Pair[CellsOfClasses], classes: tuple[int, int]) -> Integers | None:
    """Count the people with a record in both classes, for each pair of classes, one per release.

    The last class of each release contains the people whom only the other release shows. The
    function returns None if all people together have more than `MOST_PAIRS` pairs.
    """
    one, other = keys_of(cells, (np.arange(classes[0]), np.arange(classes[1])))
    missing = [np.setdiff1d(b.value, a.value) for a, b in ((one, other), (other, one))]
    sides = []
    for own, extra, outside in zip((one, other), missing, classes, strict=True):
        value = np.concatenate([own.value, extra])
        place = np.concatenate([own.in_class, np.full(extra.size, outside, dtype=np.int64)])
        order = np.argsort(value, kind="stable")
        sides.append((value[order], place[order]))
    (first, place), (second, second_place) = sides
    start = np.searchsorted(second, first)
    number = np.searchsorted(second, first, side="right") - start
    total = int(number.sum())
    if total > MOST_PAIRS:
        return None
    # For each class of a person in the first release, all classes of the person in the second.
    offset = np.arange(total) - np.repeat(np.cumsum(number) - number, number)
    pairs = np.repeat(place, number) * (classes[1] + 1)
    pairs += second_place[np.repeat(start, number) + offset]
    return np.asarray(np.unique(pairs, return_counts=True)[1], dtype=np.int64)
