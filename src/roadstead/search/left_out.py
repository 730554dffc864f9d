"""Remove records or people from a release so that the remaining records are protected.

If every person has only one record, it is enough to remove the records of unprotected classes. If
people have several rows, as few people as possible are removed, each with all rows. In both cases,
a more specific policy removes at least the same records. The search relies on this property to
prune policies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.kernels import grouping, person_rows
from roadstead.kernels.person_rows import MOST_KNOWN
from roadstead.log import LOG
from roadstead.policies.classes import Classes, keep
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.protocol import BoundPrivacy, PrivacyModel
from roadstead.risk.persons.prosecutor import multisets_of_rows
from roadstead.tables.frequency import FrequencyTable, packed
from roadstead.tables.persons.profiles import Persons, PersonTable

MOST_COMBINATIONS = 100_000_000
"""The largest number of combinations of known rows, each of which takes about 45 bytes."""
ALL = 0
"""The value for an attacker who knows all rows of a person, including their number."""


@dataclass(frozen=True)
class Remainder:
    """The result of removing records or people from classes.

    The remaining classes are numbered without gaps. `missing` is the number of records, or people,
    that were removed from the whole table.
    """

    classes: Classes
    dropped: NDArray[np.uint32]
    missing: int


class LeavingOut(Protocol):
    """A rule that removes unprotected records or people from a release."""

    @property
    def units(self) -> int:
        """The number of records or people in the table, to which the suppression limit refers."""
        ...

    def kept(self, classes: Classes, model: BoundPrivacy) -> Remainder:
        """Keep the classes that satisfy a model."""
        ...

    def split(self, classes: Classes, model: BoundPrivacy, most: int) -> Remainder | int:
        """Keep classes that satisfy a model, or return the missing number if it exceeds `most`."""
        ...


@dataclass(frozen=True)
class ClassesLeftOut:
    """A rule that removes all records of a class that does not satisfy the model."""

    units: int

    def kept(self, classes: Classes, model: BoundPrivacy) -> Remainder:
        """Keep the classes that satisfy a model."""
        satisfied = model.satisfied(classes)
        missing = self.units - int(np.add.reduce(classes.sizes[satisfied]))
        return Remainder(*keep(classes, satisfied), missing)

    def split(self, classes: Classes, model: BoundPrivacy, most: int) -> Remainder | int:
        """Keep the classes that satisfy a model."""
        satisfied = model.satisfied(classes)
        missing = self.units - int(np.add.reduce(classes.sizes[satisfied]))
        return missing if missing > most else Remainder(*keep(classes, satisfied), missing)


@dataclass(frozen=True)
class PersonsLeftOut:
    """A rule that removes people if too few other people match an attacker's knowledge about them.

    If fewer than k people match something that an attacker may know, all rows of these people are
    removed. `counts` gives the number of records that each row of the table represents, and
    `persons` gives the person IDs of the rows. `knows` is the number of rows of a person that an
    attacker may know, or `ALL` for all rows.
    """

    counts: NDArray[np.int64]
    persons: Persons
    k: int
    knows: int

    @property
    def units(self) -> int:
        """The number of people in the table."""
        return self.persons.number

    @property
    def combinations(self) -> int:
        """An upper bound on the number of combinations of rows that are counted for one policy.

        A person with n different rows has n (n + 1) / 2 combinations for two known rows, including
        single rows. Each row that the person has at least twice adds one combination.
        """
        if self.knows == ALL:
            return self.persons.number
        return multisets_of_rows(self.persons, np.arange(self.counts.size), self.knows)

    def kept(self, classes: Classes, model: BoundPrivacy) -> Remainder:
        """Keep as many people as possible, with at least k matches for all that an attacker knows.

        If an attacker knows all rows, the model is checked on the groups of people with the same
        rows, and groups that do not satisfy the model are removed. Otherwise, the model is checked
        on the classes. People with a row in a class that does not satisfy the model are removed
        repeatedly until nothing changes. Under a monotone model, the result is again the largest
        set. Under other models, a largest set may not exist, and this rule defines which people are
        removed. The rule starts from the people that the model's monotone part keeps.
        """
        before = grouping.rows_of(classes.members)
        if self.knows == ALL:
            classes = self._only(classes, self._alike(classes, model))
        else:
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
        return Remainder(
            classes, np.setdiff1d(before, after, assume_unique=True), self.units - persons
        )

    def split(self, classes: Classes, model: BoundPrivacy, most: int) -> Remainder | int:
        """Return the result of `kept`, or the number of missing people if it exceeds `most`."""
        kept = self.kept(classes, model)
        return kept.missing if kept.missing > most else kept

    def _alike(self, classes: Classes, model: BoundPrivacy) -> NDArray[np.bool_]:
        """Mark the profiles of people who form a group that satisfies a model."""
        members, numbers, times = classes.members, classes.numbers, self.persons.times
        starts, present = self._runs(members)
        groups, found = person_rows.groups_alike(members, numbers, starts, times)
        persons = np.zeros(found, dtype=np.int64)
        np.add.at(persons, groups, self.persons.people[present])
        alike = Classes(
            person_rows.in_groups(members, starts, groups),
            np.arange(found, dtype=np.uint32),
            persons,
        )
        enough = (persons >= self.k) & model.satisfied(alike)
        return self._marked(present[enough[groups]])

    def _supported(self, classes: Classes) -> NDArray[np.bool_]:
        """Mark the profiles for which enough people match anything that an attacker may know."""
        starts, present = self._runs(classes.members)
        ends, known, different = person_rows.known_multisets(
            classes.members,
            classes.numbers,
            classes.sizes.size,
            starts,
            self.persons.times,
            self.knows,
        )
        stays = np.ones(present.size, dtype=np.bool_)
        person_rows.peel(ends, known, different, self.persons.people[present], self.k, stays)
        return self._marked(present[stays])

    def compare_in_full(self, classes: Classes) -> None:
        """Compare people with equal keys row by row, because a search compares only keys."""
        members, numbers, times = classes.members, classes.numbers, self.persons.times
        starts, _ = self._runs(members)
        groups, found = person_rows.groups_alike(members, numbers, starts, times)
        if not person_rows.truly_alike(members, numbers, starts, times, groups, found):
            raise RuntimeError("two different people were matched as if they were the same")

    def _runs(self, members: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """Return the profiles, and the index at which the members of each profile begin."""
        starts = person_rows.run_starts(members, self.persons.owners)
        return starts, self.persons.owners[grouping.rows_of(members[starts[:-1]])]

    def _marked(self, profiles: NDArray[np.uint32]) -> NDArray[np.bool_]:
        marked = np.zeros(self.persons.people.size, dtype=np.bool_)
        marked[profiles] = True
        return marked

    def _only(self, classes: Classes, stays: NDArray[np.bool_]) -> Classes:
        members = person_rows.members_of(
            classes.members, classes.numbers, self.persons.owners, stays
        )
        sizes = grouping.class_sizes(members, classes.sizes.size, self.counts)
        numbers = np.arange(sizes.size, dtype=np.uint32)
        return keep(Classes(members, numbers, sizes), sizes > 0)[0]


def left_of_all(left: LeavingOut, classes: Classes, model: BoundPrivacy) -> Classes:
    """Remove the same records or people as a search, but start from all classes and all rows."""
    kept = left.kept(classes, model.monotone_part).classes
    if model.monotone_part is not model:
        kept = left.kept(kept, model).classes
    if isinstance(left, PersonsLeftOut) and left.knows == ALL:
        left.compare_in_full(kept)
    return kept


def persons_left_out(
    models: Sequence[PrivacyModel], table: FrequencyTable
) -> PersonsLeftOut | None:
    """Return the rule for removing people, or None if no model requires such a rule."""
    for model in models:
        if isinstance(model, PersonAnonymity) and model.leaves_out == "persons":
            if not isinstance(table, PersonTable):
                break
            knows = ALL if model.knows == "all" else model.knows
            left = PersonsLeftOut(table.counts, table.persons, model.k, knows)
            _require_affordable(left, table)
            return left
    return None


def _require_affordable(left: PersonsLeftOut, table: FrequencyTable) -> None:
    """Reject a number of combinations that does not fit in memory, and log the number."""
    if left.knows in (ALL, 1):
        return
    number, most = left.combinations, MOST_COMBINATIONS
    if left.knows == MOST_KNOWN and (table.distinct + 1) ** MOST_KNOWN >= 1 << 64:
        keys = packed(table.codes, [len(domain) for domain in table.domains])
        classes = np.unique(np.stack(keys), axis=1).shape[1]
        most = most if (classes + 1) ** MOST_KNOWN < 1 << 64 else 0
    LOG.info("up to %d combinations of known rows are counted for a policy", number)
    if number > most:
        raise SettingError(
            f"the people of this table have {number:,} combinations of rows that may be known, "
            f"but only {MOST_COMBINATIONS:,} can be counted (about 5 GiB of memory)",
            where=option("knows", str(left.knows)),
            fix=f"use {option('knows', 'all')} (which protects more and costs less), or fewer or "
            "coarser quasi-identifiers",
        )


def units_of(models: Sequence[PrivacyModel], table: FrequencyTable) -> int | None:
    """If a suppression limit applies to people, return their number; otherwise, return None."""
    left = persons_left_out(models, table)
    return None if left is None else left.units
