"""The released records that fit what is known of each person, counted by classes.

Released rows that show the same in the columns at hand are a class. So there are as many
comparisons as people times classes, made a block of people at a time.
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
"""People times classes that are compared at once."""


@dataclass(frozen=True, eq=False)
class ShownClasses:
    """Released rows by what they show in some columns.

    `codes` has for each column the label of each class, `of_row` the class of each released row,
    -1 of rows that are put aside, `counts` the records of each class.
    """

    names: tuple[str, ...]
    codes: tuple[NDArray[np.int32], ...] = field(repr=False)
    of_row: NDArray[np.int64] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)

    @property
    def number(self) -> int:
        """How many there are."""
        return int(self.counts.size)

    def of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the class of released rows; -1 of none."""
        return np.where(rows < 0, -1, self.of_row[rows])


def shown_classes(
    release: AttackedRelease, names: Sequence[str], aside: Bools | None = None
) -> ShownClasses:
    """Group released rows by some columns; those `aside` are in no class."""
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
    """Lay what is known of people next to the labels of a release."""
    return {name: known_column(release, name, people.values(name)) for name in names}


def fitting(
    known: dict[str, KnownColumn], people: KnownPeople, classes: ShownClasses
) -> Iterator[tuple[slice, Bools]]:
    """Say, block by block of people, which classes fit all that is known, ``(people, classes)``."""
    for block in blocks(people.number, classes.number):
        fits = np.ones((block.stop - block.start, classes.number), dtype=np.bool_)
        for name, labels in zip(classes.names, classes.codes, strict=True):
            fits &= known[name].fits(people.of(name)[block], labels)
        yield block, fits


def placed(
    release: AttackedRelease, policy: Policy, people: KnownPeople, classes: ShownClasses
) -> Iterator[tuple[slice, Bools]]:
    """Say, block by block of people, which class the policy's own rules put what is known in.

    What of several classes can be a record's, a policy decides by their order; so whoever has the
    policy and all quasi-identifiers of a person knows the one class that is left.
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
    """Say, block by block of people, which classes are nearest to what is known."""
    for block in blocks(people.number, classes.number):
        away = np.zeros((block.stop - block.start, classes.number), dtype=np.float32)
        for name, labels in zip(classes.names, classes.codes, strict=True):
            away += known[name].distances(people.of(name)[block], labels)
        least = away.min(axis=1, keepdims=True, initial=np.inf)
        yield block, away <= least + np.float32(1e-6)


def blocks(people: int, classes: int) -> Iterator[slice]:
    """Part people into blocks that are compared at once."""
    size = max(1, _CELLS // max(classes, 1))
    for begin in range(0, people, size):
        yield slice(begin, min(begin + size, people))


def weighed(fits: Bools, counts: NDArray[np.int64]) -> Reals:
    """Count the records of the classes that fit, for each person."""
    found: Reals = fits.astype(np.float64) @ counts.astype(np.float64)
    return found
