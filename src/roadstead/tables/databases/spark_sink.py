"""A new table in Spark: of a catalog, or a folder of files.

Spark has no transactions over tables, but it renames one in a single step. So the rows are written
to a table under a name of our own, looked at there, and renamed. A former table is renamed aside
first, comes back if anything fails, and is dropped last. Whatever dies in between, the final name
is of a whole table or of none.

A folder of files is written and renamed in the same way (`spark_folder_sink`).
"""

from __future__ import annotations

import contextlib
import re
import secrets
from typing import TYPE_CHECKING, Any

from roadstead.errors import OutputError
from roadstead.front_end import option
from roadstead.tables.databases import spark_session
from roadstead.tables.databases.own_names import MADE
from roadstead.tables.databases.spark_engine import BACKEND, dotted, quiet, spark_table
from roadstead.tables.databases.spark_folder_sink import Folder, FolderSink
from roadstead.tables.databases.spark_writing import files_of, odd_name, sorted_query, writing
from roadstead.tables.databases.unwritten import exists_already, is_the_source, no_schema
from roadstead.tables.locations import SparkLocation

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    import ibis

    from roadstead.tables.databases.workbench import Sink
    from roadstead.tables.source import Source

_PLAIN = re.compile(r"\w+", re.ASCII)


def spark_sink(location: SparkLocation, source: Source, *, force: bool) -> Sink:
    """Open a sink in Spark; see `roadstead.tables.databases.publishing.sink`."""
    where = location.called
    backend = source.table.get_backend()
    if backend.name != BACKEND or not _same_spark(location, source):
        raise OutputError(
            "only what is read by the same Spark can be written there",
            where=where,
            fix=f"leave {option('into')} out, and load the Parquet file of the release there",
        )
    with writing(where):
        if location.path is not None:
            return FolderSink(location.table.schema or "", location.path, source, force=force)
        return _TableSink(location, source, force=force)


def _same_spark(location: SparkLocation, source: Source) -> bool:
    """Return whether a target is where the source is read."""
    if location.server is None:
        return True
    if isinstance(source.location, SparkLocation) and source.location.server is not None:
        return source.location.server == location.server
    session = source.table.get_backend()._session  # noqa: SLF001 - ours
    return spark_session.is_classic(session) and session.sparkContext.master == location.server


class _TableSink:
    """A new table of a catalog."""

    def __init__(self, location: SparkLocation, source: Source, *, force: bool) -> None:
        self.name = str(location.table)
        self.backend = BACKEND
        self._source = source
        self._backend = source.table.get_backend()
        self._session: Any = self._backend._session  # noqa: SLF001 - ours
        *self._outer, last = location.table.parts
        mark = f"__roadstead_{secrets.token_hex(6)}"
        self._final = (*self._outer, last)
        self._staged = (*self._outer, f"{last}{mark}")
        self._aside = (*self._outer, f"{last}{mark}_former")
        self._is_staged = self._is_published = self._has_former = False
        self._check(force=force)

    def stage(self, rows: ibis.Table) -> ibis.Table:
        """Write rows to a table under a name of our own."""
        if self._is_staged or self._is_published:
            raise OutputError("was staged already", where=self.name, fix="open another sink")
        self._is_staged = True
        with writing(self.name, rows.columns):
            query = sorted_query(self._backend, rows, self.name)
            self._run(f"CREATE TABLE {dotted(self._staged)} COMMENT '{MADE}' AS {query}")
            return spark_table(self._backend, self._staged)

    def publish(self) -> None:
        """Rename what was staged; a former table goes aside first."""
        if not self._is_staged:
            raise OutputError("nothing was staged", where=self.name, fix="stage it first")
        with writing(self.name):
            if self._replaced:
                self._rename(self._final, self._aside)
                self._has_former = True
            try:
                self._rename(self._staged, self._final)
            except BaseException:
                self._bring_back()
                raise
            self._is_staged, self._is_published = False, True
            self._refresh()

    def withdraw(self) -> None:
        """Drop what was published; a former table gets its name back."""
        if not self._is_published:
            return
        with writing(self.name):
            self._run(f"DROP TABLE IF EXISTS {dotted(self._final)}")
            self._is_published = False
            self._bring_back()

    def __enter__(self) -> Self:
        """Use it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Drop what was staged and not published, and the former table of what was."""
        if self._is_staged:
            self._is_staged = False
            self._discard()
        if self._is_published and self._has_former:
            self._has_former = False
            with contextlib.suppress(Exception):
                self._run(f"DROP TABLE IF EXISTS {dotted(self._aside)}")

    def _check(self, *, force: bool) -> None:
        """Refuse what cannot be made, before any work is done."""
        catalog = self._session.catalog
        if self._outer and not catalog.databaseExists(dotted(self._outer)):
            raise no_schema(self.name)
        own = len(self._outer) < 2 or self._outer[0] == "spark_catalog"  # noqa: PLR2004 - parts
        if own and spark_session.forgets(self._session):
            raise OutputError(
                "this Spark forgets its tables when it ends",
                where=self.name,
                fix="set spark.sql.catalogImplementation=hive, use a server of Spark Connect, or "
                'write a folder: table=parquet."/path"',
            )
        if own and not _PLAIN.fullmatch(self._final[-1]):
            raise odd_name(self.name)
        self._replaced = catalog.tableExists(dotted(self._final))
        if not self._replaced:
            return
        if not force:
            raise exists_already(self.name)
        if catalog.getTable(dotted(self._final)).tableType not in ("MANAGED", "EXTERNAL"):
            raise OutputError("is a view", where=self.name, fix="name another table")
        if self._is_named_as_source() or _shares_files(
            self._session, self._backend, self._source.table, self._final
        ):
            raise is_the_source(self.name)

    def _is_named_as_source(self) -> bool:
        """Compare names, since not every kind of table tells of its files."""
        location = self._source.location
        if not isinstance(location, SparkLocation) or location.path is not None:
            return False
        catalog = self._session.catalog
        own, other = (
            catalog.getTable(dotted(name)) for name in (self._final, location.table.parts)
        )
        return (own.catalog, own.namespace, own.name) == (
            other.catalog,
            other.namespace,
            other.name,
        )

    def _discard(self) -> None:
        with contextlib.suppress(Exception):
            self._run(f"DROP TABLE IF EXISTS {dotted(self._staged)}")
        # A table that was not finished is in no catalog, but its files may lie about.
        with contextlib.suppress(Exception):
            if spark_session.is_classic(self._session):
                schema = (
                    dotted(self._outer) if self._outer else self._session.catalog.currentDatabase()
                )
                place = self._session.catalog.getDatabase(schema).locationUri
                Folder(self._session, f"{place}/{self._staged[-1].lower()}").remove()

    def _bring_back(self) -> None:
        if self._has_former:
            self._rename(self._aside, self._final)
            self._has_former = False
            self._refresh()

    def _refresh(self) -> None:
        """Let this session forget the files of a former table; others do it by REFRESH TABLE."""
        with contextlib.suppress(Exception):
            self._run(f"REFRESH TABLE {dotted(self._final)}")

    def _rename(self, before: tuple[str, ...], after: tuple[str, ...]) -> None:
        # The catalog of the new name is that of the old one, and must not be named.
        self._run(f"ALTER TABLE {dotted(before)} RENAME TO {dotted(after[-2:])}")

    def _run(self, statement: str) -> None:
        with quiet():
            self._session.sql(statement).collect()


def _shares_files(session: Any, backend: Any, table: ibis.Table, name: tuple[str, ...]) -> bool:  # noqa: ANN401 - of Java
    """Return whether a table is made of the files of another."""
    own = files_of(session, backend, table)
    with quiet():
        return bool(own & set(session.table(dotted(name)).inputFiles()))
