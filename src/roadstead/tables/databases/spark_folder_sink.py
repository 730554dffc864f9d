"""A new folder of files in Spark, written and renamed by the file system that Spark sees.

It is written under a hidden name beside the final one, looked at there, and renamed. A former
folder goes aside first, comes back if anything fails, and is removed last.
"""

from __future__ import annotations

import contextlib
import re
import secrets
from typing import TYPE_CHECKING, Any

from roadstead.errors import OutputError
from roadstead.tables.databases import spark_session
from roadstead.tables.databases.spark_engine import BACKEND, quiet, spark_table
from roadstead.tables.databases.spark_writing import files_of, sorted_query, writing
from roadstead.tables.databases.unwritten import exists_already, is_the_source

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    import ibis

    from roadstead.tables.source import Source

_UNRENAMED = ("s3", "s3a", "s3n", "gs", "oss", "cosn", "obs", "wasb", "wasbs")
"""File systems that rename a folder file by file."""
_OF_A_TABLE = re.compile(r"part-.*|_SUCCESS|_delta_log|\.(part-.*|_SUCCESS)\.crc")
"""What Spark and Delta write into the folder of a table that is not partitioned, as ours are."""


class FolderSink:
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
                fix="name a table of its catalog",
            )
        mark = f".{self.name}.{secrets.token_hex(6)}"
        self._final = Folder(self._session, path.rstrip("/"))
        self._staged = self._final.beside(f"{mark}.part")
        self._aside = self._final.beside(f"{mark}.former")
        self._is_staged = self._is_published = self._has_former = False
        if self._final.scheme in _UNRENAMED:
            raise OutputError(
                "an object store cannot rename a folder in one step",
                where=self.name,
                fix="name a table of a catalog",
            )
        if not self._final.beside("").exists():
            raise OutputError("its folder does not exist", where=self.name, fix="make it first")
        self._replaced = self._final.exists()
        if self._replaced and not force:
            raise exists_already(self.name)
        if self._replaced and not self._final.holds_a_table():
            raise OutputError(
                "holds something else than the files of a table",
                where=self.name,
                fix="name another folder",
            )
        if self._replaced and self._final.holds_any(
            files_of(self._session, self._backend, source.table)
        ):
            raise is_the_source(self.name)

    def stage(self, rows: ibis.Table) -> ibis.Table:
        """Write rows to a hidden folder beside the final one."""
        if self._is_staged or self._is_published:
            raise OutputError("was staged already", where=self.name, fix="open another sink")
        self._is_staged = True
        with writing(self.name, rows.columns), quiet():
            query = sorted_query(self._backend, rows, self.name)
            self._session.sql(query).write.format(self._form).save(self._staged.path)
            return spark_table(self._backend, (self._form, self._staged.path))

    def publish(self) -> None:
        """Rename the folder; a former one goes aside first."""
        if not self._is_staged:
            raise OutputError("nothing was staged", where=self.name, fix="stage it first")
        with writing(self.name):
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
        with writing(self.name):
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


class Folder:
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

    def beside(self, name: str) -> Folder:
        """Name a folder in the same place, or that place itself."""
        parent = self.path.rpartition("/")[0] or "/"
        return Folder(self._session, f"{parent.rstrip('/')}/{name}" if name else parent)

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

    def rename(self, other: Folder, name: str) -> None:
        """Give it another name, which must be free."""
        # A folder that is renamed to one that is there would be put into it.
        if other.exists() or not self._files.rename(self._java, other._java):
            raise OutputError(
                "a folder of this name was made meanwhile, or it cannot be renamed",
                where=name,
                fix="name another folder",
            )

    def remove(self) -> None:
        """Remove it with all that is in it."""
        self._files.delete(self._java, True)
