"""What an engine says when it fails, retold without the data it quotes.

DuckDB and Arrow repeat the offending row in their messages, which in a hospital is a patient on a
screen or in a log. Here an engine's failure becomes one of ours: numbers are taken over (line,
cells expected and found), text never is.
"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

from roadstead.errors import OutputError, RoadsteadError, SourceError
from roadstead.front_end import option

if TYPE_CHECKING:
    from collections.abc import Iterator

# The packages whose exceptions are an engine's.
_ENGINES = frozenset(
    {
        "MySQLdb",
        "_duckdb",
        "adbc_driver_manager",
        "clickhouse_connect",
        "databricks",
        "datafusion",
        "duckdb",
        "google",
        "ibis",
        "oracledb",
        "polars",
        "psycopg",
        "psycopg2",
        "py4j",
        "pyarrow",
        "pymysql",
        "pyodbc",
        "pyspark",
        "snowflake",
        "sqlglot",
        "sqlite3",
        "trino",
    }
)
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
# What a server tells, by the names that its driver gives to SQLSTATEs, or by Spark's conditions.
_DENIED = ("InsufficientPrivilege", "INSUFFICIENT_PERMISSIONS", "42501")
_ENDED = (
    "AdminShutdown",
    "CrashShutdown",
    "IdleInTransactionSessionTimeout",
    "IdleSessionTimeout",
    "QueryCanceled",
)
_STUMBLES = ("InFailedSqlTransaction", "InvalidCursorName")
_LACKING = ("OperationNotDefinedError", "UnsupportedBackendType", "UnsupportedOperationError")
_LOST = (
    "server closed the connection",
    "the connection is lost",
    "the connection is closed",
    "SparkContext was shut down",
    "stopped SparkContext",
    "StatusCode.UNAVAILABLE",
    "SESSION_CLOSED",
)
_FAILED = ("Job aborted", "STAGE_MATERIALIZATION_MULTIPLE_FAILURES", "ExecutorLostFailure")


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
    try:
        yield
    except RoadsteadError:
        raise
    except MemoryError:
        raise _short_memory(source_name) from None
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from None
        if not from_engine(error) and not isinstance(error, OSError):
            raise
        cause = _cause(error)
        raise _by_server(cause, source_name) or _retold(cause, source_name) from None


def from_engine(error: Exception) -> bool:
    """Return whether an exception comes from a query engine or its driver."""
    return any(kind.__module__.partition(".")[0] in _ENGINES for kind in type(error).__mro__)


def spark_condition(error: Exception) -> tuple[str, str]:
    """Give the condition and the SQLSTATE of an error of Spark; empty texts if it has none.

    Both are words of Spark's own, never of the data.
    """
    found = []
    for name in ("getCondition", "getSqlState"):
        told = ""
        # Java is asked, and may be gone.
        with contextlib.suppress(Exception):
            told = getattr(error, name)() or ""
        found.append(told if re.fullmatch(r"[A-Z0-9_.]{1,100}", told) else "")
    return found[0], found[1]


def is_interrupt(error: Exception) -> bool:
    """Return whether Ctrl-C stopped the engine, which DuckDB reports as an error of its own."""
    return type(error).__name__ == "InterruptException" or str(error) == "Query interrupted"


def is_full_disk(error: Exception) -> bool:
    """Return whether an engine failed because a disk has no room left."""
    return any(sign in str(error) for sign in _FULL_DISK)


def _cause(error: Exception) -> Exception:
    """Find what went wrong, where a driver then stumbled over what was left of its query."""
    before = error.__context__
    if type(error).__name__ in _STUMBLES and isinstance(before, Exception) and from_engine(before):
        return _cause(before)
    return error


def _by_server(error: Exception, source_name: str) -> SourceError | None:
    """Retell what only a database says."""
    name = type(error).__name__
    condition, state = spark_condition(error)
    if name == "DiskFull":
        what, fix = "the server has no space left on its disk", "tell who runs it"
    elif name in _LACKING:
        what = "this kind of database lacks what is asked of it"
        fix = "copy the table to a CSV or Parquet file"
    elif {name, condition, state} & {*_DENIED} or "AccessControlException" in str(error):
        what = "you may not read all of it"
        fix = "ask for the right to SELECT, or name another user"
    elif str(getattr(error, "sqlstate", None) or "").startswith("22"):
        what = f"the database cannot work out a value of it ({name})"
        fix = "look for it in the view or the expression that makes the table"
    elif name in _ENDED or any(sign in str(error) for sign in _LOST):
        what = "the database has ended the connection"
        fix = "run it again when the server lets a query and a transaction take that long"
    elif any(sign in str(error) for sign in _FAILED):
        what = f"a job of Spark failed ({condition or name})"
        fix = "see Spark's own log; run it again if a worker was lost"
    elif condition:
        what, fix = f"the engine cannot read it ({condition})", "see Spark's own log"
    elif name == "PermissionException" and "file system operations are disabled" in str(error):
        what = "a view in its database reads another file or the network, which is not allowed"
        fix = "if you trust that view, write its rows to a CSV or Parquet file and name that"
    else:
        return None
    return SourceError(what, where=source_name, fix=fix)


def _retold(error: Exception, source_name: str) -> RoadsteadError:
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
    closed = type(error).__name__ == "ConnectionException"
    return SourceError(
        "the source was closed"
        if closed
        else f"the engine cannot read it ({type(error).__name__})",
        where=where,
        fix="keep it open until all is written"
        if closed
        else "check that it is whole and was not changed meanwhile",
    )


def _short_memory(source_name: str) -> SourceError:
    return SourceError(
        "the engine needs more memory than its limit",
        where=source_name,
        fix="raise the memory limit, or use fewer columns",
    )
