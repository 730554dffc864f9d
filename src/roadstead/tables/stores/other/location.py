"""Where a table in any other database of Ibis is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

from roadstead.tables.locations import DatabaseLocation, query_of

if TYPE_CHECKING:
    from roadstead.tables.stores.address import Address


@dataclass(frozen=True)
class OtherLocation(DatabaseLocation):
    """A table in a database that Ibis connects to by itself.

    `table`: the table. `scheme`: which kind of database, by Ibis's name for it. `place`: what
    stands between the scheme and the query, without the user. `user`: who asks, as it is written in
    the address. `options`: the rest of the query.
    """

    scheme: str
    place: str
    user: str | None = field(default=None, repr=False)
    options: tuple[tuple[str, str], ...] = ()

    @property
    def store(self) -> str:
        """Ibis's name for this kind of database."""
        return self.scheme

    @property
    def address(self) -> str:
        """The address without the user, for a project file."""
        return f"{self.scheme}://{self.place}?{query_of(self.table, self.options)}"

    @property
    def connection(self) -> str:
        """The address to connect to: with the user, without the table."""
        user = "" if self.user is None else f"{self.user}@"
        query = "&".join(f"{quote(name)}={quote(value)}" for name, value in self.options)
        return f"{self.scheme}://{user}{self.place}" + (f"?{query}" if query else "")


def locate(address: Address) -> OtherLocation:
    """Read an address; what it means, the database's own driver knows."""
    parts = address.split()
    table, options = address.table(parts.query)
    user, at, place = parts.netloc.rpartition("@")
    return OtherLocation(table, address.scheme, place + parts.path, user if at else None, options)
