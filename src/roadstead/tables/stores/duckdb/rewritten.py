"""Rewrite a DuckDB file without the rows of a dropped table.

DuckDB keeps the blocks of a dropped table, and keeps the lowest and highest values of its columns
in statistics. No statement removes this data. So the remaining content of the file is copied to a
new file, which replaces the old file in one step.

A run first writes the new content to a hidden file that ends in `.part`, and locks a file that ends
in `.lock`. The system releases the lock when the process ends. So the next run removes only files
that no run has locked.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.errors import OutputError
from roadstead.regular_files import locked
from roadstead.tables import engine
from roadstead.tables.engine import literal
from roadstead.tables.failures import from_engine
from roadstead.tables.scratch import remove_unlocked, unlink_lock
from roadstead.tables.signals import deferred_signals

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOG = logging.getLogger("roadstead")
_OLD, _NEW = "kept_file", "rewritten_file"
_FIX = "name a new table, or another file"


@contextlib.contextmanager
def part_of(path: Path) -> Iterator[Path]:
    """Yield a hidden name next to a file. The name belongs to this run until the block ends."""
    _remove_left(path)
    part = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    lock = part.with_suffix(".lock")
    with contextlib.ExitStack() as undo:
        undo.callback(unlink_lock, lock)
        with deferred_signals():
            held = undo.enter_context(lock.open("ab"))
            locked(held)
        undo.callback(remove, part)
        yield part


def _remove_left(path: Path) -> None:
    name = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{12}}\.lock")
    remove_unlocked(path.parent, name, lambda lock: _remove_part(lock.with_suffix(".part")))


def _remove_part(part: Path) -> None:
    if part.is_file() and not part.is_symlink():
        remove(part)
        _LOG.warning("Roadstead removed %s, which was from an interrupted run", part.name)


def require_rewritable(con: Any, catalog: str, name: str) -> None:  # noqa: ANN401 - of DuckDB
    """Before other work begins, reject a file that DuckDB cannot copy completely.

    `catalog` is the name of the file in the connection `con`. The check copies only the definitions
    of the tables, not the rows.
    """
    aside = f"{_NEW}_rehearsed"
    try:
        con.execute(f"ATTACH ':memory:' AS {aside}")
        con.execute(f"COPY FROM DATABASE {catalog} TO {aside} (SCHEMA)")
    except Exception as error:
        if not from_engine(error):
            raise
        what = (
            "the database file cannot be rewritten, so it would keep the rows of the replaced table"
        )
        raise OutputError(what, where=name, fix=_FIX) from None
    finally:
        with contextlib.suppress(Exception):
            con.execute(f"DETACH DATABASE IF EXISTS {aside}")


def rewrite(path: Path, part: Path, name: str, memory: str) -> None:
    """Write a copy of a file's content to `part`, and then replace the file with the copy.

    The file must not be open in this process. `name` is the name of the table in errors.
    """
    started = engine.start(memory)
    try:
        con = started.backend.con
        con.execute(f"ATTACH {literal(str(path))} AS {_OLD}")
        con.execute(f"FORCE CHECKPOINT {_OLD}")  # so that no log remains that could be replayed
        con.execute(f"ATTACH {literal(str(part))} AS {_NEW} ({', '.join(_options(con))})")
        con.execute(f"COPY FROM DATABASE {_OLD} TO {_NEW}")
        con.execute(f"FORCE CHECKPOINT {_NEW}")
        con.execute(f"DETACH {_NEW}")
        _take_over(path, part)
        part.replace(path)  # while the old file is locked, so that no process writes to it
        flush(path.parent)
    except Exception as error:
        if not from_engine(error) and not isinstance(error, OSError):
            raise
        what = "the database file could not be rewritten, so it may keep rows of the replaced table"
        raise OutputError(
            what, where=name, fix="free some space on the disk, and try again"
        ) from None
    finally:
        started.close()
        remove(part)


def _options(con: Any) -> Iterator[str]:  # noqa: ANN401 - of DuckDB
    """Return the layout of the file, so that the same DuckDB versions can read the new file."""
    ((tags,),) = con.execute(
        "SELECT tags FROM duckdb_databases() WHERE database_name = ?", [_OLD]
    ).fetchall()
    version = dict(tags).get("storage_version", "").removesuffix("+")
    if version:
        yield f"STORAGE_VERSION {literal(version)}"
    ((size,),) = con.execute(
        "SELECT block_size FROM pragma_database_size() WHERE database_name = ?", [_OLD]
    ).fetchall()
    yield f"BLOCK_SIZE {int(size)}"


def _take_over(path: Path, part: Path) -> None:
    """Give the new file the owner and the permissions of the old file."""
    shutil.copymode(path, part)
    former = path.stat()
    with contextlib.suppress(OSError):
        os.chown(part, former.st_uid, former.st_gid)
    flush(part)


def flush(path: Path) -> None:
    """Write a file, or the names in a folder, from the system's cache to the disk."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def remove(path: Path) -> None:
    """Remove a file and its log, if they exist."""
    for one in (path, path.with_name(f"{path.name}.wal")):
        with contextlib.suppress(OSError):
            one.unlink()
