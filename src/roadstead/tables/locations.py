"""Where a table is: a file, a table in a database, or the tables of an OMOP CDM in one.

A location says no more than what names the table; nothing is opened, and nothing is looked up. Its
`address` is what a project file has: it names the table without the user. How a text is read as a
location is told in :mod:`roadstead.tables.addresses`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Mapping

OMOP = "omop:"
"""What stands before the address of a database that holds an OMOP CDM."""
LOCAL_SPARK = "local[*]"
"""Spark's word for all cores of this machine."""


@dataclass(frozen=True)
class TableName:
    """The name of a table in a database, exactly as the database has it.

    Attributes
    ----------
    name
        The table or view.
    schema
        Its schema; None for where the database looks by itself.
    catalog
        What holds the schema, in an engine that reads several; None for the one it begins with.
    """

    name: str
    schema: str | None = None
    catalog: str | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """The names from the outermost to the table's own."""
        return tuple(x for x in (self.catalog, self.schema, self.name) if x is not None)

    def __str__(self) -> str:
        return ".".join(map(_written, self.parts))


@dataclass(frozen=True)
class FileLocation:
    """A file, or a folder of files."""

    path: Path


@dataclass(frozen=True)
class DuckdbLocation:
    """A table in a DuckDB file."""

    path: Path
    table: TableName

    @property
    def address(self) -> str:
        """The address, for a project file."""
        path = self.path.as_posix()
        return f"duckdb://{quote(path, safe='/:@')}?table={quote(str(self.table))}"


@dataclass(frozen=True)
class PostgresLocation:
    """A table in PostgreSQL; what is None is left to libpq, which asks its environment.

    Attributes
    ----------
    table
        The table.
    host, port, database
        Where it is.
    user
        Who asks; not part of `address`, nor shown when a location is printed.
    options
        Further settings of the connection, by libpq's names.
    """

    table: TableName
    host: str | None = None
    port: int | None = None
    database: str | None = None
    user: str | None = field(default=None, repr=False)
    options: tuple[tuple[str, str], ...] = ()

    @property
    def address(self) -> str:
        """The address without the user, for a project file."""
        host = "" if self.host is None else self.host
        host = f"[{host}]" if ":" in host else quote(host, safe="")
        port = "" if self.port is None else f":{self.port}"
        database = quote(self.database or "", safe="")
        return f"postgresql://{host}{port}/{database}?{_query(self.table, self.options)}"


@dataclass(frozen=True)
class SparkLocation:
    """A table that Spark reads, in a session on a cluster or of a server of Spark Connect.

    Attributes
    ----------
    table
        The table; a folder of files has the name of its format for a schema, as Spark has it:
        ``parquet."/data/visits"``.
    server
        The master (``spark://host:7077`` or ``local[*]``) or the server (``sc://host:15002``), as
        Spark writes it; None for what its environment says.
    """

    table: TableName
    server: str | None = None

    @property
    def connects(self) -> bool:
        """Whether it is a server of Spark Connect."""
        return self.server is not None and self.server.startswith("sc://")

    @property
    def path(self) -> str | None:
        """The folder of files that is read, if it is no table of a catalog."""
        table = self.table
        is_file = table.catalog is None and (table.schema or "").lower() in FILE_FORMATS
        return table.name if is_file and "/" in table.name else None

    @property
    def called(self) -> str:
        """What to call it: of a folder its last part, since a path would tell where data lie."""
        return str(self.table) if self.path is None else self.path.rstrip("/").rpartition("/")[2]

    @property
    def address(self) -> str:
        """The address, for a project file."""
        server = {None: "spark://", LOCAL_SPARK: "spark://local"}.get(self.server, self.server)
        return f"{server}?{_query(self.table, ())}"


FILE_FORMATS = ("parquet", "delta", "orc")
"""The names that stand before the path of a folder that Spark reads without a catalog."""


@dataclass(frozen=True)
class OtherLocation:
    """A table in a database that Ibis connects to by itself.

    Attributes
    ----------
    scheme
        Which kind of database, by Ibis's name for it.
    table
        The table.
    place
        What stands between the scheme and the query, without the user.
    user
        Who asks, as it is written in the address; not shown when a location is printed.
    options
        The rest of the query.
    """

    scheme: str
    table: TableName
    place: str
    user: str | None = field(default=None, repr=False)
    options: tuple[tuple[str, str], ...] = ()

    @property
    def address(self) -> str:
        """The address without the user, for a project file."""
        return f"{self.scheme}://{self.place}?{_query(self.table, self.options)}"

    @property
    def connection(self) -> str:
        """The address to connect to: with the user, without the table."""
        user = "" if self.user is None else f"{self.user}@"
        query = "&".join(f"{quote(name)}={quote(value)}" for name, value in self.options)
        return f"{self.scheme}://{user}{self.place}" + (f"?{query}" if query else "")


DatabaseLocation: TypeAlias = DuckdbLocation | PostgresLocation | SparkLocation | OtherLocation


@dataclass(frozen=True)
class CdmLocation:
    """The tables of an OMOP CDM in a database.

    Attributes
    ----------
    person
        Its table PERSON; the others are beside it.
    age_at
        The day on which ages are told in the place of years of birth; None for the latter.
    """

    person: DatabaseLocation
    age_at: str | None = None

    @property
    def name(self) -> str:
        """What to call the people in messages and certificates, which need not tell the host."""
        match self.person:
            case DuckdbLocation(path=path):
                database = path.stem
            case PostgresLocation(database=str(database)):
                pass
            case _:
                database = "database"
        return f"{OMOP}{self.person.table.schema or database}"

    @property
    def address(self) -> str:
        """The address without the user, for a project file."""
        place, _, query = self.person.address.partition("?")
        own = {"schema": str(self.person.table).rpartition(".")[0], "age_at": self.age_at}
        pairs = [f"{name}={quote(value)}" for name, value in own.items() if value]
        pairs += [pair for pair in query.split("&") if not pair.startswith("table=")]
        return f"{OMOP}{place}" + (f"?{'&'.join(pairs)}" if pairs else "")


Location: TypeAlias = FileLocation | DatabaseLocation | CdmLocation


def _query(table: TableName, options: tuple[tuple[str, str], ...] | Mapping[str, str]) -> str:
    pairs = (("table", str(table)), *dict(options).items())
    return "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in pairs)


def _written(part: str) -> str:
    """Write one part of a name so that it can be told from the others."""
    return part if not set(part) & set('."') else '"' + part.replace('"', '""') + '"'
