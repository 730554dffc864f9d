"""A table in any other database that Ibis connects to; who only may read there can only read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from roadstead.errors import MissingExtraError, SourceError
from roadstead.tables import files
from roadstead.tables.databases.connection import Connection
from roadstead.tables.databases.refusals import opening
from roadstead.tables.locations import OtherLocation


def open_other(location: OtherLocation) -> Connection:
    """Open a table with Ibis; raises as `roadstead.tables.databases.opening.connect`."""
    backend = connect(location)
    with opening(str(location.table)):
        table = backend.table(location.table.name, database=location.table.schema)
    return Connection(table, str(backend.name), backend.disconnect)


def connect(location: OtherLocation) -> Any:  # noqa: ANN401 - Ibis does not say
    """Connect to the database of a table; raises as `open_other`."""
    import ibis  # noqa: PLC0415 - heavy
    from ibis.util import backend_entry_points  # noqa: PLC0415 - heavy

    if location.scheme not in {entry.name for entry in backend_entry_points()}:
        raise SourceError(
            "no kind of database has this name; files are read from a disk",
            where=f"{location.scheme}://",
            fix="save it to a file, or give the address of a database that Ibis knows",
        )
    if location.scheme == "sqlite":
        files.existing_file(Path(location.place))  # SQLite would make a new one
    try:
        with opening(str(location.table)):
            return ibis.connect(location.connection)
    except ImportError:
        raise MissingExtraError(
            f"{location.scheme} needs an extra of Ibis",
            where=str(location.table),
            fix=f"pip install 'ibis-framework[{location.scheme}]'",
        ) from None
