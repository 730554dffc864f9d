"""Define locations of tables: files, databases, and the tables of an OMOP CDM.

A project file contains the `address`, which identifies the table but does not contain the user.
:mod:`roadstead.tables.addresses` reads an address.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self, TypeAlias
from urllib.parse import quote

OMOP = "omop:"
"""The prefix for the address of a database that contains an OMOP CDM."""


@dataclass(frozen=True)
class TableName:
    """The name of a table or view in a database, with exactly the same spelling.

    By default, the name refers to the default schema of the default catalog.
    """

    name: str
    schema: str | None = None
    catalog: str | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the parts of the name, from the catalog to the table."""
        return tuple(x for x in (self.catalog, self.schema, self.name) if x is not None)

    def __str__(self) -> str:
        return ".".join(map(_written, self.parts))


@dataclass(frozen=True)
class FileLocation:
    """A file, or a folder of files.

    `layout` is the DDI codebook with the places of the fields, if the codebook is in another folder
    than the file. (Otherwise, the path names it, as in ``visits.dat?layout=visits.xml``.)
    """

    path: Path
    layout: Path | None = None


@dataclass(frozen=True)
class DatabaseLocation:
    """A table in a database. Each store adds the fields that identify the database."""

    table: TableName

    @property
    def store(self) -> str:
        """The name of the store in Ibis."""
        raise NotImplementedError

    @property
    def address(self) -> str:
        """The address without the user, for a project file."""
        raise NotImplementedError

    @property
    def user(self) -> str | None:
        """The user in an address."""
        return None

    @property
    def file(self) -> Path | None:
        """The file that contains the database, if there is one."""
        return None

    @property
    def namespace(self) -> tuple[str | None, str | None]:
        """The catalog and the schema of the table in its engine."""
        return self.table.catalog, self.table.schema

    @property
    def called(self) -> str:
        """Return the table's name for messages, without revealing where the data is."""
        return str(self.table)

    @property
    def database_name(self) -> str:
        """The name of the database."""
        return "database"

    @property
    def database(self) -> DatabaseLocation:
        """Return the location without the table name; all tables of a database share it."""
        return replace(self, table=TableName(""))

    def with_file(self, _file: Path) -> Self:
        """Return the same location with a different path to its file."""
        return self


@dataclass(frozen=True)
class CdmLocation:
    """The tables of an OMOP CDM. `person` is the table PERSON in the same database and schema.

    If `age_at` is a day, the ages on this day replace the years of birth.
    """

    person: DatabaseLocation
    age_at: str | None = None

    @property
    def name(self) -> str:
        """Return the table's name for messages, without revealing the host."""
        return f"{OMOP}{self.person.table.schema or self.person.database_name}"

    @property
    def address(self) -> str:
        """The address without the user, for a project file."""
        place, _, query = self.person.address.partition("?")
        own = {"schema": str(self.person.table).rpartition(".")[0], "age_at": self.age_at}
        pairs = [f"{name}={quote(value)}" for name, value in own.items() if value]
        pairs += [pair for pair in query.split("&") if not pair.startswith("table=")]
        return f"{OMOP}{place}" + (f"?{'&'.join(pairs)}" if pairs else "")


Location: TypeAlias = FileLocation | DatabaseLocation | CdmLocation


def query_of(table: TableName, options: tuple[tuple[str, str], ...] | Mapping[str, str]) -> str:
    """Return the part of an address that contains the name of the table and the other settings."""
    pairs = (("table", str(table)), *dict(options).items())
    return "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in pairs)


def _written(part: str) -> str:
    """Quote one part of a name if necessary, so that a dot in the part does not separate parts."""
    return part if not set(part) & set('."') else '"' + part.replace('"', '""') + '"'
