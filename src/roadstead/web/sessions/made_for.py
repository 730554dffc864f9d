"""Which choices, and which state of the table, something was made for.

What was found or made is shown as such only while it would be found again: a change of the project
file makes another mark, and so does a file of the table that was written anew.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

from roadstead.regular_files import content_of
from roadstead.web.sessions.session import Session

_MOST_FILES = 10_000


def made_for(session: Session) -> str:
    """Give the mark of the choices and of the table as they are now."""
    text = b""
    with suppress(OSError):
        text = content_of(session.project)
    data = session.choices().get("data")
    seen = _seen(session.folder / data) if isinstance(data, str) else []
    return hashlib.sha256(text + repr(seen).encode()).hexdigest()


def _seen(path: Path) -> list[tuple[str, int, int]]:
    """Say how large the files of a table are and when they were written; nothing of an address."""
    with suppress(OSError, ValueError):
        files = sorted(path.iterdir())[:_MOST_FILES] if path.is_dir() else [path]
        return [
            (one.name, found.st_size, found.st_mtime_ns) for one in files if (found := one.stat())
        ]
    return []
