"""A table in any other database that Ibis connects to; who only may read there can only read."""

from __future__ import annotations

from pathlib import Path

from roadstead.errors import MissingExtraError, SourceError
from roadstead.tables import files
from roadstead.tables.databases.connection import Connection
from roadstead.tables.databases.refusals import opening
from roadstead.tables.locations import OtherLocation


def open_other(location: OtherLocation) -> Connection:
    """Open a table with Ibis; raises as `roadstead.tables.databases.opening.connect`."""
    import ibis  # noqa: PLC0415 - heavy
    from ibis.util import backend_entry_points  # noqa: PLC0415 - heavy

    where = str(location.table)
    if location.scheme not in {entry.name for entry in backend_entry_points()}:
        raise SourceError(
            "no kind of database has this name; files are read from a disk",
            where=f"{location.scheme}://",
            mend="save it to a file, or give the address of a database that Ibis knows",
        )
    if location.scheme == "sqlite":
        files.existing_file(Path(location.place))  # SQLite would make a new one
    try:
        with opening(where):
            backend = ibis.connect(location.connection)
            database = location.table.schema
            table = backend.table(location.table.name, database=database)
    except ImportError:
        raise MissingExtraError(
            f"{location.scheme} needs an extra of Ibis",
            where=where,
            mend=f"pip install 'ibis-framework[{location.scheme}]'",
        ) from None
    return Connection(table, str(backend.name), backend.disconnect)
