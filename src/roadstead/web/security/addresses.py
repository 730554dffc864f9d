"""Check the address of a table before anything is opened.

A path can be written in many ways (``~``, ``..``, ``%2e``, a link, ``file://``, ``omop:`` inside
the text), so it is not safe to search the text for paths. Instead, this module splits an address
with the same functions that open a table, and requires the path to be in an allowed folder. The
module then writes the address again with the real path, and splits the new address as a check.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from roadstead.errors import SettingError
from roadstead.places import Places
from roadstead.printable import named
from roadstead.tables.addresses import is_address, locate
from roadstead.tables.formats.options import is_there, part_of, with_options
from roadstead.tables.health import locations as health
from roadstead.tables.locations import CdmLocation, DatabaseLocation, FileLocation, Location
from roadstead.tables.stores.other.open import OtherLocation
from roadstead.verbs.taxonomy_texts import file_of_taxonomy

_SERVERS = frozenset(
    {
        *("athena", "bigquery", "clickhouse", "databricks", "druid", "exasol", "impala"),
        *("materialize", "mssql", "mysql", "oracle", "postgres", "risingwave"),
        *("singlestoredb", "snowflake", "trino"),
        *("pyspark", "spark"),
    }
)
"""The databases that are servers. Servers have their own tables and access rules."""


def table_of(places: Places, text: str) -> str:
    """Return the same table's address, with the real path.

    Raises
    ------
    InputError
        If the table is on this machine but not in an allowed folder, or if the text does not name a
        table.
    """
    if not is_address(text):
        return _path(places, text)
    location = locate(text)
    if isinstance(location, FileLocation):
        return _path(places, str(location.path))
    database = location.person if isinstance(location, CdmLocation) else location
    assert isinstance(database, DatabaseLocation)  # noqa: S101 - what there is besides a file
    written = _on_this_machine(places, location, database)
    return text if written is None else written


def file_of(places: Places, text: str) -> str:
    """Return the real path of an existing file or folder.

    Raises
    ------
    InputError
        If the path does not exist, or is not in an allowed folder.
    """
    real = places.require(Path(text))
    if not real.exists():
        raise SettingError("does not exist", where=named(text), fix="correct its path")
    places.require_no_way_out(real)
    return str(real)


def taxonomy_of(places: Places, text: str) -> str:
    """Return the same taxonomy with the real path of its file. A code system has no file."""
    found = file_of_taxonomy(text)
    if found is None:
        return text
    file, columns = found
    real = file_of(places, str(file))
    if file_of_taxonomy(f"{real}{columns}") != (Path(real), columns):
        raise _odd("the taxonomy")
    return f"{real}{columns}"


def _path(places: Places, text: str) -> str:
    """Check a path, or the path within a text that names a folder of health data."""
    there = _names_a_file(places, text)
    found = None if there else health.parse(text)
    file, options = (Path(text), {}) if there or found is not None else part_of(Path(text))
    real = places.require(file if found is None else found.folder)
    places.require_no_way_out(real)
    written = with_options(real, options) if found is None else replace(found, folder=real).address
    again = None if is_there(Path(written)) else health.parse(written)
    if is_address(written) or again != (found and replace(found, folder=real)):
        raise _odd()
    if found is None and part_of(Path(written)) != (real, options):
        raise _odd()
    return written


def _names_a_file(places: Places, text: str) -> bool:
    """Return whether the full text is a path. A list of fields can be too long for a path."""
    try:
        return places.placed(Path(text)).exists()
    except SettingError:
        return False


def _on_this_machine(places: Places, location: Location, database: DatabaseLocation) -> str | None:
    """Return the address of a database file with its real path, or None for a server."""
    own = _moved(places, database)
    if own is None:
        return None
    found = replace(location, person=own) if isinstance(location, CdmLocation) else own
    written = found.address
    if locate(written) != found:
        raise _odd()
    return written


def _moved(places: Places, database: DatabaseLocation) -> DatabaseLocation | None:
    """Return a database with the real path of its file, or None for a server."""
    if database.file is not None:
        return database.with_file(places.require(database.file))
    if isinstance(database, OtherLocation) and database.scheme == "sqlite":
        return replace(database, place=str(places.require(Path(database.place))), user=None)
    if database.store not in _SERVERS or any("/" in part for part in database.table.parts):
        raise SettingError(  # Spark reads files through tables whose names look like paths.
            "this is not a database table or a file that the workbench may open",
            where=f"{database.store}://",
            fix="save the table to a file in an allowed folder, and enter the path of that file",
        )
    return None


def _odd(where: str = "the table") -> SettingError:
    return SettingError(
        "has an ambiguous name",
        where=where,
        fix="rename the file or folder without the characters ? # : %",
    )
