"""Represent the classes of a release as a recipient sees them.

Cells that are released unchanged are stored only as fingerprints, which reveal only whether two
cells are identical. Numbers are stored in columns, because a release may have many numbers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.hierarchies.rules import Everything
from roadstead.policies.document import SUPPRESSED, Policy
from roadstead.policies.json_document import NOT_NONE, STRICT
from roadstead.policies.treatments.document import Treatment
from roadstead.release.ends import with_joined_ends, with_plain_ends
from roadstead.release.persons.multisets import added
from roadstead.tables.frequency import FrequencyTable, canonical, summarize
from roadstead.tables.persons.profiles import Persons
from roadstead.tables.source import Source

Integers = NDArray[np.int64]
Whole = Annotated[int, Field(ge=0, lt=2**63)]
_DIGITS = 16
"""The number of digits of a fingerprint, which has 64 bits.

Among a million values, the probability that any two values have the same fingerprint is 1 in 37
million.
"""


@checked_dataclass(frozen=True, config=STRICT)
class CellsOfClasses:
    """How often each combination of values in some columns occurs in each class.

    For each column, `forms` contains the fingerprint of its treatment, or an empty string if the
    column is unchanged. `values` lists the fingerprints of its values, and `codes` gives the value
    in each combination. Each combination has one position in `in_class`, in `counts`, and in the
    codes of each column.
    """

    columns: tuple[str, ...]
    forms: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    codes: tuple[tuple[Whole, ...], ...]
    in_class: tuple[Whole, ...]
    counts: tuple[Whole, ...]

    @property
    def named(self) -> tuple[tuple[str, str], ...]:
        """Return the name and the form of each column."""
        return tuple(zip(self.columns, self.forms, strict=True))

    def only(self, named: Sequence[tuple[str, str]]) -> CellsOfClasses:
        """Return the cells of some columns. Then the same combination may occur several times."""
        at = [self.named.index(one) for one in named]
        return replace(
            self,
            columns=tuple(name for name, _ in named),
            forms=tuple(form for _, form in named),
            values=tuple(self.values[one] for one in at),
            codes=tuple(self.codes[one] for one in at),
        )


def in_common(cells: Sequence[CellsOfClasses]) -> tuple[CellsOfClasses, ...]:
    """Return the cells of the columns that all releases have in the same form."""
    first, *others = (one.named for one in cells)
    named = [one for one in first if all(one in own for own in others)]
    return tuple(one.only(named) for one in cells)


def numbered(cells: Sequence[CellsOfClasses]) -> tuple[list[Integers], int]:
    """Number the combinations of several releases that have the same columns.

    The second part of the result is the number of different combinations in all releases.
    """
    ends = np.cumsum([len(one.in_class) for one in cells])
    found, number = np.zeros(int(ends[-1]), dtype=np.int64), 1
    for at in range(len(cells[0].columns)):
        values = sorted({value for one in cells for value in one.values[at]})
        known = {value: code for code, value in enumerate(values)}
        codes = [
            np.array([known[value] for value in one.values[at]], dtype=np.int64)[
                np.array(one.codes[at], dtype=np.int64)
            ]
            for one in cells
        ]
        every, found = np.unique(found * len(values) + np.concatenate(codes), return_inverse=True)
        number = max(every.size, 1)
    return np.split(found.reshape(-1), ends[:-1]), number


@checked_dataclass(frozen=True, config=STRICT)
class PersonsOfClasses:
    """The number of people who have a given number of records in each class.

    Entries of the three lists at the same position belong together. In each class, people with the
    most records come first.
    """

    in_class: tuple[Whole, ...]
    records: tuple[Whole, ...]
    persons: tuple[Whole, ...]

    def by_class(self, classes: int) -> Integers:
        """Return the number of people in each class."""
        found = np.zeros(classes, dtype=np.int64)
        np.add.at(found, np.array(self.in_class, dtype=np.int64), np.array(self.persons))
        return found

    def fewest(self, records: Integers) -> Integers:
        """Return the smallest number of people per class who can have a given number of records.

        `records` gives a number for each class, which is at most the number of records in the
        class.
        """
        found = np.zeros(records.size, dtype=np.int64)
        classes = np.array(self.in_class, dtype=np.int64)
        if not classes.size:
            return found
        each = np.array(self.records, dtype=np.int64)
        people = np.array(self.persons, dtype=np.int64)
        all_before = np.cumsum(each * people) - each * people
        first = np.searchsorted(classes, np.arange(records.size))
        start = all_before[np.minimum(first, classes.size - 1)]
        left = np.maximum(records[classes] - (all_before - start[classes]), 0)
        needed = np.minimum(people, -(-left // np.maximum(each, 1)))
        np.add.at(found, classes, needed)
        return found


@checked_dataclass(frozen=True, config=STRICT)
class ReleasedClasses:
    """The classes of a release.

    `rows` combines all released columns except the quasi-identifiers and pseudonyms.
    """

    attributes: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]  # for each attribute
    codes: tuple[tuple[Whole, ...], ...]  # for each attribute, the label of each class
    counts: tuple[Whole, ...]
    rows: CellsOfClasses
    # The first field is set if people may have several records, and the second field if later
    # releases may have the same pseudonyms.
    persons: Annotated[PersonsOfClasses | None, NOT_NONE] = None
    pseudonyms: Annotated[CellsOfClasses | None, NOT_NONE] = None

    @property
    def texts(self) -> list[tuple[str, ...]]:
        """Return the labels of each class."""
        columns = [
            [labels[code] for code in codes]
            for labels, codes in zip(self.labels, self.codes, strict=True)
        ]
        return list(zip(*columns, strict=True))


@dataclass(frozen=True, eq=False)
class _Classed:
    """A table, with the class of each combination of values."""

    table: FrequencyTable
    classes: FrequencyTable
    of_row: Integers


def released_classes(released: Source, policy: Policy, *, keyed: bool = False) -> ReleasedClasses:
    """Count the classes of a released table.

    If pseudonyms were generated with a key (`keyed`), the result contains the fingerprints of the
    pseudonyms, because a later release may have the same pseudonyms.
    """
    source = with_joined_ends(released, policy)
    others = [x for x in source.columns if x not in policy.quasi and x != policy.linked_by]
    table = summarize(source, (*policy.quasi, *others))
    found = counted_classes(with_plain_ends(table, policy), policy)
    if policy.linked_by is None or not keyed:
        return found
    linked = with_plain_ends(summarize(source, (*policy.quasi, policy.linked_by)), policy)
    return replace(found, pseudonyms=_cells(_classed(linked, policy), (policy.linked_by,), {}))


def persons_of_classes(
    persons: Persons, of_row: Integers, released: NDArray[np.bool_]
) -> PersonsOfClasses:
    """Count the people in each class who have each number of released records."""
    kept = released & (of_row >= 0)
    owner, number = persons.owners[kept].astype(np.int64), of_row[kept]
    width = int(number.max(initial=0)) + 1
    key, records = added(owner * width + number, persons.times[kept])
    whose, where = key // width, key % width
    both, place = np.unique(np.stack([where, -records]), axis=1, return_inverse=True)
    people = np.zeros(both.shape[1], dtype=np.int64)
    np.add.at(people, place.reshape(-1), persons.people[whose])
    return PersonsOfClasses(
        tuple(both[0].tolist()), tuple((-both[1]).tolist()), tuple(people.tolist())
    )


def counted_classes(table: FrequencyTable, policy: Policy) -> ReleasedClasses:
    """Count the classes of a table in which the quasi-identifiers are the first columns."""
    # Dates that are shifted at random differ in each release, so a comparison says nothing.
    drawn = () if policy.persons is None else policy.persons.shifted_at_random
    others = [x for x in table.attributes[len(policy.quasi) :] if x not in drawn]
    classed = _classed(table, policy)
    classes = classed.classes
    return ReleasedClasses(
        attributes=policy.quasi,
        labels=classes.domains,
        codes=tuple(tuple(column.tolist()) for column in classes.codes),
        counts=tuple(classes.counts.tolist()),
        rows=_cells(classed, others, policy.treated),
    )


def _classed(table: FrequencyTable, policy: Policy) -> _Classed:
    quasi = policy.quasi
    classes, of_row = canonical(
        quasi, table.domains[: len(quasi)], table.codes[: len(quasi)], table.counts
    )
    return _Classed(table, classes, of_row)


def _cells(
    of: _Classed, columns: Sequence[str], treated: Mapping[str, Treatment]
) -> CellsOfClasses:
    table = of.table
    values, codes = [], []
    for name in columns:
        at = table.attributes.index(name)
        # Sort by fingerprints, because the order of the values would reveal facts about them.
        prints = [_fingerprint(cell) for cell in table.domains[at]]
        order = sorted(range(len(prints)), key=prints.__getitem__)
        moved = np.empty(len(prints), dtype=np.int64)
        moved[order] = np.arange(len(prints))
        values.append(tuple(prints[one] for one in order))
        codes.append(moved[table.codes[at]])
    each, place = np.unique(np.stack([of.of_row, *codes]), axis=1, return_inverse=True)
    counts = np.zeros(each.shape[1], dtype=np.int64)
    np.add.at(counts, place.reshape(-1), table.counts)
    in_class, *codes_of = each.tolist()
    return CellsOfClasses(
        columns=tuple(columns),
        forms=tuple(_fingerprint(repr(treated[x])) if x in treated else "" for x in columns),
        values=tuple(values),
        codes=tuple(map(tuple, codes_of)),
        in_class=tuple(in_class),
        counts=tuple(counts.tolist()),
    )


def _fingerprint(text: str) -> str:
    return hashlib.sha256(json.dumps(text).encode()).hexdigest()[:_DIGITS]


def masked_class(classes: Sequence[tuple[str, ...]]) -> int | None:
    """Return the class of the masked records, or None."""
    if len(classes) < 2:  # noqa: PLR2004 - one class alone is everybody
        return None
    whole = (SUPPRESSED,) * len(classes[0])
    return classes.index(whole) if whole in classes else None


def masked_under(policy: Policy, classes: ReleasedClasses) -> int | None:
    """Return the class of the masked records, or None if the policy suppresses every cell."""
    plain = policy.recoding is None
    if plain and all(isinstance(own.rule, Everything) for own in policy.attributes):
        return None
    texts, whole = classes.texts, (SUPPRESSED,) * len(policy.quasi)
    return texts.index(whole) if whole in texts else None
