"""What Ibis can say of a table in any database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ibis


def list_tables(backend: Any, schema: str | None, catalog: str | None) -> list[str]:  # noqa: ANN401 - of Ibis
    """List the tables of a schema."""
    database = schema if catalog is None or schema is None else (catalog, schema)
    return [str(name) for name in backend.list_tables(database=database)]


def instants(table: ibis.Table) -> frozenset[str]:
    """Name the columns of instants."""
    kinds = table.schema().items()
    return frozenset(
        name for name, kind in kinds if kind.is_timestamp() and kind.timezone is not None
    )


def adopt(table: ibis.Table) -> ibis.Table:
    """Take a table as it is."""
    return table
