"""The form a table came in, which is the form its release goes out in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from roadstead.tables.dialect import Dialect
from roadstead.tables.stores.registry import by_backend


@dataclass(frozen=True)
class Csv:
    """A delimited text file in some dialect."""

    dialect: Dialect = field(default_factory=Dialect)

    def describe(self) -> str:
        """Return the form in words."""
        return self.dialect.describe()


@dataclass(frozen=True)
class Parquet:
    """A Parquet file."""

    def describe(self) -> str:
        """Return the form in words."""
        return "Parquet"


@dataclass(frozen=True)
class Memory:
    """A table of another library in this process; ``kind`` says which."""

    kind: Literal["arrow", "pandas", "polars"]

    def describe(self) -> str:
        """Return the form in words."""
        return f"{self.kind} table in memory"


@dataclass(frozen=True)
class Engine:
    """A table that stays in a query engine, ``backend`` by Ibis's name for it."""

    backend: str

    def describe(self) -> str:
        """Return the form in words."""
        return f"table in {by_backend(self.backend).label or self.backend}"


Format = Csv | Parquet | Memory | Engine
