"""Where a table in a DuckDB file is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import quote

from roadstead.tables.engine import BACKEND
from roadstead.tables.locations import DatabaseLocation, TableName
from roadstead.tables.stores.address import AddressForm, path_of

if TYPE_CHECKING:
    from roadstead.tables.stores.address import Address

_FORM = AddressForm("duckdb:///path/file.duckdb?table=NAME")
FORMS = {"duckdb": _FORM}


@dataclass(frozen=True)
class DuckdbLocation(DatabaseLocation):
    """A table in a DuckDB file."""

    path: Path

    store = BACKEND

    @property
    def file(self) -> Path:
        """The file."""
        return self.path

    @property
    def database_name(self) -> str:
        """The name of the file, without its ending."""
        return self.path.stem

    @property
    def database(self) -> DatabaseLocation:
        """The file."""
        return replace(self, table=TableName(""), path=self.path.absolute())

    @property
    def address(self) -> str:
        """The address, for a project file."""
        return f"duckdb://{quote(self.path.as_posix(), safe='/:@')}?table={quote(str(self.table))}"

    def with_file(self, file: Path) -> Self:
        """Give the same table of a file by another path."""
        return replace(self, path=file)


def locate(address: Address) -> DuckdbLocation:
    """Read an address."""
    # Not split like an address of the web: a file may be called almost anything.
    path, _, query = address.rest.partition("?")
    table, options = address.table(query)
    if not path or path.endswith("/"):
        raise address.wrong("names no file", f"write {_FORM.example}")
    if options:
        raise address.unknown(options[0][0])
    return DuckdbLocation(table, address.base / path_of(path))
