"""Results kept in a private engine, so that a join is made once and not for each question.

A scan asks a table a dozen questions. If the table is a join of six files, each would read all six
again. What is kept stays within the engine's memory limit; what is more spills, encrypted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.errors import SourceError, quoted
from roadstead.tables import engine
from roadstead.tables.batches import stream
from roadstead.tables.failures import engine_errors

if TYPE_CHECKING:
    import ibis
    from ibis.backends.duckdb import Backend

    from roadstead.tables.engine import PrivateEngine


def table(backend: Backend, name: str) -> ibis.Table:
    """Give a table of an engine by its name."""
    with engine.quiet():
        return backend.table(name)


def bring(started: PrivateEngine, name: str, result: ibis.Table, where: str) -> ibis.Table:
    """Keep the result of a query to another engine.

    Parameters
    ----------
    started
        The engine that keeps it.
    name
        What to call it there: a plain word.
    result
        The query.
    where
        What it reads, for messages.

    Raises
    ------
    SourceError
        The other engine cannot read it.
    """
    con = started.backend.con
    with engine_errors(where):
        con.register(f"{name}_rows", stream(result))
        con.execute(f"CREATE TEMP TABLE {name} AS FROM {name}_rows")
        con.unregister(f"{name}_rows")
    return table(started.backend, name)


def keep(backend: Backend, name: str, result: ibis.Table, where: str) -> ibis.Table:
    """Keep the result of a query to the same private engine; its order stays.

    Raises
    ------
    SourceError
        The engine cannot answer it.
    """
    with engine_errors(where):
        query = backend.compile(result)
        backend.con.execute(f"CREATE TEMP TABLE {name} AS {query}")
    return table(backend, name)


def check_once(found: ibis.Table, key: str, where: str, what: str) -> None:
    """Prove that a key is never missing and never stands twice.

    Parameters
    ----------
    found
        The rows; `key` is text and empty where it is missing.
    key
        The column.
    where, what
        For messages: what is read, and what the key numbers.

    Raises
    ------
    SourceError
        A key is missing, or stands twice.
    """
    counted = found.group_by(key).aggregate(rows=found.count())
    wrong = counted.filter((counted[key] == "") | (counted["rows"] > 1))
    with engine_errors(where):
        first = wrong.order_by(key).limit(1).to_pyarrow().to_pylist()
    if not first:
        return
    value = first[0][key]
    raise SourceError(
        f"{what} {quoted(value)} stands in {first[0]['rows']:,} rows"
        if value
        else f"{first[0]['rows']:,} of its rows have no {key}",
        where=where,
        fix=f"keep one row for each {what}" if value else f"give each row a {key}, or remove it",
    )


def check_belongs(rows: ibis.Table, people: ibis.Table, key: str, where: str, whom: str) -> None:
    """Prove that rows of a second table, if there are any, are not all of nobody.

    Parameters
    ----------
    rows, people
        Tables with the key.
    key
        The column of both.
    where, whom
        For messages: what the rows are read from, and what the people are.

    Raises
    ------
    SourceError
        There are rows, and not one has the key of a person.
    """
    with engine_errors(where):
        matched = rows.semi_join(people, key).count().to_pyarrow().as_py()
        lost = not matched and rows.count().to_pyarrow().as_py()
    if lost:
        raise SourceError(
            f"not one of its rows is of {whom}",
            where=where,
            fix="check that the files belong together and write people's numbers alike",
        )
