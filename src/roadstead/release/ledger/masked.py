"""Find people whom the masked records of one release reveal together with another release.

Suppose that two releases have the same policy. If the values of masked people do not change, the
other release also masks these people, or shows them in a class that the first release does not
show. If no person was removed from the table, the masked records of the earlier release are among
the masked records and the new classes of the later release. All other records in these classes were
added, and an attacker can find their cells by subtraction. Roadstead tries each possible set of new
classes. A set is possible if its cells include the cells of the masked records, and if no class in
the set had k people before. If the two releases are swapped, the same method finds people who were
removed.

A new class may also contain cells that no masked record has. The records with these cells must have
been added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from roadstead.release.ledger.classes import CellsOfClasses, ReleasedClasses
from roadstead.release.ledger.differences import (
    OUT,
    Pair,
    fewest_people,
    keys_of,
    with_same_pseudonyms,
)
from roadstead.release.ledger.facts import OverlayFinding, OverlayKind, SetsTried

Integers = NDArray[np.int64]
MOST_CHOICES = 20_000
"""The largest number of sets of classes that the search tries."""


@dataclass(frozen=True)
class Side:
    """One of the two releases, and how it suppresses records."""

    classes: ReleasedClasses
    masked: int | None  # the class of suppressed records
    keeps: bool  # whether the release keeps its suppressed records
    k: int
    by_size: bool  # whether the release suppresses exactly the classes with fewer than k records


@dataclass(frozen=True)
class LeftOver:
    """The numbers of records that remain when masked records are subtracted from classes."""

    counts: tuple[int, ...]  # from 1 to k - 1
    cut_short: bool  # whether some sets were not tried


def by_masked_records(
    earlier: Side, later: Side, *, k: int, name: str, persons: bool = False
) -> SetsTried:
    """Find groups of fewer than k added or removed people that masked records reveal.

    The function tries at most `MOST_CHOICES` sets of classes for each release.
    """
    findings, cut_short = [], False
    kinds: tuple[tuple[OverlayKind, Side, Side], ...] = (
        ("added", earlier, later),
        ("removed", later, earlier),
    )
    for kind, hiding, showing in kinds:
        if not hiding.keeps:
            continue
        records, people = emerged(hiding, showing, persons=persons)
        units = people if persons else records
        left = left_over(hiding, showing, k)
        cut_short |= left.cut_short
        few = [*units[(records > 0) & (units < k)].tolist(), *left.counts]
        if few:
            unit: Literal["record", "person"] = "person" if persons else "record"
            least = 1 if persons else min(few)
            findings.append(OverlayFinding(kind, name, len(few), k, least, unit=unit, masked=True))
    return SetsTried(tuple(findings), cut_short)


def emerged(hiding: Side, showing: Side, *, persons: bool = False) -> tuple[Integers, Integers]:
    """Count the records and people added to each class that only `showing` shows.

    The counts are the smallest possible numbers of records and people. The `hiding` side must keep
    its suppressed records.
    """
    kept, shown, only = hiding.classes, showing.classes, _only(hiding, showing)
    places = np.full(len(shown.counts), OUT, dtype=np.int64)
    places[only] = np.arange(len(only))
    of_masked = _place_of_masked(hiding)
    more = _surplus((kept.rows, shown.rows), (of_masked, places), len(only)).sum(axis=0)
    people = fewest_people(shown, places, more)
    both = with_same_pseudonyms(kept, shown) if persons else None
    if both is not None:
        people = (_surplus(both, (of_masked, places), len(only)) > 0).sum(axis=0)
    return np.asarray(more, dtype=np.int64), np.asarray(people, dtype=np.int64)


def _surplus(
    cells: Pair[CellsOfClasses], places: tuple[Integers, Integers], number: int
) -> Integers:
    """Return by how much the count of each combination exceeds its count in the masked records."""
    masked, own = keys_of(cells, places)
    hidden = np.zeros(own.values, dtype=np.int64)
    np.add.at(hidden, masked.value, masked.counts)
    found = np.zeros((own.values, number), dtype=np.int64)
    np.add.at(found, (own.value, own.in_class), own.counts)
    return np.asarray(np.maximum(found - hidden[:, None], 0), dtype=np.int64)


def _only(hiding: Side, showing: Side) -> list[int]:
    """Return the classes that only the `showing` side shows."""
    known = {*hiding.classes.texts}
    return [
        at
        for at, own in enumerate(showing.classes.texts)
        if own not in known and at != showing.masked
    ]


def _place_of_masked(hiding: Side) -> Integers:
    """Map the masked class to class 0, and all other classes to `OUT`."""
    found = np.full(len(hiding.classes.counts), OUT, dtype=np.int64)
    if hiding.masked is not None:
        found[hiding.masked] = 0
    return found


def left_over(hiding: Side, showing: Side, k: int) -> LeftOver:
    """Count the records that remain in each set of classes that may contain all masked records."""
    if hiding.masked is None:
        return LeftOver((), cut_short=False)
    total = hiding.classes.counts[hiding.masked]
    shown, own, only = showing.classes, showing.masked, _only(hiding, showing)
    cells, need = _cells_of(hiding, shown, only, own)
    # For each class: its size, and the smallest number of its records that must have been added.
    sizes = [shown.counts[at] for at in only]
    new = [size - min(size, hiding.k - 1) if hiding.by_size else 0 for size in sizes]
    found, tried = [], 0
    waiting = [(0, 0, 0, np.zeros_like(need))]
    if showing.keeps:
        also = 0 if own is None else shown.counts[own]
        waiting.append((0, also, 0, cells[-1]))
    while waiting and tried < MOST_CHOICES:
        tried += 1
        place, size, came, inside = waiting.pop()
        if 0 < size - total < k and (inside >= need).all():
            found.append(size - total)
        waiting += [
            (at + 1, size + sizes[at], came + new[at], inside + cells[at])
            for at in range(place, len(only))
            if came + new[at] < k and size + sizes[at] - total < k
        ]
    return LeftOver(tuple(found), cut_short=bool(waiting))


def _cells_of(
    hiding: Side, shown: ReleasedClasses, only: list[int], own: int | None
) -> tuple[Integers, Integers]:
    """Count the cells of the masked records, in each class and in total."""
    places = np.full(len(shown.counts), OUT, dtype=np.int64)
    places[only] = np.arange(len(only))
    if own is not None:
        places[own] = len(only)
    masked, others = keys_of((hiding.classes.rows, shown.rows), (_place_of_masked(hiding), places))
    need = np.zeros(masked.values, dtype=np.int64)
    np.add.at(need, masked.value, masked.counts)
    wanted = need > 0
    found = np.zeros((len(only) + 1, others.values), dtype=np.int64)
    np.add.at(found, (others.in_class, others.value), others.counts)
    return found[:, wanted], need[wanted]
