"""A table wherever it lies, as an Ibis table that can be asked the same questions.

Files and tables in memory are read through a private DuckDB; a table in a database, or one that
Ibis already knows, stays in its engine. Columns of a text file are read as text, every one:
``02139`` keeps its zero and ``1e5`` stays a code. An empty cell is a missing value.

Text is parsed by Arrow as a stream that the engine can scan as often as it likes. That way a file
in another encoding is decoded as it is read, and no copy of it is ever written to a disk.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.errors import SourceError
from roadstead.tables import dialect as dialects
from roadstead.tables import engine, exact_types, files, folders, from_memory, names
from roadstead.tables.addresses import locate
from roadstead.tables.failures import engine_errors
from roadstead.tables.formats import Csv, Engine, Memory, Parquet
from roadstead.tables.header_dialect import told_by_header
from roadstead.tables.health.locations import open_health
from roadstead.tables.locations import (
    CdmLocation,
    DatabaseLocation,
    DuckdbLocation,
    FileLocation,
    OtherLocation,
    PostgresLocation,
    SparkLocation,
)
from roadstead.tables.missing_markers import without_markers
from roadstead.tables.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from roadstead.tables.databases.connection import Connection
    from roadstead.tables.structure import Layout

_BLOCK = 1 << 20


def read(
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    *,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    missing: Sequence[str] = (),
    name: str | None = None,
    memory_limit: str = "2GB",
) -> Source:
    r"""Read a table.

    Parameters
    ----------
    data
        The path of a CSV, TSV or other delimited text file (plain or gzipped), of a Parquet file,
        or of a folder of such files; the address of a table in a database, as
        :mod:`roadstead.tables.addresses` has them; a pandas (without its index) or Polars data
        frame, a mapping of column names to lists, or any object that Arrow can read (a
        ``pyarrow.Table``, for one); an Ibis table; or a data frame of Spark or Spark Connect.
    delimiter, quote, encoding, header
        How a text file is written, where this is known; otherwise found out by the rules of
        :mod:`roadstead.tables.dialect`. Not used for other data.
    missing
        Texts that stand for a missing value, such as ``?``, in any kind of table.
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
        The file or table is missing, empty or malformed, has no records, or its columns cannot be
        told apart; an address holds a password.
    MissingExtraError
        A kind of database needs something that is not installed.
    SettingError
        The delimiter, quote, encoding or memory limit is not one.
    """
    told = partial(
        dialects.sniff, delimiter=delimiter, quote=quote, encoding=encoding, header=header
    )
    found = _read(data, _Manner(told, _refuse_empty, _refuse_header_again), name, memory_limit)
    return without_markers(found, missing)


def read_privately(
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    *,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    missing: Sequence[str] = (),
    name: str | None = None,
    memory_limit: str = "2GB",
) -> Source:
    r"""Read a table so that no record decides how others are read, nor whether it can be read.

    A differentially private release is made of tables read so. How a text file is written is told
    by its first line alone, a table may be without records, and Python objects are refused where
    one could change how others read.

    Parameters
    ----------
    data, missing, name, memory_limit
        As for `read`.
    delimiter, quote, encoding, header
        How a text file is written, where this is not what
        :mod:`roadstead.tables.header_dialect` says.

    Returns
    -------
    Source
        The table, its columns and its form.

    Raises
    ------
    SourceError
        As for `read`, but not for a table without records; or a column of Python objects has
        values of several kinds.
    MissingExtraError, SettingError
        As for `read`.
    """
    from roadstead.tables.python_objects import check_kinds  # noqa: PLC0415 - seldom used

    check_kinds(data)
    told = partial(
        told_by_header, delimiter=delimiter, quote=quote, encoding=encoding, header=header
    )
    found = _read(data, _Manner(told, _allow_empty, lambda *_: None), name, memory_limit)
    return without_markers(found, missing)


@dataclass(frozen=True)
class _Manner:
    """What tells how a text file is written, and what is said of missing or odd records."""

    dialect: Callable[[Path], dialects.Sniffed]
    without_records: Callable[[str], None]
    header_again: Callable[[str, int], None]


def _read(
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    manner: _Manner,
    name: str | None,
    memory_limit: str,
) -> Source:
    if isinstance(data, str | os.PathLike):
        data = locate(data)
    if isinstance(data, DuckdbLocation | PostgresLocation | SparkLocation | OtherLocation):
        return _read_database(data, manner, name, memory_limit)
    if isinstance(data, CdmLocation):
        from roadstead.tables.health.omop import read_cdm  # noqa: PLC0415 - imports this file

        return read_cdm(data, memory_limit=memory_limit)
    if isinstance(data, FileLocation):
        path = data.path
        if (health := open_health(path, memory_limit=memory_limit)) is not None:
            return health
        with files.reading(path):
            is_folder = path.is_dir()
        parts = folders.parts_of(path) if is_folder else (files.existing_file(path),)
        called = name or path.name or path.absolute().name
        read_parts = _read_parquet if folders.are_parquet(parts) else _read_text
        return read_parts(path, parts, manner, called, memory_limit)
    if _library(data) in ("ibis", "pyspark"):
        return _read_engine(data, manner, name)
    return _read_memory(data, manner, name, memory_limit)


def _read_text(
    path: Path, texts: Sequence[Path], manner: _Manner, name: str, memory_limit: str
) -> Source:
    """Read the files of a folder, or the one file that was named."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    from pyarrow import dataset as datasets  # noqa: PLC0415 - heavy

    from roadstead.tables import structure  # noqa: PLC0415 - compilers are heavy

    parts = [(part, manner.dialect(part)) for part in texts]
    if all(found.dialect.header for _, found in parts):
        folders.check_one_table([(part, found.first_record) for part, found in parts])
    layouts = [structure.survey(part, found.dialect) for part, found in parts]
    for (part, _), layout in zip(parts, layouts, strict=True):
        manner.header_again(part.name, layout.header_again)
    headers = [
        names.checked(
            names.filled(found.first_record)
            if found.dialect.header
            else names.numbered(layout.cells),
            part.name,
        )
        for (part, found), layout in zip(parts, layouts, strict=True)
    ]
    folders.check_alike(zip((part.name for part, _ in parts), headers, strict=True))
    if all(
        layout.records == int(found.dialect.header)
        for (_, found), layout in zip(parts, layouts, strict=True)
    ):
        manner.without_records(name)
    started = engine.start(memory_limit)
    pieces = []
    for at, ((part, found), layout) in enumerate(zip(parts, layouts, strict=True)):
        if layout.records == int(found.dialect.header):
            continue  # Arrow would miss the line break after a header that stands alone
        suffix = ".gz" if found.dialect.compressed else ""
        plain = started.plain_name(part, suffix, f"table_{at}")
        pieces.append(_dataset(plain, found.dialect, headers[0], layout))
    if not pieces:
        nothing = pa.schema([(column, pa.string()) for column in headers[0]]).empty_table()
        pieces = [datasets.dataset(nothing)]
    whole = pieces[0] if len(pieces) == 1 else datasets.dataset(pieces)
    table = started.table("source", whole)
    first = parts[0][1]
    named = headers[0][:1] if first.dialect.header and not first.first_record[0].strip() else ()
    return Source(table, headers[0], name, Csv(first.dialect), path, started, named_by_us=named)


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


def _read_parquet(
    path: Path, parts: Sequence[Path], manner: _Manner, name: str, memory_limit: str
) -> Source:
    """Read the files of a folder, or the one file that was named."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    from pyarrow import parquet  # noqa: PLC0415 - heavy

    records, schemas = 0, []
    zones: dict[str, str | None] = {}
    for part in parts:
        try:
            metadata = parquet.read_metadata(part)
            schemas.append(metadata.schema.to_arrow_schema())
        except (pa.ArrowException, OSError) as error:
            raise SourceError(
                "is not a whole Parquet file", where=part.name, fix="get the file again"
            ) from error
        records += metadata.num_rows
        exact_types.require_exact_parquet(schemas[-1], part.name)
        found = exact_types.zones_in_parquet(metadata, schemas[-1])
        zones |= {one: zone if zones.get(one, zone) else None for one, zone in found.items()}
    folders.check_one_table(
        [(part, schema.names) for part, schema in zip(parts, schemas, strict=True)]
    )
    columns = names.checked(schemas[0].names, parts[0].name)
    called = [part.name for part in parts]
    folders.check_alike(zip(called, [schema.names for schema in schemas], strict=True))
    types = [[str(kind) for kind in schema.types] for schema in schemas]
    folders.check_alike(zip(called, types, strict=True), "types of columns")
    if records == 0:
        manner.without_records(name)
    started = engine.start(memory_limit)
    plain = [started.plain_name(part, "", f"table_{at}") for at, part in enumerate(parts)]
    instants = _in_zone(started, zones)
    with engine_errors(name):
        table = started.parquet(plain)
    return Source(table, columns, name, Parquet(), path, started, instants=instants)


def _in_zone(started: engine.PrivateEngine, zones: dict[str, str | None]) -> frozenset[str]:
    """Let an engine work in the zone of the columns; name those whose zone is not known to it."""
    zone = exact_types.common_zone(zones)
    if zone is None or not started.work_in_zone(zone):
        return frozenset(zones)
    return frozenset(name for name, own in zones.items() if own is None)


def _read_database(
    location: DatabaseLocation, manner: _Manner, name: str | None, memory_limit: str
) -> Source:
    """Open a table in a database; it is called by its name alone, as a file is.

    Where it is, the host above all, is nobody's business who reads a report.
    """
    from roadstead.tables.databases.opening import connect  # noqa: PLC0415 - seldom used

    own = location.called if isinstance(location, SparkLocation) else str(location.table)
    called = name or own
    return _opened(connect(location, memory_limit), manner, called, location)


def _read_spark(data: Any, manner: _Manner, name: str | None) -> Source:  # noqa: ANN401 - a guest
    from roadstead.tables.databases.spark import open_frame  # noqa: PLC0415 - an extra

    return _opened(open_frame(data), manner, name or "Spark data frame", None)


def _opened(
    opened: Connection, manner: _Manner, called: str, location: DatabaseLocation | None
) -> Source:
    import ibis  # noqa: PLC0415 - heavy

    with contextlib.ExitStack() as undo:
        undo.callback(opened.close)
        columns = names.checked(opened.table.columns, called)
        with engine_errors(called):
            # A number in the place of a row, which is to stay where it is.
            first = opened.table.select(found=ibis.literal(1)).limit(1)
            if not first.to_pyarrow().num_rows:
                manner.without_records(called)
        undo.pop_all()
    form, table = Engine(opened.backend), opened.table
    with engine_errors(called):
        instants = exact_types.zoned_columns(table)
        if opened.backend == "duckdb":
            table = exact_types.exact_in_duckdb(table)
    return Source(table, columns, called, form, None, None, opened, location, instants)


def _read_engine(
    table: Any,  # noqa: ANN401 - checked here
    manner: _Manner,
    name: str | None,
) -> Source:
    import ibis  # noqa: PLC0415 - heavy

    if _library(table) == "pyspark":
        return _read_spark(table, manner, name)
    if not isinstance(table, ibis.Table):
        raise SourceError(
            f"an Ibis {type(table).__name__} is not a table", fix="pass an ibis.Table"
        )
    backend = str(table.get_backend().name)
    if backend == "pyspark":
        from roadstead.tables.databases.spark import adopted  # noqa: PLC0415 - an extra

        table = adopted(table)
    called = name or f"{backend} table"
    columns = names.checked(table.columns, called)
    with engine_errors(called):
        instants = exact_types.zoned_columns(table)
        if backend == "duckdb":
            table = exact_types.exact_in_duckdb(table)
    return Source(table, columns, called, Engine(backend), instants=instants)


def _read_memory(
    data: Any,  # noqa: ANN401 - a table of any library
    manner: _Manner,
    name: str | None,
    memory_limit: str,
) -> Source:
    library = _library(data)
    kind: Memory
    if library == "pandas":
        kind, table = Memory("pandas"), from_memory.from_pandas(data)
    elif library == "polars":
        kind, table = Memory("polars"), from_memory.from_polars(data)
    else:
        kind, table = Memory("arrow"), from_memory.from_arrow(data)
    called = name or kind.describe()
    columns = names.checked(table.column_names, called)
    if table.num_rows == 0:
        manner.without_records(called)
    table = exact_types.exact_in_memory(table)
    started = engine.start(memory_limit)
    instants = _in_zone(started, exact_types.zones_in_memory(table.schema))
    with engine_errors(called):
        own = started.table("source", table)
    return Source(own, columns, called, kind, None, started, instants=instants)


def _library(data: object) -> str:
    return type(data).__module__.partition(".")[0]


def _refuse_empty(name: str) -> None:
    raise SourceError("there are no records", where=name, fix="name a table that has some")


def _refuse_header_again(name: str, line: int) -> None:
    if line:
        raise SourceError(
            "this record repeats the header, as in files that were put together",
            where=f"{name}, line {line}",
            fix="remove the line, or put the files into a folder and name that",
        )


def _allow_empty(_name: str) -> None:
    """Say nothing: a refusal would tell of the first record of a table."""
