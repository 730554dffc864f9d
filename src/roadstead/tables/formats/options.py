"""The part of a file that a DATA text names: ``visits.xlsx?sheet=2026&cells=A3:F200``.

Options follow a question mark, as in a web address. An existing path is always read as a path.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl, urlencode

from roadstead.tables.formats.format import Options


def part_of(path: Path) -> tuple[Path, Options]:
    """Split a path into the file and the options after it."""
    name, mark, query = path.name.rpartition("?")
    if not mark or not name or "=" not in query or path.exists():
        return path, {}
    return path.with_name(name), dict(parse_qsl(query, keep_blank_values=True))


def with_options(path: Path, options: Options) -> str:
    """Write a file with options, in the form that `part_of` reads."""
    return f"{path}?{urlencode(options)}" if options else str(path)
