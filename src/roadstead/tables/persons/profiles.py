"""Build a frequency table in which a person may have several records.

Each row of the table is one combination that belongs to one person or to several people with
identical records. People form one *profile* if they have the same combinations, and each
combination equally often. The rows of a profile are contiguous. The number of people in a class is
not the sum over the rows of the class, so the table needs the profiles.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from roadstead.errors import SourceError, quoted
from roadstead.front_end import option
from roadstead.kernels.person_profiles import number_profiles
from roadstead.tables.frequency import FrequencyTable, packed, summarize
from roadstead.tables.persons.spelled_ids import plain_id, require_one_spelling
from roadstead.tables.profile import MARKERS
from roadstead.tables.texts import texts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from roadstead.tables.source import Source


@dataclass(frozen=True, eq=False)
class Persons:
    """The people to whom the rows of a frequency table belong.

    Attributes
    ----------
    column
        The column with the person ID of each record.
    owners
        Shape ``(rows,)``: the profile of each row, in ascending order.
    times
        Shape ``(rows,)``: the number of records that each person of the profile has in the row.
    people
        Shape ``(profiles,)``: the number of people with the profile.
    profiles
        Shape ``(persons,)``: the profile of each person, in the order of `names`.
    names
        The person IDs in the form that the column has. No release or report contains a person ID.
    """

    column: str
    owners: NDArray[np.uint32] = field(repr=False)
    times: NDArray[np.int64] = field(repr=False)
    people: NDArray[np.int64] = field(repr=False)
    profiles: NDArray[np.int64] = field(repr=False)
    names: tuple[str, ...] = field(repr=False)

    @property
    def number(self) -> int:
        """The number of people."""
        return len(self.names)

    def with_rows(self, kept: NDArray[np.bool_]) -> Persons:
        """Keep some rows of the table, and the people who have at least one of these rows.

        The remaining profiles are renumbered in the same order.
        """
        owners = self.owners[kept].astype(np.int64)
        there = np.zeros(self.people.size, dtype=np.bool_)
        there[owners] = True
        number = np.cumsum(there) - 1
        profiles = self.profiles
        some = np.flatnonzero(there[profiles])
        return Persons(
            self.column,
            number[owners].astype(np.uint32),
            self.times[kept],
            self.people[there],
            number[profiles[some]],
            tuple(self.names[at] for at in some.tolist()),
        )


@dataclass(frozen=True, eq=False)
class PersonTable(FrequencyTable):
    """A frequency table with separate rows for each profile of people.

    `persons` contains the people to whom the rows belong.
    """

    persons: Persons = field(kw_only=True, repr=False)

    @property
    def units(self) -> int:
        """The number of people."""
        return self.persons.number

    def units_in(self, groups: NDArray[np.integer], number: int) -> NDArray[np.int64]:
        """Count the people in each of `number` groups. A person counts once per group."""
        inside = (groups >= 0) & (self.counts > 0)
        people = self.persons.people
        own = groups[inside].astype(np.int64) * people.size + self.persons.owners[inside]
        group, profile = np.divmod(np.unique(own), people.size)
        return np.bincount(group, people[profile], minlength=number).astype(np.int64)

    @property
    def combinations(self) -> FrequencyTable:
        """Return a table of records with one row for each distinct combination of values."""
        return self.project(self.attributes)


def person_table(table: FrequencyTable, persons: Persons) -> PersonTable:
    """Build a person table. Each row must belong to one profile of people."""
    shared = {own.name: getattr(table, own.name) for own in fields(FrequencyTable)}
    return PersonTable(**shared, persons=persons)


def summarize_persons(
    source: Source,
    person: str,
    attributes: Sequence[str],
    alongside: Sequence[str] = (),
    *,
    most: int | None = None,
) -> PersonTable:
    """Count the records of each person, and group identical people.

    Each row of the table belongs to one profile, so the same combination may occur in several rows.
    If there are columns in `alongside`, each person is a separate profile, because people with the
    same combinations may differ in these columns. `most` is the maximum number of combinations of
    person and attributes in memory. Raises OutgrownError if there are more combinations. Raises
    RoleError if a column is missing or named twice. Raises SourceError if a record has no person
    ID, or if the engine cannot read the table.
    """
    counted = summarize(
        source, (person, *attributes), tuple(alongside), names_first=True, most=most
    )
    names = counted.domains[0]
    own = counted.codes[0].astype(np.int64)
    unnamed = [at for at, name in enumerate(names) if _is_unnamed(name)]
    if unnamed:
        records = int(counted.counts[np.isin(own, unnamed)].sum())
        raise _without_id(source, person, records, plain_id(names[unnamed[0]]))
    require_one_spelling(names, source, person, f"{source.name}, column {quoted(person)}")
    return rows_of_persons(
        replace(
            counted,
            attributes=counted.attributes[1:],
            domains=counted.domains[1:],
            codes=counted.codes[1:],
        ),
        person,
        own,
        names,
    )


def counted_by(
    source: Source,
    person: str | None,
    attributes: Sequence[str],
    alongside: Sequence[str] = (),
    *,
    most: int | None = None,
) -> FrequencyTable:
    """Count the combinations of a source. If there is a person ID column, count them by person."""
    if person is None:
        return summarize(source, attributes, alongside, most=most)
    return summarize_persons(source, person, attributes, alongside, most=most)


def _is_unnamed(name: str) -> bool:
    """Return whether a person ID is blank, or means a missing value."""
    plain = plain_id(name)
    return not plain or plain.lower() in MARKERS


def _without_id(source: Source, person: str, records: int, plain: str) -> SourceError:
    """Return the error for records without a person ID. Such records would become one person."""
    has = "1 record has" if records == 1 else f"{records:,} records have"
    first = ""
    if source.location is None:  # the rows of a database have no order
        column = texts_of(source, [person]).drawn(1.0).column(0)
        texts = (text for chunk in column.chunks for text in chunk.to_pylist())
        at = next((at for at, text in enumerate(texts, 1) if _is_unnamed(text or "")), None)
        if at is not None:
            first = f" ({'record' if records == 1 else 'the first is record'} {at:,})"
    return SourceError(
        f"{has} {f'{quoted(plain)} instead of a' if plain else 'no'} person ID{first}",
        where=f"{source.name}, column {quoted(person)}",
        fix=(
            "remove such records (from a text file or a sheet with "
            f"{option('skip_rows', 'ROWS')}), or give each record a person ID"
        ),
    )


def rows_of_persons(
    table: FrequencyTable, column: str, person: NDArray[np.int64], names: tuple[str, ...]
) -> PersonTable:
    """Group identical people. Each row belongs to one person, and rows are ordered by person."""
    if table.alongside:
        everyone = np.arange(len(names))
        own = person.astype(np.uint32)
        alone = np.ones_like(everyone)
        return person_table(table, Persons(column, own, table.counts, alone, everyone, names))
    begins = np.searchsorted(person, np.arange(len(names) + 1))
    keys = packed(table.codes, [len(domain) for domain in table.domains])
    profiles, first = number_profiles(begins, np.stack(keys), np.ascontiguousarray(table.counts))
    del keys
    people = np.bincount(profiles, minlength=first.size)
    starts = begins[first]
    lengths = begins[first + 1] - starts
    chosen = np.repeat(starts - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths)
    chosen += np.arange(chosen.size)
    owners = np.repeat(np.arange(first.size, dtype=np.uint32), lengths)
    times = table.counts[chosen]
    rows = replace(
        table,
        codes=tuple(codes[chosen] for codes in table.codes),
        counts=times * people[owners],
    )
    return person_table(rows, Persons(column, owners, times, people, profiles, names))
