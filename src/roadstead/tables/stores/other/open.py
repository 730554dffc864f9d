"""Open any other database to which Ibis can connect. The permission to read is enough."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from roadstead.errors import MissingExtraError, SourceError
from roadstead.tables import files
from roadstead.tables.failures import opening
from roadstead.tables.locations import DatabaseLocation, query_of
from roadstead.tables.stores.store import Connection

if TYPE_CHECKING:
    import ibis

    from roadstead.tables.stores.address import Address


@dataclass(frozen=True)
class OtherLocation(DatabaseLocation):
    """A table in a database to which Ibis can connect, and which does not have its own store."""

    scheme: str  # the kind of database, by its name in Ibis
    place: str  # the text between the scheme and the query, without the user
    user: str | None = field(default=None, repr=False)  # as written in the address
    options: tuple[tuple[str, str], ...] = ()  # the other settings of the query

    @property
    def store(self) -> str:
        """Return the name of this kind of database in Ibis."""
        return self.scheme

    @property
    def address(self) -> str:
        """The address without the user, for a project file."""
        return f"{self.scheme}://{self.place}?{query_of(self.table, self.options)}"

    @property
    def connection(self) -> str:
        """The address for connecting, which has the user, but not the table."""
        user = "" if self.user is None else f"{self.user}@"
        query = "&".join(f"{quote(name)}={quote(value)}" for name, value in self.options)
        return f"{self.scheme}://{user}{self.place}" + (f"?{query}" if query else "")


def locate(address: Address) -> OtherLocation:
    """Convert an address to a location. The database's own driver interprets the address."""
    parts = address.split()
    table, options = address.table(parts.query)
    user, at, place = parts.netloc.rpartition("@")
    return OtherLocation(table, address.scheme, place + parts.path, user if at else None, options)


def open_other(location: OtherLocation, _memory_limit: str) -> Connection:
    """Open a table with Ibis."""
    backend = connect(location)
    return Connection(table_in(backend, location), str(backend.name), backend.disconnect)


def table_in(backend: Any, location: OtherLocation) -> ibis.Table:  # noqa: ANN401 - of Ibis
    """Return a table of an open backend."""
    with opening(location.called):
        return backend.table(location.table.name, database=location.table.schema)


def connect(location: OtherLocation) -> Any:  # noqa: ANN401 - of Ibis
    """Connect to the database of a table."""
    import ibis  # noqa: PLC0415 - heavy
    from ibis.util import backend_entry_points  # noqa: PLC0415 - heavy

    if location.scheme not in {entry.name for entry in backend_entry_points()}:
        what = "Roadstead does not know this kind of database, and reads files only from a disk"
        fix = "save it to a file, or give the address of a database that Ibis knows"
        raise SourceError(what, where=f"{location.scheme}://", fix=fix)
    if location.scheme == "sqlite":
        files.existing_file(Path(location.place))  # SQLite would create a new file
    try:
        with opening(location.called):
            return ibis.connect(location.connection)
    except ImportError:
        what = f"{location.scheme} requires an extra of Ibis"
        fix = f"pip install 'ibis-framework[{location.scheme}]'"
        raise MissingExtraError(what, where=location.called, fix=fix) from None


def list_tables(backend: Any, schema: str | None, catalog: str | None) -> list[str]:  # noqa: ANN401 - of Ibis
    """List the tables of a schema."""
    database = schema if catalog is None or schema is None else (catalog, schema)
    return [str(name) for name in backend.list_tables(database=database)]


def instants(table: ibis.Table) -> frozenset[str]:
    """Return the columns of instants."""
    kinds = table.schema().items()
    return frozenset(
        name for name, kind in kinds if kind.is_timestamp() and kind.timezone is not None
    )
