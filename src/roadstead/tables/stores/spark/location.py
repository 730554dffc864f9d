"""Where a table that Spark reads is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from roadstead.tables.locations import DatabaseLocation, query_of
from roadstead.tables.stores.address import SECRET, Form

if TYPE_CHECKING:
    from urllib.parse import SplitResult

    from roadstead.tables.stores.address import Address

BACKEND = "pyspark"
LOCAL = "local[*]"
"""Spark's word for all cores of this machine."""
_TOKEN = "set SPARK_CONNECT_AUTHENTICATE_TOKEN for Spark Connect"  # noqa: S105 - advice
FORMS = {
    "spark": Form("spark://host:7077?table=schema.name", _TOKEN, 3),
    "sc": Form("sc://host:15002?table=schema.name", _TOKEN, 3),
}
_CONNECT_OPTIONS = ("use_ssl",)
_FILE_FORMATS = ("parquet", "delta", "orc")
"""The names that stand before the path of a folder that Spark reads without a catalog."""


@dataclass(frozen=True)
class SparkLocation(DatabaseLocation):
    """A table that Spark reads, in a session on a cluster or of a server of Spark Connect.

    `table`: the table; a folder of files has the name of its format for a schema, as Spark has it:
    ``parquet."/data/visits"``. `server`: the master (``spark://host:7077`` or ``local[*]``) or the
    server (``sc://host:15002``), as Spark writes it; None for what its environment says.
    """

    server: str | None = None

    store = BACKEND

    @property
    def connects(self) -> bool:
        """Whether it is a server of Spark Connect."""
        return self.server is not None and self.server.startswith("sc://")

    @property
    def path(self) -> str | None:
        """The folder of files that is read, if it is no table of a catalog."""
        table = self.table
        is_file = table.catalog is None and (table.schema or "").lower() in _FILE_FORMATS
        return table.name if is_file and "/" in table.name else None

    @property
    def called(self) -> str:
        """What to call it: of a folder its last part, since a path would tell where data lie."""
        return str(self.table) if self.path is None else self.path.rstrip("/").rpartition("/")[2]

    @property
    def address(self) -> str:
        """The address, for a project file."""
        server = {None: "spark://", LOCAL: "spark://local"}.get(self.server, self.server)
        return f"{server}?{query_of(self.table, ())}"


def locate(address: Address) -> SparkLocation:
    """Take apart what names a master or a server; whatever else Spark needs is its own setting."""
    parts = address.split()
    table, options = address.table(parts.query)
    if options:
        raise address.wrong(
            "has a setting besides table",
            "put settings into spark-defaults.conf in the folder that SPARK_CONF_DIR names",
        )
    if "@" in parts.netloc:
        raise address.wrong("names a user", "take it out; Spark asks its environment who you are")
    if "," in parts.netloc:
        raise address.wrong("names several hosts", "name one host")
    if address.scheme == "sc":
        return SparkLocation(table, f"sc://{_connect_server(address, parts)}")
    if parts.path not in ("", "/"):
        raise address.wrong("has something after the host", f"write {address.form.example}")
    if parts.netloc == "local":
        return SparkLocation(table, LOCAL)
    if not parts.netloc:
        return SparkLocation(table)
    if parts.hostname is None or parts.port is None:
        raise address.wrong("names no port", f"write {address.form.example}")
    return SparkLocation(table, f"spark://{parts.netloc}")


def _connect_server(address: Address, parts: SplitResult) -> str:
    """Write a server of Spark Connect as Spark does: settings stand behind a semicolon."""
    if not parts.hostname:
        raise address.wrong("names no host", f"write {address.form.example}")
    before, *settings = parts.path.split(";")
    if before not in ("", "/"):
        raise address.wrong("has something after the host", f"write {address.form.example}")
    named = [unquote(setting).partition("=")[::2] for setting in settings if setting]
    for name, value in named:
        if SECRET.search(name):
            raise address.holds_password()
        if name not in _CONNECT_OPTIONS or value not in ("true", "false"):
            raise address.wrong(
                "has a setting that is not known",
                "write ;use_ssl=true or none; SPARK_REMOTE and spark://?table=... give any other",
            )
    ssl = "/;use_ssl=true" if ("use_ssl", "true") in named else ""
    return parts.netloc + ssl
