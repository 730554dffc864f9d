"""Declare the store for any Ibis database, on which other stores are based."""

from __future__ import annotations

from roadstead.tables.stores.errors import ErrorTable
from roadstead.tables.stores.other import open as opened
from roadstead.tables.stores.other.sink import open_sink
from roadstead.tables.stores.store import Explanations, Store

_ERRORS = ErrorTable(__package__)

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
    locate=opened.locate,
    open=opened.open_other,
    table=opened.table_in,
    sink=open_sink,
    list_tables=opened.list_tables,
    instants=opened.instants,
    adopt=lambda table: table,
    explain=Explanations(_ERRORS.opening, _ERRORS.reading),
)
