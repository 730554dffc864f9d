"""A table that Spark reads: of its catalog, or a folder of files that its workers reach."""

from __future__ import annotations

import contextlib
import weakref
from typing import TYPE_CHECKING, Any

from roadstead.errors import MissingExtraError, SourceError
from roadstead.tables.failures import opening
from roadstead.tables.locations import TableName
from roadstead.tables.stores.names import no_table
from roadstead.tables.stores.spark import engine, session
from roadstead.tables.stores.spark.explain import is_missing, why_not_opened
from roadstead.tables.stores.spark.location import BACKEND, SparkLocation
from roadstead.tables.stores.store import Connection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import ibis
    from ibis.backends.pyspark import Backend


def open_spark(location: SparkLocation, _memory_limit: str) -> Connection:
    """Open a table in Spark."""
    where = location.called
    with spark_errors(where, connect=location.connects), contextlib.ExitStack() as undo:
        started = session.start(location.server, where)
        undo.callback(started.close)
        backend = engine.backend_on(started.spark)
        table = _found(backend, location)
        undo.pop_all()
    return _connection(table, started.close)


def table_in(backend: Backend, location: SparkLocation) -> ibis.Table:
    """Give a table of a session.

    Raises SourceError: it is not there, or may not be read.
    """
    with spark_errors(location.called):
        return _found(backend, location)


def open_frame(frame: Any) -> Connection:  # noqa: ANN401 - of Spark or of Spark Connect
    """Make a data frame of Spark a table; it stays where it is."""
    where = "Spark data frame"
    if type(frame).__name__ != "DataFrame" or not hasattr(frame, "sparkSession"):
        raise SourceError(
            f"a {type(frame).__name__} of Spark is not a table", fix="pass a DataFrame"
        )
    if frame.isStreaming:
        raise SourceError("it is a stream, which never ends", where=where, fix="pass a table")
    with spark_errors(where), engine.quiet():
        started, parts = session.alongside(frame)
        with contextlib.ExitStack() as undo:
            undo.callback(started.close)
            backend = engine.backend_on(started.spark)
            table = _readable(engine.spark_table(backend, parts))
            undo.pop_all()
    return _connection(table, started.close)


def adopted(table: ibis.Table) -> ibis.Table:
    """Let a table that Ibis reads with Spark come as Arrow, and leave its session's settings be."""
    import ibis.expr.operations as ops  # noqa: PLC0415 - heavy

    theirs = table.get_backend()
    ours = engine.backend_on(theirs._session)  # noqa: SLF001 - there is no other way
    nodes = table.op().find(ops.DatabaseTable)
    return table.op().replace({node: node.copy(source=ours) for node in nodes}).to_expr()


@contextlib.contextmanager
def spark_errors(where: str, *, connect: bool = False) -> Iterator[None]:
    """Say in our words why Spark cannot open something."""

    def explained(error: Exception) -> SourceError:
        if is_missing(error):
            return no_table(TableName(where), [], "")
        what, fix = why_not_opened(error)
        return SourceError(what, where=where, fix=fix)

    try:
        with opening(where, explained), engine.quiet():
            yield
    except ImportError:
        extra = "spark-connect" if connect else "spark"
        raise MissingExtraError(
            "Spark needs PySpark", where=where, fix=f"pip install 'roadstead[{extra}]'"
        ) from None


def _found(backend: Backend, location: SparkLocation) -> ibis.Table:
    try:
        return _readable(engine.spark_table(backend, location.table.parts))
    except Exception as error:
        if not is_missing(error):
            raise
        if location.path is not None:
            raise SourceError(
                "this Spark does not know the format",
                where=location.called,
                fix="add its jar to the settings of Spark",
            ) from None
        raise no_table(location.table, _near(backend, location.table), "default") from None


def _readable(table: ibis.Table) -> ibis.Table:
    """Write bytes as hexadecimal digits; Spark would make texts of them that are none."""
    import ibis  # noqa: PLC0415 - heavy

    @ibis.udf.scalar.builtin(name="hex", signature=(("binary",), "string"))
    def digits(_bytes):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202 - a name for Ibis
        ...

    odd = [name for name, kind in table.schema().items() if kind.is_binary()]
    return table.mutate(**{name: digits(table[name]) for name in odd}) if odd else table


def _near(backend: Backend, table: TableName) -> list[TableName]:
    """List the tables of the schema that was named, or else of every schema alongside it."""
    spark = backend._session  # noqa: SLF001 - ours
    head = () if table.catalog is None else (table.catalog,)

    def rows(command: str) -> list[Any]:
        with contextlib.suppress(Exception):  # a schema may be closed to this user
            return list(spark.sql(command).collect())
        return []

    inside = f" IN {engine.dotted(head)}" if head else ""
    schemas = [str(row[0]) for row in rows(f"SHOW SCHEMAS{inside}")]
    if table.schema in schemas:
        schemas = [table.schema]
    return [
        TableName(str(row["tableName"]), schema, table.catalog)
        for schema in schemas
        for row in rows(f"SHOW TABLES IN {engine.dotted((*head, schema))}")
        if not row["isTemporary"]
    ]


def _connection(table: ibis.Table, close: Callable[[], None]) -> Connection:
    # Every expression keeps the backend alive.
    weakref.finalize(table.get_backend(), close)
    return Connection(table, BACKEND, close)
