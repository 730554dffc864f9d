"""A table in PostgreSQL, read in one transaction that is read only and of one snapshot.

What is counted is what is released, whatever others write meanwhile (``REPEATABLE READ``), and the
server itself refuses anything that would make or change an object, temporary ones too.
"""

from __future__ import annotations

import contextlib
import weakref
from typing import TYPE_CHECKING, Any

from roadstead.errors import MissingExtraError
from roadstead.tables.databases.connection import Connection
from roadstead.tables.databases.refusals import no_table, not_allowed, opening
from roadstead.tables.locations import PostgresLocation, TableName

if TYPE_CHECKING:
    from collections.abc import Collection

    import ibis

_PATIENCE = "20"
"""Seconds to wait for a server, unless the address says otherwise."""

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


def open_postgres(location: PostgresLocation) -> Connection:
    """Open a table in PostgreSQL; raises as `roadstead.tables.databases.opening.connect`."""
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
    with opening(where):
        connection = psycopg.connect(
            host=location.host,
            port=location.port,
            dbname=location.database,
            user=location.user,
            client_encoding="UTF8",
            **settings,
        )
    with contextlib.ExitStack() as undo, opening(where):
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
        raise no_table(table, there, "public")
    schema, readable = found
    if not readable:
        raise not_allowed(str(table))
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
