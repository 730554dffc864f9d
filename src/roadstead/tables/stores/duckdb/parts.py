"""Manage hidden files that become DuckDB files, and remove the hidden files of killed runs.

A run writes to a file that ends in `.part`, and locks a file that ends in `.lock`. The system
releases the lock when the process ends. So the next run removes only files that no run has locked.
"""

from __future__ import annotations

import contextlib
import logging
import re
import secrets
from typing import TYPE_CHECKING

from roadstead.regular_files import locked
from roadstead.tables.scratch import remove_unlocked, unlink_lock
from roadstead.tables.signals import deferred_signals
from roadstead.tables.stores.duckdb.rewritten import remove

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LOG = logging.getLogger("roadstead")


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
        _LOG.warning("removed %s from an interrupted run", part.name)
