"""Opening a table in a database: to read it, and to leave nothing there.

A DuckDB file is attached, to be read only, to the private engine that reads files, so its spill
files are encrypted and lie where those of all sources do. In PostgreSQL a whole run is one
transaction, read only and of one snapshot (``REPEATABLE READ``): what is counted is what is
released, whatever others write meanwhile, and the server itself refuses anything that would make or
change an object, temporary ones too. Any other database is opened by ``ibis.connect``; who only may
read there can only read.

Drivers put hosts, users and data into their messages. None of these is passed on: a failure is
recognized by its SQLSTATE, or by fixed words of libpq, and said anew.
"""

from __future__ import annotations

import contextlib
import difflib
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.errors import MissingExtraError, RoadsteadError, SourceError
from roadstead.tables import engine, files
from roadstead.tables.failures import engine_errors, from_engine
from roadstead.tables.locations import (
    DatabaseLocation,
    DuckdbLocation,
    OtherLocation,
    PostgresLocation,
    TableName,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    import ibis

_ATTACHED = "attached"
_MAGIC, _MAGIC_AT = b"DUCK", 8
_PATIENCE = "20"
"""Seconds to wait for a server, unless the address says otherwise."""

_LET_IN = "set PGPASSWORD or PGSERVICE, or use ~/.pgpass"

_SESSION = (
    "SET DateStyle = ISO",
    "SET IntervalStyle = postgres",
    "SET extra_float_digits = 1",
    "SET bytea_output = hex",
    "SET cursor_tuple_fraction = 1",
)
"""One text for one value, whatever the server, the database or the user is set to."""

_FIND = """
SELECT n.nspname, has_any_column_privilege(c.oid, 'SELECT')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname = %(name)s
  AND CASE WHEN %(schema)s::text IS NULL THEN n.nspname = ANY(current_schemas(false))
      ELSE n.nspname = %(schema)s::text END
ORDER BY array_position(current_schemas(false), n.nspname)
"""
_ODD = """
SELECT a.attname
FROM pg_catalog.pg_attribute a
  JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
WHERE n.nspname = %(schema)s AND c.relname = %(name)s AND a.attnum > 0 AND NOT a.attisdropped
  AND (t.typtype = 'e' OR t.typname IN ('citext', 'money', 'timetz'))
"""
_LIST = """
SELECT n.nspname, c.relname
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_|^information_schema$'
  AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
ORDER BY 1, 2
"""


@dataclass(frozen=True)
class Connection:
    """A table of a database, and what ends the connection to it.

    Attributes
    ----------
    table
        The table.
    backend
        The kind of database, by Ibis's name for it.
    close
        Ends the connection; to call it twice is harmless.
    """

    table: ibis.Table
    backend: str
    close: Callable[[], None]


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
            return _duckdb(location, memory_limit)
        case PostgresLocation():
            return _postgres(location)
        case OtherLocation():
            return _other(location)


def _duckdb(location: DuckdbLocation, memory_limit: str) -> Connection:
    path = files.existing_file(location.path)
    if files.first_bytes(path, _MAGIC_AT + len(_MAGIC))[_MAGIC_AT:] != _MAGIC:
        raise SourceError("is not a DuckDB file", where=path.name, mend="name one, or a CSV file")
    started = engine.start(memory_limit)
    with contextlib.ExitStack() as undo:
        undo.callback(started.close)
        _attach(started, path)
        table = _attached(started, location)
        undo.pop_all()
    return Connection(table, "duckdb", started.close)


def _attach(started: engine.PrivateEngine, path: Path) -> None:
    literal = "'" + str(path.absolute()).replace("'", "''") + "'"
    try:
        started.backend.con.execute(f"ATTACH {literal} AS {_ATTACHED} (READ_ONLY)")
    except Exception as error:
        if not from_engine(error):
            raise
        locked = "lock" in str(error)
        raise SourceError(
            "is open elsewhere, for writing"
            if locked
            else "cannot be read by the DuckDB that is installed",
            where=path.name,
            mend="close it there first" if locked else "copy it with the DuckDB that wrote it",
        ) from None


def _attached(started: engine.PrivateEngine, location: DuckdbLocation) -> ibis.Table:
    found = started.backend.con.execute(
        "SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = ?",
        [_ATTACHED],
    ).fetchall()
    there = [TableName(name, schema) for schema, name in found]
    wanted = TableName(location.table.name, location.table.schema or "main")
    if wanted not in there:
        raise _no_table(location.table, there, "main")
    with engine_errors(str(location.table)):
        return started.table_of(_ATTACHED, wanted.schema or "main", wanted.name)


def _postgres(location: PostgresLocation) -> Connection:
    where = str(location.table)
    try:
        import ibis  # noqa: PLC0415 - heavy
        import psycopg  # noqa: PLC0415 - an extra

        postgres = ibis.postgres
    except ImportError:
        raise MissingExtraError(
            "PostgreSQL needs psycopg", where=where, mend="pip install 'roadstead[postgres]'"
        ) from None
    settings: dict[str, Any] = {
        "connect_timeout": _PATIENCE,
        "application_name": "roadstead",
        **dict(location.options),
    }
    with _opening(where):
        connection = psycopg.connect(
            host=location.host,
            port=location.port,
            dbname=location.database,
            user=location.user,
            client_encoding="UTF8",
            **settings,
        )
    with contextlib.ExitStack() as undo, _opening(where):
        undo.callback(connection.close)
        connection.read_only = True
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        # This begins the transaction; what Ibis calls one is a savepoint within it from here on.
        for setting in _SESSION:
            connection.execute(setting)
        schema = _schema(connection, location.table)
        backend = postgres.from_connection(connection)
        name = location.table.name
        odd = connection.execute(_ODD, {"name": name, "schema": schema}).fetchall()
        table = _untyped(backend.table(name, database=schema), {column for (column,) in odd})
        weakref.finalize(backend, connection.close)  # every expression keeps the backend alive
        undo.pop_all()
    return Connection(table, "postgres", connection.close)


def _schema(connection: Any, table: TableName) -> str:  # noqa: ANN401 - psycopg is only a guest
    """Find the schema of a table that may be read."""
    wanted = {"name": table.name, "schema": table.schema}
    found = connection.execute(_FIND, wanted).fetchone()
    if found is None:
        there = [TableName(name, schema) for schema, name in connection.execute(_LIST).fetchall()]
        raise _no_table(table, there, "public")
    schema, readable = found
    if not readable:
        raise _not_allowed(str(table))
    return str(schema)


def _untyped(table: ibis.Table, odd: Collection[str]) -> ibis.Table:
    """Declare columns to be of no known type, where Ibis takes them for what they are not.

    An enumeration is no text, since it cannot be compared with an empty one; a text that ignores
    case, or a time with its zone, would lose what tells its values apart. Of a type that is not
    known, the text of a value is what PostgreSQL makes of it.
    """
    import ibis.expr.datatypes as dt  # noqa: PLC0415 - heavy
    import ibis.expr.schema as sch  # noqa: PLC0415 - heavy

    kinds = {name: dt.unknown if name in odd else kind for name, kind in table.schema().items()}
    return table.op().copy(schema=sch.Schema(kinds)).to_expr()


def _other(location: OtherLocation) -> Connection:
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
        with _opening(where):
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


@contextlib.contextmanager
def _opening(where: str) -> Iterator[None]:
    """Say in our words why a database cannot be opened."""
    try:
        yield
    except (RoadsteadError, ImportError, KeyboardInterrupt):
        raise
    except Exception as error:  # noqa: BLE001 - any driver's, and each may quote the address
        raise _refused(error, where) from None


def _refused(error: Exception, where: str) -> SourceError:
    text, state = str(error), str(getattr(error, "sqlstate", None) or "")
    name = type(error).__name__
    for sign, what, mend in (
        ("no password supplied", "the server wants a password", _LET_IN),
        ("authentication failed", "the server refuses this user or password", _LET_IN),
        ("pg_hba.conf", "the server lets nobody in this way", "ask who runs the server"),
        ("Connection refused", "no server answers there", "check host and port"),
        ("could not translate host", "there is no such host", "check its name"),
        ("resolve host", "there is no such host", "check its name"),
        ("No such file or directory", "no server answers there", "name a host in the address"),
        ("timeout expired", "the server does not answer", "check host, port and firewall"),
        ("timed out", "the server does not answer", "check host, port and firewall"),
        ("does not support SSL", "the server has no TLS", "check sslmode in the address"),
        ("certificate", "the server's certificate is not accepted", "check sslrootcert"),
        ("definition of service", "PGSERVICE is not defined", "check ~/.pg_service.conf"),
        ("invalid sslmode", "sslmode has a value that is none", "use verify-full or require"),
    ):
        if sign in text:
            return SourceError(what, where=where, mend=mend)
    if (state or name) in {"3D000", "InvalidCatalogName"} or _no_database(text):
        return SourceError("there is no such database", where=where, mend="check its name")
    if state.startswith("28") or (text.endswith("does not exist") and 'role "' in text):
        return SourceError("the server refuses this user", where=where, mend="name another")
    if state == "42501":
        return _not_allowed(where)
    if name == "TableNotFound":
        return _no_table(TableName(where), [], "")
    return SourceError(
        f"the database cannot be opened ({name})", where=where, mend="check the address"
    )


def _no_database(text: str) -> bool:
    return 'database "' in text and "does not exist" in text


def _no_table(wanted: TableName, there: Sequence[TableName], usual: str) -> SourceError:
    """Say that a table is not there, and which one is called alike."""
    shown = {
        str(TableName(one.name) if wanted.schema is None and one.schema == usual else one)
        for one in there
    }
    folded = {one.casefold(): one for one in sorted(shown)}
    bare = {one.name.casefold(): str(one) for one in there}
    near = difflib.get_close_matches(str(wanted).casefold(), list(folded), n=1)
    other = bare.get(wanted.name.casefold())
    best = folded[near[0]] if near else other
    mend = f"did you mean {best}?" if best else "check its name and schema"
    return SourceError("there is no such table", where=str(wanted), mend=mend)


def _not_allowed(where: str) -> SourceError:
    return SourceError(
        "you may not read it", where=where, mend="ask for the right to SELECT, or name another user"
    )
