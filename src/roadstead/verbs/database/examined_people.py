"""Examine the person IDs of a described set of tables, and read its tables as sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.errors import quoted
from roadstead.tables import engine
from roadstead.tables.failures import engine_errors
from roadstead.tables.persons.spelled_ids import require_one_spelling
from roadstead.tables.source import Engine, Source
from roadstead.tables.texts import texts_of

if TYPE_CHECKING:
    from roadstead.tables.database.opening import OpenedSet, SetTable


def require_one_id_each(opened: OpenedSet) -> None:
    """Raise an error if the table of people has a person with two spellings of the ID."""
    people = opened.people
    person = str(people.rules.person)
    source = source_of_table(opened, people)
    with engine_errors(opened.name):
        names = texts_of(source, [person]).distinct()
    require_one_spelling(names, source, person, f"{source.name}, column {quoted(person)}")


def source_of_table(opened: OpenedSet, table: SetTable) -> Source:
    """Return a table of a set as a source."""
    view = engine.table(opened.engine.backend, table.name_of_view)
    return Source(view, table.columns, f"{opened.name}, {table.name}", Engine(engine.BACKEND))


def known_people(opened: OpenedSet, attributes: tuple[str, ...]) -> Source:
    """Return the people of a set, with the attributes that an attacker may know."""
    table = engine.table(opened.engine.backend, "known").select(*attributes)
    return Source(table, attributes, f"{opened.name}, {opened.people.name}", Engine(engine.BACKEND))
