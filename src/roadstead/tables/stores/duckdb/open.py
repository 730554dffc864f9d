"""Locate a table in a DuckDB file, and read it through the private engine.

The file may come from an unknown source, and a view in the file could read any file on this
computer. So each file has a separate engine, which attaches the file as read-only and cannot open
anything else.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

from roadstead.errors import SettingError, SourceError, quoted
from roadstead.tables import engine, files
from roadstead.tables.engine import compiled
from roadstead.tables.failures import engine_errors, from_engine
from roadstead.tables.formats.options import OF_DATABASES, chosen
from roadstead.tables.locations import DatabaseLocation, TableName
from roadstead.tables.stores.address import AddressForm, path_of
from roadstead.tables.stores.names import fresh, no_table, quoted_name, sums_of_digests
from roadstead.tables.stores.store import Connection

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa

    from roadstead.tables.formats.format import Options
    from roadstead.tables.stores.address import Address

ATTACHED = "attached"
"""The name of the attached file in the engine."""


_FORM = AddressForm("duckdb:///path/file.duckdb?table=NAME")
FORMS = {"duckdb": _FORM}

_INEXACT = re.compile(
    r"\b(UHUGEINT|BIT|INTERVAL|UNION|BIGNUM|VARIANT|TIME WITH TIME ZONE|TIMETZ)\b"
)
"""DuckDB types that Arrow or Parquet cannot represent."""
_ENUM = re.compile(r"ENUM\((?:'(?:[^']|'')*'(?:, )?)*\)")
"""The type of an enumeration, with all its values."""
_COLLATED = (
    "SELECT count(*) FROM (SELECT sql FROM duckdb_tables() "
    "UNION ALL SELECT sql FROM duckdb_views()) WHERE sql ILIKE '%collate%'"
)
_INSTANT = re.compile(r"TIMESTAMP(_NS)? WITH TIME ZONE|TIMESTAMPTZ(_NS)?")


@dataclass(frozen=True)
class DuckdbLocation(DatabaseLocation):
    """A table in a DuckDB file."""

    path: Path

    store = engine.BACKEND

    @property
    def file(self) -> Path:
        """The path of the file."""
        return self.path

    @property
    def database_name(self) -> str:
        """The name of the file, without its extension."""
        return self.path.stem

    @property
    def namespace(self) -> tuple[str, str]:
        """Return the catalog and the schema in the private engine that reads the file."""
        return ATTACHED, self.table.schema or "main"

    @property
    def database(self) -> DatabaseLocation:
        """The location of the file, without a table name."""
        return replace(self, table=TableName(""), path=self.path.absolute())

    @property
    def address(self) -> str:
        """The address, for a project file."""
        return f"duckdb://{quote(self.path.as_posix(), safe='/:@')}?table={quote(str(self.table))}"

    def with_file(self, file: Path) -> Self:
        """Return the same table with a different path to the file."""
        return replace(self, path=file)


def locate(address: Address) -> DuckdbLocation:
    """Convert an address to a location."""
    # The address is not split like a URL, because a file name may contain almost any character.
    path, _, query = address.rest.partition("?")
    table, options = address.table(query)
    if not path or path.endswith("/"):
        raise address.wrong("does not name a file", f"write {_FORM.example}")
    if options:
        raise address.unknown(options[0][0])
    return DuckdbLocation(table, address.base / path_of(path))


def location_in(path: Path, options: Options, memory_limit: str) -> DuckdbLocation:
    """Return the location of the table in the options, or of the file's only table."""
    if unknown := set(options) - {*OF_DATABASES, "format"}:
        what = f"DuckDB files have no option {quoted(min(unknown))}"
        raise SettingError(what, where=path.name, fix="the only option is table")
    requested = options["table"].removeprefix("main.") if "table" in options else None
    with contextlib.closing(engine.start(memory_limit)) as started:
        _attach(started, path)
        found = _tables(started.backend)
    tables = [one for one, kind in found if requested is not None or kind == "BASE TABLE"]
    shown = [replace(one, schema=None) if one.schema == "main" else one for one in tables]
    known = {str(one): one for one in shown}
    return DuckdbLocation(known[chosen(requested, [*known], path, "table", "table")], path)


def open_duckdb(location: DuckdbLocation, memory_limit: str) -> Connection:
    """Open a table of a DuckDB file."""
    path = files.existing_file(location.path)
    if not is_duckdb(path):
        raise SourceError(
            "this is not a DuckDB file", where=path.name, fix="use a DuckDB file, or a CSV file"
        )
    started = engine.start(memory_limit)
    with contextlib.ExitStack() as undo:
        undo.callback(started.close)
        _attach(started, path)
        started.confine(path)
        table = table_in(started.backend, location)
        with engine_errors(location.called):
            table = exact(table)
        undo.pop_all()
    return Connection(table, engine.BACKEND, started.close)


def is_duckdb(path: Path) -> bool:
    """Return whether the first bytes of a file show that it is a DuckDB file."""
    return files.first_bytes(path, 12)[8:] == b"DUCK"


def _attach(started: engine.PrivateEngine, path: Path) -> None:
    try:
        started.backend.con.execute(
            f"ATTACH {engine.literal(str(path.absolute()))} AS {ATTACHED} (READ_ONLY)"
        )
    except Exception as error:
        if not from_engine(error):
            raise
        what = "the installed version of DuckDB cannot read this file"
        fix = "copy the database with the version of DuckDB that wrote it"
        if "lock" in str(error):
            what, fix = (
                "another program has opened this file for writing",
                "close the file there first",
            )
        raise SourceError(what, where=path.name, fix=fix) from None


def table_in(backend: Any, location: DuckdbLocation) -> ibis.Table:  # noqa: ANN401 - of Ibis
    """Return a table of the attached file. Raises SourceError if the table is missing."""
    there = [table for table, _ in _tables(backend)]
    requested = TableName(location.table.name, location.namespace[1])
    if requested not in there:
        raise no_table(location.table, there, "main")
    _require_no_shapes(backend, requested)
    with engine_errors(location.called):
        return _as_texts(backend.table(requested.name, database=(ATTACHED, requested.schema)))


def _require_no_shapes(backend: Any, table: TableName) -> None:  # noqa: ANN401 - of Ibis
    """Reject a table with geographic shapes. Ibis would load a DuckDB extension to read them."""
    query = """
        SELECT column_name FROM information_schema.columns
        WHERE table_catalog = ? AND table_schema = ? AND table_name = ?
            AND data_type LIKE 'GEOMETRY%' ORDER BY ordinal_position
    """
    names = [ATTACHED, table.schema, table.name]
    if (found := backend.con.execute(query, names).fetchone()) is not None:
        what, fix = (
            "contains geographic shapes",
            "use a view that leaves the column out, or converts the column to text",
        )
        raise SourceError(what, where=f"column {quoted(found[0])}", fix=fix)


def _tables(backend: Any) -> list[tuple[TableName, str]]:  # noqa: ANN401 - of Ibis
    """Return the names and the kinds of the tables and views in the attached file."""
    query = """
        SELECT table_schema, table_name, table_type FROM information_schema.tables
        WHERE table_catalog = ? ORDER BY table_schema <> 'main', table_schema, table_name
    """
    found = backend.con.execute(query, [ATTACHED]).fetchall()
    return [(TableName(name, schema), kind) for schema, name, kind in found]


def adopted(table: ibis.Table) -> ibis.Table:
    """Adapt a table of a user's own connection, so that it is read like a table in a file."""
    con = table.get_backend().con
    ((default,),) = con.execute("SELECT current_setting('default_collation')").fetchall()
    if default:
        raise SourceError(
            f"the connection has the default collation {quoted(default)}, in which different "
            "texts can be equal",
            fix="remove it: SET default_collation = ''",
        )
    return exact(_as_texts(table))


def _as_texts(table: ibis.Table) -> ibis.Table:
    """Convert columns to strings if they contain more information than the records show.

    If a collation treats different strings as equal, the strings remain different, as in every
    other engine. Otherwise, DuckDB would return an arbitrary string from each group of such
    strings. The collation of a column is visible only in the statement that created the table. The
    type of an enumeration can list values that do not occur in any record, and a release with this
    type would contain these values.
    """
    backend, types = table.get_backend(), _kinds(table)
    collated = backend.con.execute(_COLLATED).fetchall() != [(0,)]
    made = {
        name: f"CAST({quoted_name(name)} AS {_ENUM.sub('VARCHAR', kind)})"
        if _ENUM.search(kind)
        else f"{quoted_name(name)} COLLATE C"
        for name, kind in types.items()
        if _ENUM.search(kind) or (collated and kind == "VARCHAR")
    }
    if not made:
        return table
    columns = (f"{made.get(one, quoted_name(one))} AS {quoted_name(one)}" for one in types)
    query = f"SELECT {', '.join(columns)} FROM ({compiled(table)}) AS {fresh('texts')}"  # noqa: S608 - quoted
    return backend.sql(query, schema=table.schema())


def exact(table: ibis.Table) -> ibis.Table:
    """Convert columns that Arrow or Parquet cannot represent to the strings that DuckDB writes."""
    texts = {
        name: table[name].cast("string")
        for name, kind in _kinds(table).items()
        if _INEXACT.search(kind)
    }
    return table.mutate(**texts).select(*table.columns) if texts else table


def instants(table: ibis.Table) -> frozenset[str]:
    """Return the columns of instants without a zone, including types that Ibis does not know."""
    return frozenset(name for name, kind in _kinds(table).items() if _INSTANT.fullmatch(kind))


def list_tables(backend: Any, schema: str | None, catalog: str | None) -> list[str]:  # noqa: ANN401 - of Ibis
    """List tables without Ibis, because Ibis 12 needs a method that DuckDB 2 does not have."""
    query = """
        SELECT table_name FROM information_schema.tables
        WHERE table_schema = coalesce(?, current_schema())
          AND table_catalog = coalesce(?, current_database())
    """
    return [str(name) for (name,) in backend.con.execute(query, [schema, catalog]).fetchall()]


def digest(texts: ibis.Table) -> tuple[int, ...]:
    """Count strings, and add up the numbers in their digests."""
    words = sums_of_digests("('0x' || substr(digest, {}, 15))::BIGINT")
    query = f"SELECT {words} FROM (SELECT sha256(text) AS digest FROM ({compiled(texts)}))"  # noqa: S608 - compiled
    (found,) = texts.get_backend().con.execute(query).fetchall()
    return tuple(int(one or 0) for one in found)


def cancel(backend: Any) -> None:  # noqa: ANN401 - of Ibis
    """Stop the running query."""
    backend.con.interrupt()


def _kinds(table: ibis.Table) -> dict[str, str]:
    found = table.get_backend().con.sql(compiled(table.limit(0)))
    return dict(zip(found.columns, map(str, found.types), strict=True))


class DuckdbWorkbench:
    """A workbench of temporary tables in the connection that reads the source."""

    def __init__(self, table: ibis.Table, name: str) -> None:
        self.table = table
        self._name = name
        self._backend = table.get_backend()
        self._registered: list[str] = []
        self._kept: set[str] = set()

    def small(self, columns: pa.Table) -> ibis.Table:
        """Register a table in this process, so that the engine can scan the table."""
        name = fresh("small")
        with engine_errors(self._name):
            self._backend.con.register(name, columns)
            self._registered.append(name)
            return self._backend.table(name)

    def keep(self, expression: ibis.Table) -> ibis.Table:
        """Compute an expression, and store the result in a temporary table."""
        name = fresh("kept")
        with engine_errors(self._name):
            self._backend.con.execute(f'CREATE TEMP TABLE "{name}" AS {compiled(expression)}')
            self._kept.add(name)
            return self._backend.table(name)

    def drop(self, kept: ibis.Table) -> None:
        """Drop a temporary table."""
        name = kept.op().name
        with engine_errors(self._name):
            self._backend.con.execute(f'DROP TABLE IF EXISTS temp."{name}"')
        self._kept.discard(name)

    def close(self) -> None:
        """Drop all created tables. If the connection is closed, the tables no longer exist."""
        with contextlib.suppress(Exception):
            while self._registered:
                self._backend.con.unregister(self._registered.pop())
            while self._kept:
                self._backend.con.execute(f'DROP TABLE IF EXISTS temp."{self._kept.pop()}"')
