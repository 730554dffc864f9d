"""What PostgreSQL declares."""

from __future__ import annotations

from dataclasses import replace

from roadstead.tables.stores.other.store import STORE as OTHER
from roadstead.tables.stores.postgres import location, query
from roadstead.tables.stores.postgres.explain import EXPLANATIONS
from roadstead.tables.stores.postgres.open import open_postgres, table_in
from roadstead.tables.stores.postgres.sink import open_sink

STORE = replace(
    OTHER,
    backend=location.BACKEND,
    label="PostgreSQL",
    forms=location.FORMS,
    drivers=frozenset({"psycopg", "psycopg2"}),
    locate=location.locate,
    open=open_postgres,
    table=table_in,
    sink=open_sink,
    workbench=query.PostgresWorkbench,
    digest=query.digest,
    cancel=query.cancel,
    explain=EXPLANATIONS,
)
