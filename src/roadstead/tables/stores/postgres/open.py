"""Locate a table in PostgreSQL, and read it in one transaction with one snapshot.

The released data is the same as the counted data, even if other users write to the table between
the queries (``REPEATABLE READ``). The server itself rejects statements that would create or change
an object, including temporary objects.
"""

from __future__ import annotations

import contextlib
import re
import weakref
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from roadstead.errors import MissingExtraError, SourceError
from roadstead.tables.failures import opening
from roadstead.tables.locations import DatabaseLocation, TableName, query_of
from roadstead.tables.stores.address import AddressForm
from roadstead.tables.stores.names import no_table
from roadstead.tables.stores.store import Connection

if TYPE_CHECKING:
    from collections.abc import Collection

    import ibis

    from roadstead.tables.stores.address import Address

BACKEND = "postgres"
_FORM = AddressForm(
    "postgresql://host:5432/database?table=schema.name",
    password="set PGPASSWORD or PGSERVICE, or use ~/.pgpass",  # noqa: S106 - advice
)
FORMS = {"postgresql": _FORM, "postgres": _FORM}
_OPTIONS = (
    "application_name",
    "channel_binding",
    "connect_timeout",
    "gssencmode",
    "host",
    "keepalives",
    "krbsrvname",
    "passfile",
    "port",
    "require_auth",
    "service",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "target_session_attrs",
)
"""Connection settings that an address may contain. None of the settings allows writing."""

_PATIENCE = "20"
"""The number of seconds to wait for a server, unless the address contains a different number."""

SESSION = (
    "SET DateStyle = ISO",
    "SET IntervalStyle = postgres",
    "SET extra_float_digits = 1",
    "SET bytea_output = hex",
    "SET cursor_tuple_fraction = 1",
)
"""Settings that make the text of values independent of the settings of the server and the user."""

SNAPSHOTS: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
"""The snapshot of each connection, so that other connections can see the same data."""

_EXPORT = "SELECT pg_catalog.pg_export_snapshot()"
_FIND = """
SELECT n.nspname, has_any_column_privilege(c.oid, 'SELECT')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname = %(name)s
  AND CASE WHEN %(schema)s::text IS NULL THEN n.nspname = ANY(current_schemas(false))
      ELSE n.nspname = %(schema)s::text END
ORDER BY array_position(current_schemas(false), n.nspname)
"""
_ODD = """
SELECT a.attname, coalesce(to_jsonb(l) ->> 'collisdeterministic', 'true')::boolean
FROM pg_catalog.pg_attribute a
  JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation
WHERE n.nspname = %(schema)s AND c.relname = %(name)s AND a.attnum > 0 AND NOT a.attisdropped
  AND (t.typtype = 'e' OR t.typname IN ('bpchar', 'citext', 'money', 'timetz')
       OR to_jsonb(l) ->> 'collisdeterministic' = 'false')
"""
_LIST = """
SELECT n.nspname, c.relname
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_|^information_schema$'
  AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
ORDER BY 1, 2
"""


@dataclass(frozen=True)
class PostgresLocation(DatabaseLocation):
    """A table in PostgreSQL. libpq takes missing settings from the environment."""

    host: str | None = None
    port: int | None = None
    dbname: str | None = None
    user: str | None = field(default=None, repr=False)
    options: tuple[tuple[str, str], ...] = ()  # further settings, by libpq's names

    store = BACKEND

    @property
    def database_name(self) -> str:
        """Return the name of the database, or a general name if the address contains none."""
        return super().database_name if self.dbname is None else self.dbname

    @property
    def address(self) -> str:
        """The address without the user, for a project file."""
        host = "" if self.host is None else self.host
        host = f"[{host}]" if ":" in host else quote(host, safe="")
        port = "" if self.port is None else f":{self.port}"
        database = quote(self.dbname or "", safe="")
        return f"postgresql://{host}{port}/{database}?{query_of(self.table, self.options)}"


def locate(address: Address) -> PostgresLocation:
    """Convert an address to a location."""
    parts = address.split()
    table, given = address.table(parts.query)
    options = dict(given)
    address = replace(address, scheme="postgresql")  # the same scheme in all messages

    for name, _ in given:
        if name not in _OPTIONS:
            raise address.unknown(name, _OPTIONS)
    if len(options) < len(given):
        raise address.wrong("repeats a setting", "give it once")
    # The host is used as written, because a folder of sockets may have capital letters.
    written = parts.netloc.rpartition("@")[2]
    ends = "]" if written.startswith("[") else ":"
    host = unquote(written.removeprefix("[").partition(ends)[0])
    if host and ("," in host or "host" in options):
        raise address.wrong("names several hosts", "name one host")
    database = parts.path.removeprefix("/")
    if "/" in database:
        raise address.wrong("has a / after the name of the database", f"write {_FORM.example}")
    port = options.pop("port", None) if parts.port is None else str(parts.port)
    if port is not None and not re.fullmatch(r"\d{1,5}", port, re.ASCII):
        raise address.wrong("has a port that is not a number", f"write {_FORM.example}")
    return PostgresLocation(
        table,
        host=host or options.pop("host", None),
        port=None if port is None else int(port),
        dbname=unquote(database) or None,
        user=unquote(parts.username) if parts.username else None,
        options=tuple(sorted(options.items())),
    )


def open_postgres(location: PostgresLocation, _memory_limit: str) -> Connection:
    """Open a table in PostgreSQL."""
    connection = connect(location)
    with contextlib.ExitStack() as undo, opening(location.called):
        import ibis  # noqa: PLC0415 - heavy
        import psycopg  # noqa: PLC0415 - an extra

        undo.callback(connection.close)
        connection.read_only = True
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        # This begins the transaction. From now on, each transaction of Ibis is a savepoint within
        # this transaction, and a savepoint cannot export a snapshot.
        try:
            (SNAPSHOTS[connection],) = connection.execute(_EXPORT).fetchone()
        except psycopg.Error:  # a server of a different product with the same protocol
            connection.rollback()
        for setting in SESSION:
            connection.execute(setting)
        backend = ibis.postgres.from_connection(connection)
        table = table_in(backend, location)
        weakref.finalize(backend, connection.close)  # every expression keeps the backend alive
        undo.pop_all()
    return Connection(table, BACKEND, connection.close)


def connect(location: PostgresLocation) -> Any:  # noqa: ANN401 - psycopg is only a guest
    """Connect to the database that contains a table. Raises the same errors as `open_postgres`."""
    try:
        import ibis  # noqa: PLC0415 - heavy
        import psycopg  # noqa: PLC0415 - an extra

        _ = ibis.postgres
    except ImportError:
        what, fix = "PostgreSQL requires psycopg", "pip install 'roadstead[postgres]'"
        raise MissingExtraError(what, where=location.called, fix=fix) from None
    settings: dict[str, Any] = {
        "connect_timeout": _PATIENCE,
        "application_name": "roadstead",
        **dict(location.options),
        **{name: getattr(location, name) for name in ("host", "port", "dbname", "user")},
    }
    with opening(location.called):
        return psycopg.connect(client_encoding="UTF8", **settings)


def table_in(backend: Any, location: PostgresLocation) -> ibis.Table:  # noqa: ANN401 - of Ibis
    """Return a table of an open connection, within the connection's transaction."""
    with opening(location.called):
        return named(backend, _schema(backend.con, location.table), location.table.name)


def named(backend: Any, schema: str, name: str) -> ibis.Table:  # noqa: ANN401 - as above
    """Return a table by its exact names. Ibis itself would parse the dots in a schema as SQL."""
    import ibis.expr.operations as ops  # noqa: PLC0415 - heavy

    columns = backend.get_schema(name, database=schema)
    place = ops.Namespace(database=schema)
    table = ops.DatabaseTable(name, schema=columns, source=backend, namespace=place).to_expr()
    odd = backend.con.execute(_ODD, {"name": name, "schema": schema}).fetchall()
    table = _untyped(table, {name for name, _ in odd})
    folding = {name for name, deterministic in odd if not deterministic}
    return _by_bytes(table, folding, schema) if folding else table


def _schema(connection: Any, table: TableName) -> str:  # noqa: ANN401 - psycopg is only a guest
    """Return the schema of a table that the user may read."""
    requested = {"name": table.name, "schema": table.schema}
    found = connection.execute(_FIND, requested).fetchone()
    if found is None:
        there = [TableName(name, schema) for schema, name in connection.execute(_LIST).fetchall()]
        raise no_table(table, there, "public")
    schema, readable = found
    if not readable:
        fix = "request the right to SELECT, or name another user"
        raise SourceError("you do not have permission to read it", where=str(table), fix=fix)
    return str(schema)


def _untyped(table: ibis.Table, odd: Collection[str]) -> ibis.Table:
    """Give columns the type unknown if Ibis would treat them as the wrong type.

    An enumeration is not a string, because it cannot be compared with an empty string. If
    PostgreSQL compared values as strings, values that differ in case, trailing blanks, or time zone
    could become equal. If a value has an unknown type, its text is the text that PostgreSQL writes.
    """
    import ibis.expr.datatypes as dt  # noqa: PLC0415 - heavy
    import ibis.expr.schema as sch  # noqa: PLC0415 - heavy

    kinds = {name: dt.unknown if name in odd else kind for name, kind in table.schema().items()}
    return table.op().copy(schema=sch.Schema(kinds)).to_expr()


def _by_bytes(table: ibis.Table, folding: Collection[str], schema: str) -> ibis.Table:
    """Distinguish strings that a collation treats as equal. Every other engine does the same.

    Otherwise, the server would return an arbitrary string from each group of equal strings, and a
    join with labels would return too many rows.
    """
    from psycopg import sql  # noqa: PLC0415 - an extra

    columns = [
        sql.SQL('{0} COLLATE "C" AS {0}' if name in folding else "{0}").format(sql.Identifier(name))
        for name in table.columns
    ]
    query = sql.SQL("SELECT {} FROM {}").format(
        sql.SQL(", ").join(columns), sql.Identifier(schema, table.op().name)
    )
    return table.get_backend().sql(query.as_string(), schema=table.schema())
