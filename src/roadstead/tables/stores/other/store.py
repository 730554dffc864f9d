"""What is declared of any database of Ibis, and what a store begins with that does it better."""

from __future__ import annotations

from roadstead.tables.stores.other import location, query
from roadstead.tables.stores.other.explain import EXPLANATIONS
from roadstead.tables.stores.other.open import open_other, table_in
from roadstead.tables.stores.other.sink import open_sink
from roadstead.tables.stores.store import Store

STORE = Store(
    backend="",
    label="",
    forms={},
    drivers=frozenset(
        {
            "MySQLdb",
            "adbc_driver_manager",
            "clickhouse_connect",
            "databricks",
            "datafusion",
            "google",
            "oracledb",
            "pymysql",
            "pyodbc",
            "snowflake",
            "sqlite3",
            "trino",
        }
    ),
    locate=location.locate,
    open=open_other,
    table=table_in,
    sink=open_sink,
    list_tables=query.list_tables,
    instants=query.instants,
    adopt=query.adopt,
    explain=EXPLANATIONS,
)
