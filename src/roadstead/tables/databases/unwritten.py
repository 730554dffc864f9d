"""Saying in our words why a table cannot be written to a database.

As in :mod:`roadstead.tables.databases.refusals`, no word of a driver is passed on, because drivers
quote the rows they stumble over. What is known is told by SQLSTATE, or by the class of the error.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from roadstead.errors import OutputError, RoadsteadError
from roadstead.front_end import option
from roadstead.tables.failures import from_engine, is_full_disk, is_interrupt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_AGAIN = "run it again"
_ELSEWHERE = "name another table, or give {force}"
_ENDED = ("the database has ended the connection", _AGAIN)
_BUSY = ("others hold a table that has to change", "run it again when they are done")
_FULL = ("no space is left where the database lies", "free some, or write elsewhere")
_MEMORY = ("the database needs more memory than it may use", "raise its memory limit")
_BY_STATE = {
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
    "53100": _FULL,
    "53200": _MEMORY,
    "54000": ("it is more than this kind of database can hold", "write a file"),
    "54011": ("it has more columns than this kind of database can hold", "release fewer"),
    "55006": _BUSY,
    "55P03": _BUSY,
    "57014": (
        "the database has stopped the query",
        "run it again when statement_timeout lets a query take that long",
    ),
}
_BY_TEXT = (
    (("Out of Memory", "could not allocate", "failed to pin block"), _MEMORY),
    (("Conflicting lock", "Unique file handle"), ("its file is open elsewhere", "close it there")),
    (("Permission denied",), ("its file cannot be written to", "name one that can be")),
    (("Read-only file system",), ("its file cannot be written to", "name one that can be")),
    (("server closed the connection", "connection is lost", "connection is closed"), _ENDED),
    (("within a transaction",), ("its connection is in a transaction", "end that first")),
)


@contextlib.contextmanager
def writing(
    where: str, retold: Callable[[Exception, str], OutputError] | None = None
) -> Iterator[None]:
    """Turn the failure of a statement that writes into an error of ours.

    Parameters
    ----------
    where
        What to call the table in the message.
    retold
        Says what an error means, where an engine has words of its own; as `unwritten`.

    Raises
    ------
    OutputError
        The engine, its driver or the system failed.
    KeyboardInterrupt
        The user stopped it.
    """
    try:
        yield
    except RoadsteadError:
        raise
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from None
        if not from_engine(error) and not isinstance(error, OSError | MemoryError):
            raise
        raise (retold or unwritten)(error, where) from None


def unwritten(error: Exception, where: str) -> OutputError:
    """Say what a driver's error means, without a word of its own."""
    what, fix = _meaning(error)
    return OutputError(what, where=where, fix=fix.format(force=option("force", True)))


def exists_already(where: str) -> OutputError:
    """Say that a table is there, and that nobody allowed to replace it."""
    return OutputError(
        "exists already", where=where, fix=f"name another table, or give {option('force', True)}"
    )


def is_the_source(where: str) -> OutputError:
    """Say that a table is the one that is read."""
    return OutputError(
        "is the table that is read, or one that it is made of", where=where, fix="name another"
    )


def no_schema(where: str) -> OutputError:
    """Say that there is no such schema."""
    what, fix = _BY_STATE["3F000"]
    return OutputError(what, where=where, fix=fix)


def _meaning(error: Exception) -> tuple[str, str]:
    text, state = str(error), str(getattr(error, "sqlstate", None) or "")
    if state in _BY_STATE:
        return _BY_STATE[state]
    if state.startswith(("08", "57P", "25P03")):
        return _ENDED
    if isinstance(error, MemoryError):
        return _MEMORY
    if is_full_disk(error):
        return _FULL
    for signs, meaning in _BY_TEXT:
        if any(sign in text for sign in signs):
            return meaning
    return (f"the database cannot write it ({type(error).__name__})", "check where it is to go")
