"""Translate statements into the supported SQL dialects.

Statements are written in the dialect of DuckDB, and SQLGlot translates them. This module translates
the few expressions that SQLGlot does not translate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from roadstead.release.sql.counting import LIST_OF, LISTS
from roadstead.release.sql.rules import BYTEWISE, MONDAY
from roadstead.release.sql.written_dates import DAY_OF_SERIAL

if TYPE_CHECKING:
    from sqlglot import exp

_WEEK = "CAST(CAST(DATE_TRUNC('week', CAST({day} AS DATE)) AS DATE) AS %s)"
_MONDAYS = {
    "duckdb": _WEEK % "TEXT",
    "postgres": "TO_CHAR(DATE_TRUNC('week', CAST({day} AS TIMESTAMP)), 'YYYY-MM-DD')",
    "spark": _WEEK % "STRING",
    "databricks": _WEEK % "STRING",
    "trino": _WEEK % "VARCHAR",
    "snowflake": "TO_CHAR(DATEADD(DAY, 1 - DAYOFWEEKISO(CAST({day} AS DATE)), "
    "CAST({day} AS DATE)), 'YYYY-MM-DD')",
    "bigquery": "CAST(DATE_TRUNC(CAST({day} AS DATE), ISOWEEK) AS STRING)",
}
_DAYS_OF_SERIALS = {
    "duckdb": "CAST(CAST('1899-12-30' AS DATE) + {day} AS TEXT)",
    "postgres": "TO_CHAR(CAST('1899-12-30' AS DATE) + {day}, 'YYYY-MM-DD')",
    "spark": "CAST(DATE_ADD(CAST('1899-12-30' AS DATE), {day}) AS STRING)",
    "databricks": "CAST(DATE_ADD(CAST('1899-12-30' AS DATE), {day}) AS STRING)",
    "trino": "CAST(DATE_ADD('day', {day}, CAST('1899-12-30' AS DATE)) AS VARCHAR)",
    "snowflake": "TO_CHAR(DATEADD(DAY, {day}, CAST('1899-12-30' AS DATE)), 'YYYY-MM-DD')",
    "bigquery": "CAST(DATE_ADD(CAST('1899-12-30' AS DATE), INTERVAL ({day}) DAY) AS STRING)",
}
_BYTEWISE = {"postgres": '{text} COLLATE "C"'}
"""Engines that need an explicit collation to compare strings by their bytes."""
DIALECTS = tuple(_MONDAYS)
"""The engines that compare strings exactly and support everything that a statement needs."""
WRITTEN: Final = "duckdb"
"""The dialect in which statements are written before they are translated."""


def translated(query: exp.Select, dialect: str) -> str:
    """Translate a query into a dialect."""
    from sqlglot import exp, parse_one  # noqa: PLC0415 - heavy

    def own(node: Any) -> Any:  # noqa: ANN401 - the base class has another name in each version
        own_names = (MONDAY, LIST_OF, BYTEWISE, DAY_OF_SERIAL)
        if not isinstance(node, exp.Anonymous) or node.name not in own_names:
            return node
        said = node.expressions[0].sql(dialect=dialect)
        if node.name == BYTEWISE:
            return parse_one(_BYTEWISE.get(dialect, "{text}").format(text=said), dialect=dialect)
        if node.name == LIST_OF:
            return parse_one(LISTS[dialect].format(texts=said), dialect=dialect)
        days = _MONDAYS if node.name == MONDAY else _DAYS_OF_SERIALS
        return parse_one(days[dialect].format(day=said), dialect=dialect)

    written: str = query.transform(own).sql(dialect=dialect, pretty=True)
    return written + "\n"
