"""Failures of engines, in our own words and without the data that drivers quote.

DuckDB and Arrow repeat the offending row in their messages, which in a hospital is a patient on a
screen or in a log; drivers of servers repeat hosts and users. Here every failure of an engine
becomes an error of ours: numbers are taken over (line, cells expected and found), text never is.
What the errors of a driver mean, its store says (`roadstead.tables.stores.store.Explanations`);
what is said of files, and of what nobody explains, stands here.
"""

from __future__ import annotations

import contextlib
import re
import weakref
from typing import TYPE_CHECKING, Any

from roadstead.errors import OutputError, RoadsteadError, SourceError
from roadstead.front_end import option
from roadstead.tables.stores.store import all_stores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from roadstead.tables.stores.store import Explanation

_READERS = frozenset({"ibis", "polars", "pyarrow", "sqlglot"})
"""Packages alongside the drivers of stores whose exceptions are an engine's."""
_LINE = re.compile(r"CSV Error on Line: (\d+)|Row #(\d+):")
_CELLS = re.compile(
    r"Expected Number of Columns: (\d+) Found: (\d+)|Expected (\d+) columns, got (\d+)"
)
_ENCODING = re.compile(r"invalid (unicode|utf-?8)|codec can't decode", re.IGNORECASE)
_FULL_DISK = (
    "No space left on device",
    "File too large",
    "max_temp_directory_size",
    "Disk quota exceeded",
)
_SHORT_MEMORY = ("Out of Memory", "could not allocate", "failed to pin block")
_AFTERMATH = ("InFailedSqlTransaction", "InvalidCursorName")
"""What a driver says when it goes on with a query that has failed."""
CANCELLED: weakref.WeakSet[Any] = weakref.WeakSet()
"""Backends whose queries were cancelled from here."""

FULL = ("no space is left where the database lies", "free some, or write elsewhere")
MEMORY = ("the database needs more memory than it may use", "raise its memory limit")


@contextlib.contextmanager
def engine_errors(source_name: str) -> Iterator[None]:
    """Turn the failure of a query into an error of ours that shows none of the data.

    Parameters
    ----------
    source_name
        The file or table being read, for the message.

    Raises
    ------
    SourceError
        The engine cannot read the source: a malformed row (with its line and the number of cells
        expected and found), bytes that do not decode, too little memory, anything else.
    OutputError
        The disk has no room left for what the engine spills.
    KeyboardInterrupt
        The user stopped the query.
    """
    with _translated(lambda error: _not_read(error, source_name)):
        yield


@contextlib.contextmanager
def opening(
    where: str, explain: Callable[[Exception], SourceError | None] | None = None
) -> Iterator[None]:
    """Say in our words why a database, or a table in it, cannot be opened.

    Parameters
    ----------
    where
        What to call the table in the message.
    explain
        What the store itself says; None of an error it does not know.
    """
    try:
        yield
    except (RoadsteadError, ImportError, KeyboardInterrupt):
        raise
    except Exception as error:  # noqa: BLE001 - any driver's, and each may quote the address
        raise (explain and explain(error)) or _not_opened(error, where) from None


@contextlib.contextmanager
def writing(
    where: str, explain: Callable[[Exception], Explanation | None] | None = None
) -> Iterator[None]:
    """Turn the failure of a statement that writes into an error of ours.

    Parameters
    ----------
    where
        What to call the table in the message.
    explain
        Says what an error means, where the store knows which it is; else all stores are asked.

    Raises
    ------
    OutputError
        The engine, its driver or the system failed.
    KeyboardInterrupt
        The user stopped it.
    """

    def not_written(error: Exception) -> OutputError:
        what, fix = (explain and explain(error)) or _why_not_written(error)
        return OutputError(what, where=where, fix=fix.format(force=option("force", True)))

    with _translated(not_written):
        yield


def from_engine(error: Exception) -> bool:
    """Return whether an exception comes from a query engine or its driver."""
    known = _READERS.union(*(store.drivers for store in all_stores()))
    return any(kind.__module__.partition(".")[0] in known for kind in type(error).__mro__)


def is_interrupt(error: Exception) -> bool:
    """Return whether Ctrl-C or a cancellation from here stopped the query."""
    if type(error).__name__ == "InterruptException" or str(error) == "Query interrupted":
        return True
    return bool(CANCELLED) and any(one.explain.is_cancelled(error) for one in all_stores())


def is_full_disk(error: Exception) -> bool:
    """Return whether an engine failed because a disk has no room left."""
    return any(sign in str(error) for sign in _FULL_DISK)


def state_of(error: Exception) -> str:
    """Give the SQLSTATE that a driver put on its error; empty if there is none."""
    return str(getattr(error, "sqlstate", None) or "")


@contextlib.contextmanager
def _translated(ours: Callable[[Exception], RoadsteadError]) -> Iterator[None]:
    try:
        yield
    except RoadsteadError:
        raise
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from None
        if not from_engine(error) and not isinstance(error, OSError | MemoryError):
            raise
        raise ours(error) from None


def _not_opened(error: Exception, where: str) -> SourceError:
    for store in all_stores():
        if explained := store.explain.opening(error):
            return SourceError(explained[0], where=where, fix=explained[1])
    return SourceError(
        f"the database cannot be opened ({type(error).__name__})",
        where=where,
        fix="check the address",
    )


def _why_not_written(error: Exception) -> Explanation:
    for store in all_stores():
        if explained := store.explain.writing(error):
            return explained
    if isinstance(error, MemoryError):
        return MEMORY
    if is_full_disk(error):
        return FULL
    return f"the database cannot write it ({type(error).__name__})", "check where it is to go"


def _not_read(error: Exception, source_name: str) -> RoadsteadError:
    if isinstance(error, MemoryError):
        return _short_memory(source_name)
    cause = _cause(error)
    for store in all_stores():
        if explained := store.explain.reading(cause):
            return SourceError(explained[0], where=source_name, fix=explained[1])
    return _not_parsed(cause, source_name)


def _cause(error: Exception) -> Exception:
    """Find what went wrong, where a driver then stumbled over what was left of its query."""
    before = error.__context__
    if type(error).__name__ in _AFTERMATH and isinstance(before, Exception) and from_engine(before):
        return _cause(before)
    return error


def _not_parsed(error: Exception, source_name: str) -> RoadsteadError:
    text = str(error)
    if is_full_disk(error):
        return OutputError(
            "no space is left on the disk for temporary files",
            where=source_name,
            fix="free some space, or set TMPDIR to a folder on another disk",
        )
    if any(sign in text for sign in _SHORT_MEMORY):
        return _short_memory(source_name)
    line = _LINE.search(text)
    number = (line[1] or line[2]) if line else None
    where = f"{source_name}, line {number}" if number else source_name
    cells = _CELLS.search(text)
    if cells:
        expected, found = (cells[1], cells[2]) if cells[1] else (cells[3], cells[4])
        return SourceError(
            f"this record has {found} cells, {expected} are expected",
            where=where,
            fix="quote cells that contain the delimiter, or name the delimiter with "
            f"{option('delimiter')}",
        )
    if _ENCODING.search(text):
        return SourceError(
            "there are bytes that are not valid in its encoding",
            where=where,
            fix=f"name the encoding, for instance {option('encoding', 'cp1252')}",
        )
    if "unterminated quote" in text:
        return SourceError(
            "a quote is not closed, or text follows a closing quote",
            where=where,
            fix="close it, or double the quotes inside a cell",
        )
    return SourceError(
        f"the engine cannot read it ({type(error).__name__})",
        where=where,
        fix="check that it is whole and was not changed meanwhile",
    )


def _short_memory(source_name: str) -> SourceError:
    return SourceError(
        "the engine needs more memory than its limit",
        where=source_name,
        fix="raise the memory limit, or use fewer columns",
    )
