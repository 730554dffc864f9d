"""What DuckDB declares."""

from __future__ import annotations

from roadstead.tables.engine import BACKEND
from roadstead.tables.stores.duckdb import open as opened
from roadstead.tables.stores.duckdb import query
from roadstead.tables.stores.duckdb.sink import open_sink
from roadstead.tables.stores.errors import ErrorTable
from roadstead.tables.stores.store import Explanations, Store

_ERRORS = ErrorTable(__package__)

STORE = Store(
    backend=BACKEND,
    label="DuckDB",
    forms=opened.FORMS,
    drivers=frozenset({"duckdb", "_duckdb"}),
    locate=opened.locate,
    open=opened.open_duckdb,
    table=opened.table_in,
    sink=open_sink,
    list_tables=query.list_tables,
    instants=query.instants,
    adopt=query.exact,
    workbench=query.DuckdbWorkbench,
    digest=query.digest,
    cancel=query.cancel,
    explain=Explanations(reading=_ERRORS.reading, writing=_ERRORS.writing),
)
