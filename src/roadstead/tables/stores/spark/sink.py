"""Create a new table in Spark, either in a catalog or as a folder of files.

Spark has no transactions over tables, but it renames a table in a single step. So the rows are
written under a temporary name, checked, and renamed. An existing table is renamed first. If a step
fails, the existing table is restored. Otherwise, it is dropped at the end. If the process ends
between the steps, either a complete table or no table has the final name.
"""

from __future__ import annotations

import contextlib
import re
import secrets
from typing import TYPE_CHECKING, Any

from roadstead.errors import OutputError
from roadstead.front_end import option
from roadstead.tables.failures import writing
from roadstead.tables.stores.names import MADE
from roadstead.tables.stores.spark import session as sessions
from roadstead.tables.stores.spark.engine import compiled, dotted, quiet, spark_table
from roadstead.tables.stores.spark.errors import ERRORS, why_not_written
from roadstead.tables.stores.spark.folder import Folders, files_of, folder_of_table
from roadstead.tables.stores.spark.open import BACKEND, SparkLocation
from roadstead.tables.stores.staged import refusal
from roadstead.tables.stores.store import Destination

if TYPE_CHECKING:
    import ibis

    from roadstead.tables.source import Source
    from roadstead.tables.stores.store import Explanation

_PLAIN = re.compile(r"\w+", re.ASCII)


def open_sink(location: SparkLocation, source: Source, force: bool) -> Destination:  # noqa: FBT001 - of a store
    """Open the place for a new table. Raises an error if the table cannot be created."""
    where = location.called
    backend = source.table.get_backend()
    if backend.name != BACKEND or not _same_spark(location, source):
        what = "Roadstead can write a table into Spark only if the same Spark reads the data"
        fix = f"leave {option('into')} out, and load the Parquet file of the release into Spark"
        raise OutputError(what, where=where, fix=fix)
    with writing(where, why_not_written):
        if location.path is not None:
            form = location.table.schema or ""
            return _Destination(Folders(form, location.path, source, force=force), backend)
        return _Destination(_Tables(location, source, force=force), backend)


def _same_spark(location: SparkLocation, source: Source) -> bool:
    """Return whether a target is in the same Spark as the source."""
    if location.server is None:
        return True
    if isinstance(source.location, SparkLocation) and source.location.server is not None:
        return source.location.server == location.server
    session = source.table.get_backend()._session  # noqa: SLF001 - ours
    return sessions.is_classic(session) and session.sparkContext.master == location.server


class _Destination(Destination):
    """The place of a new table. The table is published when it gets its final name."""

    backend = BACKEND

    def __init__(self, place: _Tables | Folders, backend: Any) -> None:  # noqa: ANN401 - of Ibis
        self.name = place.name
        self._place, self._backend = place, backend
        self._columns: tuple[str, ...] = ()
        self._has_former = False

    def write(self, rows: ibis.Table) -> ibis.Table:
        """Write rows in the order of their content, not in the order of the source."""
        if rows.get_backend() is not self._backend:
            what = "Roadstead can write a table into Spark only if the same Spark reads the data"
            fix = "load the Parquet file of the release into Spark"
            raise OutputError(what, where=self.name, fix=fix)
        self._columns = rows.columns
        with quiet():
            parts = self._place.write(compiled(rows.order_by(list(rows.columns))))
            return spark_table(self._backend, parts)

    def appear(self) -> None:
        """Rename the replaced table, if there is one, and then rename the staged table."""
        if self._place.replaces:
            self._place.rename(self._place.final, self._place.former)
            self._has_former = True
        try:
            self._place.rename(self._place.staged, self._place.final)
        except BaseException:
            self._bring_back()
            raise

    def disappear(self) -> None:
        """Remove the published table, and give a replaced table its old name again."""
        self._place.remove(self._place.final)
        self._bring_back()

    def discard(self) -> None:
        self._place.remove(self._place.staged)

    def close(self) -> None:
        """Remove the table that was replaced."""
        if self._has_former:
            self._has_former = False
            self._place.remove(self._place.former)

    def explain(self, error: Exception) -> Explanation | None:
        return why_not_written(error, self._columns)

    def _bring_back(self) -> None:
        if self._has_former:
            self._place.rename(self._place.former, self._place.final)
            self._has_former = False


class _Tables:
    """The names of a table in a catalog: the final, the staged, and the replaced table."""

    def __init__(self, location: SparkLocation, source: Source, *, force: bool) -> None:
        self.name = str(location.table)
        self._source = source
        self._session: Any = source.table.get_backend()._session  # noqa: SLF001 - ours
        *self._outer, last = location.table.parts
        mark = f"__roadstead_{secrets.token_hex(6)}"
        self.final, self.staged, self.former = last, f"{last}{mark}", f"{last}{mark}_former"
        self.replaces = self._check(force=force)

    def write(self, query: str) -> tuple[str, ...]:
        """Create a table from a query, and return the name of the table."""
        self._run(f"CREATE TABLE {self._dotted(self.staged)} COMMENT '{MADE}' AS {query}")
        return (*self._outer, self.staged)

    def rename(self, before: str, after: str) -> None:
        # The table stays in its catalog, so the new name must not contain the catalog.
        self._run(
            f"ALTER TABLE {self._dotted(before)} RENAME TO {dotted((*self._outer[-1:], after))}"
        )
        if after == self.final:
            # This session's cache may list files of the former table. Other sessions also need
            # REFRESH TABLE.
            with contextlib.suppress(Exception):
                self._run(f"REFRESH TABLE {self._dotted(after)}")

    def remove(self, name: str) -> None:
        self._run(f"DROP TABLE IF EXISTS {self._dotted(name)}")
        if name == self.staged and sessions.is_classic(self._session):
            # An unfinished table is not in a catalog, but its files may exist.
            folder_of_table(self._session, self._outer, name).remove()

    def _check(self, *, force: bool) -> bool:
        """Reject a table that cannot be created, and return whether a table would be replaced."""
        catalog = self._session.catalog
        if self._outer and not catalog.databaseExists(dotted(self._outer)):
            raise refusal("schema", self.name)
        own = len(self._outer) < 2 or self._outer[0] == "spark_catalog"  # noqa: PLR2004 - parts
        if own and sessions.forgets(self._session):
            raise OutputError(
                "this Spark discards its tables when it ends",
                where=self.name,
                fix="set spark.sql.catalogImplementation=hive, use a Spark Connect server, or "
                'write a folder: table=parquet."/path"',
            )
        if own and not _PLAIN.fullmatch(self.final):
            odd = ERRORS.find("writing", {"condition": "INVALID_SCHEMA_OR_RELATION_NAME"})
            assert odd is not None  # noqa: S101 - the table has it
            raise OutputError(odd[0], where=self.name, fix=odd[1])
        final = self._dotted(self.final)
        if not catalog.tableExists(final):
            return False
        if not force:
            raise refusal("exists", self.name)
        if catalog.getTable(final).tableType not in ("MANAGED", "EXTERNAL"):
            raise refusal("view", self.name)
        if self._is_named_as_source() or self._shares_files():
            raise refusal("source", self.name)
        return True

    def _is_named_as_source(self) -> bool:
        """Compare names, because some kinds of tables do not list their files."""
        location = self._source.location
        if not isinstance(location, SparkLocation) or location.path is not None:
            return False
        own, other = (
            (one.catalog, one.namespace, one.name)
            for one in map(
                self._session.catalog.getTable,
                (self._dotted(self.final), dotted(location.table.parts)),
            )
        )
        return bool(own == other)

    def _shares_files(self) -> bool:
        """Return whether the source reads files of the table."""
        own = files_of(self._source.table)
        with quiet():
            return bool(own & set(self._session.table(self._dotted(self.final)).inputFiles()))

    def _dotted(self, name: str) -> str:
        return dotted((*self._outer, name))

    def _run(self, statement: str) -> None:
        with quiet():
            self._session.sql(statement).collect()
