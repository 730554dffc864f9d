"""A second table of the database that a source is in, read by the connection that reads the source.

So both are seen in one state, and what is made of the second can be joined to the first where they
lie; nothing has to be brought.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.tables import names
from roadstead.tables.addresses import locate
from roadstead.tables.databases import duckdb_file, postgres, spark
from roadstead.tables.databases.refusals import opening
from roadstead.tables.formats import Engine
from roadstead.tables.locations import (
    CdmLocation,
    DatabaseLocation,
    DuckdbLocation,
    OtherLocation,
    PostgresLocation,
    SparkLocation,
    TableName,
)
from roadstead.tables.source import Source

if TYPE_CHECKING:
    import ibis

_NOWHERE = TableName("")


def beside(source: Source, wanted: object) -> Source | None:
    """Open a table by the connection of another, if it is in the same database for the same user.

    Parameters
    ----------
    source
        The table that is open.
    wanted
        What names the second one: a text, a path, a location, or data of any kind.

    Returns
    -------
    Source or None
        The second table, which needs no closing; None where it is elsewhere.

    Raises
    ------
    SourceError
        It is in the same database and is not there, or may not be read; an address cannot be used.
    """
    location = locate(wanted) if isinstance(wanted, str | Path) else wanted
    own = source.location.person if isinstance(source.location, CdmLocation) else source.location
    if not isinstance(location, DuckdbLocation | PostgresLocation | SparkLocation | OtherLocation):
        return None
    if not isinstance(own, type(location)) or _database(own) != _database(location):
        return None
    table = _table(source, location)
    called = str(location.table)
    columns = names.checked(table.columns, called)
    form = Engine(str(table.get_backend().name))
    return Source(table, columns, called, form, location=location)


def _database(location: DatabaseLocation) -> DatabaseLocation:
    """Say where a table is, but not which it is."""
    if isinstance(location, DuckdbLocation):
        return replace(location, table=_NOWHERE, path=location.path.absolute())
    return replace(location, table=_NOWHERE)


def _table(source: Source, location: DatabaseLocation) -> ibis.Table:
    backend = source.table.get_backend()
    match location:
        case DuckdbLocation(table=wanted):
            return duckdb_file.table_in(backend, wanted)
        case PostgresLocation(table=wanted):
            return postgres.table_in(backend, wanted)
        case SparkLocation(table=wanted):
            with spark.spark_errors(str(wanted)):
                return spark.table_in(backend, location)
        case OtherLocation(table=wanted):
            with opening(str(wanted)):
                return backend.table(wanted.name, database=wanted.schema)
