"""What is left out of a release so that the rest is protected: classes of rows, or whole persons.

A policy makes classes. Those that do not satisfy the privacy model cannot be released. Leaving out
their records alone is right where a record is all there is of a person. Where a person has several
rows, what remains of it may still be known, so whole persons are left out: the fewest possible,
which one set of persons is (`kernels.person_rows`). Either way more is left out under a more
specific policy, and nothing less, which is what pruning needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels import grouping, person_rows
from roadstead.policies.classes import Classes, keep
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.protocol import BoundPrivacy, PrivacyModel
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.persons import Persons

ALL = 0
"""All rows of a person are known, and so how many there are."""


@dataclass(frozen=True)
class Kept:
    """What is kept of some classes, numbered without gaps; rows left out of them; and how many.

    `missing` counts records, or persons, that are left out of the whole table.
    """

    classes: Classes
    dropped: NDArray[np.uint32]
    missing: int


class LeavingOut(Protocol):
    """Leaves out what is not protected."""

    @property
    def units(self) -> int:
        """Records of the table, or persons: what the limit is a share of."""
        ...

    def kept(self, classes: Classes, model: BoundPrivacy) -> Kept:
        """Keep what satisfies a model."""
        ...

    def split(self, classes: Classes, model: BoundPrivacy, most: int) -> Kept | int:
        """Keep what satisfies a model; where more than `most` would be missing, only how many."""
        ...


@dataclass(frozen=True)
class ClassesLeftOut:
    """All records of a class that does not satisfy the model."""

    units: int

    def kept(self, classes: Classes, model: BoundPrivacy) -> Kept:
        """Keep the classes that satisfy a model."""
        satisfied = model.satisfied(classes)
        missing = self.units - int(np.add.reduce(classes.sizes[satisfied]))
        return Kept(*keep(classes, satisfied), missing)

    def split(self, classes: Classes, model: BoundPrivacy, most: int) -> Kept | int:
        """Keep the classes that satisfy a model."""
        satisfied = model.satisfied(classes)
        missing = self.units - int(np.add.reduce(classes.sizes[satisfied]))
        return missing if missing > most else Kept(*keep(classes, satisfied), missing)


@dataclass(frozen=True)
class PersonsLeftOut:
    """All rows of each person of whom something may be known that fits fewer than k persons.

    `counts` has the records of each row of the table, `persons` whose the rows are, and
    `knows` how many rows of a person may be known, `ALL` for all of them.
    """

    counts: NDArray[np.int64]
    persons: Persons
    k: int
    knows: int

    @property
    def units(self) -> int:
        """Persons of the table."""
        return self.persons.number

    def kept(self, classes: Classes, model: BoundPrivacy) -> Kept:
        """Keep the greatest set of persons of whom all that may be known fits k of them.

        The model holds of every class that is left, so it is asked again until nothing changes.
        """
        before = grouping.rows_of(classes.members)
        while True:
            classes = self._only(classes, self._supported(classes))
            satisfied = model.satisfied(classes)
            if satisfied.all():
                break
            classes = self._only(
                classes,
                person_rows.profiles_within(
                    classes.members, classes.numbers, satisfied, self.persons.owners
                ),
            )
        after = grouping.rows_of(classes.members)
        owners = self.persons.owners[after]
        first = np.ones(owners.size, dtype=np.bool_)
        first[1:] = owners[1:] != owners[:-1]
        persons = int(np.add.reduce(self.persons.people[owners[first]]))
        return Kept(classes, np.setdiff1d(before, after, assume_unique=True), self.units - persons)

    def split(self, classes: Classes, model: BoundPrivacy, most: int) -> Kept | int:
        """Keep what `kept` does; leaving out is all the work, so nothing is saved."""
        kept = self.kept(classes, model)
        return kept.missing if kept.missing > most else kept

    def _supported(self, classes: Classes) -> NDArray[np.bool_]:
        """Mark the profiles that stay."""
        owners, people = self.persons.owners, self.persons.people
        members, numbers = classes.members, classes.numbers
        starts = person_rows.run_starts(members, owners)
        present = owners[grouping.rows_of(members[starts[:-1]])]
        stays = np.ones(present.size, dtype=np.bool_)
        if self.knows == ALL:
            same = person_rows.alike(members, numbers, starts, owners, self.persons.times, people)
            stays = same >= self.k
        else:
            ends, known, different = person_rows.known_multisets(
                members, numbers, classes.sizes.size, starts, self.persons.times, self.knows
            )
            person_rows.peel(ends, known, different, people[present], self.k, stays)
        marked = np.zeros(people.size, dtype=np.bool_)
        marked[present[stays]] = True
        return marked

    def _only(self, classes: Classes, stays: NDArray[np.bool_]) -> Classes:
        members = person_rows.members_of(
            classes.members, classes.numbers, self.persons.owners, stays
        )
        sizes = grouping.class_sizes(members, classes.sizes.size, self.counts)
        numbers = np.arange(sizes.size, dtype=np.uint32)
        return keep(Classes(members, numbers, sizes), sizes > 0)[0]


def persons_left_out(
    models: Sequence[PrivacyModel], table: FrequencyTable
) -> PersonsLeftOut | None:
    """Say how whole persons are left out; None where no model asks for it."""
    for model in models:
        if isinstance(model, PersonAnonymity) and model.leaves_out == "persons":
            if table.persons is None:
                break
            knows = ALL if model.knows == "all" else model.knows
            return PersonsLeftOut(table.counts, table.persons, model.k, knows)
    return None


def units_of(models: Sequence[PrivacyModel], table: FrequencyTable) -> int | None:
    """Count the persons that a suppression limit is a share of; None where it is of records."""
    left = persons_left_out(models, table)
    return None if left is None else left.units
