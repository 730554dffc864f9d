"""Run Ibis on Spark, with results in Arrow form and a workbench of temporary views.

Ibis reads Spark results through pandas. If a value is missing, pandas converts whole numbers to
floating-point numbers. So this backend requests Arrow data from Spark.
"""

from __future__ import annotations

import contextlib
import functools
import warnings
from typing import TYPE_CHECKING, Any

from roadstead.tables.failures import engine_errors
from roadstead.tables.stores.names import fresh, sums_of_digests

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import ibis
    import pyarrow as pa
    from ibis.backends.pyspark import Backend

_ANSI = "spark.sql.ansi.enabled"
"""The setting for an error, rather than a null, after a failed division or conversion."""
_BYTES = "UTF8_BINARY"
"""The Spark collation that compares strings byte by byte."""


def backend_on(session: Any) -> Backend:  # noqa: ANN401 - of Spark or of Spark Connect
    """Return an Ibis backend for a session of Roadstead, and change the session's settings."""
    with quiet():
        with contextlib.suppress(Exception):  # a server may forbid the setting
            session.conf.set(_ANSI, "true")
        return _class()().connect(session)


def spark_table(backend: Backend, parts: Sequence[str]) -> ibis.Table:
    """Return a table by the parts of its name, from the catalog to the table.

    A column whose type Ibis does not know gets the type "unknown", and its values are the strings
    that Spark writes. The same applies to a column whose collation treats different strings as
    equal.
    """
    import ibis.expr.operations as ops  # noqa: PLC0415 - heavy
    import ibis.expr.schema as sch  # noqa: PLC0415 - heavy

    with quiet():
        fields = backend._session.table(dotted(parts)).schema.fields  # noqa: SLF001 - ours
    kinds = {field.name: _kind(field.dataType, nullable=field.nullable) for field in fields}
    *outer, name = parts
    catalog, schema = (None, None, *outer)[-2:]
    return ops.DatabaseTable(
        name,
        schema=sch.Schema(kinds),
        source=backend,
        namespace=ops.Namespace(catalog=catalog, database=schema),
    ).to_expr()


def compiled(expression: ibis.Table) -> str:
    """Return the SQL query for an expression, after sending tables in memory to Spark."""
    backend = expression.get_backend()
    backend._run_pre_execute_hooks(expression)  # noqa: SLF001 - Ibis has no other way
    return str(backend.compile(expression))


def dotted(parts: Sequence[str]) -> str:
    """Write the name of a table in Spark's SQL."""
    return ".".join("`" + part.replace("`", "``") + "`" for part in parts)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hide PySpark's warnings about sockets, and about pandas, which Roadstead does not use.

    The function also prevents PySpark from writing its errors to the console, because the errors
    quote values.
    """
    with warnings.catch_warnings(), contextlib.ExitStack() as undo:
        warnings.filterwarnings("ignore", message=".*pandas", category=FutureWarning)
        warnings.filterwarnings("ignore", message=".*pandas", category=UserWarning)
        warnings.filterwarnings("ignore", message="unclosed <socket", category=ResourceWarning)
        with contextlib.suppress(ImportError):  # some versions of Spark do not have this logger
            from pyspark.logger import PySparkLogger  # noqa: PLC0415 - an extra

            for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
                logger = PySparkLogger.getLogger(name)
                undo.callback(setattr, logger, "disabled", logger.disabled)
                logger.disabled = True
        yield


def _kind(kind: Any, *, nullable: bool) -> Any:  # noqa: ANN401 - a type of either library
    import ibis.expr.datatypes as dt  # noqa: PLC0415 - heavy
    from ibis.backends.pyspark.datatypes import PySparkType  # noqa: PLC0415 - heavy
    from ibis.common.exceptions import IbisTypeError  # noqa: PLC0415 - heavy

    if getattr(kind, "collation", _BYTES) != _BYTES:
        return dt.unknown  # Spark converts it to text that is equal only to itself
    if kind.typeName() in ("char", "varchar"):
        return dt.String(nullable=nullable)
    try:
        return PySparkType.to_ibis(kind, nullable=nullable)
    except (IbisTypeError, NotImplementedError):
        return dt.unknown


@functools.cache
def _class() -> type[Backend]:
    """Create the class of the backend. Ibis and PySpark are imported only at the first call."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    with quiet():
        import ibis  # noqa: PLC0415 - heavy
        from ibis.backends.pyspark import Backend  # noqa: PLC0415 - heavy

        ibis.pyspark  # noqa: B018 - registers options that the compiler needs
    from ibis.formats.pyarrow import PyArrowData  # noqa: PLC0415 - heavy

    class ArrowBackend(Backend):  # type: ignore[misc] # Ibis is not typed
        """The Ibis backend for Spark with a different way of transferring rows."""

        def to_pyarrow(self, expr: Any, /, **settings: Any) -> Any:  # noqa: ANN401 - as in Ibis
            table = expr.as_table()
            self._run_pre_execute_hooks(expr)
            with quiet():
                found = self.raw_sql(self.compile(table, **settings)).toArrow()
            named = found.rename_columns(list(table.columns))
            return expr.__pyarrow_result__(PyArrowData.convert_table(named, table.schema()))

        def to_pyarrow_batches(
            self,
            expr: Any,  # noqa: ANN401 - as in Ibis
            /,
            *,
            chunk_size: int = 1_000_000,
            **settings: Any,  # noqa: ANN401 - as in Ibis
        ) -> pa.RecordBatchReader:
            found = self.to_pyarrow(expr.as_table(), **settings)
            return pa.RecordBatchReader.from_batches(
                found.schema, found.to_batches(max_chunksize=chunk_size)
            )

        def _register_in_memory_table(self, op: Any) -> None:  # noqa: ANN401 - as in Ibis
            with quiet():
                made = self._session.createDataFrame(op.data.to_pyarrow(op.schema))
                made.createOrReplaceTempView(op.name)

    return ArrowBackend


def digest(texts: ibis.Table) -> tuple[int, ...]:
    """Count strings, and add up the numbers in their digests."""
    backend = texts.get_backend()
    sums = sums_of_digests("CAST(conv(substr(digest, {}, 15), 16, 10) AS DECIMAL(38, 0))")
    query = f"SELECT {sums} FROM (SELECT sha2(text, 256) AS digest FROM ({compiled(texts)}))"  # noqa: S608 - compiled
    with quiet():
        (found,) = backend._session.sql(query).collect()  # noqa: SLF001 - ours
    return tuple(int(one or 0) for one in found)


def cancel(backend: Any) -> None:  # noqa: ANN401 - of Ibis
    """Stop all running queries of a session."""
    with quiet():
        backend._session.interruptAll()  # noqa: SLF001 - ours


class SparkWorkbench:
    """A workbench in the session of a source."""

    def __init__(self, table: ibis.Table, name: str) -> None:
        self.table = table
        self._name = name
        self._backend = table.get_backend()
        self._session = self._backend._session  # noqa: SLF001 - ours
        self._made: list[str] = []

    def small(self, columns: pa.Table) -> ibis.Table:
        """Send a table of this process to the session."""
        name = fresh("small")
        with engine_errors(self._name), quiet():
            self._session.createDataFrame(columns).createTempView(name)
            self._made.append(name)
            return spark_table(self._backend, (name,))

    def keep(self, expression: ibis.Table) -> ibis.Table:
        """Compute an expression, and keep the result in the workers' cache."""
        from pyspark import StorageLevel  # noqa: PLC0415 - an extra

        name = fresh("kept")
        with engine_errors(self._name), quiet():
            self._session.sql(compiled(expression)).createTempView(name)
            self._made.append(name)
            self._session.catalog.cacheTable(name, StorageLevel.MEMORY_AND_DISK)
            self._session.table(name).count()  # computes the view with all its columns
            return spark_table(self._backend, (name,))

    def drop(self, kept: ibis.Table) -> None:
        """Remove a table from the workers' cache."""
        name = kept.get_name()
        if name in self._made:
            self._made.remove(name)
            self._session.catalog.dropTempView(name)  # and the cached data of the view

    def close(self) -> None:
        """Drop all created views. If the session has ended, the views no longer exist."""
        while self._made:
            with contextlib.suppress(Exception), quiet():
                self._session.catalog.dropTempView(self._made.pop())
