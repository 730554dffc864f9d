"""Release tables that do not describe people: vocabularies, except for their local concepts.

A released row may contain a concept that is not in CONCEPT, because CONCEPT is an excerpt or
because the concept is an ancestor. For every such concept, a row is added to CONCEPT, so that every
key refers to a row. The name in this row is the concept's number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.release.database.rows import released_without_people
from roadstead.tables.database.omop import ANCESTORS, CONCEPT, LOCAL, concept_columns
from roadstead.tables.stores.names import quoted_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roadstead.tables.database.opening import OpenedSet, SetTable

_OF_DESCENDANTS = ("domain_id", "vocabulary_id", "concept_class_id")
"""The columns whose cells an added concept copies from a concept below."""


def local_concepts(opened: OpenedSet, table: SetTable) -> str:
    """Return the SQL condition for a vocabulary row about a local concept of a site."""
    if not opened.numbered:
        return "false"
    found = [
        f"coalesce(try_cast({quoted_name(column)} AS BIGINT) >= {LOCAL}, false)"
        for column in concept_columns(table.columns)
    ]
    return " OR ".join(found) or "false"


def released_reference(opened: OpenedSet, table: SetTable, used: Iterable[int] = ()) -> str:
    """Return the query for a table without people. `used` lists the concepts in released rows."""
    if not opened.numbered:
        return released_without_people(opened, table)
    spelled = {column: quoted_name(table.spelled[column]) for column in table.columns}
    cells = ", ".join(f"{quoted_name(column)} AS {own}" for column, own in spelled.items())
    query = f"SELECT {cells} FROM {table.view} WHERE NOT ({local_concepts(opened, table)})"
    if table.name != CONCEPT:
        return query
    known = f"SELECT try_cast(concept_id AS BIGINT) FROM {table.view}"
    numbers = ", ".join(f"({number})" for number in sorted({*used})) or "(NULL)"
    kinds = {column.lower(): kind for column, kind, *_ in opened.rows(f"DESCRIBE {table.view}")}
    cells = ", ".join(
        f"({_added(opened, column)})::{kinds[column]} AS {own}" for column, own in spelled.items()
    )
    return (
        f"{query} UNION ALL SELECT {cells} FROM (VALUES {numbers}) AS used(number) "
        f"WHERE number IS NOT NULL AND number NOT IN ({known})"
    )


_ADDED = {
    "concept_id": "number",
    "concept_name": "'Concept ' || number || ' (not in the extract)'",
    "concept_code": "number::VARCHAR",
    "valid_start_date": "'1970-01-01'",
    "valid_end_date": "'2099-12-31'",
}
"""SQL for the cells of an added concept that are neither empty nor copied."""


def _added(opened: OpenedSet, column: str) -> str:
    """Return the SQL for a cell of the added concept `number`."""
    if column not in _OF_DESCENDANTS or ANCESTORS not in opened.tables:
        return _ADDED.get(column, "NULL")
    return (
        f"SELECT min(c.{column}) FROM {opened.tables[CONCEPT].view} c "
        f"JOIN {opened.tables[ANCESTORS].view} s "
        "ON try_cast(s.descendant_concept_id AS BIGINT) = try_cast(c.concept_id AS BIGINT) "
        "WHERE try_cast(s.ancestor_concept_id AS BIGINT) = number"
    )
