"""Read columns from the names of folders, such as ``year`` in ``year=2020/part-0.parquet``.

Hive, Spark, and Arrow write large tables to such folders. The values are strings, as in a text
file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

from roadstead.errors import SourceError

_MISSING = "__HIVE_DEFAULT_PARTITION__"
"""The text that represents a missing value in the name of a folder."""


def is_part_of_table(folder: Path) -> bool:
    """Return whether the name of a folder contains a column and its value."""
    name, equals, _ = folder.name.partition("=")
    return bool(name and equals) and folder.is_dir()


def folder_values(folder: Path, parts: Sequence[Path]) -> list[Mapping[str, str | None]]:
    """Return, for each file, the columns and values in the names of its folders.

    Raises SourceError if the folders of the files do not have the same columns.
    """
    found = [_values(folder, part) for part in parts]
    for part, values in zip(parts, found, strict=True):
        if [*values] != [*found[0]]:
            what = "the names of its folders do not give the same columns as for the first file"
            fix = "use the same columns, in the same order, for all files of the table"
            raise SourceError(what, where=str(part.relative_to(folder)), fix=fix)
    return found


def _values(folder: Path, part: Path) -> Mapping[str, str | None]:
    pairs = (one.partition("=") for one in part.relative_to(folder).parts[:-1])
    return {
        unquote(name): None if value in ("", _MISSING) else unquote(value)
        for name, _, value in pairs
    }
