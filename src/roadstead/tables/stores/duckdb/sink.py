"""Create a new table in a DuckDB file.

In an existing file, the table is written and checked in one transaction. A new file is written
under a hidden name in the same folder, and is renamed at the end. If a table was replaced, the file
is rewritten, so that no row of the old table remains in the file. DuckDB can open a file only once
per process. So if the source is in the same file, one engine reads and writes the rows.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.errors import OutputError
from roadstead.tables import engine
from roadstead.tables.engine import BACKEND, compiled, literal
from roadstead.tables.failures import engine_errors, writing
from roadstead.tables.stores.duckdb.open import ATTACHED, is_duckdb
from roadstead.tables.stores.duckdb.rewritten import flush, part_of, require_rewritable, rewrite
from roadstead.tables.stores.names import MADE, fresh, quoted_name
from roadstead.tables.stores.staged import refusal
from roadstead.tables.stores.store import Destination
from roadstead.tables.transfer import portable, stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    import ibis
    from ibis.backends.duckdb import Backend

    from roadstead.tables.source import Source
    from roadstead.tables.stores.duckdb.open import DuckdbLocation

_MEMORY = "2GB"


def open_sink(location: DuckdbLocation, source: Source, force: bool) -> Destination:  # noqa: FBT001 - of a store
    """Open the place for a new table. Raises an error if the table cannot be created."""
    return _Destination(location, source, force=force)


class _Destination(Destination):
    """The place of a new table in a DuckDB file. `force` allows replacing a table."""

    backend = BACKEND

    def __init__(self, location: DuckdbLocation, source: Source, *, force: bool) -> None:
        self.name = str(location.table)
        self._schema, self._table = location.table.schema or "main", location.table.name
        self._force = force
        self._source = source
        with writing(self.name):
            # Links are followed, so that the file itself is renamed or replaced.
            self._path = Path(os.path.realpath(location.path))
            _check_place(self._path, self.name)
            self._new = not self._path.exists()
        self._part = self._path  # the path itself, until the file is written
        self._undo = contextlib.ExitStack()
        self._backend: Any = None
        self._catalog = ""
        self._held = False  # whether a connection of the user has the file open
        self._open = False
        self._replaces = False
        if not self._new:
            self._rehearse()
        elif self._schema != "main":
            raise refusal("schema", self.name)

    def write(self, rows: ibis.Table) -> ibis.Table:
        """Write rows within a transaction, to the file or to a hidden file."""
        backend = self._engine_for(rows.get_backend())
        if self._new or self._replaces:
            self._part = self._undo.enter_context(part_of(self._path))
        self._attach(backend)
        with _query(rows, self._source.name, backend) as query:
            self._begin()
            self._run(f"CREATE TABLE {self._place} AS {query}")
            self._run(f"COMMENT ON TABLE {self._place} IS {literal(MADE)}")
            return backend.table(self._table, database=(self._catalog, self._schema))

    def appear(self) -> None:
        """Commit the transaction, and give a new file its name."""
        self._run("COMMIT")
        self._open = False
        if self._new:
            self._run(f"DETACH {self._catalog}")
            flush(self._part)
            try:
                _give_name(self._part, self._path)
            except FileExistsError:
                what = "a file with this name was created during the run"
                raise OutputError(what, where=self._path.name, fix="name another file") from None
        elif self._replaces:
            self._run(f"DETACH {self._catalog}")
            try:
                rewrite(self._path, self._part, self.name, _MEMORY)
            except OutputError:
                self._attach_file(self._path)
                self.disappear()  # no table is published without its documents
                raise
            self._attach_file(self._path)

    def disappear(self) -> None:
        """Drop the table, or remove the new file. A replaced table is not restored."""
        if self._new:
            self._path.unlink(missing_ok=True)
        else:
            self._run(f"DROP TABLE IF EXISTS {self._place}")

    def discard(self) -> None:
        if self._open:
            self._open = False
            self._quietly("ROLLBACK")

    def close(self) -> None:
        self._undo.close()
        self._backend = None

    @property
    def _place(self) -> str:
        return ".".join(map(quoted_name, (self._catalog, self._schema, self._table)))

    def _run(self, statement: str, values: list[str] | None = None) -> Any:  # noqa: ANN401 - of DuckDB
        return self._backend.con.execute(statement, values)

    def _begin(self) -> None:
        """Begin a transaction, and drop the old table if the new table may replace it."""
        self._run("BEGIN")
        self._open = True
        kinds = self._namesakes()
        if not kinds:
            return
        if not self._force:
            raise refusal("exists", self.name)
        if kinds != ["BASE TABLE"]:
            raise refusal("view", self.name)
        self._replaces = True
        try:
            self._run(f"DROP TABLE {self._place}")
        except Exception as error:
            if type(error).__name__ not in ("CatalogException", "DependencyException"):
                raise
            raise refusal("needed", self.name) from None
        table = self._source.table
        if table.get_backend() is not self._backend:
            return
        try:  # whether the source can still be read
            table.limit(0).to_pyarrow()
        except Exception as error:
            if type(error).__name__ not in ("CatalogException", "BinderException"):
                raise
            raise refusal("source", self.name) from None

    def _rehearse(self) -> None:
        """Check whether the table can be created, before other work begins."""
        try:
            self._attach(self._engine_for(self._source.table.get_backend()))
            with writing(self.name):
                self._begin()
                self._run(f"CREATE TABLE {self._place} (a INTEGER)")
                self.discard()
                if self._replaces and self._held:
                    what = (
                        "the database file is open in this process, so it would keep rows of the "
                        "replaced table"
                    )
                    fix = "close the file, or name a new table"
                    raise OutputError(what, where=self.name, fix=fix)
                if self._replaces:
                    require_rewritable(self._backend.con, self._catalog, self.name)
        finally:
            self.discard()
            self.close()

    def _namesakes(self) -> list[str]:
        """List the kinds of objects with this name. DuckDB treats ``A`` and ``a`` as equal."""
        schemas = self._run(
            "SELECT schema_name FROM duckdb_schemas() WHERE database_name = ?", [self._catalog]
        ).fetchall()
        if _folded(self._schema) not in {_folded(name) for (name,) in schemas}:
            raise refusal("schema", self.name)
        found = self._run(
            "SELECT table_type, table_schema, table_name FROM information_schema.tables "
            "WHERE table_catalog = ?",
            [self._catalog],
        ).fetchall()
        requested = [_folded(self._schema), _folded(self._table)]
        return [kind for kind, *names in found if [*map(_folded, names)] == requested]

    def _attach(self, backend: Backend) -> None:
        """Attach the file to an engine, and record how to detach the file."""
        self._backend = backend
        path = self._part if self._new else self._path
        with writing(self.name):
            present, read_only = (None, False) if self._new else _database_of(backend, path)
            if present is not None:
                self._catalog = present
                self._held = not read_only
                if read_only:
                    self._reopen(path)
                return
            self._catalog = fresh("file")
            self._attach_file(path)

    def _attach_file(self, path: Path) -> None:
        self._run(f"ATTACH {literal(str(path))} AS {self._catalog}")
        self._undo.callback(self._quietly, f"DETACH DATABASE IF EXISTS {self._catalog}")

    def _reopen(self, path: Path) -> None:
        """Attach the source's file for writing. At the end, attach it for reading again."""
        if self._catalog != ATTACHED or self._source.location is None:
            what = "the database file is open for reading only"
            raise OutputError(what, where=self.name, fix="open it for writing")
        read_only = f"ATTACH IF NOT EXISTS {literal(str(path))} AS {ATTACHED} (READ_ONLY)"
        self._undo.callback(self._quietly, read_only)
        self._run(f"DETACH {ATTACHED}")
        self._attach_file(path)

    def _engine_for(self, backend: Any) -> Backend:  # noqa: ANN401 - of any database
        """Return the engine that writes the table. If possible, this is the engine of the rows."""
        if backend.name == BACKEND and (
            not engine.is_confined(backend) or _database_of(backend, self._path)[0] is not None
        ):
            return backend
        started = engine.start(_MEMORY)
        self._undo.callback(started.close)
        return started.backend

    def _quietly(self, statement: str) -> None:
        """Run a statement that undoes a step, and ignore the error if the connection is closed."""
        with contextlib.suppress(Exception):
            self._run(statement)


def _database_of(backend: Backend, path: Path) -> tuple[str | None, bool]:
    """Return the name of an attached file in an engine, and whether the file is read-only."""
    for name, place, read_only in backend.con.execute(
        "SELECT database_name, path, readonly FROM duckdb_databases() WHERE NOT internal"
    ).fetchall():
        if place is not None and Path(os.path.realpath(place)) == path:
            return name, read_only
    return None, False


@contextlib.contextmanager
def _query(rows: ibis.Table, source_name: str, backend: Backend) -> Iterator[str]:
    """Return a query for rows. The rows may be a stream from another engine."""
    with engine_errors(source_name):
        if rows.get_backend() is backend:
            yield compiled(rows)
            return
        name = fresh("rows")
        backend.con.register(name, stream(portable(rows)))
    try:
        yield f"FROM {name}"
    finally:
        with contextlib.suppress(Exception):
            backend.con.unregister(name)


def _check_place(path: Path, name: str) -> None:
    """Before other work begins, reject a file that cannot be written."""
    if path.exists():
        if not path.is_file():
            raise OutputError("this is not a file", where=path.name, fix="name a DuckDB file")
        if not is_duckdb(path):
            fix = "use a DuckDB file, or a new file"
            raise OutputError("this is not a DuckDB file", where=path.name, fix=fix)
        return
    if not path.parent.is_dir():
        raise OutputError("its folder does not exist", where=name, fix="create the folder first")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        what = "Roadstead cannot write to the folder of this file"
        raise OutputError(what, where=name, fix="choose another folder")


def _give_name(part: Path, path: Path) -> None:
    """Rename a file without replacing another file."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:
        if path.exists():
            raise FileExistsError from None
        part.rename(path)
    else:
        part.unlink()
    flush(path.parent)


def _folded(name: str) -> str:
    """Return a name with ASCII letters in lowercase, because DuckDB compares names in this way."""
    return name.encode().lower().decode()
