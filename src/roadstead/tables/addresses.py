r"""What the text that names a table may be: a file, a folder, or the address of a table elsewhere.

::

    visits.csv                                                a file
    visits/                                                   a folder of files alike
    duckdb:///data/clinic.duckdb?table=visits                 a table in a DuckDB file
    postgresql://db.example.org:5432/clinic?table=care.visits a table in PostgreSQL
    spark://master.example.org:7077?table=care.visits         what a Spark cluster reads
    sc://spark.example.org:15002?table=main.care.visits       what a server of Spark Connect reads
    mysql://db.example.org/clinic?table=visits                in anything else that Ibis connects to
    omop:postgresql://db.example.org/clinic?schema=cdm        tables of an OMOP CDM in any of these

This is parsing alone: nothing is opened and nothing is looked up, so a text means the same on every
machine. An address begins with a scheme of two letters or more and ``://``; all else is a path,
``C:\visits.csv`` and ``C://visits.csv`` too.

A command line is seen by every user of a machine and kept in the history of the shell, so a
password in an address is refused. Every character ``@`` that does not stand between a user and a
host is refused as well, because it is what a password with a ``/``, ``?`` or ``#`` leaves behind.
No message repeats an address.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, quote, unquote, urlsplit

from roadstead.errors import SourceError
from roadstead.tables.locations import (
    LOCAL_SPARK,
    OMOP,
    CdmLocation,
    DuckdbLocation,
    FileLocation,
    Location,
    OtherLocation,
    PostgresLocation,
    SparkLocation,
    TableName,
)

if TYPE_CHECKING:
    import os

_SCHEME = re.compile(rf"(?:{OMOP})?([A-Za-z][A-Za-z0-9+.-]+)://")
_DRIVE = re.compile(r"/[A-Za-z]:[/\\]")
_WORD = re.compile(r"\w{1,30}", re.ASCII)
_SECRET = re.compile(
    r"pass(?!file)|pwd|secret|token|credential|(api|access|private)_?key", re.IGNORECASE
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

_POSTGRES_OPTIONS = (
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

_DUCKDB = "duckdb:///path/file.duckdb?table=NAME"
_POSTGRES = "postgresql://host:5432/database?table=schema.name"
_SPARK = "spark://host:7077?table=schema.name"
_CONNECT = "sc://host:15002?table=schema.name"
_CONNECT_OPTIONS = ("use_ssl",)


def locate(text: str | os.PathLike[str], base: Path | None = None) -> Location:
    r"""Say what a text names.

    Parameters
    ----------
    text
        A path or an address. What is no ``str`` is a path, whatever it looks like.
    base
        The folder that relative paths start at; the current one unless told otherwise.

    Returns
    -------
    Location
        Where the table is.

    Raises
    ------
    SourceError
        An address holds a password, names no table, or is not written like one.

    Examples
    --------
    >>> locate("duckdb://clinic.duckdb?table=care.visits").table
    TableName(name='visits', schema='care')
    """
    start = base or Path()
    if not is_address(text):
        return FileLocation(start / Path(text))
    assert isinstance(text, str)  # noqa: S101 - what is_address says
    if text.startswith(OMOP):
        return _cdm(text.removeprefix(OMOP), start)
    scheme, _, rest = text.partition("://")
    scheme = scheme.lower()
    if _CONTROL.search(text):
        raise _wrong(scheme, "has a control character", "write it as %0A, for instance")
    if scheme == "file":
        return FileLocation(start / _path(rest.removeprefix("localhost/")))
    if scheme == "duckdb":
        return _duckdb(rest, start)
    return _server(text, scheme)


def _server(text: str, scheme: str) -> Location:
    parts = _split(text, scheme)
    table, options = _table(parts.query, scheme, _PATTERNS.get(scheme))
    if _is_postgres(scheme):
        return _postgres(parts, table, options)
    if _is_spark(scheme):
        return _spark(parts, table, options)
    user, at, place = parts.netloc.rpartition("@")
    return OtherLocation(scheme, table, place + parts.path, user if at else None, (*options,))


def is_address(text: object) -> bool:
    """Return whether a text is the address of a table rather than a path."""
    return isinstance(text, str) and _SCHEME.match(text) is not None


def shareable(text: str) -> str:
    """Write an address without its user, for others to read; a path as it is."""
    if not is_address(text):
        return text
    location = locate(text)
    return text if isinstance(location, FileLocation) else location.address


def _is_postgres(scheme: str) -> bool:
    return scheme in ("postgres", "postgresql")


_PATTERNS = {
    "postgres": _POSTGRES,
    "postgresql": _POSTGRES,
    "spark": _SPARK,
    "sc": _CONNECT,
}


def _is_spark(scheme: str) -> bool:
    return scheme in ("spark", "sc")


def _duckdb(rest: str, base: Path) -> DuckdbLocation:
    # Not split like an address of the web: a file may be called almost anything.
    path, _, query = rest.partition("?")
    table, options = _table(query, "duckdb", _DUCKDB)
    if not path or path.endswith("/"):
        raise _wrong("duckdb", "names no file", f"write {_DUCKDB}")
    if options:
        raise _unknown("duckdb", options[0][0], ())
    return DuckdbLocation(base / _path(path), table)


def _path(written: str) -> Path:
    path = unquote(written)
    return Path(path[1:] if _DRIVE.match(path) else path)


def _cdm(text: str, base: Path) -> CdmLocation:
    """Find the table PERSON of a CDM by the address of its schema."""
    place, _, query = text.partition("?")
    pairs = [part for part in query.split("&") if part]
    own = {"schema": None, "age_at": None} | {
        name: unquote(value)
        for name, _, value in (pair.partition("=") for pair in pairs)
        if name in ("schema", "age_at", "table")
    }
    if "table" in own or own["schema"] == "":
        what = "names no schema" if own["schema"] == "" else "names a table"
        raise _wrong("omop", what, f"write {OMOP}postgresql://host:5432/database?schema=NAME")
    # A schema is written as before the name of a table, so what parses tables parses it.
    person = "person" if own["schema"] is None else f"{own['schema']}.person"
    rest = [pair for pair in pairs if pair.partition("=")[0] not in own]
    found = locate("&".join([f"{place}?table={quote(person, safe='')}", *rest]), base)
    if isinstance(found, FileLocation | CdmLocation):
        raise _wrong("omop", "names no database", f"write {OMOP}FOLDER for a folder of files")
    return CdmLocation(found, own["age_at"])


def _split(text: str, scheme: str) -> SplitResult:
    """Split an address of a server; refuse one with a password, or what may be part of one."""
    try:
        parts = urlsplit(text)
        password, _ = parts.password, parts.port
    except ValueError:
        raise _wrong(
            scheme, "is not written like one", "write scheme://host:port/database?table=NAME"
        ) from None
    if password is not None or text.count("@") > min(parts.netloc.count("@"), 1):
        raise _password(scheme)
    if "#" in text:
        raise _wrong(scheme, "has a #", "write it as %23")
    return parts


def _table(
    query: str, scheme: str, pattern: str | None
) -> tuple[TableName, tuple[tuple[str, str], ...]]:
    """Take the table, which must be there, out of the query; refuse secrets in the rest."""
    pairs = [part.partition("=") for part in query.split("&") if part]
    named = [(unquote(name), unquote(value)) for name, _, value in pairs]
    tables = [value for name, value in named if name == "table"]
    options = tuple((name, value) for name, value in named if name != "table")
    if any(_SECRET.search(name) for name, _ in options):
        raise _password(scheme)
    if len(tables) != 1 or not tables[0]:
        raise _wrong(
            scheme,
            "names two tables" if len(tables) > 1 else "names no table",
            f"write {pattern or f'{scheme}://...?table=NAME'}",
        )
    return _table_name(tables[0], scheme), options


def _table_name(text: str, scheme: str) -> TableName:
    """Part a name at its dot; a part in double quotes may have dots, and quotes doubled."""
    pattern = r'"(?:[^"]|"")+"|[^".]+'
    most = 2 if _is_spark(scheme) else 1
    if not re.fullmatch(rf"(?:{pattern})(?:\.(?:{pattern})){{0,{most}}}", text):
        raise _wrong(
            scheme,
            "does not name its table as NAME, SCHEMA.NAME or CATALOG.SCHEMA.NAME"
            if _is_spark(scheme)
            else "does not name its table as NAME or SCHEMA.NAME",
            'put a name that has a dot or a quote in double quotes: table=care."odd.name"',
        )
    parts = [
        part[1:-1].replace('""', '"') if part.startswith('"') else part
        for part in re.findall(pattern, text)
    ]
    return TableName(*reversed(parts))


def _postgres(
    parts: SplitResult, table: TableName, given: tuple[tuple[str, str], ...]
) -> PostgresLocation:
    options = dict(given)
    for name, _ in given:
        if name not in _POSTGRES_OPTIONS:
            raise _unknown("postgresql", name, _POSTGRES_OPTIONS)
    if len(options) < len(given):
        raise _wrong("postgresql", "says something twice", "say it once")
    host = _host(parts.netloc)
    if host is not None and ("," in host or "host" in options):
        raise _wrong("postgresql", "names several hosts", "name one host")
    host = host or options.pop("host", None)
    database = unquote(parts.path.removeprefix("/"))
    if "/" in parts.path.removeprefix("/"):
        raise _wrong("postgresql", "has a / after the database", f"write {_POSTGRES}")
    user = unquote(parts.username) if parts.username else None
    port = parts.port if parts.port is not None else _port(options)
    rest = tuple(sorted(options.items()))
    return PostgresLocation(table, host, port, database or None, user, rest)


def _spark(
    parts: SplitResult, table: TableName, options: tuple[tuple[str, str], ...]
) -> SparkLocation:
    """Take apart what names a master or a server; whatever else Spark needs is its own setting."""
    scheme = parts.scheme
    if options:
        raise _wrong(
            scheme,
            "has a setting besides table",
            "put settings into spark-defaults.conf in the folder that SPARK_CONF_DIR names",
        )
    if "@" in parts.netloc:
        raise _wrong(scheme, "names a user", "take it out; Spark asks its environment who you are")
    if "," in parts.netloc:
        raise _wrong(scheme, "names several hosts", "name one host")
    if scheme == "sc":
        return SparkLocation(table, f"sc://{_connect_server(parts)}")
    if parts.path not in ("", "/"):
        raise _wrong(scheme, "has something after the host", f"write {_SPARK}")
    if parts.netloc == "local":
        return SparkLocation(table, LOCAL_SPARK)
    if not parts.netloc:
        return SparkLocation(table)
    if parts.hostname is None or parts.port is None:
        raise _wrong(scheme, "names no port", f"write {_SPARK}")
    return SparkLocation(table, f"spark://{parts.netloc}")


def _connect_server(parts: SplitResult) -> str:
    """Write a server of Spark Connect as Spark does: settings stand behind a semicolon."""
    if not parts.hostname:
        raise _wrong("sc", "names no host", f"write {_CONNECT}")
    before, *settings = parts.path.split(";")
    if before not in ("", "/"):
        raise _wrong("sc", "has something after the host", f"write {_CONNECT}")
    named = [unquote(setting).partition("=")[::2] for setting in settings if setting]
    for name, value in named:
        if _SECRET.search(name):
            raise _password("sc")
        if name not in _CONNECT_OPTIONS or value not in ("true", "false"):
            raise _wrong(
                "sc",
                "has a setting that is not known",
                "write ;use_ssl=true or none; SPARK_REMOTE and spark://?table=... give any other",
            )
    ssl = "/;use_ssl=true" if ("use_ssl", "true") in named else ""
    return parts.netloc + ssl


def _host(server: str) -> str | None:
    """Give the host as it is written: a folder of sockets has capital letters, a host may."""
    host = server.rpartition("@")[2]
    host = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return unquote(host) or None


def _port(options: dict[str, str]) -> int | None:
    text = options.pop("port", None)
    if text is not None and not re.fullmatch(r"\d{1,5}", text, re.ASCII):
        raise _wrong("postgresql", "has a port that is no number", f"write {_POSTGRES}")
    return None if text is None else int(text)


def _password(scheme: str) -> SourceError:
    fix = "write an @ elsewhere than between user and host as %40"
    if _is_postgres(scheme):
        fix = f"take it out and set PGPASSWORD or PGSERVICE, or use ~/.pgpass; {fix}"
    elif _is_spark(scheme):
        fix = f"take it out and set SPARK_CONNECT_AUTHENTICATE_TOKEN for Spark Connect; {fix}"
    else:
        fix = f"take it out and give it in the way that the database's own tools do; {fix}"
    return _wrong(scheme, "holds a password, which others could read", fix)


def _unknown(scheme: str, name: str, known: tuple[str, ...]) -> SourceError:
    # What is no plain word may be a piece of something that nobody should see.
    shown = f" {name}" if _WORD.fullmatch(name) else ""
    fix = f"the settings are table, {', '.join(known)}" if known else "the only setting is table"
    return _wrong(scheme, f"has an unknown setting{shown}", fix)


def _wrong(scheme: str, what: str, fix: str) -> SourceError:
    return SourceError(f"the address {what}", where=f"{scheme}://", fix=fix)
