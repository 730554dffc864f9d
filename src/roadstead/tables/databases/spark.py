"""A table that Spark reads: of its catalog, or a folder of files that its workers reach."""

from __future__ import annotations

import contextlib
import weakref
from typing import TYPE_CHECKING, Any

from roadstead.errors import MissingExtraError, RoadsteadError, SourceError
from roadstead.tables.databases import spark_engine, spark_session
from roadstead.tables.databases.connection import Connection
from roadstead.tables.databases.refusals import no_table, not_allowed
from roadstead.tables.failures import spark_condition
from roadstead.tables.locations import SparkLocation, TableName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import ibis
    from ibis.backends.pyspark import Backend

_MISSING = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND", "42P01", "42704")
_MEANINGS = (
    (
        ("JAVA_GATEWAY_EXITED",),
        "Java cannot start Spark",
        "Spark 4 needs Java 17 or newer; set JAVA_HOME",
    ),
    (
        ("PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA", "DELTA_TABLE_NOT_FOUND"),
        "there are no such files",
        "name a folder that every worker reads",
    ),
    (
        ("DATA_SOURCE_NOT_FOUND", "UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY"),
        "this Spark does not know the format",
        "add its jar to the settings of Spark",
    ),
    (
        ("COLUMN_ALREADY_EXISTS", "AMBIGUOUS_REFERENCE"),
        "two columns differ only in case",
        "rename one of them",
    ),
    (
        ("AccessControlException", "Permission denied"),
        "you may not read it",
        "ask for the right to read it, or name another",
    ),
    (
        ("UNAUTHENTICATED", "PERMISSION_DENIED"),
        "the server wants a token, or refuses this one",
        "set SPARK_CONNECT_AUTHENTICATE_TOKEN",
    ),
    (
        ("UNAVAILABLE", "UNIMPLEMENTED", "SSL_ERROR"),
        "no server of Spark Connect answers there",
        "check host, port and whether it wants ;use_ssl=true",
    ),
    (
        ("stopped SparkContext", "SparkContext was shut down", "SparkContext is null"),
        "the cluster does not take this application",
        "check that its version of Spark is PySpark's",
    ),
)
"""What Spark's conditions, or fixed words in its messages, mean; and the fix."""


def open_spark(location: SparkLocation) -> Connection:
    """Open a table in Spark; raises as `roadstead.tables.databases.opening.connect`."""
    where = location.called
    with spark_errors(where, connect=location.connects), contextlib.ExitStack() as undo:
        session = spark_session.start(location.server, where)
        undo.callback(session.close)
        backend = spark_engine.backend_on(session.spark)
        table = table_in(backend, location)
        undo.pop_all()
    return _connection(table, session.close)


def open_frame(frame: Any) -> Connection:  # noqa: ANN401 - of Spark or of Spark Connect
    """Make a data frame of Spark a table; it stays where it is."""
    where = "Spark data frame"
    if type(frame).__name__ != "DataFrame" or not hasattr(frame, "sparkSession"):
        raise SourceError(
            f"a {type(frame).__name__} of Spark is not a table", fix="pass a DataFrame"
        )
    if frame.isStreaming:
        raise SourceError("it is a stream, which never ends", where=where, fix="pass a table")
    with spark_errors(where), spark_engine.quiet():
        session, parts = spark_session.beside(frame)
        with contextlib.ExitStack() as undo:
            undo.callback(session.close)
            backend = spark_engine.backend_on(session.spark)
            table = _readable(spark_engine.spark_table(backend, parts))
            undo.pop_all()
    return _connection(table, session.close)


def adopted(table: ibis.Table) -> ibis.Table:
    """Let a table that Ibis reads with Spark come as Arrow, and leave its session's settings be."""
    import ibis.expr.operations as ops  # noqa: PLC0415 - heavy

    theirs = table.get_backend()
    ours = spark_engine.backend_on(theirs._session)  # noqa: SLF001 - there is no other way
    nodes = table.op().find(ops.DatabaseTable)
    return table.op().replace({node: node.copy(source=ours) for node in nodes}).to_expr()


@contextlib.contextmanager
def spark_errors(where: str, *, connect: bool = False) -> Iterator[None]:
    """Say in our words why Spark cannot open something."""
    try:
        with spark_engine.quiet():
            yield
    except (RoadsteadError, KeyboardInterrupt):
        raise
    except ImportError:
        extra = "spark-connect" if connect else "spark"
        raise MissingExtraError(
            "Spark needs PySpark", where=where, fix=f"pip install 'roadstead[{extra}]'"
        ) from None
    except Exception as error:  # noqa: BLE001 - any of Java's, and each may quote the data
        raise _refused(error, where) from None


def _refused(error: Exception, where: str) -> SourceError:
    """Say what an error of Spark means, without a word of its own."""
    condition, state = spark_condition(error)
    if state == "42501":
        return not_allowed(where)
    if _is_one_of(condition, state, _MISSING):
        return no_table(TableName(where), [], "")
    text = str(error)
    for signs, what, fix in _MEANINGS:
        if condition.partition(".")[0] in signs or any(sign in text for sign in signs):
            return SourceError(what, where=where, fix=fix)
    told = condition or type(error).__name__
    return SourceError(
        f"Spark cannot open it ({told})", where=where, fix="check the address and Spark's settings"
    )


def _is_one_of(condition: str, state: str, known: tuple[str, ...]) -> bool:
    return state in known or condition.partition(".")[0] in known


def table_in(backend: Backend, location: SparkLocation) -> ibis.Table:
    """Give a table of a session; to be asked within `spark_errors`.

    Raises
    ------
    SourceError
        It is not there.
    """
    try:
        return _readable(spark_engine.spark_table(backend, location.table.parts))
    except Exception as error:
        if not _is_one_of(*spark_condition(error), _MISSING):
            raise
        if location.path is not None:
            raise SourceError(
                "this Spark does not know the format",
                where=location.called,
                fix="add its jar to the settings of Spark",
            ) from None
        near = tables_near(backend, location.table)
        raise no_table(location.table, near, "default") from None


def _readable(table: ibis.Table) -> ibis.Table:
    """Write bytes as hexadecimal digits; Spark would make texts of them that are none."""
    import ibis  # noqa: PLC0415 - heavy

    @ibis.udf.scalar.builtin(name="hex", signature=(("binary",), "string"))
    def digits(_bytes):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202 - a name for Ibis
        ...

    odd = [name for name, kind in table.schema().items() if kind.is_binary()]
    return table.mutate(**{name: digits(table[name]) for name in odd}) if odd else table


def tables_near(backend: Backend, table: TableName) -> list[TableName]:
    """List the tables of the schema that was named, or else of every schema beside it."""
    session = backend._session  # noqa: SLF001 - ours
    head = () if table.catalog is None else (table.catalog,)

    def rows(command: str) -> list[Any]:
        with contextlib.suppress(Exception):  # a schema may be closed to this user
            return list(session.sql(command).collect())
        return []

    inside = f" IN {spark_engine.dotted(head)}" if head else ""
    schemas = [str(row[0]) for row in rows(f"SHOW SCHEMAS{inside}")]
    if table.schema in schemas:
        schemas = [table.schema]
    return [
        TableName(str(row["tableName"]), schema, table.catalog)
        for schema in schemas
        for row in rows(f"SHOW TABLES IN {spark_engine.dotted((*head, schema))}")
        if not row["isTemporary"]
    ]


def _connection(table: ibis.Table, close: Callable[[], None]) -> Connection:
    # Every expression keeps the backend alive.
    weakref.finalize(table.get_backend(), close)
    return Connection(table, spark_engine.BACKEND, close)
