"""Turn the rows of a table into the records that a private mechanism counts.

If the release protects records, each row is one record. If the release protects people, the rows of
each person are combined into one record, or only a limited number of rows per person is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from secrets import token_bytes
from typing import Any

from roadstead.differential.persons.bounded_rows import at_most
from roadstead.differential.persons.one_record import SAME, OneValue, one_record_each
from roadstead.differential.persons.person_rows import PersonTally
from roadstead.errors import RoleError, SourceError, quoted
from roadstead.front_end import option
from roadstead.rooms import part_of
from roadstead.tables import names
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.health.locations import HealthLocation
from roadstead.tables.item_sets import ItemSet, ItemTable
from roadstead.tables.locations import CdmLocation
from roadstead.tables.source import Source
from roadstead.verbs.synthesize.persons import PersonRecords
from roadstead.verbs.synthesize.sets import columns_of_sets, keys_of_several, sharing_keys

_KEY_BYTES = 32


@dataclass(frozen=True)
class Gathering:
    """A method for turning the rows of a table into records."""

    columns: tuple[str, ...]  # columns of the table that are counted
    persons: PersonRecords | None = None
    rules: dict[str, OneValue] = field(default_factory=dict)
    sets: tuple[str, ...] = ()
    one_row_each: bool = False  # whether the table already has one row per person

    def gathered(self, table: FrequencyTable) -> tuple[FrequencyTable, PersonTally | None]:
        """Turn the counted rows of a table into records.

        If people are protected, the method also returns counts of their rows.
        """
        if self.persons is None or self.one_row_each:
            return table, None
        if self.persons.rows is None:
            return one_record_each(table, self.persons.column, self.rules, self.sets)
        key = token_bytes(_KEY_BYTES)
        return at_most(table, self.persons.column, self.persons.rows, key)

    @property
    def public(self) -> dict[str, Any]:
        """Return how the rows of people were treated, in the form that a release stores."""
        if self.persons is None:
            return {}
        found: dict[str, Any] = {"person": self.persons.column}
        if self.persons.rows is not None:
            return {**found, "rows_per_person": self.persons.rows}
        if self.one_row_each:
            return found
        return {**found, "per_person": {name: str(one) for name, one in self.rules.items()}}

    @property
    def gathered_by(self) -> str | None:
        """Return the person ID column if a record combines all rows of a person."""
        if self.persons is None or self.persons.rows is not None:
            return None
        return self.persons.column

    def sharing(self, source: Source, one: ItemTable) -> int:
        """Count the records that share rows in a second table.

        If people are protected, the method counts the keys that several people share.
        """
        if self.persons is None:
            return sharing_keys(source, one)
        if self.one_row_each or one.own_key == self.persons.column:
            return 0
        return keys_of_several(source, one, self.persons.column)

    def require_inside(self, rows: PersonTally | None) -> None:
        """Reject rows without a person ID, and people with two values where only one is allowed."""
        if rows is None or self.persons is None:
            return
        what, where = (
            "a cell is empty, so the row does not belong to any person",
            self.persons.column,
        )
        if rows.varied:
            what, where = "a person has two different values in this column", rows.varied[0][0]
        if rows.varied or rows.nobodys:
            raise SourceError(
                what,
                where=f"column {quoted(where)}",
                fix=f"correct the table, or give {option('outside', 'leave-out')}",
            )


def _one_row_each(source: Source) -> PersonRecords | None:
    """Return the person ID if the reader of a health data model creates one row per person.

    The reader joins all tables in the model by person, so each row contains all data about one
    person.
    """
    match source.location:
        case HealthLocation(model="fhir"):
            key = part_of("health data", "tables.health.fhir:KEY")
        case HealthLocation() | CdmLocation():
            key = part_of("health data", "tables.health.omop:KEY")
        case _:
            return None
    return PersonRecords(key, None, {"": OneValue(SAME)})


def gathering_of(
    persons: PersonRecords | None, columns: Sequence[str], sets: Sequence[ItemSet], source: Source
) -> Gathering:
    """Return the method that turns rows into records with the given columns and sets."""
    own = _one_row_each(source)
    if own is not None and (
        persons is None or (persons.column, persons.rows) == (own.column, None)
    ):
        return Gathering(tuple(columns), own, one_row_each=True)
    if persons is None:
        return Gathering(tuple(columns))
    names.require((persons.column,), source.columns)
    if persons.column in {*columns, *columns_of_sets(sets)}:
        raise RoleError(
            "this is the person ID column, but it would be released",
            where=f"column {quoted(persons.column)}",
            fix="leave it out of the columns to release, or choose another person ID column",
        )
    if persons.rows is not None:
        return Gathering((*columns, persons.column), persons)
    called = tuple(one.name for one in sets)
    rules = persons.rules([name for name in columns if name not in called])
    orders = [one.order for one in rules.values() if one.order is not None]
    names.require(orders, source.columns)
    needed = tuple(dict.fromkeys((*columns, persons.column, *orders)))
    return Gathering(needed, persons, rules, called)
