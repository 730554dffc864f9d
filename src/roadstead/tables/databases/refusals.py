"""Saying in our words why a database, or a table in it, cannot be opened.

Drivers put hosts, users and data into their messages. None of these is passed on: a failure is
recognized by its SQLSTATE, or by fixed words of libpq, and said anew.
"""

from __future__ import annotations

import contextlib
import difflib
from typing import TYPE_CHECKING

from roadstead.errors import RoadsteadError, SourceError
from roadstead.tables.locations import TableName

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LET_IN = "set PGPASSWORD or PGSERVICE, or use ~/.pgpass"


@contextlib.contextmanager
def opening(where: str) -> Iterator[None]:
    """Say in our words why a database cannot be opened."""
    try:
        yield
    except (RoadsteadError, ImportError, KeyboardInterrupt):
        raise
    except Exception as error:  # noqa: BLE001 - any driver's, and each may quote the address
        raise refused(error, where) from None


def refused(error: Exception, where: str) -> SourceError:
    """Say what a driver's error means, without a word of its own."""
    text, state = str(error), str(getattr(error, "sqlstate", None) or "")
    name = type(error).__name__
    for sign, what, fix in (
        ("no password supplied", "the server wants a password", _LET_IN),
        ("authentication failed", "the server refuses this user or password", _LET_IN),
        ("pg_hba.conf", "the server lets nobody in this way", "ask who runs the server"),
        ("Connection refused", "no server answers there", "check host and port"),
        ("could not translate host", "there is no such host", "check its name"),
        ("resolve host", "there is no such host", "check its name"),
        ("No such file or directory", "no server answers there", "name a host in the address"),
        ("timeout expired", "the server does not answer", "check host, port and firewall"),
        ("timed out", "the server does not answer", "check host, port and firewall"),
        ("does not support SSL", "the server has no TLS", "check sslmode in the address"),
        ("certificate", "the server's certificate is not accepted", "check sslrootcert"),
        ("definition of service", "PGSERVICE is not defined", "check ~/.pg_service.conf"),
        ("invalid sslmode", "sslmode has a value that is none", "use verify-full or require"),
    ):
        if sign in text:
            return SourceError(what, where=where, fix=fix)
    if (state or name) in {"3D000", "InvalidCatalogName"} or _no_database(text):
        return SourceError("there is no such database", where=where, fix="check its name")
    if state.startswith("28") or (text.endswith("does not exist") and 'role "' in text):
        return SourceError("the server refuses this user", where=where, fix="name another")
    if state == "42501":
        return not_allowed(where)
    if name == "TableNotFound":
        return no_table(TableName(where), [], "")
    return SourceError(
        f"the database cannot be opened ({name})", where=where, fix="check the address"
    )


def _no_database(text: str) -> bool:
    return 'database "' in text and "does not exist" in text


def no_table(wanted: TableName, there: Sequence[TableName], usual: str) -> SourceError:
    """Say that a table is not there, and which one is called alike."""
    shown = {
        str(TableName(one.name) if wanted.schema is None and one.schema == usual else one)
        for one in there
    }
    folded = {one.casefold(): one for one in sorted(shown)}
    bare = {one.name.casefold(): str(one) for one in there}
    near = difflib.get_close_matches(str(wanted).casefold(), list(folded), n=1)
    other = bare.get(wanted.name.casefold())
    best = folded[near[0]] if near else other
    fix = f"did you mean {best}?" if best else "check its name and schema"
    return SourceError("there is no such table", where=str(wanted), fix=fix)


def not_allowed(where: str) -> SourceError:
    """Say that the user may not read a table."""
    return SourceError(
        "you may not read it", where=where, fix="ask for the right to SELECT, or name another user"
    )
