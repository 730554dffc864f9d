"""A table in any other database that Ibis connects to; who only may read there can only read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.errors import MissingExtraError, SourceError
from roadstead.tables import files
from roadstead.tables.failures import opening
from roadstead.tables.stores.store import Connection

if TYPE_CHECKING:
    import ibis

    from roadstead.tables.stores.other.location import OtherLocation


def open_other(location: OtherLocation, _memory_limit: str) -> Connection:
    """Open a table with Ibis."""
    backend = connect(location)
    return Connection(table_in(backend, location), str(backend.name), backend.disconnect)


def table_in(backend: Any, location: OtherLocation) -> ibis.Table:  # noqa: ANN401 - of Ibis
    """Give a table of an open backend."""
    with opening(location.called):
        return backend.table(location.table.name, database=location.table.schema)


def connect(location: OtherLocation) -> Any:  # noqa: ANN401 - of Ibis
    """Connect to the database of a table."""
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
        with opening(location.called):
            return ibis.connect(location.connection)
    except ImportError:
        raise MissingExtraError(
            f"{location.scheme} needs an extra of Ibis",
            where=location.called,
            fix=f"pip install 'ibis-framework[{location.scheme}]'",
        ) from None
