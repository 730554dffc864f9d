"""Where a table in PostgreSQL is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from roadstead.tables.locations import DatabaseLocation, query_of
from roadstead.tables.stores.address import Form

if TYPE_CHECKING:
    from roadstead.tables.stores.address import Address

BACKEND = "postgres"
_FORM = Form(
    "postgresql://host:5432/database?table=schema.name",
    password="set PGPASSWORD or PGSERVICE, or use ~/.pgpass",  # noqa: S106 - advice
)
FORMS = {"postgresql": _FORM, "postgres": _FORM}
_OPTIONS = (
    "application_name",
    "channel_binding",
    "connect_timeout",
    "gssencmode",
    "host",
    "keepalives",
    "krbsrvname",
    "passfile",
    "port",
    "require_auth",
    "service",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "target_session_attrs",
)
"""Settings of a connection that may stand in an address; none can make it write."""


@dataclass(frozen=True)
class PostgresLocation(DatabaseLocation):
    """A table in PostgreSQL; what is None is left to libpq, which asks its environment.

    `table`: the table. `host`, `port`, `dbname`: where it is. `user`: who asks. `options`: further
    settings of the connection, by libpq's names.
    """

    host: str | None = None
    port: int | None = None
    dbname: str | None = None
    user: str | None = field(default=None, repr=False)
    options: tuple[tuple[str, str], ...] = ()

    store = BACKEND

    @property
    def database_name(self) -> str:
        """The name of the database, if it is said."""
        return super().database_name if self.dbname is None else self.dbname

    @property
    def address(self) -> str:
        """The address without the user, for a project file."""
        host = "" if self.host is None else self.host
        host = f"[{host}]" if ":" in host else quote(host, safe="")
        port = "" if self.port is None else f":{self.port}"
        database = quote(self.dbname or "", safe="")
        return f"postgresql://{host}{port}/{database}?{query_of(self.table, self.options)}"


def locate(address: Address) -> PostgresLocation:
    """Read an address."""
    parts = address.split()
    table, given = address.table(parts.query)
    options = dict(given)
    address = replace(address, scheme="postgresql")  # in messages, whichever of the two it was

    for name, _ in given:
        if name not in _OPTIONS:
            raise address.unknown(name, _OPTIONS)
    if len(options) < len(given):
        raise address.wrong("says something twice", "say it once")
    host = _host(parts.netloc)
    if host is not None and ("," in host or "host" in options):
        raise address.wrong("names several hosts", "name one host")
    host = host or options.pop("host", None)
    database = unquote(parts.path.removeprefix("/"))
    if "/" in parts.path.removeprefix("/"):
        raise address.wrong("has a / after the database", f"write {_FORM.example}")
    user = unquote(parts.username) if parts.username else None
    port = parts.port
    written = options.pop("port", None) if port is None else None
    if written is not None:
        if not re.fullmatch(r"\d{1,5}", written, re.ASCII):
            raise address.wrong("has a port that is no number", f"write {_FORM.example}")
        port = int(written)
    return PostgresLocation(
        table, host, port, database or None, user, tuple(sorted(options.items()))
    )


def _host(server: str) -> str | None:
    """Give the host as it is written: a folder of sockets has capital letters, a host may."""
    host = server.rpartition("@")[2]
    host = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return unquote(host) or None
