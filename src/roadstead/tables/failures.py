"""Convert failures of engines to Roadstead errors, and remove the data that drivers quote.

DuckDB and Arrow repeat the offending row in their messages. So a message could put a patient's data
on a screen or in a log. Drivers of servers also repeat the names of hosts and users. The converted
error may contain numbers, such as the line, but never text. Each store explains the errors of its
driver (`roadstead.tables.stores.store.Explanations`).
"""

from __future__ import annotations

import contextlib
import re
import weakref
from collections.abc import Callable, Iterator
from copy import copy
from typing import TYPE_CHECKING, Any

from roadstead.errors import OutputError, RoadsteadError, SourceError
from roadstead.front_end import option
from roadstead.tables.stores.store import all_stores

if TYPE_CHECKING:
    from roadstead.tables.stores.store import Explanation

_READERS = frozenset({"ibis", "polars", "pyarrow", "sqlglot"})
"""Packages that raise the exceptions of engines, in addition to the drivers of stores."""
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
"""Types of errors that a driver raises when it continues after a failed query."""
_STREAMED: list[RoadsteadError] = []
"""The last error of a stream. An engine that reads a stream raises its own error with this text."""
CANCELLED: weakref.WeakSet[Any] = weakref.WeakSet()
"""Backends whose queries Roadstead cancelled."""

FULL = ("the disk of the database is full", "free some space, or write to another disk")
MEMORY = ("the database needs more memory than its limit", "raise its memory limit")


@contextlib.contextmanager
def engine_errors(source_name: str) -> Iterator[None]:
    """Convert the failure of a query to a Roadstead error or an interrupt that contains no data."""
    with _translated(lambda error: _not_read(error, source_name)):
        yield


@contextlib.contextmanager
def opening(
    where: str, explain: Callable[[Exception], SourceError | None] | None = None
) -> Iterator[None]:
    """Explain why a database, or the table `where` in the database, cannot be opened.

    The store's function `explain` explains known errors, and returns None for other errors.
    """
    try:
        yield
    except (RoadsteadError, ImportError, KeyboardInterrupt):
        raise
    except Exception as error:  # noqa: BLE001 - any driver's error, which may quote the address
        raise (explain and explain(error)) or _not_opened(error, where) from None


@contextlib.contextmanager
def writing(
    where: str, explain: Callable[[Exception], Explanation | None] | None = None
) -> Iterator[None]:
    """Convert the failure of a statement that writes the table `where` to an OutputError.

    If the user stopped the statement, raise a KeyboardInterrupt instead. If the store's function
    `explain` cannot explain an error, all stores are tried.
    """

    def not_written(error: Exception) -> OutputError:
        what, fix = (explain and explain(error)) or _why_not_written(error)
        return OutputError(what, where=where, fix=fix.format(force=option("force", True)))

    with _translated(not_written):
        yield


def from_engine(error: Exception) -> bool:
    """Return whether a query engine or its driver raised an exception."""
    known = _READERS.union(*(store.drivers for store in all_stores()))
    return any(kind.__module__.partition(".")[0] in known for kind in type(error).__mro__)


def is_interrupt(error: Exception) -> bool:
    """Return whether the query was stopped by Ctrl-C or by Roadstead."""
    # This is DuckDB's own error, or Arrow's form of the error while Arrow reads a result.
    text = str(error)
    if text == "Query interrupted" or text.startswith("INTERRUPT Error"):
        return True
    if type(error).__name__ == "InterruptException":
        return True
    cause = first_cause(error)
    return bool(CANCELLED) and any(one.explain.is_cancelled(cause) for one in all_stores())


def streamed(error: RoadsteadError) -> RoadsteadError:
    """Return an error of a stream, and keep a copy without frames. Frames may hold a connection."""
    _STREAMED[:] = [copy(error)]
    return error


def is_full_disk(error: Exception) -> bool:
    """Return whether an engine failed because a disk is full."""
    return any(sign in str(error) for sign in _FULL_DISK)


def state_of(error: Exception) -> str:
    """Return the SQLSTATE of a driver's error, or an empty string if the error has none."""
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
        if own := next((one for one in _STREAMED if str(one) in str(error)), None):
            _STREAMED.remove(own)
            raise own from None
        if not from_engine(error) and not isinstance(error, OSError | MemoryError):
            raise
        raise ours(error) from None


def _explained(error: Exception, at: str) -> Explanation | None:
    """Return a store's explanation for an error during `opening`, `reading`, or `writing`."""
    said = (getattr(store.explain, at)(error) for store in all_stores())
    return next((one for one in said if one), None)


def _not_opened(error: Exception, where: str) -> SourceError:
    what, fix = _explained(error, "opening") or (
        f"the database cannot be opened ({type(error).__name__})",
        "check the address",
    )
    return SourceError(what, where=where, fix=fix)


def _why_not_written(error: Exception) -> Explanation:
    if explained := _explained(error, "writing"):
        return explained
    if isinstance(error, MemoryError):
        return MEMORY
    if is_full_disk(error):
        return FULL
    return f"the database cannot write the table ({type(error).__name__})", (
        "check the address of the table"
    )


def _not_read(error: Exception, source_name: str) -> RoadsteadError:
    cause = first_cause(error)
    text = str(cause)
    short = isinstance(error, MemoryError)
    if not short and (explained := _explained(cause, "reading")):
        return SourceError(explained[0], where=source_name, fix=explained[1])
    if not short and is_full_disk(cause):
        what = "the disk for temporary files is full"
        fix = "free some space, or set TMPDIR to a folder on another disk"
        return OutputError(what, where=source_name, fix=fix)
    if short or any(sign in text for sign in _SHORT_MEMORY):
        what = "the engine needs more memory than its limit"
        fix = "release fewer columns, or read the table in Python with a higher memory_limit"
        return SourceError(what, where=source_name, fix=fix)
    line = _LINE.search(text)
    where = f"{source_name}, line {line[1] or line[2]}" if line else source_name
    what, fix = _not_parsed(cause)
    return SourceError(what, where=where, fix=fix)


def first_cause(error: Exception) -> Exception:
    """Return the first error. A driver may raise a second error after its query has failed."""
    before = error.__context__
    if type(error).__name__ in _AFTERMATH and isinstance(before, Exception) and from_engine(before):
        return first_cause(before)
    return error


def _not_parsed(error: Exception) -> Explanation:
    text = str(error)
    if cells := _CELLS.search(text):
        expected, found = (cells[1], cells[2]) if cells[1] else (cells[3], cells[4])
        return (
            f"this record has {found} cells, but {expected} are expected",
            "put quotes around cells that contain the delimiter, or name the delimiter with "
            f"{option('delimiter')}",
        )
    if _ENCODING.search(text):
        return (
            "some bytes are not valid in the encoding of the file",
            f"name the encoding, for example, {option('encoding', 'cp1252')}",
        )
    if "unterminated quote" in text:
        return (
            "a quote is not closed, or text follows a closing quote",
            "close the quote, or write each quote inside a cell twice",
        )
    return (
        f"the engine cannot read the table ({type(error).__name__})",
        "check that the file is complete and did not change during the run",
    )
