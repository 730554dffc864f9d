"""Create a new table in any other database that Ibis supports.

The table is created under a hidden name and renamed at the end. If the process ends early, a table
with a name such as `roadstead_` and digits remains, and no table has the final name. A database
that cannot rename tables cannot receive a release.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from roadstead.errors import OutputError
from roadstead.tables.failures import engine_errors, writing
from roadstead.tables.stores.names import fresh
from roadstead.tables.stores.other.open import OtherLocation, connect
from roadstead.tables.stores.staged import refusal
from roadstead.tables.stores.store import Destination
from roadstead.tables.transfer import portable, stream

if TYPE_CHECKING:
    import ibis

    from roadstead.tables.source import Source


def open_sink(location: OtherLocation, source: Source, force: bool) -> Destination:  # noqa: FBT001 - of a store
    """Open the place for a new table. Raises an error if the table cannot be created."""
    return _Destination(location, source, force=force)


class _Destination(Destination):
    """The place of a new table in an Ibis database. `force` allows replacing a table."""

    def __init__(self, location: OtherLocation, source: Source, *, force: bool) -> None:
        self.name = str(location.table)
        self.backend = location.scheme
        self._location = location
        self._source = source
        self._force = force
        self._hidden = fresh("staged")
        self._backend: Any = connect(location)
        with contextlib.ExitStack() as undo:
            undo.callback(self.close)
            self._check()
            undo.pop_all()

    def write(self, rows: ibis.Table) -> ibis.Table:
        """Write rows to a table with a hidden name. All rows are in memory at the same time."""
        import ibis  # noqa: PLC0415 - heavy

        with engine_errors(self._source.name):
            whole = stream(portable(rows)).read_all()
        self._backend.create_table(self._hidden, ibis.memtable(whole))
        return self._backend.table(self._hidden)

    def appear(self) -> None:
        """Rename the table. Drop the table that it replaces, if any, immediately before."""
        if self._is_there():
            if not self._force:
                raise refusal("exists", self.name)
            self.disappear()
        final = self._written(self._location.table.name)
        self._run(f"ALTER TABLE {self._written(self._hidden)} RENAME TO {final}")

    def disappear(self) -> None:
        """Drop the table. A replaced table is not restored."""
        self._drop(self._location.table.name)

    def discard(self) -> None:
        self._drop(self._hidden)

    def close(self) -> None:
        with contextlib.suppress(Exception):
            self._backend.disconnect()

    def _check(self) -> None:
        # A renamed table stays in its schema, which is the default schema of the database.
        if not hasattr(self._backend, "raw_sql") or self._location.table.schema is not None:
            fix = "leave the schema out, or write a file and load it with the database's tools"
            raise OutputError(
                "this database cannot create the table in one step", where=self.name, fix=fix
            )
        own = self._source.location
        with writing(self.name):
            if (
                isinstance(own, OtherLocation)
                and (own.scheme, own.place) == (self._location.scheme, self._location.place)
                and own.table.name.casefold() == self._location.table.name.casefold()
            ):
                raise refusal("source", self.name)
            if self._is_there() and not self._force:
                raise refusal("exists", self.name)

    def _is_there(self) -> bool:
        return self._location.table.name in self._backend.list_tables()

    def _drop(self, name: str) -> None:
        if self.backend == "sqlite":  # SQLite keeps the content of a dropped table's pages
            self._run("PRAGMA secure_delete = ON")
        self._run(f"DROP TABLE {self._written(name)}")

    def _run(self, statement: str) -> None:
        # The drop methods of Ibis are not used, because some versions of sqlglot omit the name.
        cursor = self._backend.raw_sql(statement)
        if hasattr(cursor, "close"):
            cursor.close()
        if hasattr(getattr(self._backend, "con", None), "commit"):
            self._backend.con.commit()

    def _written(self, name: str) -> str:
        import sqlglot  # noqa: PLC0415 - heavy

        return sqlglot.to_identifier(name, quoted=True).sql(dialect=self._backend.dialect)
