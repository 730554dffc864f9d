"""What the errors of PostgreSQL mean, and of other drivers that give a SQLSTATE.

They are recognized by their SQLSTATE, their class, or fixed words of libpq.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.tables.failures import FULL, MEMORY, is_full_disk, state_of
from roadstead.tables.stores.store import Explanations

if TYPE_CHECKING:
    from roadstead.tables.stores.store import Explanation

NOT_ALLOWED = (
    "you may not read it",
    "ask for the right to SELECT, or name another user",
)
_LET_IN = "set PGPASSWORD or PGSERVICE, or use ~/.pgpass"
_NO_HOST = ("there is no such host", "check its name")
_NO_ANSWER = ("the server does not answer", "check host, port and firewall")
_OPENING = (
    ("no password supplied", ("the server wants a password", _LET_IN)),
    ("authentication failed", ("the server refuses this user or password", _LET_IN)),
    ("pg_hba.conf", ("the server does not accept this connection", "ask who runs the server")),
    ("Connection refused", ("no server answers there", "check host and port")),
    ("could not translate host", _NO_HOST),
    ("resolve host", _NO_HOST),
    ("No such file or directory", ("no server answers there", "name a host in the address")),
    ("timeout expired", _NO_ANSWER),
    ("timed out", _NO_ANSWER),
    ("does not support SSL", ("the server has no TLS", "check sslmode in the address")),
    ("certificate", ("the server's certificate is not accepted", "check sslrootcert")),
    ("definition of service", ("PGSERVICE is not defined", "check ~/.pg_service.conf")),
    ("invalid sslmode", ("sslmode has a value that is none", "use verify-full or require")),
)

_AGAIN = "run it again"
_ELSEWHERE = "name another table, or give {force}"
_ENDED = ("the database has ended the connection", _AGAIN)
_BUSY = ("others hold a table that has to change", "run it again when they are done")
_WRITING = {
    "22021": ("a text has a character that a database cannot hold", "take it out"),
    "22P05": ("a text has a character that its encoding lacks", "use a database in UTF-8"),
    "23505": ("a table of this name was made meanwhile", _ELSEWHERE),
    "25006": ("the database can only be read", "name one that can be written to"),
    "2BP01": ("other objects depend on the table that is there", "drop them first"),
    "3F000": ("there is no such schema", "create it first, or name another"),
    "40001": ("others changed a table that has to change", _AGAIN),
    "40P01": _BUSY,
    "42501": ("you may not make a table there", "ask for the right to CREATE in its schema"),
    "42710": ("something else has this name", "name another table"),
    "42809": ("something of this name is no table", "name another table"),
    "42P07": ("a table of this name is there already", _ELSEWHERE),
    "53100": FULL,
    "53200": MEMORY,
    "54000": ("it is more than this kind of database can hold", "write a file"),
    "54011": ("it has more columns than this kind of database can hold", "release fewer"),
    "55006": _BUSY,
    "55P03": _BUSY,
    "57014": (
        "the database has stopped the query",
        "run it again when statement_timeout lets a query take that long",
    ),
}
_WAS_ENDED = (
    "AdminShutdown",
    "CrashShutdown",
    "IdleInTransactionSessionTimeout",
    "IdleSessionTimeout",
    "QueryCanceled",
)
_LOST = ("server closed the connection", "connection is lost", "connection is closed")


def _opening(error: Exception) -> Explanation | None:
    text, state, name = str(error), state_of(error), type(error).__name__
    for sign, explained in _OPENING:
        if sign in text:
            return explained
    if (state or name) in {"3D000", "InvalidCatalogName"} or (
        'database "' in text and "does not exist" in text
    ):
        return "there is no such database", "check its name"
    if state.startswith("28") or (text.endswith("does not exist") and 'role "' in text):
        return "the server refuses this user", "name another"
    return NOT_ALLOWED if state == "42501" else None


def _reading(error: Exception) -> Explanation | None:
    name, text = type(error).__name__, str(error)
    if name == "DiskFull":
        return "the server has no space left on its disk", "ask those who run it"
    if name == "InsufficientPrivilege":
        return "you may not read all of it", "ask for the right to SELECT, or name another user"
    if state_of(error).startswith("22"):
        return (
            f"the database cannot work out a value of it ({name})",
            "look for it in the view or the expression that makes the table",
        )
    if name in _WAS_ENDED or any(sign in text for sign in _LOST):
        return (
            "the database has ended the connection",
            "run it again when the server lets a query and a transaction take that long",
        )
    return None


def _writing(error: Exception) -> Explanation | None:
    state = state_of(error)
    if state in _WRITING:
        return _WRITING[state]
    if state.startswith(("08", "57P", "25P03")):
        return _ENDED
    if is_full_disk(error) or isinstance(error, MemoryError):
        return None
    return _ENDED if any(sign in str(error) for sign in _LOST) else None


def _is_cancelled(error: Exception) -> bool:
    return type(error).__name__ == "QueryCanceled"


EXPLANATIONS = Explanations(_opening, _reading, _writing, _is_cancelled)
