"""Read a table of an SQLite file, and determine the types of columns from their values.

SQLite stores any kind of value in any column. For example, a column that is declared as a number
can contain ``unknown``. So the type of a column depends on the kinds of its values, not on its
declared type. A column with several kinds of values becomes a column of strings. The file is opened
as read-only, and SQLite does not write other files next to it.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.errors import SourceError
from roadstead.tables import names
from roadstead.tables.files import first_bytes
from roadstead.tables.formats.codebook import Codebook
from roadstead.tables.formats.format import Batches, FileFormat, Options
from roadstead.tables.formats.options import OF_DATABASES, chosen

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH = 1 << 14
_WRITE_AHEAD = 2
"""The version number, in byte 18, of a file whose last changes may be in a second file."""
_INTEGER, _REAL, _TEXT, _BLOB, _LARGE = 1, 2, 4, 8, 16
_EXACT = 1 << 53
"""The limit up to which floating-point numbers represent all whole numbers."""
_KINDS = {"integer": _INTEGER, "real": _REAL, "text": _TEXT, "blob": _BLOB}


class SqliteFile(FileFormat):
    """An SQLite database, from which one table is read."""

    def read(self, path: Path, options: Options) -> Batches:
        """Read the only table, or the table or view that the option ``table`` requests."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        with _reading(path), contextlib.closing(_opened(path)) as con:
            table = _table(con, path, options.get("table"))
            found = con.execute(f"SELECT * FROM {table} LIMIT 0")  # noqa: S608 - quoted
            columns = names.checked([one[0] for one in found.description], path.name)
            kinds = _kinds(con, table, columns)
        schema = pa.schema([*zip(columns, map(_type, kinds), strict=True)])
        return Batches(schema, _rows(path, table, schema), Codebook())


def _opened(path: Path) -> sqlite3.Connection:
    """Open a file as read-only. Raises SourceError if its last changes are in a second file."""
    head = first_bytes(path, 20)
    ahead = head[18:19] == bytes([_WRITE_AHEAD])
    log = path.with_name(f"{path.name}-wal")
    if ahead and log.exists() and log.stat().st_size:
        what = "another program has opened it for writing, or did not close it properly"
        raise SourceError(what, where=path.name, fix="close it there first")
    # Without `immutable`, SQLite creates two files next to a file with a log, even for reading.
    mode = "immutable=1" if ahead else "mode=ro"
    con = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, check_same_thread=False)
    con.execute("PRAGMA query_only = ON")
    con.execute("PRAGMA trusted_schema = OFF")
    return con


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
        what, fix = "the SQLite file is damaged or incomplete", "get the file again"
        if "locked" in str(error) or "readonly" in str(error):
            what = "another program has opened it for writing, or did not close it properly"
            fix = "close it there first"
        raise SourceError(what, where=path.name, fix=fix) from error


def _table(con: sqlite3.Connection, path: Path, requested: str | None) -> str:
    query = "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
    kinds = {name: kind for name, kind in con.execute(query) if not name.startswith("sqlite_")}
    offered = [*kinds] if requested else [name for name in kinds if kinds[name] == "table"]
    return _quoted(chosen(requested, offered, path, "table", "table"))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _kinds(con: sqlite3.Connection, table: str, columns: Sequence[str]) -> list[int]:
    """Return a sum of flags for each column. The flags show the kinds of the column's values."""
    sums = (
        " + ".join(
            f"{bit} * coalesce(max(typeof({_quoted(one)}) = '{kind}'), 0)"
            for kind, bit in _KINDS.items()
        )
        + f" + {_LARGE} * coalesce(max(typeof({_quoted(one)}) = 'integer' AND {_quoted(one)} "
        f"NOT BETWEEN -{_EXACT} AND {_EXACT}), 0)"
        for one in columns
    )
    (found,) = con.execute(f"SELECT {', '.join(sums)} FROM {table}")  # noqa: S608 - quoted
    return [*found]


def _type(kinds: int) -> pa.DataType:
    """Return a type that represents all values of a column without changing them."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    types = {_INTEGER: pa.int64(), _INTEGER | _LARGE: pa.int64()}
    types |= {_REAL: pa.float64(), _BLOB: pa.binary()}
    if kinds == _INTEGER | _REAL:
        return pa.float64()
    return types.get(kinds, pa.string())


def _rows(path: Path, table: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    with _reading(path), contextlib.closing(_opened(path)) as con:
        found = con.execute(f"SELECT * FROM {table}")  # noqa: S608 - quoted
        while records := found.fetchmany(_BATCH):
            cells = zip(*records, strict=True)
            arrays = [
                _array(values, kind) for values, kind in zip(cells, schema.types, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if pa.types.is_string(kind):
        values = [one.hex() if isinstance(one, bytes) else one for one in values]
        values = [one if one is None else str(one) for one in values]
    elif pa.types.is_floating(kind):
        values = [None if one is None else float(one) for one in values]
    return pa.array(values, kind)


SQLITE = SqliteFile("SQLite", options=OF_DATABASES)
