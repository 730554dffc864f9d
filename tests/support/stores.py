"""Places for a test's table: files, a DuckDB file, a PostgreSQL server.

A store takes columns and rows, and gives the address of the table for Roadstead. A test that uses a
store runs for every available engine. A column gives its type after two colons, for example
``codes::text[]``; without a type it is text.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias
from urllib.parse import quote

import duckdb
import pyarrow as pa
from pyarrow import parquet

from roadstead.tables.stores.names import quoted_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from postgres_server import Server

Cells: TypeAlias = "Sequence[str | list[str] | None]"
_LIST = "text[]"


class Store(Protocol):
    """A place of tables."""

    def load(self, table: str, columns: Sequence[str], rows: Sequence[Cells]) -> str:
        """Put a table there, in the place of one of that name; return what names it."""
        ...


@dataclass(frozen=True)
class Files:
    """A CSV file a table, or a Parquet file where a column has lists."""

    folder: Path

    def load(self, table: str, columns: Sequence[str], rows: Sequence[Cells]) -> str:
        """Write a file."""
        named = typed(columns)
        if any(kind == _LIST for _, kind in named):
            path = self.folder / f"{table}.parquet"
            parquet.write_table(cells_of(columns, rows), path)
            return str(path)
        path = self.folder / f"{table}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([[name for name, _ in named], *rows])
        return str(path)


@dataclass(frozen=True)
class Duckdb:
    """A DuckDB file that has all tables, in its schema ``main`` or another."""

    path: Path
    schema: str = "main"

    def load(self, table: str, columns: Sequence[str], rows: Sequence[Cells]) -> str:
        """Make a table; DuckDB itself parses its types."""
        spec = ", ".join(f"{quoted_name(name)} {kind}" for name, kind in typed(columns))
        with duckdb.connect(self.path) as connection:
            connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{self.schema}"')
            connection.execute(f'CREATE OR REPLACE TABLE "{self.schema}"."{table}" ({spec})')
            connection.register("cells", cells_of(columns, rows))
            connection.execute(f'INSERT INTO "{self.schema}"."{table}" FROM cells')
        return f"duckdb://{quote(str(self.path))}?table={self.schema}.{table}"


@dataclass(frozen=True)
class Postgres:
    """A running PostgreSQL; ``reader`` may read what is in its schema."""

    server: Server
    schema: str = "public"

    def load(self, table: str, columns: Sequence[str], rows: Sequence[Cells]) -> str:
        """Make a table; PostgreSQL itself parses its types."""
        named = [f"{name}::{kind}" for name, kind in typed(columns)]
        self.server.load(table, named, rows)
        if self.schema != "public":
            self.server.run(
                f'CREATE SCHEMA IF NOT EXISTS "{self.schema}"',
                f'GRANT USAGE ON SCHEMA "{self.schema}" TO reader',
                f'DROP TABLE IF EXISTS "{self.schema}"."{table}"',
                f'ALTER TABLE public."{table}" SET SCHEMA "{self.schema}"',
            )
        return self.server.address(f"{self.schema}.{table}")


def typed(columns: Sequence[str]) -> list[tuple[str, str]]:
    """Part the names of columns from their types."""
    parts = [column.partition("::") for column in columns]
    return [(name, kind or "text") for name, _, kind in parts]


def cells_of(columns: Sequence[str], rows: Sequence[Cells]) -> pa.Table:
    """Put rows into columns of text, or of lists of texts."""
    arrays: dict[str, Any] = {}
    for at, (name, kind) in enumerate(typed(columns)):
        form = pa.list_(pa.string()) if kind == _LIST else pa.string()
        arrays[name] = pa.array([row[at] for row in rows], form)
    return pa.table(arrays)
