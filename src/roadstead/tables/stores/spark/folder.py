"""Write and rename folders of files in Spark's file system.

The folder is first written under a hidden name in the same parent folder.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Any

from roadstead.errors import OutputError
from roadstead.tables.stores.spark import session as sessions
from roadstead.tables.stores.spark.engine import compiled, dotted, quiet
from roadstead.tables.stores.staged import refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis

    from roadstead.tables.source import Source

_UNRENAMED = ("s3", "s3a", "s3n", "gs", "oss", "cosn", "obs", "wasb", "wasbs")
"""File systems that can rename a folder only file by file."""
_OF_A_TABLE = re.compile(r"part-.*|_SUCCESS|_delta_log|\.(part-.*|_SUCCESS)\.crc")
"""The files that Spark and Delta write into the folder of an unpartitioned table."""


class Folders:
    """The names of a folder of files: the final, the staged, and the replaced folder."""

    def __init__(self, form: str, path: str, source: Source, *, force: bool) -> None:
        self.name = path.rstrip("/").rpartition("/")[2]
        self._form = form
        self._session: Any = source.table.get_backend()._session  # noqa: SLF001 - ours
        if not sessions.is_classic(self._session):
            what = "a Spark Connect server does not rename folders"
            raise OutputError(what, where=self.name, fix="name a table in the catalog")
        mark = f".{self.name}.{secrets.token_hex(6)}"
        self._own = Folder(self._session, path.rstrip("/"))
        self.final = self._own.path
        self.staged = self._own.sibling(f"{mark}.part").path
        self.former = self._own.sibling(f"{mark}.former").path
        self.replaces = self._own.exists()
        self._check(source, force=force)

    def _check(self, source: Source, *, force: bool) -> None:
        """Before other work begins, reject a folder that cannot be created."""
        if self._own.scheme in _UNRENAMED:
            what = "an object store cannot rename a folder in one step"
            raise OutputError(what, where=self.name, fix="name a table in a catalog")
        if not self._own.sibling("").exists():
            raise OutputError("its folder does not exist", where=self.name, fix="create it first")
        if not self.replaces:
            return
        if not force:
            raise refusal("exists", self.name)
        if not self._own.holds_a_table():
            what = "the folder contains files that do not belong to a table"
            raise OutputError(what, where=self.name, fix="name another folder")
        if self._own.holds_any(files_of(source.table)):
            raise refusal("source", self.name)

    def write(self, query: str) -> tuple[str, ...]:
        """Write the files."""
        self._session.sql(query).write.format(self._form).save(self.staged)
        return (self._form, self.staged)

    def rename(self, before: str, after: str) -> None:
        """Rename a folder."""
        Folder(self._session, before).rename(Folder(self._session, after), self.name)

    def remove(self, name: str) -> None:
        """Remove a folder."""
        Folder(self._session, name).remove()


class Folder:
    """A folder in Spark's file system, which may span many computers."""

    def __init__(self, session: Any, path: str) -> None:  # noqa: ANN401 - of Java
        self._session = session
        self._java = session._jvm.org.apache.hadoop.fs.Path(path)  # noqa: SLF001 - no other way
        settings = session._jsparkSession.sessionState().newHadoopConf()  # noqa: SLF001 - ditto
        self._files = self._java.getFileSystem(settings)
        self.path = path
        self.scheme = str(self._files.getUri().getScheme())

    def sibling(self, name: str) -> Folder:
        """Return a folder in the same parent folder, or the parent folder itself."""
        parent = self.path.rpartition("/")[0] or "/"
        return Folder(self._session, f"{parent.rstrip('/')}/{name}" if name else parent)

    def exists(self) -> bool:
        """Return whether the folder exists."""
        return bool(self._files.exists(self._java))

    def holds_a_table(self) -> bool:
        """Return whether the folder contains only the files that Spark writes for a table."""
        if not self._files.getFileStatus(self._java).isDirectory():
            return False
        entries = self._files.listStatus(self._java)
        return all(_OF_A_TABLE.fullmatch(str(entry.getPath().getName())) for entry in entries)

    def holds_any(self, files: set[str]) -> bool:
        """Return whether the folder contains one of these files."""
        own = str(self._java.toUri().getPath()).rstrip("/") + "/"
        path = self._session._jvm.org.apache.hadoop.fs.Path  # noqa: SLF001 - no other way
        return any(str(path(file).toUri().getPath()).startswith(own) for file in files)

    def rename(self, other: Folder, name: str) -> None:
        """Rename the folder. The new name must not be in use."""
        # If the new name is an existing folder, the file system would move the folder into it.
        if other.exists() or not self._files.rename(self._java, other._java):
            what = (
                "a folder with this name was created during the run, or the new folder cannot "
                "be renamed"
            )
            raise OutputError(what, where=name, fix="name another folder")

    def remove(self) -> None:
        """Remove the folder and all of its content."""
        self._files.delete(self._java, True)


def files_of(table: ibis.Table) -> set[str]:
    """List the files of a table."""
    session = table.get_backend()._session  # noqa: SLF001 - ours
    with quiet():
        return set(session.sql(compiled(table)).inputFiles())


def folder_of_table(session: Any, schema: Sequence[str], name: str) -> Folder:  # noqa: ANN401 - of Java
    """Return the folder in which Spark's own catalog stores the files of a table."""
    where = dotted(schema) if schema else session.catalog.currentDatabase()
    place = session.catalog.getDatabase(where).locationUri
    return Folder(session, f"{place}/{name.lower()}")
