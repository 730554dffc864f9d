"""Read tables from delimited text, Parquet, folders, and files from other programs.

Every column of a text file is read as text. So ``02139`` keeps its zero, and ``1e5`` remains a
code. An empty cell is a missing value. A decoded copy of the file is never written to the disk.

The files of a folder are the parts of one table, in the order of their names. The files must all be
Parquet or all be delimited text, and must have the same columns. Files whose names begin with a dot
or an underscore do not belong to the table. Any other file is an error, because Roadstead does not
guess which files are the table.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from roadstead.errors import SettingError, SourceError, quoted
from roadstead.front_end import argument, option
from roadstead.tables import arrow_tables, engine, files, names
from roadstead.tables.engine import TextTable
from roadstead.tables.extra_rows import totals_and_notes
from roadstead.tables.failures import engine_errors
from roadstead.tables.folder_columns import folder_values, is_part_of_table
from roadstead.tables.formats.options import part_of, with_options
from roadstead.tables.formats.recognition import ARCHIVE, FIXED_WIDTH, format_of
from roadstead.tables.locations import FileLocation
from roadstead.tables.scratch import remove_scratch
from roadstead.tables.skipped_rows import row_numbers, without_rows
from roadstead.tables.source import Csv, Parquet, Source
from roadstead.tables.stores.access import read_address
from roadstead.tables.stores.store import of_file

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa

    from roadstead.tables.dialect import Dialect
    from roadstead.tables.formats.format import Options
    from roadstead.tables.readers import Manner
    from roadstead.tables.structure import Layout

_BLOCK = 1 << 20
_IN_MEMORY = 1 << 24
"""The largest size in bytes of text files that are kept in memory."""
_CERTIFICATE = "certificate.json"
"""The name of a file that is in the folder of each release, but never in the folder of a table."""
_PLAIN = (".txt", ".txt.gz")
_TEXT = (".csv", ".tsv", ".csv.gz", ".tsv.gz", *_PLAIN)
_PARQUET = (".parquet",)
_MOST_LISTED = 12
_LONGEST_LINE = 1 << 16


def read_file(data: Any, manner: Manner) -> Source | None:  # noqa: ANN401 - any data
    """Read a file, or a folder of files."""
    if not isinstance(data, FileLocation):
        return None
    path, options = part_of(data.path)
    with files.reading(path):
        is_folder = path.is_dir()
    parts = _parts_of(path) if is_folder else (files.existing_file(path),)
    called = manner.name or path.name or path.absolute().name
    kind = None if is_folder else format_of(path, options)
    if data.layout is not None:
        manner = replace(manner, layout=data.layout)
        kind = ARCHIVE if kind == ARCHIVE else FIXED_WIDTH
    if kind is not None:
        if (located := of_file(kind)) is not None:
            return read_address(located(path, options, manner.memory_limit), manner)
        return _read_program_file(path, kind, options, manner, called)
    if options:
        what = (
            f"tables without sheets or widths do not have the option {quoted(next(iter(options)))}"
        )
        raise SettingError(what, where=called, fix=f"give only {path.name}")
    if manner.skip_rows is not None:
        return _read_without_rows(path, parts, manner, called)
    read_parts = _read_parquet if _are_parquet(parts) else _read_text
    return read_parts(path, parts, manner, called)


def _read_without_rows(path: Path, parts: Sequence[Path], manner: Manner, name: str) -> Source:
    if len(parts) != 1 or path.is_dir() or _are_parquet(parts):
        what = "rows can be left out only from a text file or a sheet"
        raise SettingError(what, where=name, fix=f"leave out {option('skip_rows')}")
    rows = row_numbers(manner.skip_rows)
    copy, folder, many = without_rows(path, rows, manner.written.get("encoding"))
    try:
        source = _read_text(copy, (copy,), replace(manner, skip_rows=None), name)
    except BaseException:
        remove_scratch(folder)
        raise
    source.kept_until_closed(partial(remove_scratch, folder))
    skipped = f"{many:,} {'row' if many == 1 else 'rows'} left out ({manner.skip_rows})"
    return replace(source, path=path, skipped=skipped)


def _read_program_file(
    path: Path, kind: str, options: Options, manner: Manner, name: str
) -> Source:
    if manner.private and not manner.programs:
        raise SourceError(
            "in a file of this kind, one record can change how Roadstead reads the other "
            "records. Differentially private releases and sets of tables do not accept such a "
            "file",
            where=name,
            fix="save the table as CSV or Parquet",
        )
    manner = replace(manner, private=manner.private and kind == ARCHIVE)
    if kind == ARCHIVE:
        from roadstead.tables.formats.archive import read_unpacked  # noqa: PLC0415 - seldom used

        return read_unpacked(path, options, manner, name, read_file)
    from roadstead.tables.formats.reading import read_program_file  # noqa: PLC0415 - seldom used

    source = read_program_file(path, kind, options, manner, name)
    part = Path(with_options(path, options)) if options else None
    skipped = "" if manner.skip_rows is None else f"rows {manner.skip_rows} left out"
    return replace(source, read_from=part, skipped=skipped)


def _read_text(path: Path, texts: Sequence[Path], manner: Manner, name: str) -> Source:
    from roadstead.tables import structure  # noqa: PLC0415 - compilers are heavy

    parts = [(part, manner.dialect(part)) for part in texts]
    if all(found.dialect.header for _, found in parts):
        _check_one_table([(part, found.first_record) for part, found in parts])
    surveyed = [(part, found, structure.survey(part, found.dialect)) for part, found in parts]
    for part, _, layout in surveyed:
        manner.header_again(part.name, layout.header_again)
    headers = []
    for part, found, layout in surveyed:
        own = names.filled(found.first_record) if found.dialect.header else None
        headers.append(names.checked(own or names.numbered(layout.cells), part.name))
    _check_alike(texts, headers)
    values = folder_values(path, texts)
    columns = names.checked([*headers[0], *values[0]], name)
    # Arrow needs a line break after a header without records.
    filled = [
        (*one, found)
        for one, found in zip(surveyed, values, strict=True)
        if one[2].records > int(one[1].dialect.header)
    ]
    if not filled:
        manner.without_records(name)
    started = engine.start(manner.memory_limit)
    pieces = []
    for at, (part, found, layout, own_values) in enumerate(filled):
        suffix = ".gz" if found.dialect.compressed else ""
        plain = started.plain_name(part, suffix, f"table_{at}")
        pieces.append(_Piece(plain, found.dialect, layout, own_values))
    started.con.register("source", _rows(pieces, headers[0]))
    table = TextTable(started, "source", columns)
    first = parts[0][1]
    written = first.first_record if first.dialect.header else headers[0]
    named = tuple(x for x, before in zip(headers[0], written, strict=True) if x != before)
    suspects = []
    if len(parts) == 1:
        layout = surveyed[0][2]
        suspects = [first.further_headers, totals_and_notes(layout.last, layout.records)]
    form = Csv(first.dialect)
    return Source(
        *(table, columns, name, form, path, started),
        named_by_us=named,
        suspect_rows=tuple(one for one in suspects if one is not None),
        from_folders=tuple(values[0]),
    )


class _Piece(NamedTuple):
    """A text file that contains records. Its name shows how the file is compressed."""

    path: Path
    dialect: Dialect
    layout: Layout
    values: Mapping[str, str | None]  # values of the columns that folder names define


def _rows(pieces: Sequence[_Piece], columns: Sequence[str]) -> pa.Table | pa.dataset.Dataset:
    """Return the rows of small files, or a reader that scans large files for each query."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    from pyarrow import csv  # noqa: PLC0415 - heavy

    schema = pa.schema([(column, pa.string()) for column in columns])
    small = not any(piece.dialect.compressed for piece in pieces)
    if small and sum(piece.path.stat().st_size for piece in pieces) <= _IN_MEMORY:
        # If a file is invalid, the first query reports the error.
        with contextlib.suppress(pa.ArrowException, OSError, UnicodeError):
            tables = [
                _with_values(csv.read_csv(piece.path, **_options(piece, schema)), piece.values)
                for piece in pieces
            ]
            return pa.concat_tables(tables) if tables else schema.empty_table()
    from pyarrow import dataset, fs  # noqa: PLC0415 - they import pandas if it is installed

    local, whole = fs.LocalFileSystem(), _with_values(schema.empty_table(), pieces[0].values).schema
    files_alike = []
    for piece in pieces:
        form = dataset.CsvFileFormat(**_options(piece, schema))
        known = dataset.scalar(True)
        for column, value in piece.values.items():
            field = dataset.field(column)
            known &= field.is_null() if value is None else field == value
        fragment = form.make_fragment(str(piece.path), local, known)
        files_alike.append(dataset.FileSystemDataset([fragment], whole, form, local))
    return files_alike[0] if len(files_alike) == 1 else dataset.dataset(files_alike)


def _with_values(rows: pa.Table, values: Mapping[str, str | None]) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    for column, value in values.items():
        rows = rows.append_column(column, pa.repeat(pa.scalar(value, pa.string()), len(rows)))
    return rows


def _options(piece: _Piece, schema: pa.Schema) -> dict[str, Any]:
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
            # A record must fit into a block.
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
                "this is not a complete Parquet file", where=part.name, fix="get the file again"
            ) from error
        records += metadata.num_rows
        arrow_tables.require_exact_parquet(metadata, schemas[-1], part.name)
        found = arrow_tables.zones_in_parquet(metadata, schemas[-1])
        zones |= {one: zone if zones.get(one, zone) else None for one, zone in found.items()}
    _check_one_table([(part, schema.names) for part, schema in zip(parts, schemas, strict=True)])
    values = folder_values(path, parts)
    columns = names.checked([*schemas[0].names, *values[0]], parts[0].name)
    _check_alike(parts, [schema.names for schema in schemas])
    _check_alike(parts, [[*map(str, schema.types)] for schema in schemas], "types of columns")
    if records == 0:
        manner.without_records(name)
    started = engine.start(manner.memory_limit)
    plain = [started.plain_name(part, "", f"table_{at}") for at, part in enumerate(parts)]
    instants = arrow_tables.in_zone(started, zones)
    with engine_errors(name):
        table = _parquet_rows(started, plain, values)
    return Source(
        *(table, columns, name, Parquet(), path, started),
        instants=instants,
        from_folders=tuple(values[0]),
    )


def _parquet_rows(
    started: engine.PrivateEngine, parts: Sequence[Path], values: Sequence[Mapping[str, str | None]]
) -> ibis.Table:
    """Return the rows of Parquet files, including columns from the names of folders."""
    import ibis  # noqa: PLC0415 - heavy

    groups: dict[tuple[tuple[str, str | None], ...], list[Path]] = {}
    for part, found in zip(parts, values, strict=True):
        groups.setdefault(tuple(found.items()), []).append(part)
    tables = [
        started.parquet(same).mutate(**{name: ibis.literal(one, "string") for name, one in found})
        if found
        else started.parquet(same)
        for found, same in groups.items()
    ]
    return tables[0] if len(tables) == 1 else ibis.union(*tables)


def _parts_of(folder: Path) -> tuple[Path, ...]:
    with files.reading(folder):
        entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
    parts = [entry for entry in entries if not entry.name.startswith((".", "_"))]
    if not parts:
        what = "this is a folder without Parquet or CSV files"
        raise SourceError(
            what, where=str(folder), fix="use a table file, or a folder with the files of one table"
        )
    if any(part.name == _CERTIFICATE for part in parts):
        raise SourceError(
            "this is the folder of a release, not a table",
            where=str(folder),
            fix="check it with roadstead verify FOLDER, or open verify.html from the folder in a "
            "browser; to read its table, give the path of the file in the folder",
        )
    if all(map(is_part_of_table, parts)):
        return tuple(file for part in parts for file in _parts_of(part))
    for part in parts:
        if part.is_dir() or not part.name.lower().endswith(_TEXT + _PARQUET):
            kind = "folder" if part.is_dir() else "file"
            what = (
                f"this is a folder, and the {kind} {quoted(part.name)} in it is not part of a table"
            )
            fix = "use a folder with only Parquet or CSV files, or one file in this folder"
            raise SourceError(what, where=str(folder), fix=fix)
    return tuple(files.existing_file(part) for part in _without_notes(parts))


def _without_notes(parts: Sequence[Path]) -> Sequence[Path]:
    """Omit ``.txt`` files such as ``LICENSE.txt`` if there are also files with other endings."""
    tables = [part for part in parts if not part.name.lower().endswith(_PLAIN)]
    if not tables:
        return parts
    lines = {_first_line(part) for part in tables}
    for part in parts:
        if part not in tables and _first_line(part) in lines:
            what = (
                "this file has the same first line as another table in the folder, but a "
                "different ending"
            )
            fix = "give the file the same ending, or move it to another folder"
            raise SourceError(what, where=part.name, fix=fix)
    return tables


def _first_line(part: Path) -> bytes:
    head = files.first_bytes(files.existing_file(part), 2)
    with files.content(part, compressed=head.startswith(files.GZIP_MAGIC)) as stream:
        return stream.read(_LONGEST_LINE).split(b"\n", 1)[0].strip()


def _check_one_table(parts: Sequence[tuple[Path, Sequence[str]]]) -> None:
    """Reject files that share fewer than half of their columns with the first file."""
    (first, expected), *others = parts
    known = set(map(str.casefold, expected))
    common = [len(known & set(map(str.casefold, found))) for _, found in others]
    if all(2 * n >= len(found) for n, (_, found) in zip(common, others, strict=True)):
        return
    listed = ", ".join(quoted(part.name) for part, _ in parts[:_MOST_LISTED])
    more = f" and {len(parts) - _MOST_LISTED} more" if len(parts) > _MOST_LISTED else ""
    what = f"this is a folder of several tables: {listed}{more}"
    example = argument(str(first))
    fix = (
        f"use one of these tables, such as {example}. To release several tables together, describe "
        "each table below [tables.NAME] in a project file (see the page Whole databases)"
    )
    raise SourceError(what, where=str(first.parent), fix=fix)


def _are_parquet(parts: Sequence[Path]) -> bool:
    """Return whether the content of the files is Parquet. Reject a mixture of formats."""
    first, *others = [files.first_bytes(part, 4) == files.PARQUET_MAGIC for part in parts]
    for part, kind in zip(parts[1:], others, strict=True):
        if kind != first:
            what = f"this is {'a' if kind else 'not a'} Parquet file, unlike {parts[0].name}"
            raise SourceError(what, where=part.name, fix="keep files of only one kind in a folder")
    return first


def _check_alike(
    parts: Sequence[Path], columns: Iterable[Sequence[str]], what: str = "columns"
) -> None:
    """Check that all files have the same columns (or types) in the same order."""
    (first, expected), *others = zip((part.name for part in parts), columns, strict=True)
    for name, found in others:
        if [*found] == [*expected]:
            continue
        fix = f"all files in the folder must have the {what} of {first}, in the same order"
        if len(found) != len(expected):
            message = f"has {len(found)} {what}, but {first} has {len(expected)}"
            raise SourceError(message, where=name, fix=fix)
        at = next(i for i, (a, b) in enumerate(zip(found, expected, strict=True)) if a != b)
        message = f"column {at + 1} is {quoted(found[at])}, and {quoted(expected[at])} in {first}"
        raise SourceError(message, where=name, fix=fix)
