"""Readers of what is in a store: by its address, as a table of Ibis, or as a data frame."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from roadstead.errors import SourceError
from roadstead.tables import names
from roadstead.tables.failures import engine_errors
from roadstead.tables.locations import DatabaseLocation
from roadstead.tables.source import Engine, Source
from roadstead.tables.stores.access import connect
from roadstead.tables.stores.registry import by_backend, by_frame

if TYPE_CHECKING:
    from roadstead.tables.readers import Manner
    from roadstead.tables.stores.store import Connection


def read_address(data: Any, manner: Manner) -> Source | None:  # noqa: ANN401 - any data
    """Open a table in a database; it is called by its name alone, as a file is.

    Where it is, the host above all, is nobody's business who reads a report.
    """
    if not isinstance(data, DatabaseLocation):
        return None
    called = manner.name or data.called
    return _opened(connect(data, manner.memory_limit), manner, called, data)


def read_engine(data: Any, manner: Manner) -> Source | None:  # noqa: ANN401 - any data
    """Take a table that Ibis knows, or a data frame of a store; it stays in its engine."""
    library = type(data).__module__.partition(".")[0]
    if library == "ibis":
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
            # A number in the place of a row, which is to stay where it is.
            first = opened.table.select(found=ibis.literal(1)).limit(1)
            if not first.to_pyarrow().num_rows:
                manner.without_records(called)
            instants = by_backend(opened.backend).instants(opened.table)
        undo.pop_all()
    form = Engine(opened.backend)
    return Source(opened.table, columns, called, form, None, None, opened, location, instants)


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
    return Source(table, columns, called, Engine(backend), instants=instants)
