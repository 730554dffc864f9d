"""Create a new table in PostgreSQL in one transaction.

The table is written and checked under a temporary name, which no other user sees, and is renamed
immediately before ``COMMIT``. If the source is in the same database and has the same user, the
source's workbench creates the table, and no row leaves the server. Otherwise, ``COPY`` sends the
rows, which must be a release.
"""

from __future__ import annotations

import contextlib
import io
from typing import TYPE_CHECKING, Any, NamedTuple

from roadstead.errors import OutputError, quoted
from roadstead.tables.engine import compiled
from roadstead.tables.failures import engine_errors, writing
from roadstead.tables.stores.names import MADE, fresh, quoted_name
from roadstead.tables.stores.postgres.open import BACKEND, SESSION, connect, named
from roadstead.tables.stores.postgres.query import OURS, array_literal, server_type
from roadstead.tables.stores.staged import refusal
from roadstead.tables.stores.store import Destination
from roadstead.tables.transfer import portable, stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import ibis
    import pyarrow as pa

    from roadstead.tables.source import Source
    from roadstead.tables.stores.postgres.open import PostgresLocation

_SAVED = "roadstead_staged"
_LONGEST_NAME = 63
_PATIENCE = "SET LOCAL lock_timeout = '20s'"
"""The time to wait while another user locks a table that is to be replaced."""

_SCHEMA = """
SELECT n.nspname, has_schema_privilege(n.oid, 'CREATE')
FROM pg_catalog.pg_namespace n
WHERE CASE WHEN %(schema)s::text IS NULL
      THEN n.nspname = ANY(current_schemas(false)) AND has_schema_privilege(n.oid, 'CREATE')
      ELSE n.nspname = %(schema)s::text END
ORDER BY array_position(current_schemas(false), n.nspname)
LIMIT 1
"""
_NAMESAKE = """
SELECT c.relkind::text, pg_has_role(c.relowner, 'USAGE'), EXISTS (
    SELECT FROM pg_catalog.pg_depend d
    WHERE d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = c.oid
      AND d.classid = 'pg_catalog.pg_rewrite'::regclass)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %(schema)s AND c.relname = %(name)s
"""
_DATABASE = """
SELECT extract(epoch FROM pg_catalog.pg_postmaster_start_time())::text, current_database(),
       current_user
"""


def open_sink(location: PostgresLocation, source: Source, force: bool) -> Destination:  # noqa: FBT001 - of a store
    """Open the place for a new table. Raises an error if the table cannot be created."""
    return _Destination(location, source, force=force)


class _Destination(Destination):
    """The place of a new table in PostgreSQL. `force` allows replacing a table."""

    backend = BACKEND

    def __init__(self, location: PostgresLocation, source: Source, *, force: bool) -> None:
        self.name = str(location.table)
        self._location = location
        self._source = source
        self._force = force
        _check_names([location.table.name, location.table.schema or ""], self.name)
        with contextlib.closing(connect(location)) as connection, writing(self.name):
            self._final = self._rehearsed(connection)
            self._user = _user(connection)
        self._hidden = _Place(self._final.schema, fresh("staged"))
        self._connection: Any = None
        self._own = self._saved = False

    def write(self, rows: ibis.Table) -> ibis.Table:
        """Write rows within a transaction, under a hidden name."""
        _check_names(rows.columns, self.name)
        there = rows.get_backend()
        if there.name == BACKEND and there.con in OURS and _user(there.con) == self._user:
            backend = self._made_there(rows, there)
        else:
            backend = self._brought(rows)
        self._run(f"COMMENT ON TABLE {self._hidden} IS '{MADE}'")
        self._run(f"ANALYZE {self._hidden}")
        return named(backend, self._hidden.schema, self._hidden.name)

    def appear(self) -> None:
        """Give the table its final name, and commit."""
        self._run(_PATIENCE)
        if self._force:
            self._run(f"DROP TABLE IF EXISTS {self._final}")
        self._run(f"ALTER TABLE {self._hidden} RENAME TO {quoted_name(self._final.name)}")
        self._connection.commit()

    def disappear(self) -> None:
        """Drop the table. A replaced table is not restored."""
        self._run(f"DROP TABLE IF EXISTS {self._final}")
        self._connection.commit()

    def discard(self) -> None:
        """Undo the creation of the table. Objects that a workbench created earlier are kept."""
        if self._saved:
            self._run(f"ROLLBACK TO SAVEPOINT {_SAVED}")

    def close(self) -> None:
        """Close the sink's own connection. This undoes everything that is not committed."""
        if self._own:
            self._connection.close()

    def _run(self, statement: str) -> None:
        self._connection.execute(statement)

    def _rehearsed(self, connection: Any) -> _Place:  # noqa: ANN401 - psycopg is only a guest
        """To find problems before other work begins, create the table and undo the creation."""
        table = self._location.table
        found = connection.execute(_SCHEMA, {"schema": table.schema}).fetchone()
        if found is None and table.schema is not None:
            raise refusal("schema", self.name)
        if found is None or not found[1]:
            fix = "request the right to CREATE in its schema, or name another schema"
            raise OutputError(
                "you do not have permission to create a table there", where=self.name, fix=fix
            )
        place = _Place(found[0], table.name)
        self._check_namesake(place, connection)
        hidden = _Place(place.schema, fresh("staged"))
        connection.execute(_PATIENCE)
        connection.execute(f"CREATE TABLE {hidden} ()")
        if self._force:
            connection.execute(f"DROP TABLE IF EXISTS {place}")
        connection.execute(f"ALTER TABLE {hidden} RENAME TO {quoted_name(place.name)}")
        connection.rollback()
        return place

    def _check_namesake(self, place: _Place, connection: Any) -> None:  # noqa: ANN401 - ditto
        """Raise an error if the new table would replace an object that must not be replaced."""
        found = connection.execute(_NAMESAKE, place._asdict()).fetchone()
        if found is None:
            return
        kind, owned, depended_on = found
        if self._is_source(place, connection):
            raise refusal("source", self.name)
        if kind not in ("r", "p"):
            what = "this is a view, or another object that is not a table"
            raise OutputError(what, where=self.name, fix="name another table")
        if not self._force:
            raise refusal("exists", self.name)
        if depended_on:
            raise refusal("needed", self.name)
        if not owned:
            raise OutputError(
                "it belongs to another user", where=self.name, fix="name another table"
            )

    def _is_source(self, place: _Place, connection: Any) -> bool:  # noqa: ANN401 - as above
        """Return whether the query of the source reads this table."""
        import sqlglot  # noqa: PLC0415 - heavy

        table = self._source.table
        backend = table.get_backend()
        if backend.name != BACKEND or _user(backend.con)[:2] != _user(connection)[:2]:
            return False
        query = sqlglot.parse_one(backend.compile(table), read=BACKEND)
        parts = {part.alias for part in query.find_all(sqlglot.exp.CTE)}
        return any(
            _Place(one.db or place.schema, one.name) == place
            for one in query.find_all(sqlglot.exp.Table)
            if one.db or one.name not in parts
        )

    def _made_there(self, rows: ibis.Table, backend: Any) -> Any:  # noqa: ANN401 - Ibis is untyped
        """Create the table on the connection that sees the source."""
        self._connection = backend.con
        self._run(f"SAVEPOINT {_SAVED}")
        self._saved = True
        with engine_errors(self._source.name):
            query = compiled(rows)
        self._run(f"CREATE TABLE {self._hidden} AS {query}")
        return backend

    def _brought(self, rows: ibis.Table) -> Any:  # noqa: ANN401 - Ibis is untyped
        """Send the rows through a separate connection."""
        import ibis  # noqa: PLC0415 - heavy

        plain = portable(rows)
        columns = plain.schema().items()
        spec = ", ".join(f"{quoted_name(name)} {server_type(kind)}" for name, kind in columns)
        self._connection, self._own = connect(self._location), True
        OURS.add(self._connection)
        for statement in (*SESSION, f"CREATE TABLE {self._hidden} ({spec})"):
            self._run(statement)
        copy = f"COPY {self._hidden} FROM STDIN (FORMAT csv)"
        with self._connection.cursor() as cursor, cursor.copy(copy) as stream_in:
            for block in _as_csv(plain, self._source.name):
                stream_in.write(block)
        return ibis.postgres.from_connection(self._connection)


class _Place(NamedTuple):
    """The name of a table with its schema."""

    schema: str
    name: str

    def __str__(self) -> str:
        return f"{quoted_name(self.schema)}.{quoted_name(self.name)}"


def _check_names(names: Sequence[str], where: str) -> None:
    """Reject names that PostgreSQL would shorten without an error."""
    for name in names:
        if len(name.encode()) > _LONGEST_NAME:
            what = (
                f"the name {quoted(name)} is longer than {_LONGEST_NAME} bytes, the limit of "
                "PostgreSQL"
            )
            raise OutputError(what, where=where, fix="use a shorter name")


def _user(connection: Any) -> tuple[object, ...]:  # noqa: ANN401 - psycopg is only a guest
    """Return the server, the database, and the user, without using the host name."""
    found: tuple[object, ...] = connection.execute(_DATABASE).fetchone()
    return found


def _as_csv(rows: ibis.Table, source_name: str) -> Iterator[bytes]:
    """Write rows as CSV. Empty strings are quoted, and nulls are not quoted."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    from pyarrow import csv  # noqa: PLC0415 - heavy

    options = csv.WriteOptions(include_header=False, quoting_style="all_valid")
    with engine_errors(source_name):
        for batch in stream(rows):
            columns = [_plain(column) for column in batch.columns]
            target = io.BytesIO()
            csv.write_csv(pa.table(columns, names=batch.schema.names), target, options)
            yield target.getvalue()


def _plain(column: pa.Array) -> pa.Array:
    """Convert all values except numbers to strings. Arrow writes days and times in ISO form."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    types, kind = pa.types, column.type
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind):
        return column
    if types.is_list(kind) or types.is_large_list(kind):
        return pa.array(map(array_literal, column.to_pylist()), pa.string())
    return column.cast(pa.string())
