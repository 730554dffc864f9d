"""The private DuckDB that reads a source: limited memory, no network, and no remaining files.

Data beyond the memory limit spills to a folder that only the user can read, and that is removed
with the connection. DuckDB also encrypts its spill files. Without OpenSSL, DuckDB calls this
setting unsafe, because its built-in cipher takes the keys from a weak generator. The weak cipher is
much better than plain text on a disk after a power cut, so it is switched on.

A database file may come from an unknown source, and may hold views and macros, which are programs.
An engine that must run them is confined first: it opens only that file and its spill files.

Ibis imports the compilers of all its engines, each with its dialect of SQL. They take most of the
time to import Ibis, so the package that offers them here loads each one on demand.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
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
"""Ibis's name for the engine; there is also a store for its tables."""
_PRIVATE: weakref.WeakSet[Any] = weakref.WeakSet()
ROWS = 1 << 18
"""Most rows of a batch that the engine hands on."""
_VECTOR = 2048 * 16
"""Bytes of a column in the block of rows that an operator of DuckDB hands on."""

_MEBIBYTES = {"MiB": 1, "GiB": 1 << 10, "TiB": 1 << 20}
"""How many are in a unit in which DuckDB says its memory limit."""
_COMPILERS = "ibis.backends.sql.compilers"
_AMOUNT = re.compile(r"\d+([.]\d+)?\s*([KMGT]i?B|%)", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class PrivateEngine:
    """An in-memory DuckDB, with the folder it may spill to."""

    con: duckdb.DuckDBPyConnection
    scratch: Path
    _instance: duckdb.DuckDBPyConnection

    @cached_property
    def backend(self) -> Backend:
        """The same behind Ibis, which a small table in a file does without."""
        return of_connection(self.con)

    def table(self, name: str, data: Any) -> ibis.Table:  # noqa: ANN401 - whatever DuckDB scans
        """Make data in memory, or a stream of data, a table of the engine without copying."""
        self.con.register(name, data)
        return table(self.backend, name)

    def parquet(self, paths: Sequence[Path]) -> ibis.Table:
        """Make Parquet files one table of the engine; folder names add no columns."""
        return self.backend.read_parquet([*map(str, paths)], hive_partitioning=False)

    def work_in_zone(self, zone: str) -> bool:
        """Let times with a zone read as in that one; return whether the engine knows it."""
        try:
            self.backend.con.execute(f"SET TimeZone = {literal(zone)}")
        except Exception as error:
            if type(error).__name__ not in ("InvalidInputException", "NotImplementedException"):
                raise
            return False
        return True

    def plain_name(self, path: Path, suffix: str, hidden: str = "table") -> Path:
        """Return a path that ends in the suffix and has no pattern characters.

        Engines read compression off the name and take ``[1]`` for a pattern. A name that would
        mislead them is hidden behind a link in the scratch folder, which is called `hidden`.
        """
        absolute = path.absolute()
        misleading = (".gz", ".bz2", ".zst", ".lz4", ".br", ".snappy")
        fits = absolute.name.endswith(suffix) if suffix else absolute.suffix not in misleading
        if fits and not set("*?[") & set(str(absolute)):
            return absolute
        return self.linked(path, f"{hidden}{suffix}")

    def linked(self, path: Path, name: str) -> Path:
        """Return a link to a file, of this name in the scratch folder."""
        link = self.scratch / name
        try:
            link.symlink_to(path.absolute())
        except OSError as error:
            raise _no_room(error) from error
        return link

    def confine(self, *paths: Path) -> None:
        """Allow the engine to open only these files and its spill files from now on.

        No view or macro reads another file, the network, a variable of this process or a secret,
        loads an extension or changes a setting. Data registered by name is still scanned.
        """
        # DuckDB opens a database by its name, with links and without, and its log.
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
        """Disconnect and remove the scratch folder; closing twice is harmless."""
        with deferred_signals():
            if self.con in _PRIVATE:
                _PRIVATE.discard(self.con)
                self.con.close()
                instances.release(self._instance, self.scratch)
            remove_scratch(self.scratch)


@dataclass(frozen=True, eq=False)
class TextTable:
    """A table of the private engine whose columns are all texts."""

    engine: PrivateEngine
    name: str
    columns: tuple[str, ...]

    @cached_property
    def expression(self) -> ibis.Table:
        """The same for Ibis."""
        return table(self.engine.backend, self.name)

    def batches(self, query: str) -> pa.RecordBatchReader:
        """Return the result of a query as a stream."""
        return self.engine.con.sql(query).to_arrow_reader(ROWS)

    def columns_of(self, query: str) -> dict[str, list[Any]]:
        """Return the columns of a query's result."""
        return dict(self.batches(query).read_all().to_pydict())


def start(memory_limit: str) -> PrivateEngine:
    """Start a private engine that may use so much memory, for instance ``"2GB"``."""
    if not _AMOUNT.fullmatch(memory_limit.strip()):
        what = f"{memory_limit!r} is not an amount of memory"
        raise SettingError(what, where="memory limit", fix='write it as "2GB" or "500MB"')
    with deferred_signals():  # a folder that would never be removed
        try:
            scratch = new_scratch()
        except OSError as error:
            raise _no_room(error) from error
        try:
            instance = instances.instance(memory_limit, scratch)
            con = instance.cursor()
            con.execute("SET TimeZone = 'UTC'")  # and not the time zone of this machine
            con.execute("SET python_enable_replacements = false")
        except BaseException:
            remove_scratch(scratch)
            raise
        _PRIVATE.add(con)
        # Expressions keep the connection alive, so the folder exists as long as it is needed.
        weakref.finalize(con, remove_scratch, scratch)
    return PrivateEngine(con, scratch, instance)


def _spare_compilers() -> None:
    """Install the package of compilers without importing them; do nothing if it is installed."""
    if _COMPILERS in sys.modules:
        return
    spec = find_spec(_COMPILERS)
    if spec is None or spec.submodule_search_locations is None:
        return  # as in another version of Ibis, which then loads its compilers itself

    def one(name: str) -> Any:  # noqa: ANN401 - a module or a class of Ibis
        """Return the module of an engine, or the compiler in it: `duckdb`, `DuckDBCompiler`."""
        engine = importlib.import_module(f"{_COMPILERS}.{name.removesuffix('Compiler').lower()}")
        return getattr(engine, name) if name.endswith("Compiler") else engine

    package = module_from_spec(spec)
    package.__getattr__ = one  # type: ignore[method-assign] # of modules, PEP 562
    sys.modules[_COMPILERS] = package
    setattr(sys.modules[_COMPILERS.rpartition(".")[0]], "compilers", package)  # noqa: B010 - a module's


def spare_memory(con: Any, joins: int, columns: int) -> None:  # noqa: ANN401 - of any database
    """Let as few threads work on a chain of joins as the memory limit of a private engine bears.

    Each join of each thread holds a block of all columns, so a chain of many takes gigabytes.
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
    """Return a table of an engine by its name."""
    return backend.table(name)


def keep_rows(backend: Backend, name: str, rows: pa.RecordBatchReader) -> ibis.Table:
    """Copy a stream of rows to a temporary table; data beyond the memory limit spills."""
    backend.con.register(f"{name}_rows", rows)
    backend.con.execute(f"CREATE TEMP TABLE {name} AS FROM {name}_rows")
    backend.con.unregister(f"{name}_rows")
    return table(backend, name)


def is_embedded(table: ibis.Table) -> bool:
    """Return whether a table is in an engine of this process that writes files and keeps tables."""
    return bool(table.get_backend().name == BACKEND)


def is_connection(data: object) -> bool:
    """Return whether data are a connection of DuckDB's own."""
    return type(data).__name__ == "DuckDBPyConnection"


def of_connection(connection: Any) -> Backend:  # noqa: ANN401 - DuckDB is only a guest
    """Let Ibis work with a connection of DuckDB's own."""
    import ibis  # noqa: PLC0415 - heavy

    _spare_compilers()
    return ibis.duckdb.from_connection(connection)


def compiled(expression: ibis.Table) -> str:
    """Return the query of an expression; tables in memory are registered first."""
    import ibis.expr.operations as ops  # noqa: PLC0415 - heavy

    if expression.op().find(ops.InMemoryTable):
        expression.limit(0).to_pyarrow()
    return str(expression.get_backend().compile(expression))


def literal(text: str) -> str:
    """Write a text for a statement."""
    return "'" + text.replace("'", "''") + "'"


def is_confined(backend: Any) -> bool:  # noqa: ANN401 - Ibis does not say
    """Return whether a DuckDB may open no files but its own; then others write files for it."""
    query = "SELECT current_setting('enable_external_access')"
    ((allowed,),) = backend.con.execute(query).fetchall()
    return not allowed


def _no_room(error: OSError) -> OutputError:
    # The text of the error lists folders that were tried; its number says as much as a user needs.
    reason = os.strerror(error.errno) if error.errno else type(error).__name__
    what = f"it cannot be written to ({reason})"
    fix = "free some space, or set TMPDIR to a folder that you can write to"
    return OutputError(what, where="folder for temporary files", fix=fix)
