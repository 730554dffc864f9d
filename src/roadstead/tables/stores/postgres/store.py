"""Declare the store for PostgreSQL."""

from __future__ import annotations

from dataclasses import replace

from roadstead.tables.stores.errors import ErrorTable
from roadstead.tables.stores.other.store import STORE as OTHER
from roadstead.tables.stores.postgres import open as opened
from roadstead.tables.stores.postgres import query
from roadstead.tables.stores.postgres.sink import open_sink
from roadstead.tables.stores.store import Explanations

_ERRORS = ErrorTable(__package__)

STORE = replace(
    OTHER,
    backend=opened.BACKEND,
    label="PostgreSQL",
    forms=opened.FORMS,
    drivers=frozenset({"psycopg", "psycopg2"}),
    locate=opened.locate,
    open=opened.open_postgres,
    table=opened.table_in,
    sink=open_sink,
    workbench=query.PostgresWorkbench,
    digest=query.digest,
    cancel=query.cancel,
    explain=Explanations(
        _ERRORS.opening,
        _ERRORS.reading,
        _ERRORS.writing,
        is_cancelled=lambda error: type(error).__name__ == "QueryCanceled",
    ),
)
