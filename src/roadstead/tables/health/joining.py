"""Keep the results of joins in a private engine, and check the keys of joins.

A scan sends a dozen queries to a table. If the table is a join of six files, each query would read
all six files again. So the join is computed only once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.errors import SourceError, quoted
from roadstead.tables import engine
from roadstead.tables.failures import engine_errors
from roadstead.tables.transfer import stream

if TYPE_CHECKING:
    import ibis
    from ibis.backends.duckdb import Backend

    from roadstead.tables.engine import PrivateEngine


def bring(started: PrivateEngine, name: str, result: ibis.Table, where: str) -> ibis.Table:
    """Copy the result of a query in another engine to a table of the private engine."""
    with engine_errors(where):
        return engine.keep_rows(started.backend, name, stream(result))


def keep(backend: Backend, name: str, result: ibis.Table, where: str) -> ibis.Table:
    """Store the result of a query in the same private engine, in the same order."""
    with engine_errors(where):
        backend.con.execute(f"CREATE TEMP TABLE {name} AS {backend.compile(result)}")
    return engine.table(backend, name)


def check_once(found: ibis.Table, key: str, where: str, what: str) -> None:
    """Check that each row has a different key. A missing key is an empty string."""
    counted = found.group_by(key).aggregate(rows=found.count())
    wrong = counted.filter((counted[key] == "") | (counted["rows"] > 1))
    with engine_errors(where):
        first = wrong.order_by(key).limit(1).to_pyarrow().to_pylist()
    if not first:
        return
    value, rows = first[0][key], first[0]["rows"]
    raise SourceError(
        f"{what} {quoted(value)} is in {rows:,} rows"
        if value
        else f"{rows:,} of its rows {'has' if rows == 1 else 'have'} no {key}",
        where=where,
        fix=f"keep one row per {what}" if value else f"give each row a {key}, or remove the row",
    )


def check_belongs(rows: ibis.Table, people: ibis.Table, key: str, where: str, whom: str) -> None:
    """Check that a second table is empty, or that some of its rows belong to known people."""
    with engine_errors(where):
        matched = rows.semi_join(people, key).count().to_pyarrow().as_py()
        lost = not matched and rows.count().to_pyarrow().as_py()
    if lost:
        fix = "check that the files belong together, and that they write person IDs in the same way"
        raise SourceError(f"none of its rows belongs to {whom}", where=where, fix=fix)
