"""Check whether the files of a table have changed, as far as the file system shows this."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

from roadstead.tables.formats.options import part_of
from roadstead.web.sessions.session import WorkSession

_MOST_FILES = 10_000


def state_of_table(session: WorkSession) -> str:
    """Return the state of a table's files. For a database, the state is only its address."""
    data = session.choices().get("data")
    seen = _seen(part_of(session.folder / data)[0]) if isinstance(data, str) else []
    return hashlib.sha256(repr((data, seen)).encode()).hexdigest()


def _seen(path: Path) -> list[tuple[str, int, int]]:
    with suppress(OSError, ValueError):
        files = sorted(path.iterdir())[:_MOST_FILES] if path.is_dir() else [path]
        stats = ((one.name, one.stat()) for one in files)
        return [(name, found.st_size, found.st_mtime_ns) for name, found in stats]
    return []
