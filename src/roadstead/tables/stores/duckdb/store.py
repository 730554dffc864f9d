"""Declare the store for DuckDB."""

from __future__ import annotations

from roadstead.tables.engine import BACKEND
from roadstead.tables.stores.duckdb import open as opened
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
    list_tables=opened.list_tables,
    instants=opened.instants,
    adopt=opened.adopted,
    workbench=opened.DuckdbWorkbench,
    digest=opened.digest,
    cancel=opened.cancel,
    locate_in=opened.location_in,
    explain=Explanations(reading=_ERRORS.reading, writing=_ERRORS.writing),
)
