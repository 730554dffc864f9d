"""Match the people of a population with the people of a table.

If the population has the person ID column of the table, several rows of the population can describe
the same person. Otherwise, the population is a register in which each row is one person. An
attacker who uses a register compares only a single row of a person, even if the attacker knows more
rows.

Everyone in the table must belong to the population. Therefore, the population must have at least as
many matching people as the table. If the population has fewer matching people and the user accepts
this, the matching people in the table are counted instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SourceError
from roadstead.front_end import option
from roadstead.reports.wording import counted
from roadstead.requests.checks import wrong
from roadstead.risk.persons.knowledge import RowsKnown
from roadstead.risk.persons.prosecutor import LEFT_OUT, persons_fitting, persons_of_each_class
from roadstead.tables.frequency import FrequencyTable, canonical, places
from roadstead.tables.persons.profiles import Persons, PersonTable, summarize_persons
from roadstead.tables.populations import read_population
from roadstead.tables.reading import read
from roadstead.tables.source import Source
from roadstead.verbs.people import Absent, missing_codes_used, written_as

Labels = Sequence[Sequence[str]]
"""The labels of the values in each attribute's domain."""


@dataclass(frozen=True, eq=False)
class PersonsAndPopulation:
    """A table of people and a population whose attributes share the same domains.

    In `codes` and `both`, the rows and profiles of the table come first, followed by the rows and
    profiles of the population. `register` is true if the population has one row per person.
    """

    table: PersonTable
    codes: tuple[NDArray[np.int32], ...]
    both: Persons
    people: int
    register: bool
    label: str

    def classes(self, labels: Labels, kept: NDArray[np.bool_] | None = None) -> NDArray[np.integer]:
        """Return the class of every row in the table and in the population.

        Rows of the table that are not kept get the class -1.
        """
        domains = tuple(tuple(sorted(set(own))) for own in labels)
        codes = [
            places(own, domain)[column]
            for own, domain, column in zip(labels, domains, self.codes, strict=True)
        ]
        nothing = np.zeros(codes[0].size, dtype=np.int64)
        found = canonical(self.table.attributes, domains, codes, nothing)[1]
        if kept is not None:
            found[: kept.size][~kept] = LEFT_OUT
        return found

    def fitting(self, classes: NDArray[np.integer], knows: RowsKnown) -> NDArray[np.int64]:
        """Count the people in the population who match each profile of the table.

        Each count is at least the number of people in the table who match the profile.
        """
        found = persons_fitting(
            self.both, classes, self._linked_by(knows), (self._ours, self._theirs)
        )
        return found[: self.table.persons.people.size]

    def lacking(self, classes: NDArray[np.integer], knows: RowsKnown) -> int:
        """Count the people for whom the population has fewer matching people than the table."""
        profiles = self.table.persons.people.size
        if self._linked_by(knows) == 1:
            ours, theirs = (
                persons_of_each_class(self.both, classes, one) for one in (self._ours, self._theirs)
            )
            own = classes[: self.table.distinct]
            short = np.zeros(profiles, dtype=np.bool_)
            short[self.table.persons.owners[(theirs < ours)[own]]] = True
        else:
            counts = (
                persons_fitting(self.both, classes, knows, (one,))[:profiles]
                for one in (self._ours, self._theirs)
            )
            short = np.greater(*counts)
        return int(self.table.persons.people[short].sum())

    def alone(self, classes: NDArray[np.integer], knows: RowsKnown) -> int:
        """Count the people in the population who are the only match for some known values."""
        found = persons_fitting(self.both, classes, self._linked_by(knows), (self._theirs,))
        return int(self._theirs[found == 1].sum())

    @property
    def _ours(self) -> NDArray[np.int64]:
        people = self.both.people.copy()
        people[self.table.persons.people.size :] = 0
        return people

    @property
    def _theirs(self) -> NDArray[np.int64]:
        return self.both.people - self._ours

    def _linked_by(self, knows: RowsKnown) -> RowsKnown:
        return 1 if self.register else knows


def joined_with_population(
    table: PersonTable,
    population: Any,  # noqa: ANN401 - a path, or a table of any library
    counts: str | None,
    *,
    absent: Absent | None,
    knows: RowsKnown,
    dated: Callable[[Source], Source] | None = None,
    like: Source,
) -> tuple[PersonsAndPopulation, int]:
    """Match a population with a table of people, and count the people whom the population lacks.

    If the population lacks people, the function raises an error unless `absent` is ``count``. The
    function `dated` replaces dates with days since a person's anchor, as in the table. The value
    None means that there are no such dates. `like` is the source of the table. The population has
    the same missing codes.
    """
    persons = table.persons
    source = (
        population
        if isinstance(population, Source)
        else read(population, missing=missing_codes_used(like))
    )
    register = persons.column not in source.columns
    if not register and counts is not None:
        what = (
            f"each row belongs to one person ({persons.column} is the person ID), so no row "
            "represents several people"
        )
        raise wrong("population_counts", what, "leave it out")
    if register and dated is not None:
        what = (
            "the policy counts days since a date of the person, but a single row does not show "
            "this date"
        )
        fix = (
            "give a population with several rows per person, and with the person ID column "
            f"{persons.column}"
        )
        raise wrong("population", what, fix)
    people = (
        read_population(source, table.attributes, counts)
        if register
        else summarize_persons(
            source if dated is None else dated(source), persons.column, table.attributes
        )
    )
    found = _joined(table, people, source.name)
    lacking = found.lacking(found.classes(found.table.domains), knows)
    if lacking and absent != "count":
        raise SourceError(
            f"for {counted(lacking, 'person', 'people')} of {persons.number:,} in the table, the "
            "population has fewer matching people than the table",
            where=source.name,
            fix="give a population that includes everyone in the table, and write values in the "
            f"same way; or count these people as in the table with {option('absent', 'count')}",
        )
    return found, lacking


def _joined(table: PersonTable, people: FrequencyTable, name: str) -> PersonsAndPopulation:
    domains, own, codes = [], [], []
    for ours, theirs, our_codes, their_codes in zip(
        table.domains, people.domains, table.codes, people.codes, strict=True
    ):
        texts = written_as(theirs, ours)
        domain = tuple(sorted({*ours, *texts}))
        domains.append(domain)
        own.append(places(ours, domain)[our_codes])
        codes.append(np.concatenate([own[-1], places(texts, domain)[their_codes]]))
    persons, register = table.persons, not isinstance(people, PersonTable)
    if isinstance(people, PersonTable):
        listed = people.persons
    else:  # in a register, each combination is its own profile
        rows = np.arange(people.distinct)
        once = np.ones(rows.size, dtype=np.int64)
        listed = Persons(persons.column, rows.astype(np.uint32), once, people.counts, rows, ())
    profiles = persons.people.size
    both = Persons(
        persons.column,
        np.concatenate([persons.owners, listed.owners + np.uint32(profiles)]),
        np.concatenate([persons.times, listed.times]),
        np.concatenate([persons.people, listed.people]),
        persons.profiles,
        persons.names,
    )
    return PersonsAndPopulation(
        table=replace(table, domains=tuple(domains), codes=tuple(own)),
        codes=tuple(codes),
        both=both,
        people=int(listed.people.sum()),
        register=register,
        label=f"the people in {name}"
        + (", with one row each" if register else f", by {persons.column}"),
    )
