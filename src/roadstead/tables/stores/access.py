"""Read, process, create, and close tables in the databases of any store.

Each function finds the store for a location or a table, and calls the store.
"""

from __future__ import annotations

import contextlib
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from roadstead.errors import OutputError, SourceError
from roadstead.front_end import argument, option
from roadstead.tables import names
from roadstead.tables.addresses import locate
from roadstead.tables.failures import engine_errors
from roadstead.tables.formats.options import part_of
from roadstead.tables.formats.recognition import format_of
from roadstead.tables.locations import CdmLocation, DatabaseLocation, FileLocation
from roadstead.tables.source import Engine, Source
from roadstead.tables.stores.staged import Sink
from roadstead.tables.stores.store import by_backend, by_frame, of_file
from roadstead.tables.transfer import brought

if TYPE_CHECKING:
    from collections.abc import Iterator

    import ibis
    import pyarrow as pa

    from roadstead.tables.locations import Location
    from roadstead.tables.readers import Manner
    from roadstead.tables.stores.store import Connection, QueryBench, Store


def connect(location: DatabaseLocation, memory_limit: str) -> Connection:
    """Open a table. `memory_limit` applies to an engine in this process."""
    return by_backend(location.store).open(location, memory_limit)


def alongside(source: Source, requested: object) -> Source | None:
    """Open a second table on the connection of a source, if both are in the same database.

    Both tables are then read in the same state of the database, and can be joined in the database.
    `requested` is a string, a path, a location, or any data. Returns None if the data is in another
    database, if the connection of the data has another user, or if opening the data copies it. The
    caller does not need to close the second table. Raises SourceError if the table does not exist,
    or if the user is not allowed to read it.
    """
    location = locate(requested) if isinstance(requested, str | Path) else requested
    own = source.location.person if isinstance(source.location, CdmLocation) else source.location
    if not isinstance(location, DatabaseLocation) or not isinstance(own, DatabaseLocation):
        return None
    store = by_backend(location.store)
    if own.database != location.database or store.workbench is None:
        return None
    table = store.table(source.table.get_backend(), location)
    called = str(location.table)
    columns = names.checked(table.columns, called)
    form = Engine(str(table.get_backend().name))
    return Source(table, columns, called, form, location=location)


@contextlib.contextmanager
def workbench(source: Source) -> Iterator[QueryBench]:
    """Open a workbench until the end of the block."""
    bench = _opened_workbench(source)
    try:
        yield bench
    finally:
        bench.close()


def with_small(source: Source, rows: pa.Table) -> tuple[ibis.Table, ibis.Table]:
    """Copy a small table to a source's engine. The copy exists while expressions use it.

    Returns the source's table and the small table. One expression can use both tables.
    """
    bench = _opened_workbench(source)
    small = bench.small(rows)
    weakref.finalize(small.op(), bench.close)
    return bench.table, small


def _opened_workbench(source: Source) -> QueryBench:
    opens = by_backend(str(source.table.get_backend().name)).workbench
    assert opens is not None  # noqa: S101 - a table without a workbench was copied when opened
    return opens(source.table, source.name)


def sink(target: str, source: Source, *, force: bool) -> Sink:
    """Open the place for a new table. Use the result in a ``with`` statement.

    `target` is the address of the new table. `source` is the origin of the release. If possible,
    the engine of the source writes the release. If `force` is true, the new table replaces a table
    with the same name, and permissions on the old table are lost. Views, tables on which other
    objects depend, and the source itself are never replaced. If the table cannot be created, the
    function raises OutputError before it writes anything.
    """
    try:
        location = locate(target)
        if isinstance(location, FileLocation):
            location = _in_file(location)
        if not isinstance(location, DatabaseLocation):
            raise _no_database(location)
        return Sink(by_backend(location.store).sink(location, source, force))
    except SourceError as error:  # the same error as for reading a table
        raise OutputError(error.what, where=error.where, fix=error.fix) from None


def _in_file(location: FileLocation) -> Location:
    """Return the table of a database file that a path such as ``new.duckdb?table=x`` specifies."""
    path, options = part_of(location.path)
    kind = format_of(path, {}) if path.is_file() else path.suffix.removeprefix(".")
    if kind is None or of_file(kind) is None:
        return location
    if options.keys() != {"table"}:
        fix = f"write {argument(f'{path.name}?table=NAME')}"
        raise OutputError("no table of the database is named", where=path.name, fix=fix)
    return locate(f"{kind}://{quote(str(path))}?table={quote(options['table'])}")


def _no_database(location: Location) -> OutputError:
    if isinstance(location, FileLocation):
        fix = (
            f"leave {option('into')} out: Roadstead writes the release to the folder of "
            f"{option('out')}"
        )
        what, where = "this is a file, not a table of a database", location.path.name
    else:
        what, where = "the address names a whole data model, not a single table", option("into")
        fix = "use a table of its database, without the prefix of the data model"
    return OutputError(what, where=where, fix=fix)


def read_address(data: Any, manner: Manner) -> Source | None:  # noqa: ANN401 - any data
    """Open a table in a database. Messages contain only the name of the table.

    Readers of a report must not learn where the table is. In particular, they must not learn the
    host.
    """
    if not isinstance(data, DatabaseLocation):
        return None
    called = manner.name or data.called
    return _opened(connect(data, manner.memory_limit), manner, called, data)


def read_engine(data: Any, manner: Manner) -> Source | None:  # noqa: ANN401 - any data
    """Open an Ibis table or a data frame of a store."""
    library = type(data).__module__.partition(".")[0]
    if library == "ibis":
        manner.in_memory()
        return _read_ibis(data, manner)
    store = by_frame(library)
    if store is None or store.open_frame is None:
        return None
    return _opened(store.open_frame(data), manner, manner.name or f"{store.label} data frame", None)


def _opened(
    opened: Connection, manner: Manner, called: str, location: DatabaseLocation | None
) -> Source:
    import ibis  # noqa: PLC0415 - heavy

    with contextlib.ExitStack() as undo:
        undo.callback(opened.close)
        columns = names.checked(opened.table.columns, called)
        with engine_errors(called):
            # The query returns a number rather than a row, because the data must stay where it is.
            first = opened.table.select(found=ibis.literal(1)).limit(1)
            if not first.to_pyarrow().num_rows:
                manner.without_records(called)
            store = by_backend(opened.backend)
            instants = store.instants(opened.table)
        table = _with_workbench(opened.table, store, called)
        undo.pop_all()
    form = Engine(opened.backend)
    return Source(table, columns, called, form, None, None, opened, location, instants)


def _with_workbench(table: ibis.Table, store: Store, called: str) -> ibis.Table:
    """Copy a table to the private engine if its own engine does not have a workbench.

    Each of these engines writes numbers and times as text in its own way. So the counts from one
    engine do not fit the rows from another engine.
    """
    return brought(table, called) if store.workbench is None else table


def _read_ibis(table: Any, manner: Manner) -> Source:  # noqa: ANN401 - checked here
    import ibis  # noqa: PLC0415 - heavy

    if not isinstance(table, ibis.Table):
        raise SourceError(
            f"an Ibis {type(table).__name__} is not a table", fix="pass an ibis.Table"
        )
    backend = str(table.get_backend().name)
    store = by_backend(backend)
    called = manner.name or f"{backend} table"
    columns = names.checked(table.columns, called)
    with engine_errors(called):
        instants = store.instants(table)
        table = store.adopt(table)
    table = _with_workbench(table, store, called)
    return Source(table, columns, called, Engine(backend), instants=instants)
