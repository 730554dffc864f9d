"""Examine the people of a set of tables: two spellings of an ID, and dates on working days."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.errors import quoted
from roadstead.release.persons.dates import weekday_warning
from roadstead.tables import engine
from roadstead.tables.failures import engine_errors
from roadstead.tables.persons.spelled_ids import require_one_spelling
from roadstead.tables.persons.weekdays import weekdays_with_few_dates
from roadstead.tables.source import Engine, Source
from roadstead.tables.texts import texts_of

if TYPE_CHECKING:
    from roadstead.tables.database.opening import OpenedSet, SetTable


def require_one_id_each(opened: OpenedSet) -> None:
    """Raise an error if the table of people has a person with two spellings of the ID."""
    people = opened.people
    person = str(people.rules.person)
    source = _source_of(opened, people)
    with engine_errors(opened.name):
        names = texts_of(source, [person]).distinct()
    require_one_spelling(names, source, person, f"{source.name}, column {quoted(person)}")


def weekday_warnings(opened: OpenedSet) -> list[str]:
    """Warn of columns of dates with a weekly pattern, which reveals the shift of a person."""
    found = []
    for table in opened.of_persons:
        source = _source_of(opened, table)
        for column in table.rules.dates:
            few = weekdays_with_few_dates(source, str(table.rules.person), column)
            if few:
                found.append(weekday_warning(f"{table.name}.{column}", few))
    return found


def _source_of(opened: OpenedSet, table: SetTable) -> Source:
    view = engine.table(opened.engine.backend, table.name_of_view)
    return Source(view, table.columns, f"{opened.name}, {table.name}", Engine(engine.BACKEND))
