"""Tables in files: delimited text, Parquet, or a folder of files alike.

Columns of a text file are read as text, every one: ``02139`` keeps its zero and ``1e5`` stays a
code. An empty cell is a missing value. Text is parsed by Arrow: a small file once, a large one as a
stream that the engine can scan as often as it likes. That way a file in another encoding is decoded
as it is read, and no copy of it is ever written to a disk.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

from roadstead.errors import SourceError
from roadstead.tables import dialect as dialects
from roadstead.tables import engine, exact_types, files, folders, names
from roadstead.tables.exact_types import in_zone
from roadstead.tables.failures import engine_errors
from roadstead.tables.formats import Csv, Parquet
from roadstead.tables.locations import FileLocation
from roadstead.tables.source import Source
from roadstead.tables.texts import TextTable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pyarrow as pa

    from roadstead.tables.readers import Manner
    from roadstead.tables.structure import Layout

_BLOCK = 1 << 20
_IN_MEMORY = 1 << 24
"""Bytes of text files that are read once and held."""


def read_file(data: Any, manner: Manner) -> Source | None:  # noqa: ANN401 - any data
    """Read a file, or a folder of files."""
    if not isinstance(data, FileLocation):
        return None
    path = data.path
    with files.reading(path):
        is_folder = path.is_dir()
    parts = folders.parts_of(path) if is_folder else (files.existing_file(path),)
    called = manner.name or path.name or path.absolute().name
    read_parts = _read_parquet if folders.are_parquet(parts) else _read_text
    return read_parts(path, parts, manner, called)


def _read_text(path: Path, texts: Sequence[Path], manner: Manner, name: str) -> Source:
    """Read the files of a folder, or the one file that was named."""
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
    started = engine.start(manner.memory_limit)
    pieces = []
    for at, ((part, found), layout) in enumerate(zip(parts, layouts, strict=True)):
        if layout.records == int(found.dialect.header):
            continue  # Arrow would miss the line break after a header that stands alone
        suffix = ".gz" if found.dialect.compressed else ""
        plain = started.plain_name(part, suffix, f"table_{at}")
        pieces.append(_Piece(plain, found.dialect, layout))
    started.con.register("source", _rows(pieces, headers[0]))
    table = TextTable(started, "source", headers[0])
    first = parts[0][1]
    named = headers[0][:1] if first.dialect.header and not first.first_record[0].strip() else ()
    return Source(table, headers[0], name, Csv(first.dialect), path, started, named_by_us=named)


class _Piece(NamedTuple):
    """A text file that has records, under a name that tells how it is compressed."""

    path: Path
    dialect: dialects.Dialect
    layout: Layout


def _rows(pieces: Sequence[_Piece], columns: Sequence[str]) -> pa.Table | pa.dataset.Dataset:
    """Give the rows of files: those of small ones, or what reads them as often as it is scanned."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    from pyarrow import csv  # noqa: PLC0415 - heavy

    schema = pa.schema([(column, pa.string()) for column in columns])
    small = not any(piece.dialect.compressed for piece in pieces)
    if small and sum(piece.path.stat().st_size for piece in pieces) <= _IN_MEMORY:
        with contextlib.suppress(
            pa.ArrowException, OSError, UnicodeError
        ):  # told by the first query
            tables = [csv.read_csv(piece.path, **_options(piece, schema)) for piece in pieces]
            return pa.concat_tables(tables) if tables else schema.empty_table()
    from pyarrow import dataset, fs  # noqa: PLC0415 - they import pandas, if it is there

    files_alike = [
        dataset.dataset(
            str(piece.path),
            format=dataset.CsvFileFormat(**_options(piece, schema)),
            schema=schema,
            filesystem=fs.LocalFileSystem(),
        )
        for piece in pieces
    ]
    return files_alike[0] if len(files_alike) == 1 else dataset.dataset(files_alike)


def _options(piece: _Piece, schema: pa.Schema) -> dict[str, Any]:
    """Say how Arrow is to read a file."""
    from pyarrow import csv  # noqa: PLC0415 - heavy

    dialect, layout = piece.dialect, piece.layout
    return {
        "parse_options": csv.ParseOptions(
            delimiter=dialect.delimiter,
            quote_char=dialect.quote,
            newlines_in_values=True,
            ignore_empty_lines=True,
        ),
        "read_options": csv.ReadOptions(
            column_names=schema.names,
            skip_rows=layout.leading_blank_lines,
            skip_rows_after_names=int(dialect.header),
            # A record must not be longer than a block.
            block_size=max(_BLOCK, layout.longest_record + 1),
            encoding="utf8" if dialect.encoding == "utf-8-sig" else dialect.encoding,
        ),
        "convert_options": csv.ConvertOptions(
            column_types=schema,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    }


def _read_parquet(path: Path, parts: Sequence[Path], manner: Manner, name: str) -> Source:
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
    started = engine.start(manner.memory_limit)
    plain = [started.plain_name(part, "", f"table_{at}") for at, part in enumerate(parts)]
    instants = in_zone(started, zones)
    with engine_errors(name):
        table = started.parquet(plain)
    return Source(table, columns, name, Parquet(), path, started, instants=instants)
