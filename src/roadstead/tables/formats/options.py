"""Read options that select a part of a file: ``visits.xlsx?sheet=2026&cells=A3:F200``.

Options follow a question mark, as in a URL. A string that is an existing path is always read as a
path.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

from roadstead.errors import SettingError, SourceError, quoted
from roadstead.front_end import argument
from roadstead.near_names import did_you_mean
from roadstead.tables.formats.format import Options

OF_DATABASES = ("table",)
"""The options of a database in one file."""
_FEW = 8


def part_of(path: Path) -> tuple[Path, Options]:
    """Split a path into the path of the file and the options after a question mark."""
    name, mark, query = path.name.rpartition("?")
    if not mark or not name or "=" not in query or is_there(path):
        return path, {}
    return path.with_name(name), dict(parse_qsl(query, keep_blank_values=True))


def is_there(path: Path) -> bool:
    """Return whether a path exists. The result is false if a string is too long for a path."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def with_options(path: Path, options: Options) -> str:
    """Join a path and options in the form that `part_of` reads."""
    return f"{path}?{urlencode(options)}" if options else str(path)


def next_to(table: Path, name: str, noun: str) -> Path:
    """Return a second file, such as a SAS catalog, in the folder of a table.

    A name that contains a folder is rejected, so that it cannot refer to a file in another folder.
    """
    place = table.parent / name
    if Path(name).name != name or not place.is_file():
        what = f"there is no {noun} {quoted(name)} next to the table"
        fix = f"put the {noun} next to the table, and give its name without a folder"
        raise SourceError(what, where=table.name, fix=fix)
    return place


def chosen(requested: str | None, known: Sequence[str], path: Path, option: str, noun: str) -> str:
    """Return the requested part of a file. If no part is requested, return the only part.

    `option` is the option that requests a part, and `noun` describes the part, such as ``data
    frame``. Raises SourceError if the file has no parts, or if it has several parts and the user
    did not request a part. Raises SettingError if the file does not have the requested part.
    """
    listed = ", ".join(map(quoted, known[:_FEW])) + (", ..." if len(known) > _FEW else "")
    if requested is not None:
        if requested not in known:
            fix = did_you_mean(requested, known, f"it has {listed}", show=quoted)
            what = f"there is no {noun} {quoted(requested)}"
            raise SettingError(what, where=path.name, fix=fix)
        return requested
    if not known:
        raise SourceError(f"it has no {noun}", where=path.name, fix="name another file")
    if len(known) > 1:
        example = argument(with_options(Path(path.name), {option: known[0]}))
        fix = f"add one of them to the file name, for example: {example}"
        raise SourceError(f"it has {len(known)} {noun}s: {listed}", where=path.name, fix=fix)
    return known[0]
