"""A new table in Spark: of a catalog, or a folder of files.

Spark has no transactions over tables, but it renames one in a single step. So the rows are written
to a table under a name of our own, looked at there, and renamed. A former table is renamed aside
first, comes back if anything fails, and is dropped last. Whatever dies in between, the final name
is of a whole table or of none.

A folder of files is written and renamed in the same way, by the file system that Spark sees.
"""

from __future__ import annotations

import contextlib
import re
import secrets
from typing import TYPE_CHECKING, Any

from roadstead.errors import OutputError, RoadsteadError
from roadstead.tables.databases import spark_session
from roadstead.tables.databases.spark_engine import BACKEND, dotted, quiet, spark_table
from roadstead.tables.databases.unwritten import exists_already, is_the_source, no_schema
from roadstead.tables.failures import from_engine, is_full_disk, is_interrupt, spark_condition
from roadstead.tables.locations import SparkLocation

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self

    import ibis

    from roadstead.tables.databases.workbench import Sink
    from roadstead.tables.sources import Source

_PLAIN = re.compile(r"\w+", re.ASCII)
_MADE = "Released by Roadstead."
_UNRENAMED = ("s3", "s3a", "s3n", "gs", "oss", "cosn", "obs", "wasb", "wasbs")
"""File systems that rename a folder file by file."""
_OF_A_TABLE = re.compile(r"part-.*|_SUCCESS|_delta_log|\.(part-.*|_SUCCESS)\.crc")
"""What Spark and Delta write into the folder of a table that is not partitioned, as ours are."""
_MEANINGS = {
    "TABLE_OR_VIEW_ALREADY_EXISTS": (
        "a table of this name was made meanwhile",
        "name another table, or give --force",
    ),
    "SCHEMA_NOT_FOUND": ("there is no such schema", "create it first, or name another"),
    "CATALOG_NOT_FOUND": ("there is no such catalog", "check its name and Spark's settings"),
    "INSUFFICIENT_PERMISSIONS": (
        "you may not make a table there",
        "ask for the right to CREATE in its schema",
    ),
    "LOCATION_ALREADY_EXISTS": (
        "files lie where the table would",
        "remove them, or name another table",
    ),
    "NOT_SUPPORTED_COMMAND_WITHOUT_HIVE_SUPPORT": (
        "the default format of this Spark is Hive's, which it lacks",
        "set spark.sql.sources.default and spark.sql.legacy.createHiveTableByDefault=false",
    ),
}
_COLUMNS = ("INVALID_COLUMN_NAME", "COLUMN_ALREADY_EXISTS", "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE")


def spark_sink(location: SparkLocation, source: Source, *, force: bool) -> Sink:
    """Open a sink in Spark; see `roadstead.tables.databases.publishing.sink`."""
    where = location.called
    backend = source.table.get_backend()
    if backend.name != BACKEND or not _same_spark(location, source):
        raise OutputError(
            "only what is read by the same Spark can be written there",
            where=where,
            mend="leave --into out, and load the Parquet file of the release there",
        )
    with _writing(where):
        if location.path is not None:
            return _FolderSink(location.table.schema or "", location.path, source, force=force)
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
            raise OutputError("was staged already", where=self.name, mend="open another sink")
        self._is_staged = True
        with _writing(self.name, rows.columns):
            query = _sorted_query(self._backend, rows, self.name)
            self._run(f"CREATE TABLE {dotted(self._staged)} COMMENT '{_MADE}' AS {query}")
            return spark_table(self._backend, self._staged)

    def publish(self) -> None:
        """Rename what was staged; a former table goes aside first."""
        if not self._is_staged:
            raise OutputError("nothing was staged", where=self.name, mend="stage it first")
        with _writing(self.name):
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
        with _writing(self.name):
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
                mend="set spark.sql.catalogImplementation=hive, use a server of Spark Connect, or "
                'write a folder: table=parquet."/path"',
            )
        if own and not _PLAIN.fullmatch(self._final[-1]):
            raise _odd_name(self.name)
        self._replaced = catalog.tableExists(dotted(self._final))
        if not self._replaced:
            return
        if not force:
            raise exists_already(self.name)
        if catalog.getTable(dotted(self._final)).tableType not in ("MANAGED", "EXTERNAL"):
            raise OutputError("is a view", where=self.name, mend="name another table")
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
                _Folder(self._session, f"{place}/{self._staged[-1].lower()}").remove()

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


class _FolderSink:
    """A new folder of files, written and renamed by the file system that Spark sees."""

    def __init__(self, form: str, path: str, source: Source, *, force: bool) -> None:
        self.name = path.rstrip("/").rpartition("/")[2]
        self.backend = BACKEND
        self._form = form
        self._backend = source.table.get_backend()
        self._session: Any = self._backend._session  # noqa: SLF001 - ours
        if not spark_session.is_classic(self._session):
            raise OutputError(
                "a server of Spark Connect renames no folders",
                where=self.name,
                mend="name a table of its catalog",
            )
        mark = f".{self.name}.{secrets.token_hex(6)}"
        self._final = _Folder(self._session, path.rstrip("/"))
        self._staged = self._final.beside(f"{mark}.part")
        self._aside = self._final.beside(f"{mark}.former")
        self._is_staged = self._is_published = self._has_former = False
        if self._final.scheme in _UNRENAMED:
            raise OutputError(
                "an object store cannot rename a folder in one step",
                where=self.name,
                mend="name a table of a catalog",
            )
        if not self._final.beside("").exists():
            raise OutputError("its folder does not exist", where=self.name, mend="make it first")
        self._replaced = self._final.exists()
        if self._replaced and not force:
            raise exists_already(self.name)
        if self._replaced and not self._final.holds_a_table():
            raise OutputError(
                "holds something else than the files of a table",
                where=self.name,
                mend="name another folder",
            )
        if self._replaced and self._final.holds_any(
            _files(self._session, self._backend, source.table)
        ):
            raise is_the_source(self.name)

    def stage(self, rows: ibis.Table) -> ibis.Table:
        """Write rows to a hidden folder beside the final one."""
        if self._is_staged or self._is_published:
            raise OutputError("was staged already", where=self.name, mend="open another sink")
        self._is_staged = True
        with _writing(self.name, rows.columns), quiet():
            query = _sorted_query(self._backend, rows, self.name)
            self._session.sql(query).write.format(self._form).save(self._staged.path)
            return spark_table(self._backend, (self._form, self._staged.path))

    def publish(self) -> None:
        """Rename the folder; a former one goes aside first."""
        if not self._is_staged:
            raise OutputError("nothing was staged", where=self.name, mend="stage it first")
        with _writing(self.name):
            if self._replaced:
                self._final.rename(self._aside, self.name)
                self._has_former = True
            try:
                self._staged.rename(self._final, self.name)
            except BaseException:
                self._bring_back()
                raise
            self._is_staged, self._is_published = False, True

    def withdraw(self) -> None:
        """Remove what was published; a former folder gets its name back."""
        if not self._is_published:
            return
        with _writing(self.name):
            self._final.remove()
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
        """Remove what was staged and not published, and the former folder of what was."""
        with contextlib.suppress(Exception):
            if self._is_staged:
                self._is_staged = False
                self._staged.remove()
            if self._is_published and self._has_former:
                self._has_former = False
                self._aside.remove()

    def _bring_back(self) -> None:
        if self._has_former:
            self._aside.rename(self._final, self.name)
            self._has_former = False


class _Folder:
    """A folder of the file system that Spark sees, which may be of one machine or of many."""

    def __init__(self, session: Any, path: str) -> None:  # noqa: ANN401 - of Java
        self._session = session
        self._java = session._jvm.org.apache.hadoop.fs.Path(path)  # noqa: SLF001 - no other way
        settings = session._jsparkSession.sessionState().newHadoopConf()  # noqa: SLF001 - ditto
        self._files = self._java.getFileSystem(settings)
        self.path = path

    @property
    def scheme(self) -> str:
        """The kind of file system."""
        return str(self._files.getUri().getScheme())

    def beside(self, name: str) -> _Folder:
        """Name a folder in the same place, or that place itself."""
        parent = self.path.rpartition("/")[0] or "/"
        return _Folder(self._session, f"{parent.rstrip('/')}/{name}" if name else parent)

    def exists(self) -> bool:
        """Return whether it is there."""
        return bool(self._files.exists(self._java))

    def holds_a_table(self) -> bool:
        """Return whether it is a folder of what Spark writes for a table, and of nothing else."""
        if not self._files.getFileStatus(self._java).isDirectory():
            return False
        entries = self._files.listStatus(self._java)
        return all(_OF_A_TABLE.fullmatch(str(entry.getPath().getName())) for entry in entries)

    def holds_any(self, files: set[str]) -> bool:
        """Return whether one of some files is in it."""
        own = str(self._java.toUri().getPath()).rstrip("/") + "/"
        path = self._session._jvm.org.apache.hadoop.fs.Path  # noqa: SLF001 - no other way
        return any(str(path(file).toUri().getPath()).startswith(own) for file in files)

    def rename(self, other: _Folder, name: str) -> None:
        """Give it another name, which must be free."""
        # A folder that is renamed to one that is there would be put into it.
        if other.exists() or not self._files.rename(self._java, other._java):
            raise OutputError(
                "a folder of this name was made meanwhile, or it cannot be renamed",
                where=name,
                mend="name another folder",
            )

    def remove(self) -> None:
        """Remove it with all that is in it."""
        self._files.delete(self._java, True)


def _sorted_query(backend: Any, rows: ibis.Table, where: str) -> str:  # noqa: ANN401 - Ibis is untyped
    """Write the query of rows, in the order of their content and not that of the source."""
    if rows.get_backend() is not backend:
        raise OutputError(
            "only what is read by the same Spark can be written there",
            where=where,
            mend="load the Parquet file of the release there",
        )
    backend._run_pre_execute_hooks(rows)  # noqa: SLF001 - sends tables held in memory
    return str(backend.compile(rows.order_by(list(rows.columns))))


def _shares_files(session: Any, backend: Any, table: ibis.Table, name: tuple[str, ...]) -> bool:  # noqa: ANN401 - of Java
    """Return whether a table is made of the files of another."""
    own = _files(session, backend, table)
    with quiet():
        return bool(own & set(session.table(dotted(name)).inputFiles()))


def _files(session: Any, backend: Any, table: ibis.Table) -> set[str]:  # noqa: ANN401 - of Java
    with quiet():
        return set(session.sql(backend.compile(table)).inputFiles())


def _odd_name(where: str) -> OutputError:
    return OutputError(
        "the catalog of Spark takes no table of such a name",
        where=where,
        mend="name one of letters from a to z, digits and _",
    )


@contextlib.contextmanager
def _writing(where: str, columns: tuple[str, ...] = ()) -> Iterator[None]:
    """Turn a failure of Spark into an error of ours, which quotes nothing."""
    try:
        yield
    except RoadsteadError:
        raise
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from None
        if not from_engine(error) and not isinstance(error, OSError | MemoryError):
            raise
        raise _unwritten(error, where, columns) from None


def _unwritten(error: Exception, where: str, columns: tuple[str, ...]) -> OutputError:
    condition, state = spark_condition(error)
    head = condition.partition(".")[0]
    if head.startswith(_COLUMNS):
        odd = next((x for x in columns if set(x) & set(" ,;{}()\n\t=")), None)
        name = "" if odd is None else f" {odd!r}"
        return OutputError(
            f"this format takes no column{name} of such a name",
            where=where,
            mend="rename it in the source, without spaces and signs",
        )
    if head == "INVALID_SCHEMA_OR_RELATION_NAME":
        return _odd_name(where)
    if head in _MEANINGS:
        what, mend = _MEANINGS[head]
    elif state == "42501" or "AccessControlException" in str(error):
        what, mend = _MEANINGS["INSUFFICIENT_PERMISSIONS"]
    elif is_full_disk(error):
        what, mend = "no space is left where Spark writes", "free some, or write elsewhere"
    else:
        what = f"Spark cannot write it ({condition or type(error).__name__})"
        mend = "see Spark's own log; run it again if a worker was lost"
    return OutputError(what, where=where, mend=mend)
