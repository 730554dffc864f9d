"""A table wherever it lies, as an Ibis table that can be asked the same questions.

Files and tables in memory are read through a private DuckDB; a table that Ibis already knows stays
in its engine. Columns of a text file are read as text, every one: ``02139`` keeps its zero and
``1e5`` stays a code. An empty cell is a missing value.

Text is parsed by Arrow as a stream that the engine can scan as often as it likes. That way a file
in another encoding is decoded as it is read, and no copy of it is ever written to a disk.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from roadstead.errors import SourceError
from roadstead.tables import dialect as dialects
from roadstead.tables import engine, files, names
from roadstead.tables.failures import engine_errors
from roadstead.tables.formats import Csv, Engine, Format, Memory, Parquet

if TYPE_CHECKING:
    from types import TracebackType

    import ibis
    import pyarrow as pa

    from roadstead.tables.structure import Layout

_BLOCK = 1 << 20


@dataclass(frozen=True)
class Source:
    """A table that can be queried, and where it came from.

    A source read from a file or from memory holds an engine; close it, or use it in a ``with``
    statement, to free its memory and its temporary files at once rather than at exit.

    Attributes
    ----------
    table
        The table as an Ibis expression.
    columns
        Its column names in order.
    name
        What to call it in messages: the name of the file, as a rule.
    format
        The form it came in.
    path
        The file it was read from, if any.
    """

    table: ibis.Table
    columns: tuple[str, ...]
    name: str
    format: Format
    path: Path | None = None
    _engine: engine.PrivateEngine | None = field(default=None, repr=False, compare=False)

    def close(self) -> None:
        """Release the engine that belongs to this source, if it has one of its own."""
        if self._engine is not None:
            self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def read(
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    *,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    name: str | None = None,
    memory_limit: str = "2GB",
) -> Source:
    r"""Read a table.

    Parameters
    ----------
    data
        The path of a CSV, TSV or other delimited text file (plain or gzipped) or of a Parquet
        file; a pandas (without its index) or Polars data frame, a mapping of column names to
        lists, or any object that Arrow can read (a ``pyarrow.Table``, for one); or an Ibis table.
    delimiter, quote, encoding, header
        How a text file is written, where this is known; otherwise found out by the rules of
        :mod:`roadstead.tables.dialect`. Not used for other data.
    name
        What to call the table in messages.
    memory_limit
        How much memory the private engine may use.

    Returns
    -------
    Source
        The table, its columns and its form.

    Raises
    ------
    SourceError
        The file is missing, empty or malformed, has no records, or its columns cannot be told
        apart.
    SettingError
        The delimiter, quote, encoding or memory limit is not one.
    """
    if isinstance(data, str | os.PathLike):
        path = files.existing_file(Path(data))
        if files.first_bytes(path, 4) == files.PARQUET_MAGIC:
            return _read_parquet(path, name or path.name, memory_limit)
        found = dialects.sniff(
            path, delimiter=delimiter, quote=quote, encoding=encoding, header=header
        )
        return _read_text(path, found, name or path.name, memory_limit)
    if _library(data) == "ibis":
        return _read_engine(data, name)
    return _read_memory(data, name, memory_limit)


def _read_text(path: Path, found: dialects.Sniffed, name: str, memory_limit: str) -> Source:
    from roadstead.tables import structure  # noqa: PLC0415 - compilers are heavy

    dialect = found.dialect
    layout = structure.survey(path, dialect)
    columns = names.checked(
        found.first_record if dialect.header else names.numbered(layout.cells), path.name
    )
    if layout.records == int(dialect.header):
        raise _no_records(name)
    started = engine.start(memory_limit)
    suffix = ".gz" if dialect.compressed else ""
    dataset = _dataset(started.plain_name(path, suffix), dialect, columns, layout)
    table = started.table("source", dataset)
    return Source(table, columns, name, Csv(dialect), path, started)


def _dataset(
    path: Path, dialect: dialects.Dialect, columns: tuple[str, ...], layout: Layout
) -> pa.dataset.Dataset:
    import pyarrow as pa  # noqa: PLC0415 - heavy
    from pyarrow import csv, fs  # noqa: PLC0415 - heavy
    from pyarrow import dataset as datasets  # noqa: PLC0415 - heavy

    schema = pa.schema([(column, pa.string()) for column in columns])
    text = datasets.CsvFileFormat(
        parse_options=csv.ParseOptions(
            delimiter=dialect.delimiter,
            quote_char=dialect.quote,
            newlines_in_values=True,
            ignore_empty_lines=True,
        ),
        read_options=csv.ReadOptions(
            column_names=list(columns),
            skip_rows=layout.leading_blank_lines,
            skip_rows_after_names=int(dialect.header),
            # A record must not be longer than a block.
            block_size=max(_BLOCK, layout.longest_record + 1),
            encoding="utf8" if dialect.encoding == "utf-8-sig" else dialect.encoding,
        ),
        convert_options=csv.ConvertOptions(
            column_types=schema,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    )
    return datasets.dataset(str(path), format=text, schema=schema, filesystem=fs.LocalFileSystem())


def _read_parquet(path: Path, name: str, memory_limit: str) -> Source:
    import pyarrow as pa  # noqa: PLC0415 - heavy
    from pyarrow import parquet  # noqa: PLC0415 - heavy

    try:
        metadata = parquet.read_metadata(path)
        columns = names.checked(metadata.schema.to_arrow_schema().names, name)
    except (pa.ArrowException, OSError) as error:
        raise SourceError(
            "is not a whole Parquet file", where=name, mend="get the file again"
        ) from error
    if metadata.num_rows == 0:
        raise _no_records(name)
    started = engine.start(memory_limit)
    with engine_errors(name):
        table = started.parquet(started.plain_name(path, ""))
    return Source(table, columns, name, Parquet(), path, started)


def _read_engine(table: Any, name: str | None) -> Source:  # noqa: ANN401 - checked here
    import ibis  # noqa: PLC0415 - heavy

    if not isinstance(table, ibis.Table):
        raise SourceError(
            f"an Ibis {type(table).__name__} is not a table", mend="pass an ibis.Table"
        )
    backend = str(table.get_backend().name)
    called = name or f"{backend} table"
    return Source(table, names.checked(table.columns, called), called, Engine(backend))


def _read_memory(data: Any, name: str | None, memory_limit: str) -> Source:  # noqa: ANN401
    library = _library(data)
    kind: Memory
    if library == "pandas":
        kind, table = Memory("pandas"), _from_pandas(data)
    elif library == "polars":
        kind, table = Memory("polars"), _from_polars(data)
    else:
        kind, table = Memory("arrow"), _from_arrow(data)
    called = name or kind.describe()
    columns = names.checked(table.column_names, called)
    if table.num_rows == 0:
        raise _no_records(called)
    started = engine.start(memory_limit)
    with engine_errors(called):
        return Source(started.table("source", table), columns, called, kind, None, started)


def _from_pandas(data: Any) -> pa.Table:  # noqa: ANN401 - pandas is only a guest
    """Convert column by column, so that one that mixes types can be named."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if not hasattr(data, "columns"):
        raise SourceError("a pandas Series is not a table", mend="pass a DataFrame")
    arrays = []
    for at, column in enumerate(data.columns):
        try:
            arrays.append(pa.Array.from_pandas(data.iloc[:, at]))
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            raise SourceError(
                "the column mixes values of different types",
                where=f"column {str(column)!r}",
                mend="convert it to one type, for instance with astype('string')",
            ) from None
    return pa.table(arrays, names=[str(column) for column in data.columns])


def _from_polars(data: Any) -> pa.Table:  # noqa: ANN401 - Polars is only a guest
    frame = data.collect() if hasattr(data, "collect") else data
    if not hasattr(frame, "columns"):
        raise SourceError("a Polars Series is not a table", mend="pass a DataFrame")
    return frame.to_arrow()


def _from_arrow(data: Any) -> pa.Table:  # noqa: ANN401 - whatever Arrow can read
    import pyarrow as pa  # noqa: PLC0415 - heavy

    try:
        return pa.table(data)
    except (pa.ArrowException, TypeError, ValueError):
        raise SourceError(
            f"a {type(data).__name__} cannot be read as a table",
            mend="pass a path, a data frame, an Arrow table or an Ibis table",
        ) from None


def _library(data: object) -> str:
    return type(data).__module__.partition(".")[0]


def _no_records(name: str) -> SourceError:
    return SourceError("there are no records", where=name, mend="name a table that has some")
