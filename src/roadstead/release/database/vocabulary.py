"""Tables of no persons: vocabularies, released as they are but for what a site made itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.tables.database.omop import LOCAL, concept_columns
from roadstead.tables.stores.names import quoted_name

if TYPE_CHECKING:
    from roadstead.tables.database.opening import OpenedSet, SetTable


def local_concepts(opened: OpenedSet, table: SetTable) -> str:
    """Write the condition that a row of a vocabulary speaks of a concept that a site made."""
    if not opened.numbered:
        return "false"
    found = [
        f"coalesce(try_cast({quoted_name(column)} AS BIGINT) >= {LOCAL}, false)"
        for column in concept_columns(table.columns)
    ]
    return " OR ".join(found) or "false"


def released_reference(opened: OpenedSet, table: SetTable) -> str:
    """Write the query of a released table of no persons."""
    cells = ", ".join(
        f"{quoted_name(column)} AS {quoted_name(table.spelled[column])}" for column in table.columns
    )
    return f"SELECT {cells} FROM {table.view} WHERE NOT ({local_concepts(opened, table)})"
