"""The tables of an OMOP CDM in a database, opened by one connection and only read."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from roadstead.errors import SourceError
from roadstead.tables.health import cdm_tables as cdm
from roadstead.tables.stores.access import connect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roadstead.tables.locations import CdmLocation
    from roadstead.tables.stores.store import Connection


def connected(location: CdmLocation, memory_limit: str) -> Connection:
    """Open the table PERSON, whose name some write in capitals.

    Raises
    ------
    SourceError, MissingExtraError
        As `roadstead.tables.stores.access.connect`.
    """
    person = location.person
    capitals = replace(person, table=replace(person.table, name=person.table.name.upper()))
    try:
        return connect(person, memory_limit)
    except SourceError as error:
        try:
            return connect(capitals, memory_limit)
        except SourceError:
            raise error from None


def places(opened: Connection, location: CdmLocation) -> dict[str, cdm.Place]:
    """Find the tables beside PERSON by name, in small letters."""
    import ibis.expr.operations as ops  # noqa: PLC0415 - heavy

    (person, *_) = opened.table.op().find(ops.DatabaseTable) or (None,)
    there = location.person.table
    schema, catalog = there.schema, there.catalog
    if person is not None:  # where the database has found it by itself
        schema, catalog = person.namespace.database, person.namespace.catalog
    return cdm.in_backend(opened.table.get_backend(), schema, catalog)


@contextlib.contextmanager
def tables_of(location: CdmLocation, memory_limit: str) -> Iterator[dict[str, cdm.Place]]:
    """Open the tables for as long as a block lasts."""
    opened = connected(location, memory_limit)
    try:
        yield places(opened, location)
    finally:
        opened.close()
