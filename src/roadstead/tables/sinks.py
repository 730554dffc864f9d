"""Write a table to a file in the same form as the original.

Missing values become empty cells. In a file with one column, they become ``""``, because a blank
line is not a record. The same records give the same bytes on any number of cores. Batches determine
how a Parquet file is divided, so all batches except the last have the same number of rows. Equal
numbers are written with the same bits. So every NaN has the same bits, and no zero is negative.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

from roadstead.errors import OutputError, RoadsteadError, SettingError
from roadstead.front_end import worded
from roadstead.tables import engine, files
from roadstead.tables.arrow_tables import common_zone, readable, zones_in_memory
from roadstead.tables.failures import engine_errors, from_engine, is_full_disk
from roadstead.tables.formats.registry import format_named
from roadstead.tables.source import Csv, Format, Parquet, ProgramFile
from roadstead.tables.stores.names import quoted_name
from roadstead.tables.transfer import stream

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa

    from roadstead.tables.dialect import Dialect

_BLOCK = 1 << 20
_ROWS = 1 << 16
"""The number of rows in a batch of a Parquet file; a multiple of DuckDB's 2,048."""
_FLOATING = ("FLOAT", "DOUBLE")
_FULL = ("the disk is full", "free some space, or write to another disk")
_REFUSALS = ("Permission denied", "Read-only file system", "No such file or directory")


def write(
    table: ibis.Table | pa.RecordBatchReader,
    path: Path,
    format: Format,  # noqa: A002 - its plain name
    order: Sequence[str] = (),
) -> None:
    """Write a table, or a stream in its own order, to exactly this path.

    `order` contains DuckDB expressions by which the rows of a text file are sorted first. In such a
    file, an empty string and a missing value are the same cell. An existing file is replaced, so
    the caller writes to a different name and renames the file. The lines of a text file end with a
    line feed. In all other respects, the file has the dialect of the original. An error may leave
    an unfinished file.
    """
    if not isinstance(format, Csv | Parquet | ProgramFile):
        what = f"{format.describe()} is not a file format"
        raise SettingError(what, where=str(path), fix="write it as CSV or Parquet")
    with _writing(path):
        if isinstance(format, ProgramFile):
            rows = _readable(_in_even_batches(table))
            format_named(format.kind).write(rows, path, format.codebook)
        elif isinstance(format, Parquet):
            with _embedded(_in_even_batches(table)) as rows:
                _one_spelling(rows, _uuids(table)).copy(path, "FORMAT parquet, COMPRESSION zstd")
        else:
            with _embedded(table) as rows:
                cells = _text_cells(rows.sorted(order), format.dialect, one_blank=bool(order))
                _write_text(cells, path, format.dialect)


def _in_even_batches(table: ibis.Table | pa.RecordBatchReader) -> pa.RecordBatchReader:
    """Return the same rows in batches of equal size. Only the last batch may be smaller."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    batches = table if isinstance(table, pa.RecordBatchReader) else stream(table)

    def even() -> Iterator[pa.RecordBatch]:
        held: list[pa.RecordBatch] = []
        for batch in batches:
            held.append(batch)
            if sum(one.num_rows for one in held) >= _ROWS:
                *whole, rest = _cut(held)
                yield from whole
                held = [rest]
        yield from _cut(held)

    def _cut(held: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
        joined = pa.Table.from_batches(held, batches.schema).unify_dictionaries()
        parts = (joined.slice(at, _ROWS) for at in range(0, max(joined.num_rows, 1), _ROWS))
        return [one for part in parts for one in part.combine_chunks().to_batches()]

    return pa.RecordBatchReader.from_batches(batches.schema, even())


def _readable(rows: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """Convert columns to types that all programs can read."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    schema = readable(rows.schema)
    return pa.RecordBatchReader.from_batches(schema, (batch.cast(schema) for batch in rows))


class _Query(NamedTuple):
    con: Any
    text: str

    def sorted(self, order: Sequence[str]) -> _Query:
        """Return the same query with sorted rows."""
        keys = ", ".join(order)
        return self._replace(text=f"{self.text} ORDER BY {keys}") if order else self

    def copy(self, path: Path, options: str) -> None:
        self.con.execute(f"COPY ({self.text}) TO {engine.literal(str(path))} ({options})")


@contextlib.contextmanager
def _embedded(table: ibis.Table | pa.RecordBatchReader) -> Iterator[_Query]:
    """Query a table in its own embedded engine, or else stream it through a private engine."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if isinstance(table, pa.RecordBatchReader):
        batches = table
    elif not engine.is_embedded(table) or engine.is_confined(table.get_backend()):
        batches = stream(table)
    else:
        yield _Query(table.get_backend().con, engine.compiled(table))
        return
    own = engine.start("1GB")
    zone = common_zone(zones_in_memory(batches.schema))
    try:
        if zone is not None:
            own.work_in_zone(zone)
        own.con.register("release", batches)
        yield _Query(own.con, "SELECT * FROM release")
    finally:
        own.close()


def _uuids(table: ibis.Table | pa.RecordBatchReader) -> frozenset[str]:
    """Return the columns of UUIDs, which an engine streams as strings."""
    schema = getattr(table, "schema", None)
    kinds = schema().items() if callable(schema) else ()
    return frozenset(name for name, kind in kinds if kind.is_uuid())


def _one_spelling(rows: _Query, uuids: frozenset[str]) -> _Query:
    """Write all NaNs and zeros in the same way, even in lists, and write UUIDs as UUIDs."""
    found = rows.con.sql(rows.text)
    cells = {quoted_name(name): f"{quoted_name(name)}::UUID" for name in uuids}
    for name, kind in zip(map(quoted_name, found.columns), map(str, found.types), strict=True):
        number = kind.removesuffix("[]")
        if number in _FLOATING:
            one = (
                f"CASE WHEN isnan({{0}}) THEN 'nan'::{number} WHEN {{0}} = 0 THEN 0 ELSE {{0}} END"
            )
            in_list = f"list_transform({name}, lambda one: {one.format('one')})"
            cells[name] = one.format(name) if kind == number else in_list
    return rows._replace(text=_replaced(rows.text, cells))


def _replaced(query: str, cells: dict[str, str]) -> str:
    replaced = ", ".join(f"{cell} AS {name}" for name, cell in cells.items())
    return f"SELECT * REPLACE ({replaced}) FROM ({query})" if cells else query  # noqa: S608 - quoted


def _text_cells(rows: _Query, dialect: Dialect, *, one_blank: bool) -> _Query:
    """Replace missing numbers with null. If there is only one column, replace null with "".

    If `one_blank` is true, an empty string is also replaced with null. In columns with decimal
    commas, numbers are written with commas again, but labels of bands do not change.
    """
    commas = {*map(quoted_name, dialect.decimal_commas)}
    found = rows.con.sql(rows.text)
    cells = {}
    for name, kind in zip(map(quoted_name, found.columns), map(str, found.types), strict=True):
        if kind in _FLOATING:
            cells[name] = f"nullif({name}, 'nan')"
        if one_blank and (kind == "VARCHAR" or kind.startswith("ENUM")):
            cells[name] = f"nullif({name}::VARCHAR, '')"
        if name in commas:
            text = f"({cells.get(name, name)})::VARCHAR"
            number = f"regexp_full_match({text}, '[+-]?[0-9]+[.][0-9]+')"
            cells[name] = f"CASE WHEN {number} THEN replace({text}, '.', ',') ELSE {text} END"
        if len(found.columns) == 1:
            cells[name] = f"coalesce({cells.get(name, name)}::VARCHAR, '')"
    return rows._replace(text=_replaced(rows.text, cells))


def _write_text(rows: _Query, path: Path, dialect: Dialect) -> None:
    quote = engine.literal(dialect.quote)
    options = (
        f"FORMAT csv, HEADER {str(dialect.header).lower()}, "
        f"DELIMITER {engine.literal(dialect.delimiter)}, QUOTE {quote}, ESCAPE {quote}"
    )
    if dialect.encoding == "utf-8":
        rows.copy(path, f"{options}, COMPRESSION {'gzip' if dialect.compressed else 'none'}")
        return
    aside = path.with_name(f"{path.name}.utf-8")
    try:
        rows.copy(aside, f"{options}, COMPRESSION none")
        with aside.open("rb") as written, _binary(path, dialect) as target:
            _encode(written, target, dialect.encoding, path)
    finally:
        aside.unlink(missing_ok=True)


@contextlib.contextmanager
def _binary(path: Path, dialect: Dialect) -> Iterator[IO[bytes]]:
    with path.open("wb") as raw:
        if dialect.compressed:
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as zipped:
                yield cast("IO[bytes]", zipped)
        else:
            yield raw


def _encode(written: IO[bytes], target: IO[bytes], encoding: str, path: Path) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    encoder = codecs.getincrementalencoder(encoding)()
    while True:
        block = written.read(_BLOCK)
        text = decoder.decode(block, final=not block)
        try:
            target.write(encoder.encode(text, final=not block))
        except UnicodeEncodeError as error:
            raise OutputError(
                f"the release has the character {error.object[error.start]!r}, which does not "
                f"exist in {files.shown_encoding(encoding)}",
                where=str(path),
                fix="write it in UTF-8, or use hierarchies without that character",
            ) from None
        if not block:
            return


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Convert errors that occur during writing to errors that suggest a fix."""
    try:
        _check_place(path)
        yield
    except RoadsteadError:
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _elsewhere(path, *_FULL) from None
        reason = error.strerror or type(error).__name__
        raise _elsewhere(path, f"cannot be written ({reason})") from error
    except Exception as error:
        text = str(error)
        if from_engine(error) and is_full_disk(error):
            raise _elsewhere(path, *_FULL) from None
        if type(error).__name__ == "IOException" and str(path) in text:
            reason = next((reason for reason in _REFUSALS if reason in text), "the system refused")
            raise _elsewhere(path, f"cannot be written ({reason})") from None
        with engine_errors(path.name):
            raise


def _check_place(path: Path) -> None:
    if not path.parent.is_dir():
        raise OutputError(
            "its folder does not exist", where=str(path), fix=f"create {path.parent} first"
        )
    if path.is_dir():
        raise OutputError("this is a folder", where=str(path), fix="name a file")


def _elsewhere(
    path: Path, what: str, fix: str = "choose a folder that you may write to"
) -> OutputError:
    return OutputError(what, where=str(path), fix=worded(command=f"{fix} with --out", python=fix))
