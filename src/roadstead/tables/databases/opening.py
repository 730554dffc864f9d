"""Opening a table in a database: to read it, and to leave nothing there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.tables.databases import duckdb_file, others, postgres, spark
from roadstead.tables.locations import (
    DatabaseLocation,
    DuckdbLocation,
    OtherLocation,
    PostgresLocation,
    SparkLocation,
)

if TYPE_CHECKING:
    from roadstead.tables.databases.connection import Connection


def connect(location: DatabaseLocation, memory_limit: str) -> Connection:
    """Open a table.

    Parameters
    ----------
    location
        Where it is.
    memory_limit
        How much memory an engine in this process may use.

    Raises
    ------
    SourceError
        There is no such file, server, database or table, or it may not be read.
    MissingExtraError
        What Ibis needs for this kind of database is not installed.
    """
    match location:
        case DuckdbLocation():
            return duckdb_file.open_duckdb(location, memory_limit)
        case PostgresLocation():
            return postgres.open_postgres(location)
        case SparkLocation():
            return spark.open_spark(location)
        case OtherLocation():
            return others.open_other(location)
