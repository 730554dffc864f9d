"""Writing in Spark: the query in a safe order, and what a failure of it means.

As everywhere, no word of Spark is passed on, because it quotes the rows it stumbles over; what is
known is told by the condition of the error.
"""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING, Any

from roadstead.errors import OutputError
from roadstead.tables.databases import unwritten
from roadstead.tables.databases.spark_engine import quiet
from roadstead.tables.failures import is_full_disk, spark_condition

if TYPE_CHECKING:
    import ibis

_MEANINGS = {
    "TABLE_OR_VIEW_ALREADY_EXISTS": (
        "a table of this name was made meanwhile",
        "name another table, or give {force}",
    ),
    "SCHEMA_NOT_FOUND": ("there is no such schema", "create it first, or name another"),
    "CATALOG_NOT_FOUND": ("there is no such catalog", "check its name and Spark's settings"),
    "INSUFFICIENT_PERMISSIONS": (
        "you may not make a table there",
        "ask for the right to CREATE in its schema",
    ),
    "LOCATION_ALREADY_EXISTS": (
        "files lie where the table would",
        "remove them, or name another table",
    ),
    "NOT_SUPPORTED_COMMAND_WITHOUT_HIVE_SUPPORT": (
        "the default format of this Spark is Hive's, which it lacks",
        "set spark.sql.sources.default and spark.sql.legacy.createHiveTableByDefault=false",
    ),
}
_COLUMNS = ("INVALID_COLUMN_NAME", "COLUMN_ALREADY_EXISTS", "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE")


def sorted_query(backend: Any, rows: ibis.Table, where: str) -> str:  # noqa: ANN401 - Ibis is untyped
    """Write the query of rows, in the order of their content and not that of the source."""
    if rows.get_backend() is not backend:
        raise OutputError(
            "only what is read by the same Spark can be written there",
            where=where,
            fix="load the Parquet file of the release there",
        )
    backend._run_pre_execute_hooks(rows)  # noqa: SLF001 - sends tables held in memory
    return str(backend.compile(rows.order_by(list(rows.columns))))


def files_of(session: Any, backend: Any, table: ibis.Table) -> set[str]:  # noqa: ANN401 - of Java
    """List the files that a table is made of."""
    with quiet():
        return set(session.sql(backend.compile(table)).inputFiles())


def odd_name(where: str) -> OutputError:
    """Say that the catalog takes no table of this name."""
    return OutputError(
        "the catalog of Spark takes no table of such a name",
        where=where,
        fix="name one of letters from a to z, digits and _",
    )


def writing(where: str, columns: tuple[str, ...] = ()) -> contextlib.AbstractContextManager[None]:
    """Turn a failure of Spark into an error of ours, which quotes nothing."""
    return unwritten.writing(where, partial(_unwritten, columns=columns))


def _unwritten(error: Exception, where: str, columns: tuple[str, ...]) -> OutputError:
    condition, state = spark_condition(error)
    head = condition.partition(".")[0]
    if head.startswith(_COLUMNS):
        odd = next((x for x in columns if set(x) & set(" ,;{}()\n\t=")), None)
        name = "" if odd is None else f" {odd!r}"
        return OutputError(
            f"this format takes no column{name} of such a name",
            where=where,
            fix="rename it in the source, without spaces and signs",
        )
    if head == "INVALID_SCHEMA_OR_RELATION_NAME":
        return odd_name(where)
    if head in _MEANINGS:
        what, fix = _MEANINGS[head]
    elif state == "42501" or "AccessControlException" in str(error):
        what, fix = _MEANINGS["INSUFFICIENT_PERMISSIONS"]
    elif is_full_disk(error):
        what, fix = "no space is left where Spark writes", "free some, or write elsewhere"
    else:
        what = f"Spark cannot write it ({condition or type(error).__name__})"
        fix = "see Spark's own log; run it again if a worker was lost"
    return OutputError(what, where=where, fix=fix)
