"""Locate a Spark table in a catalog, or in a folder that the workers can read."""

from __future__ import annotations

import contextlib
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from roadstead.errors import MissingExtraError, SourceError
from roadstead.tables.failures import opening
from roadstead.tables.locations import DatabaseLocation, TableName, query_of
from roadstead.tables.stores.address import SECRET, AddressForm
from roadstead.tables.stores.names import no_table
from roadstead.tables.stores.spark import engine, session
from roadstead.tables.stores.spark.errors import ERRORS, is_missing
from roadstead.tables.stores.store import Connection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from urllib.parse import SplitResult

    import ibis
    from ibis.backends.pyspark import Backend

    from roadstead.tables.stores.address import Address

BACKEND = "pyspark"
LOCAL = "local[*]"
"""Spark's name for all cores of this computer."""
_TOKEN = "set SPARK_CONNECT_AUTHENTICATE_TOKEN for Spark Connect"  # noqa: S105 - advice
FORMS = {
    "spark": AddressForm("spark://host:7077?table=schema.name", _TOKEN, 3),
    "sc": AddressForm("sc://host:15002?table=schema.name", _TOKEN, 3),
}
_CONNECT_OPTIONS = ("use_ssl",)
_FILE_FORMATS = ("parquet", "delta", "orc")
"""The formats of folders that Spark reads without a catalog."""


@dataclass(frozen=True)
class SparkLocation(DatabaseLocation):
    """A table that Spark reads. The session is on a cluster or on a Spark Connect server.

    For a folder of files, the schema in `table` is the name of the format, as in Spark:
    ``parquet."/data/visits"``. `server` is the master (``spark://host:7077`` or ``local[*]``) or
    the Spark Connect server (``sc://host:15002``) in Spark's notation. By default, the environment
    determines the server.
    """

    server: str | None = None

    store = BACKEND

    @property
    def path(self) -> str | None:
        """The folder of files, if the table is not in a catalog."""
        table = self.table
        is_file = table.catalog is None and (table.schema or "").lower() in _FILE_FORMATS
        return table.name if is_file and "/" in table.name else None

    @property
    def called(self) -> str:
        """The name in messages, which is only the last part of a path."""
        return str(self.table) if self.path is None else self.path.rstrip("/").rpartition("/")[2]

    @property
    def address(self) -> str:
        """The address, for a project file."""
        server = {None: "spark://", LOCAL: "spark://local"}.get(self.server, self.server)
        return f"{server}?{query_of(self.table, ())}"


def locate(address: Address) -> SparkLocation:
    """Convert an address to a location. Spark's other settings come from its environment."""
    parts = address.split()
    table, options = address.table(parts.query)
    if options:
        raise address.wrong(
            "has a setting with a name other than table",
            "put settings into spark-defaults.conf in the folder of SPARK_CONF_DIR",
        )
    if "@" in parts.netloc:
        raise address.wrong("names a user", "remove the user; Spark takes it from its environment")
    if "," in parts.netloc:
        raise address.wrong("names several hosts", "name one host")
    if address.scheme == "sc":
        return SparkLocation(table, f"sc://{_connect_server(address, parts)}")
    if parts.path not in ("", "/"):
        raise address.wrong("has more text after the host", f"write {address.form.example}")
    if parts.netloc == "local":
        return SparkLocation(table, LOCAL)
    if not parts.netloc:
        return SparkLocation(table)
    if parts.hostname is None or parts.port is None:
        raise address.wrong("does not name a port", f"write {address.form.example}")
    return SparkLocation(table, f"spark://{parts.netloc}")


def _connect_server(address: Address, parts: SplitResult) -> str:
    """Return a Spark Connect server in Spark's notation, with settings after a semicolon."""
    if not parts.hostname:
        raise address.wrong("does not name a host", f"write {address.form.example}")
    before, *settings = parts.path.split(";")
    if before not in ("", "/"):
        raise address.wrong("has more text after the host", f"write {address.form.example}")
    named = [unquote(setting).partition("=")[::2] for setting in settings if setting]
    for name, value in named:
        if SECRET.search(name):
            raise address.holds_password()
        if name not in _CONNECT_OPTIONS or value not in ("true", "false"):
            raise address.wrong(
                "has an unknown setting",
                "write ;use_ssl=true or nothing; put other settings into SPARK_REMOTE, and use "
                "spark://?table=...",
            )
    ssl = "/;use_ssl=true" if ("use_ssl", "true") in named else ""
    return parts.netloc + ssl


def open_spark(location: SparkLocation, _memory_limit: str) -> Connection:
    """Open a table in Spark."""
    connects = (location.server or "").startswith("sc://")
    with spark_errors(location.called, connect=connects), contextlib.ExitStack() as undo:
        started = session.start(location.server, location.called)
        undo.callback(started.close)
        table = _found(engine.backend_on(started.spark), location)
        undo.pop_all()
    return _connection(table, started.close)


def table_in(backend: Backend, location: SparkLocation) -> ibis.Table:
    """Return a table of a session."""
    with spark_errors(location.called):
        return _found(backend, location)


def open_frame(frame: Any) -> Connection:  # noqa: ANN401 - of Spark or of Spark Connect
    """Open a Spark data frame as a table. The data is not moved."""
    where = "Spark data frame"
    if type(frame).__name__ != "DataFrame" or not hasattr(frame, "sparkSession"):
        raise SourceError(f"a Spark {type(frame).__name__} is not a table", fix="pass a DataFrame")
    if frame.isStreaming:
        raise SourceError(
            "the data frame is a stream, which does not end", where=where, fix="pass a table"
        )
    with spark_errors(where), engine.quiet():
        started, parts = session.alongside(frame)
        with contextlib.ExitStack() as undo:
            undo.callback(started.close)
            table = _readable(engine.spark_table(engine.backend_on(started.spark), parts))
            undo.pop_all()
    return _connection(table, started.close)


def adopted(table: ibis.Table) -> ibis.Table:
    """Return an Ibis table of Spark with results in Arrow form."""
    import ibis.expr.operations as ops  # noqa: PLC0415 - heavy

    theirs = table.get_backend()
    ours = engine.backend_on(theirs._session)  # noqa: SLF001 - there is no other way
    nodes = table.op().find(ops.DatabaseTable)
    return table.op().replace({node: node.copy(source=ours) for node in nodes}).to_expr()


@contextlib.contextmanager
def spark_errors(where: str, *, connect: bool = False) -> Iterator[None]:
    """Explain why Spark cannot open a table."""

    def explained(error: Exception) -> SourceError | None:
        if is_missing(error):
            return no_table(TableName(where), [], "")
        found = ERRORS.opening(error)
        return found and SourceError(found[0], where=where, fix=found[1])

    try:
        with opening(where, explained), engine.quiet():
            yield
    except ImportError:
        extra = "spark-connect" if connect else "spark"
        raise MissingExtraError(
            "Spark requires PySpark", where=where, fix=f"pip install 'roadstead[{extra}]'"
        ) from None


def _found(backend: Backend, location: SparkLocation) -> ibis.Table:
    try:
        return _readable(engine.spark_table(backend, location.table.parts))
    except Exception as error:
        if not is_missing(error):
            raise
        if location.path is not None:
            what = "this Spark does not support the format"
            fix = "add its jar to the settings of Spark"
            raise SourceError(what, where=location.called, fix=fix) from None
        raise no_table(location.table, _near(backend, location.table), "default") from None


def _readable(table: ibis.Table) -> ibis.Table:
    """Write bytes as hexadecimal digits, because Spark would convert them to invalid strings."""
    import ibis  # noqa: PLC0415 - heavy

    @ibis.udf.scalar.builtin(name="hex", signature=(("binary",), "string"))
    def digits(_bytes):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202 - a name for Ibis
        ...

    odd = [name for name, kind in table.schema().items() if kind.is_binary()]
    return table.mutate(**{name: digits(table[name]) for name in odd}) if odd else table


def _near(backend: Backend, table: TableName) -> list[TableName]:
    """List the tables of the named schema, or of all schemas if the named schema does not exist."""
    spark = backend._session  # noqa: SLF001 - ours
    head = () if table.catalog is None else (table.catalog,)

    def rows(command: str) -> list[Any]:
        with contextlib.suppress(Exception):  # this user may not have access to a schema
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
