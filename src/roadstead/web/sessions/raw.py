"""Store copies of uploaded tables until the server ends.

Only their owner may read the copies.

Only the owner may enter the folder of the copies, and each copy has mode 0600. A small process
waits until the server ends or is killed, and then removes the folder. After a power cut, for
example, the next server removes the folder when it starts.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_NAME = "raw-"
_LOCK = ".at-work"
_ONE_AT_A_TIME = ".beginning"
_GUARD = """
import os, shutil, signal, sys
for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(one, signal.SIG_IGN)
while os.read(0, 1):
    pass
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""
"""Wait until the other end of the input is closed, and then remove the folder.

If the process at the other end is killed, the system closes that end.
"""


@dataclass(frozen=True)
class RawCopies:
    """A folder that contains the copies."""

    folder: Path

    def new_file(self, session: str, name: str) -> Path:
        """Return a path for a copy in its own folder, so that two copies may have the same name."""
        folder = self.folder / f"{session}-{secrets.token_hex(4)}"
        folder.mkdir(mode=0o700)
        return folder / name

    def open_new(self, path: Path) -> IO[bytes]:
        """Open a new file that only its owner may read."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        return os.fdopen(os.open(path, flags, 0o600), "wb")

    def drop(self, path: Path) -> None:
        """Delete a copy."""
        if path.is_relative_to(self.folder) and path.parent != self.folder:
            shutil.rmtree(path.parent, ignore_errors=True)

    def of(self, session: str) -> list[Path]:
        """Return the copies that belong to a session."""
        return sorted(self.folder.glob(f"{session}-*/*"))

    def drop_all(self, session: str) -> None:
        """Delete all copies that belong to a session."""
        for one in self.folder.glob(f"{session}-*"):
            shutil.rmtree(one, ignore_errors=True)


@contextlib.contextmanager
def raw_copies(state: Path) -> Iterator[RawCopies]:
    """Yield a folder for copies. The folder is deleted when this process ends."""
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = state / f"{_NAME}{secrets.token_hex(6)}"
    with contextlib.ExitStack() as held:
        with (state / _ONE_AT_A_TIME).open("wb") as turn:  # others delete unlocked folders
            fcntl.flock(turn, fcntl.LOCK_EX)
            _sweep(state)
            folder.mkdir(mode=0o700)
            lock = held.enter_context((folder / _LOCK).open("wb"))
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        guard = subprocess.Popen(  # noqa: S603 - our own words
            [sys.executable, "-I", "-S", "-c", _GUARD, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            yield RawCopies(folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            guard.communicate()


def _sweep(state: Path) -> None:
    """Delete the folders of servers that have ended."""
    for folder in state.glob(f"{_NAME}*"):
        try:
            with (folder / _LOCK).open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue  # The server of the folder is still running.
        except OSError:
            pass
        shutil.rmtree(folder, ignore_errors=True)
