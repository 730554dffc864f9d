"""Databases of each of our stores, for `roadstead.testing.stores`."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

import duckdb
import pyarrow as pa

from roadstead.testing.stores import HOSTILE_NAMES, Columns

if TYPE_CHECKING:
    from pathlib import Path

    from postgres_server import Server
    from spark_tables import Spark


def texts(columns: Columns) -> pa.Table:
    """Make a table in memory, of texts alone."""
    return pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})


@dataclass(frozen=True)
class DuckdbPlace:
    """A DuckDB file."""

    path: Path
    names: Sequence[str] = HOSTILE_NAMES

    def load(self, table: str, columns: Columns) -> str:
        """Make a table."""
        with duckdb.connect(self.path) as connection:
            connection.register("cells", texts(columns))
            connection.execute(f'CREATE OR REPLACE TABLE "{table}" AS FROM cells')
        return self.address(table)

    def address(self, table: str) -> str:
        """Name a table of the file."""
        return f"duckdb://{quote(str(self.path))}?table={table}"

    def tables(self) -> Sequence[str]:
        """List the tables of the file; while it is open elsewhere, those that are committed."""
        with contextlib.suppress(duckdb.Error), duckdb.connect(self.path) as connection:
            return [
                name
                for (name,) in connection.execute(
                    "SELECT table_name FROM duckdb_tables()"
                ).fetchall()
            ]
        return ["people"]


@dataclass(frozen=True)
class SqlitePlace:
    """An SQLite file, which no store of ours claims."""

    path: Path
    names: Sequence[str] = HOSTILE_NAMES

    def load(self, table: str, columns: Columns) -> str:
        """Make a table."""
        spec = ", ".join('"' + name.replace('"', '""') + '" TEXT' for name in columns)
        marks = ", ".join("?" for _ in columns)
        with contextlib.closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute(f'DROP TABLE IF EXISTS "{table}"')
            connection.execute(f'CREATE TABLE "{table}" ({spec})')
            rows = zip(*columns.values(), strict=True)
            connection.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows)  # noqa: S608 - ours
        return self.address(table)

    def address(self, table: str) -> str:
        """Name a table of the file."""
        return f"sqlite://{quote(str(self.path))}?table={table}"

    def tables(self) -> Sequence[str]:
        """List the tables of the file."""
        with contextlib.closing(sqlite3.connect(self.path)) as connection:
            found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            return [name for (name,) in found.fetchall()]


@dataclass(frozen=True)
class PostgresPlace:
    """The server of the tests, as its owner."""

    server: Server
    names: Sequence[str] = HOSTILE_NAMES

    def load(self, table: str, columns: Columns) -> str:
        """Make a table."""
        self.server.load(table, list(columns), list(zip(*columns.values(), strict=True)))
        return self.address(table)

    def address(self, table: str) -> str:
        """Name a table of the server."""
        return self.server.address(table, user="owner")

    def tables(self) -> Sequence[str]:
        """List the tables of all schemas, but not those that a connection keeps for itself."""
        found = self.server.run(
            "SELECT tablename FROM pg_tables WHERE schemaname !~ '^pg_|^information_schema$'"
        )
        return [name for (name,) in found]


@dataclass(frozen=True)
class SparkPlace:
    """The schema of the tests in the catalog of a session."""

    spark: Spark
    names: Sequence[str] = ("a_b", "ü", "SELECT", "--g")
    """The catalog takes few signs in the names of columns."""

    def load(self, table: str, columns: Columns) -> str:
        """Make a table."""
        self.spark.store(table, texts(columns))
        return self.address(table)

    def address(self, table: str) -> str:
        """Name a table of the catalog."""
        return self.spark.address(table)

    def tables(self) -> Sequence[str]:
        """List the tables of the schema."""
        return self.spark.tables()
