"""A new table in any other database that Ibis connects to, as far as Ibis can promise one.

It is made under a hidden name and renamed at the end, so a process that dies leaves a table that is
called `roadstead_` and some digits, and none under the final name. A database whose tables cannot
be renamed takes no release.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from roadstead.errors import OutputError
from roadstead.tables.batches import stream
from roadstead.tables.databases.others import connect
from roadstead.tables.databases.own_names import fresh
from roadstead.tables.databases.unwritten import exists_already, is_the_source, writing
from roadstead.tables.failures import engine_errors
from roadstead.tables.locations import OtherLocation
from roadstead.tables.transfer import portable

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    import ibis

    from roadstead.tables.source import Source


class OtherSink:
    """A new table in a database of another kind.

    Parameters
    ----------
    location
        The database and the table.
    source
        What the rows are made of.
    force
        Replace a table of this name.

    Raises
    ------
    OutputError
        The table exists, or this kind of database takes none.
    """

    def __init__(self, location: OtherLocation, source: Source, *, force: bool) -> None:
        self.name = str(location.table)
        self._location = location
        self._source = source
        self._force = force
        self._hidden = fresh("staged")
        self._staged = self._published = False
        self._backend: Any = connect(location)
        try:
            self._check()
        except BaseException:
            self._disconnect()
            raise

    @property
    def backend(self) -> str:
        """The kind of database."""
        return self._location.scheme

    def stage(self, rows: ibis.Table) -> ibis.Table:
        """Write rows under a hidden name, and give the table; they are whole in memory once."""
        import ibis  # noqa: PLC0415 - heavy

        if self._staged or self._published:
            raise OutputError("was staged already", where=self.name, fix="open another sink")
        with engine_errors(self._source.name):
            whole = stream(portable(rows)).read_all()
        with writing(self.name):
            self._staged = True
            self._backend.create_table(self._hidden, ibis.memtable(whole))
            return self._backend.table(self._hidden)

    def publish(self) -> None:
        """Rename the table; one that it replaces is dropped right before."""
        if not self._staged:
            raise OutputError("nothing was staged", where=self.name, fix="stage it first")
        with writing(self.name):
            if self._is_there():
                if not self._force:
                    raise exists_already(self.name)
                self._drop(self._location.table.name)
            final = self._written(self._location.table.name)
            self._run(f"ALTER TABLE {self._written(self._hidden)} RENAME TO {final}")
            self._staged, self._published = False, True

    def withdraw(self) -> None:
        """Drop the table that was published; a former table is gone."""
        if not self._published:
            return
        with writing(self.name):
            self._drop(self._location.table.name)
            self._published = False

    def __enter__(self) -> Self:
        """Use it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Drop what was not published."""
        if self._staged:
            with contextlib.suppress(Exception):
                self._drop(self._hidden)
            self._staged = False
        self._disconnect()

    def _check(self) -> None:
        # What is renamed stays where it is, which is where the database looks by itself.
        if not hasattr(self._backend, "raw_sql") or self._location.table.schema is not None:
            raise OutputError(
                "no table can be made there in one step",
                where=self.name,
                fix="leave the schema out, or write a file and load it with the database's tools",
            )
        location = self._source.location
        if isinstance(location, OtherLocation) and (location.scheme, location.place) == (
            self._location.scheme,
            self._location.place,
        ):
            with writing(self.name):
                if location.table.name.casefold() == self._location.table.name.casefold():
                    raise is_the_source(self.name)
        with writing(self.name):
            if self._is_there() and not self._force:
                raise exists_already(self.name)

    def _is_there(self) -> bool:
        return self._location.table.name in self._backend.list_tables()

    def _drop(self, name: str) -> None:
        self._run(f"DROP TABLE {self._written(name)}")

    def _run(self, statement: str) -> None:
        # Not through the methods of Ibis that drop: some sqlglots write no name for them.
        cursor = self._backend.raw_sql(statement)
        if hasattr(cursor, "close"):
            cursor.close()
        if hasattr(getattr(self._backend, "con", None), "commit"):
            self._backend.con.commit()

    def _written(self, name: str) -> str:
        import sqlglot  # noqa: PLC0415 - heavy

        return sqlglot.to_identifier(name, quoted=True).sql(dialect=self._backend.dialect)

    def _disconnect(self) -> None:
        with contextlib.suppress(Exception):
            self._backend.disconnect()
