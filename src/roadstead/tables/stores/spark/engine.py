"""Ibis on Spark, with results that come as Arrow.

Ibis brings a result of Spark through pandas, which makes floating-point numbers of whole ones where
one is missing. Spark itself can give Arrow, so this backend asks it to.
"""

from __future__ import annotations

import contextlib
import functools
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import ibis
    from ibis.backends.pyspark import Backend

_ANSI = "spark.sql.ansi.enabled"
"""With it an expression that divides by zero or cannot convert a text is an error, not a null."""


def backend_on(session: Any) -> Backend:  # noqa: ANN401 - of Spark or of Spark Connect
    """Let Ibis work in a session, which must be ours: its settings are changed."""
    with quiet():
        with contextlib.suppress(Exception):  # a server may let nobody set it
            session.conf.set(_ANSI, "true")
        return _class()().connect(session)


def spark_table(backend: Backend, parts: Sequence[str]) -> ibis.Table:
    """Give a table by the parts of its name, the outermost first.

    A column of a type that Ibis does not know is of no known type; the text of a value is what
    Spark makes of it.
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
    """Give the query of an expression; tables held in memory are sent first."""
    backend = expression.get_backend()
    backend._run_pre_execute_hooks(expression)  # noqa: SLF001 - Ibis has no other way
    return str(backend.compile(expression))


def dotted(parts: Sequence[str]) -> str:
    """Write the name of a table in Spark's SQL."""
    return ".".join("`" + part.replace("`", "``") + "`" for part in parts)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hide that PySpark expects an older pandas, which is not used here, and forgets a socket.

    Nor may it write its errors on the console, because they quote the value that they are about.
    """
    with warnings.catch_warnings(), contextlib.ExitStack() as undo:
        warnings.filterwarnings("ignore", message=".*pandas", category=FutureWarning)
        warnings.filterwarnings("ignore", message=".*pandas", category=UserWarning)
        warnings.filterwarnings("ignore", message="unclosed <socket", category=ResourceWarning)
        with contextlib.suppress(ImportError):  # of a Spark that has none, too
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

    if kind.typeName() in ("char", "varchar"):
        return dt.String(nullable=nullable)
    try:
        return PySparkType.to_ibis(kind, nullable=nullable)
    except (IbisTypeError, NotImplementedError):
        return dt.unknown


@functools.cache
def _class() -> type[Backend]:
    """Make the class once Ibis and PySpark are needed."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    with quiet():
        import ibis  # noqa: PLC0415 - heavy
        from ibis.backends.pyspark import Backend  # noqa: PLC0415 - heavy

        ibis.pyspark  # noqa: B018 - registers options that the compiler asks for
    from ibis.formats.pyarrow import PyArrowData  # noqa: PLC0415 - heavy

    class ArrowBackend(Backend):  # type: ignore[misc] # Ibis is not typed
        """Ibis's backend, but for how rows come and go."""

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
