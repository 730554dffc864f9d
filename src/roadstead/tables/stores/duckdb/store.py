"""What DuckDB declares."""

from __future__ import annotations

from roadstead.tables.engine import BACKEND
from roadstead.tables.stores.duckdb import location, query
from roadstead.tables.stores.duckdb.explain import EXPLANATIONS
from roadstead.tables.stores.duckdb.open import open_duckdb, table_in
from roadstead.tables.stores.duckdb.sink import open_sink
from roadstead.tables.stores.store import Store

STORE = Store(
    backend=BACKEND,
    label="DuckDB",
    forms=location.FORMS,
    drivers=frozenset({"duckdb", "_duckdb"}),
    locate=location.locate,
    open=open_duckdb,
    table=table_in,
    sink=open_sink,
    list_tables=query.list_tables,
    instants=query.instants,
    adopt=query.exact,
    workbench=query.DuckdbWorkbench,
    digest=query.digest,
    cancel=query.cancel,
    explain=EXPLANATIONS,
)
