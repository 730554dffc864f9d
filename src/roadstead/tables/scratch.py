"""Create folders for the temporary files of runs, and remove the folders of killed runs.

Each run locks a file next to its folder. The operating system releases the lock when the process
ends, whatever the reason. So the next run can remove the folder of a killed run, and does not touch
the folders of running processes.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import IO

from roadstead.regular_files import locked
from roadstead.tables.signals import deferred_signals

_LOG = logging.getLogger("roadstead")
_LOCK = re.compile(r"roadstead-[0-9a-f]{12}\.lock")
_HELD: dict[Path, IO[bytes]] = {}


def new_scratch() -> Path:
    """Create a folder that `remove_scratch` can remove. Raises OSError if there is no space."""
    place = Path(tempfile.gettempdir())
    _remove_left(place)
    folder = place / f"roadstead-{secrets.token_hex(6)}"
    with deferred_signals():
        held = _lock_of(folder).open("xb")
        locked(held)
        try:
            folder.mkdir(mode=0o700)
        except BaseException:
            held.close()
            unlink_lock(_lock_of(folder))
            raise
        _HELD[folder] = held
    return folder


def remove_scratch(folder: Path) -> None:
    """Remove a folder and all of its content. A second call is harmless."""
    with deferred_signals():
        held = _HELD.pop(folder, None)
        if held is not None:
            shutil.rmtree(folder, ignore_errors=True)
            unlink_lock(_lock_of(folder))
            held.close()


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """Yield a folder that exists until the block ends."""
    folder = new_scratch()
    try:
        yield folder
    finally:
        remove_scratch(folder)


@cache
def _remove_left(place: Path) -> None:
    """Remove the folders of killed runs. Each process does this only once."""
    remove_unlocked(place, _LOCK, lambda lock: _remove_folder(lock.with_suffix("")))


def _remove_folder(folder: Path) -> None:
    if folder.is_dir() and not folder.is_symlink():
        shutil.rmtree(folder, ignore_errors=True)
        _LOG.warning("Roadstead removed %s, which was from an interrupted run", folder.name)


def remove_unlocked(place: Path, name: re.Pattern[str], remove: Callable[[Path], None]) -> None:
    """Remove this user's lock files that no run has locked, and the data of the ended runs.

    `name` matches the names of lock files, and `remove` removes the data next to a lock file.
    """
    with contextlib.suppress(OSError):
        for lock in sorted(one for one in place.iterdir() if name.fullmatch(one.name)):
            with contextlib.suppress(OSError):
                if lock.is_symlink() or lock.stat().st_uid != os.geteuid():
                    continue
                with lock.open("ab") as held:
                    if locked(held):
                        remove(lock)
                        unlink_lock(lock)


def _lock_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.lock")


def unlink_lock(lock: Path) -> None:
    """Remove a lock file, unless another run has already removed the file."""
    with contextlib.suppress(OSError):
        lock.unlink()
