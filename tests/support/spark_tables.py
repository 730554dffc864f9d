"""Tables in the Spark of the tests, by a session of this process or by one of Spark Connect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pyarrow as pa

from roadstead.tables.stores.spark.engine import dotted, quiet

if TYPE_CHECKING:
    from collections.abc import Sequence

_KINDS = {"text": "string", "int": "int", "date": "date", "double": "double", "bigint": "bigint"}


@dataclass(frozen=True)
class Spark:
    """A session that the tests own, and a schema of theirs in its catalog.

    Attributes
    ----------
    session
        The session; the tested code opens another one.
    server
        The server in an address: ``spark://`` for the Spark of this process.
    schema
        A schema that no other process uses.
    """

    session: Any
    server: str
    schema: str

    def address(self, table: str) -> str:
        """Write the address of a table, of the tests' schema unless its name has a dot."""
        named = table if "." in table else f"{self.schema}.{table}"
        return f"{self.server}?table={quote(named)}"

    def load(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Make a table, of text unless a column says its type after two colons, and fill it."""
        parts = [column.rpartition("::") for column in columns]
        named = [(name, kind) if colons else (kind, "text") for name, colons, kind in parts]
        cells = {
            name: pa.array([None if row[at] is None else str(row[at]) for row in rows], pa.string())
            for at, (name, _) in enumerate(named)
        }
        casts = [f"CAST({dotted((n,))} AS {_KINDS.get(k, k)}) AS {dotted((n,))}" for n, k in named]
        with quiet():
            self.store(table, self.session.createDataFrame(pa.table(cells)).selectExpr(*casts))

    def store(self, table: str, frame: Any) -> None:  # noqa: ANN401 - of either Spark
        """Make a table of a data frame, or of an Arrow table."""
        with quiet():
            made = self.session.createDataFrame(frame) if isinstance(frame, pa.Table) else frame
            name = dotted((self.schema, table))
            self.session.sql(f"DROP TABLE IF EXISTS {name}").collect()
            made.write.saveAsTable(name)

    def drop(self, *tables: str) -> None:
        """Drop tables of the tests' schema, where they are there."""
        with quiet():
            for table in tables:
                name = dotted((self.schema, table))
                self.session.sql(f"DROP TABLE IF EXISTS {name}").collect()

    def tables(self) -> list[str]:
        """List the tables of the tests' schema."""
        with quiet():
            found = self.session.sql(f"SHOW TABLES IN {self.schema}").collect()
        return sorted(row["tableName"] for row in found if not row["isTemporary"])

    def rows(self, table: str) -> list[tuple[Any, ...]]:
        """Read a table as it is now."""
        with quiet():
            name = dotted((self.schema, table))
            self.session.sql(f"REFRESH TABLE {name}").collect()
            return [tuple(row) for row in self.session.table(name).collect()]
