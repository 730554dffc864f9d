"""Where a table in a DuckDB file is, and how it is read: attached to the private engine.

It is attached to be read only to the engine that reads files, so its spill files are encrypted and
lie where those of all sources do. The file may be a stranger's, and a view in it could read any
file of this machine into a release. So each file has an engine of its own, which can open nothing
else.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

from roadstead.errors import SourceError
from roadstead.tables import engine, files
from roadstead.tables.failures import engine_errors, from_engine
from roadstead.tables.locations import DatabaseLocation, TableName
from roadstead.tables.stores.address import AddressForm, path_of
from roadstead.tables.stores.duckdb.query import exact
from roadstead.tables.stores.names import no_table
from roadstead.tables.stores.store import Connection

if TYPE_CHECKING:
    import ibis

    from roadstead.tables.stores.address import Address

ATTACHED = "attached"
"""What the engine calls the file of a source."""


_FORM = AddressForm("duckdb:///path/file.duckdb?table=NAME")
FORMS = {"duckdb": _FORM}


@dataclass(frozen=True)
class DuckdbLocation(DatabaseLocation):
    """A table in a DuckDB file."""

    path: Path

    store = engine.BACKEND

    @property
    def file(self) -> Path:
        """The file."""
        return self.path

    @property
    def database_name(self) -> str:
        """The name of the file, without its ending."""
        return self.path.stem

    @property
    def database(self) -> DatabaseLocation:
        """The file."""
        return replace(self, table=TableName(""), path=self.path.absolute())

    @property
    def address(self) -> str:
        """The address, for a project file."""
        return f"duckdb://{quote(self.path.as_posix(), safe='/:@')}?table={quote(str(self.table))}"

    def with_file(self, file: Path) -> Self:
        """Give the same table of a file by another path."""
        return replace(self, path=file)


def locate(address: Address) -> DuckdbLocation:
    """Read an address."""
    # Not split like an address of the web: a file may be called almost anything.
    path, _, query = address.rest.partition("?")
    table, options = address.table(query)
    if not path or path.endswith("/"):
        raise address.wrong("names no file", f"write {_FORM.example}")
    if options:
        raise address.unknown(options[0][0])
    return DuckdbLocation(table, address.base / path_of(path))


def open_duckdb(location: DuckdbLocation, memory_limit: str) -> Connection:
    """Open a table of a DuckDB file."""
    path = files.existing_file(location.path)
    if not is_duckdb(path):
        raise SourceError("is not a DuckDB file", where=path.name, fix="name one, or a CSV file")
    started = engine.start(memory_limit)
    with contextlib.ExitStack() as undo:
        undo.callback(started.close)
        _attach(started, path)
        started.confine(path)
        table = table_in(started.backend, location)
        with engine_errors(location.called):
            table = exact(table)
        undo.pop_all()
    return Connection(table, engine.BACKEND, started.close)


def is_duckdb(path: Path) -> bool:
    """Return whether the bytes that tell a DuckDB file stand in it."""
    return files.first_bytes(path, 12)[8:] == b"DUCK"


def _attach(started: engine.PrivateEngine, path: Path) -> None:
    try:
        started.backend.con.execute(
            f"ATTACH {engine.literal(str(path.absolute()))} AS {ATTACHED} (READ_ONLY)"
        )
    except Exception as error:
        if not from_engine(error):
            raise
        what = "cannot be read by the DuckDB that is installed"
        fix = "copy it with the DuckDB that wrote it"
        if "lock" in str(error):
            what, fix = "is open elsewhere, for writing", "close it there first"
        raise SourceError(what, where=path.name, fix=fix) from None


def table_in(backend: Any, location: DuckdbLocation) -> ibis.Table:  # noqa: ANN401 - of Ibis
    """Give a table of the file that is attached to an engine.

    Raises SourceError: it is not there.
    """
    found = backend.con.execute(
        "SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = ?",
        [ATTACHED],
    ).fetchall()
    there = [TableName(name, schema) for schema, name in found]
    requested = TableName(location.table.name, location.table.schema or "main")
    if requested not in there:
        raise no_table(location.table, there, "main")
    with engine_errors(location.called), engine.quiet():
        return backend.table(requested.name, database=(ATTACHED, requested.schema))
