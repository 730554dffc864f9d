"""Find and count the released records that match what is known about each person.

A class contains the released rows that have the same values in the given columns. People are
divided into blocks, and each block is compared with all classes at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.attacked_release import AttackedRelease
from roadstead.attacks.matching.columns import KnownColumn, known_column
from roadstead.attacks.matching.known_people import KnownPeople
from roadstead.attacks.matching.truth import numbered, policy_labels
from roadstead.policies.document import Policy
from roadstead.tables.frequency import FrequencyTable

Bools = NDArray[np.bool_]
Reals = NDArray[np.float64]
_CELLS = 8_000_000
"""The largest number of (person, class) pairs that are compared at once."""


@dataclass(frozen=True, eq=False)
class ShownClasses:
    """Released rows, grouped by the values that they show in some columns.

    For each column, `codes` gives the code of each class's label. `of_row` gives the class of each
    released row, or -1 for rows without a class. `counts` gives the number of records in each
    class.
    """

    names: tuple[str, ...]
    codes: tuple[NDArray[np.int32], ...] = field(repr=False)
    of_row: NDArray[np.int64] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)

    @property
    def number(self) -> int:
        """Return the number of classes."""
        return int(self.counts.size)

    def of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the classes of the given released rows, with -1 for rows without a class."""
        return np.where(rows < 0, -1, self.of_row[rows])


def shown_classes(
    release: AttackedRelease, names: Sequence[str], aside: Bools | None = None
) -> ShownClasses:
    """Group released rows by some columns. Rows that `aside` marks do not get a class."""
    table = release.rows
    inside = np.ones(table.distinct, np.bool_) if aside is None else ~aside
    at = [table.attributes.index(name) for name in names]
    of_row = np.full(table.distinct, -1, dtype=np.int64)
    if not inside.any():
        nothing = np.zeros(0, dtype=np.int32)
        return ShownClasses(tuple(names), (nothing,) * len(at), of_row, np.zeros(0, np.int64))
    columns = [table.codes[one][inside] for one in at]
    number = numbered(columns, [len(table.domains[one]) for one in at])
    of_row[inside] = number
    first = np.unique(number, return_index=True)[1]
    counts = np.bincount(number, weights=table.counts[inside]).astype(np.int64)
    return ShownClasses(tuple(names), tuple(column[first] for column in columns), of_row, counts)


def known_columns(
    release: AttackedRelease, people: KnownPeople, names: Sequence[str]
) -> dict[str, KnownColumn]:
    """Match the known values of people with the labels of a release."""
    return {name: known_column(release, name, people.values(name)) for name in names}


def fitting(
    known: dict[str, KnownColumn], people: KnownPeople, classes: ShownClasses
) -> Iterator[tuple[slice, Bools]]:
    """For each block of people, mark the classes that match all known values.

    Each array has the shape ``(people, classes)``.
    """
    for block in blocks(people.number, classes.number):
        fits = np.ones((block.stop - block.start, classes.number), dtype=np.bool_)
        for name, labels in zip(classes.names, classes.codes, strict=True):
            fits &= known[name].fits(people.of(name)[block], labels)
        yield block, fits


def placed(
    release: AttackedRelease, policy: Policy, people: KnownPeople, classes: ShownClasses
) -> Iterator[tuple[slice, Bools]]:
    """For each block of people, yield the class to which the policy assigns the known values.

    If several classes could contain a record, the policy assigns the record to the first of them.
    So an attacker who knows all quasi-identifiers of a person can find the person's class.
    """
    table = FrequencyTable(
        people.attributes, people.domains, people.codes, np.ones(people.number, dtype=np.int64)
    )
    labels = policy_labels(release, policy, table)
    for block in blocks(people.number, classes.number):
        fits = np.ones((block.stop - block.start, classes.number), dtype=np.bool_)
        for name, codes in zip(classes.names, classes.codes, strict=True):
            fits &= labels[name][block][:, None] == codes[None, :]
        yield block, fits


def nearest(
    known: dict[str, KnownColumn], people: KnownPeople, classes: ShownClasses
) -> Iterator[tuple[slice, Bools]]:
    """For each block of people, yield the classes that are nearest to the known values."""
    for block in blocks(people.number, classes.number):
        away = np.zeros((block.stop - block.start, classes.number), dtype=np.float32)
        for name, labels in zip(classes.names, classes.codes, strict=True):
            away += known[name].distances(people.of(name)[block], labels)
        least = away.min(axis=1, keepdims=True, initial=np.inf)
        yield block, away <= least + np.float32(1e-6)


def blocks(people: int, classes: int) -> Iterator[slice]:
    """Divide people into blocks that are compared at once."""
    size = max(1, _CELLS // max(classes, 1))
    for begin in range(0, people, size):
        yield slice(begin, min(begin + size, people))


def weighed(fits: Bools, counts: NDArray[np.int64]) -> Reals:
    """For each person, count the records in the matching classes."""
    found: Reals = fits.astype(np.float64) @ counts.astype(np.float64)
    return found
