"""Run a private DuckDB with limited memory. It has no network access, and leaves no files behind.

If data exceeds the memory limit, the rest is written to encrypted *spill files* in a folder that
only the user can read. Without OpenSSL, DuckDB describes this encryption as unsafe, because a weak
random generator creates the keys. But if a power cut leaves the files on the disk, weak encryption
is still better than plain text.

A database file may come from an unknown source, and may contain views and macros, which are
programs. So the engine for such a file is confined, which means that it can open only the file and
the spill files.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.errors import OutputError, SettingError
from roadstead.tables import instances
from roadstead.tables.scratch import new_scratch, remove_scratch
from roadstead.tables.signals import deferred_signals

if TYPE_CHECKING:
    import duckdb
    import ibis
    import pyarrow as pa
    from ibis.backends.duckdb import Backend

BACKEND = "duckdb"
"""The name of the engine in Ibis, which is also the name of the store for its tables."""
_PRIVATE: weakref.WeakSet[Any] = weakref.WeakSet()
ROWS = 1 << 18
"""The maximum number of rows in a batch."""
_VECTOR = 2048 * 16
"""The number of bytes per column in a block of rows that DuckDB operators exchange."""

_MEBIBYTES = {"MiB": 1, "GiB": 1 << 10, "TiB": 1 << 20}
"""The number of mebibytes in each unit that DuckDB uses for the memory limit."""
_COMPILERS = "ibis.backends.sql.compilers"
_AMOUNT = re.compile(r"\d+([.]\d+)?\s*([KMGT]i?B|%)", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class PrivateEngine:
    """An in-memory DuckDB with a folder for its spill files."""

    con: duckdb.DuckDBPyConnection
    scratch: Path
    _instance: duckdb.DuckDBPyConnection
    # The tables that were converted to strings, by their operations in Ibis, or None for others.
    converted: dict[Any, str | None] = field(default_factory=dict, repr=False)

    @cached_property
    def backend(self) -> Backend:
        """The engine as an Ibis backend."""
        return of_connection(self.con)

    def table(self, name: str, data: Any) -> ibis.Table:  # noqa: ANN401 - whatever DuckDB scans
        """Register data or a stream of data as a table of the engine, without copying it."""
        self.con.register(name, data)
        return table(self.backend, name)

    def parquet(self, paths: Sequence[Path]) -> ibis.Table:
        """Return Parquet files as one table of the engine, without columns from folder names."""
        return self.backend.read_parquet([*map(str, paths)], hive_partitioning=False)

    def work_in_zone(self, zone: str) -> bool:
        """Set the time zone of the engine. Return whether the engine knows the zone."""
        try:
            self.backend.con.execute(f"SET TimeZone = {literal(zone)}")
        except Exception as error:
            if type(error).__name__ not in ("InvalidInputException", "NotImplementedException"):
                raise
            return False
        return True

    def plain_name(self, path: Path, suffix: str, hidden: str = "table") -> Path:
        """Return a path to a file. The path ends in the suffix, and has no pattern characters.

        Engines infer the compression of a file from its name, and treat ``[1]`` as a pattern. If
        the engine would misread the name, the function returns a link with the name `hidden` in the
        scratch folder.
        """
        absolute = path.absolute()
        misleading = (".gz", ".bz2", ".zst", ".lz4", ".br", ".snappy")
        fits = absolute.name.endswith(suffix) if suffix else absolute.suffix not in misleading
        if fits and not set("*?[") & set(str(absolute)):
            return absolute
        return self.linked(path, f"{hidden}{suffix}")

    def linked(self, path: Path, name: str) -> Path:
        """Create a link to a file under this name in the scratch folder, and return the link."""
        link = self.scratch / name
        try:
            link.symlink_to(path.absolute())
        except OSError as error:
            raise _no_room(error) from error
        return link

    def confine(self, *paths: Path) -> None:
        """Restrict the engine to these files and its spill files until it is closed.

        After this call, views and macros cannot read other files, the network, variables of this
        process, or secrets. They also cannot change settings. The engine can still scan data that
        is registered by name.
        """
        # DuckDB opens a database by its name and by its resolved name, and also opens its log.
        opened = {str(name) for path in paths for name in (path.absolute(), path.resolve())}
        allowed = ", ".join(map(literal, sorted(opened | {f"{name}.wal" for name in opened})))
        for statement in (
            f"SET allowed_paths = [{allowed}]",
            "SET allow_persistent_secrets = false",
            "SET python_enable_replacements = false",
            "SET allowed_configs = ['threads']",
            "SET http_proxy = ''",
            "SET enable_external_access = false",
            "SET lock_configuration = true",
        ):
            self.backend.con.execute(statement)

    def close(self) -> None:
        """Disconnect, and remove the scratch folder. Closing an engine twice is harmless."""
        with deferred_signals():
            if self.con in _PRIVATE:
                _PRIVATE.discard(self.con)
                self.con.close()
                instances.release(self._instance, self.scratch)
            remove_scratch(self.scratch)


@dataclass(frozen=True, eq=False)
class TextTable:
    """A table of the private engine in which all columns are strings."""

    engine: PrivateEngine
    name: str
    columns: tuple[str, ...]

    @cached_property
    def expression(self) -> ibis.Table:
        """The table as an Ibis expression."""
        return table(self.engine.backend, self.name)

    def batches(self, query: str) -> pa.RecordBatchReader:
        """Return the result of a query as a stream."""
        return self.engine.con.sql(query).to_arrow_reader(ROWS)

    def columns_of(self, query: str) -> dict[str, list[Any]]:
        """Return the columns of the result of a query."""
        return dict(self.batches(query).read_all().to_pydict())

    def row_of(self, query: str) -> dict[str, Any]:
        """Return the only row of the result of a query."""
        return {name: value for name, (value,) in self.columns_of(query).items()}


def zone_of(table: ibis.Table) -> str:
    """Return the time zone of the private engine of a table."""
    (zone,) = table.get_backend().con.execute("SELECT current_setting('TimeZone')").fetchone()
    return str(zone)


def start(memory_limit: str) -> PrivateEngine:
    """Start a private engine with a memory limit, for example, ``"2GB"``."""
    if not _AMOUNT.fullmatch(memory_limit.strip()):
        what = f"{memory_limit!r} is not an amount of memory"
        raise SettingError(what, where="memory limit", fix='write the amount as "2GB" or "500MB"')
    with deferred_signals():  # an interrupt here would leave the folder behind
        try:
            scratch = new_scratch()
        except OSError as error:
            raise _no_room(error) from error
        try:
            instance = instances.instance(memory_limit, scratch)
            con = instance.cursor()
            con.execute("SET TimeZone = 'UTC'")  # not the time zone of this computer
            con.execute("SET python_enable_replacements = false")
        except BaseException:
            remove_scratch(scratch)
            raise
        _PRIVATE.add(con)
        # Expressions keep the connection alive, so the folder exists as long as it is needed.
        weakref.finalize(con, remove_scratch, scratch)
    return PrivateEngine(con, scratch, instance)


def _spare_compilers() -> None:
    """Let Ibis import each SQL compiler only when needed, because importing all of them is slow."""
    if _COMPILERS in sys.modules:
        return
    spec = find_spec(_COMPILERS)
    if spec is None or spec.submodule_search_locations is None:
        return  # another version of Ibis, which loads its compilers itself

    def one(name: str) -> Any:  # noqa: ANN401 - a module or a class of Ibis
        engine = importlib.import_module(f"{_COMPILERS}.{name.removesuffix('Compiler').lower()}")
        return getattr(engine, name) if name.endswith("Compiler") else engine

    package = module_from_spec(spec)
    package.__getattr__ = one  # type: ignore[method-assign] # of modules, PEP 562
    sys.modules[_COMPILERS] = package
    setattr(sys.modules[_COMPILERS.rpartition(".")[0]], "compilers", package)  # noqa: B010 - a module's


def spare_memory(con: Any, joins: int, columns: int) -> None:  # noqa: ANN401 - of any database
    """Limit the number of threads so that a chain of joins does not exceed the memory limit.

    For each join, each thread keeps a block of all columns in memory. So a long chain of joins can
    need gigabytes. Only private engines are changed.
    """
    if con not in _PRIVATE:
        return
    query = "SELECT current_setting('threads'), current_setting('memory_limit')"
    ((threads, limit),) = con.execute(query).fetchall()
    number, _, unit = limit.partition(" ")
    mebibytes = float(number) * _MEBIBYTES.get(unit, 0)
    fitting = int(mebibytes * (1 << 19) // (joins * columns * _VECTOR or 1))
    if max(fitting, 1) < threads:
        con.execute(f"SET threads = {max(fitting, 1)}")


def table(backend: Backend, name: str) -> ibis.Table:
    """Return a table of an engine by name."""
    return backend.table(name)


def keep_rows(backend: Backend, name: str, rows: pa.RecordBatchReader) -> ibis.Table:
    """Copy a stream of rows to a temporary table. If memory is full, rows are written to disk."""
    backend.con.register(f"{name}_rows", rows)
    backend.con.execute(f"CREATE TEMP TABLE {name} AS FROM {name}_rows")
    backend.con.unregister(f"{name}_rows")
    return table(backend, name)


def is_embedded(table: ibis.Table) -> bool:
    """Return whether a table is in this process's DuckDB, which can write files and tables."""
    return bool(table.get_backend().name == BACKEND)


def is_connection(data: object) -> bool:
    """Return whether an object is a DuckDB connection."""
    return type(data).__name__ == "DuckDBPyConnection"


def of_connection(connection: Any) -> Backend:  # noqa: ANN401 - DuckDB is only a guest
    """Return an Ibis backend for a DuckDB connection."""
    import ibis  # noqa: PLC0415 - heavy

    _spare_compilers()
    return ibis.duckdb.from_connection(connection)


def compiled(expression: ibis.Table) -> str:
    """Return the SQL query of an expression. Tables in memory are registered first."""
    import ibis.expr.operations as ops  # noqa: PLC0415 - heavy

    if expression.op().find(ops.InMemoryTable):
        expression.limit(0).to_pyarrow()
    return str(expression.get_backend().compile(expression))


def literal(text: str) -> str:
    """Return a string as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def is_confined(backend: Any) -> bool:  # noqa: ANN401 - Ibis does not say
    """Return whether a DuckDB connection may open only its own files.

    If so, Python writes all other files.
    """
    query = "SELECT current_setting('enable_external_access')"
    ((allowed,),) = backend.con.execute(query).fetchall()
    return not allowed


def _no_room(error: OSError) -> OutputError:
    # The error message lists the folders that were tried, but a user needs only the reason.
    reason = os.strerror(error.errno) if error.errno else type(error).__name__
    what = f"Roadstead cannot write to this folder ({reason})"
    fix = "free some space, or set TMPDIR to a folder that you can write to"
    return OutputError(what, where="folder for temporary files", fix=fix)
