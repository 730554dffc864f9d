"""A folder of files that are one table: an extract in parts, as databases and clusters write it.

All files are Parquet, or all are delimited text. They are read one after the other in the order of
their names, and each must have the columns of the first. Names that begin with a dot or an
underscore are not the table's (``_SUCCESS``, ``.crc``); anything else that is not one of its files
is an error, because a table is not to be guessed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.errors import SourceError, quoted
from roadstead.tables import files

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_TEXT = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_PARQUET = (".parquet",)


def parts_of(folder: Path) -> tuple[Path, ...]:
    """List the files of a table, in the order of their names.

    Raises
    ------
    SourceError
        There is none, or something else lies in the folder.
    """
    with files.reading(folder):
        entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
    parts = [entry for entry in entries if not entry.name.startswith((".", "_"))]
    if not parts:
        raise SourceError(
            "is a folder, and holds no Parquet or CSV file",
            where=str(folder),
            mend="name a table, or a folder of one",
        )
    for part in parts:
        if part.is_dir() or not part.name.lower().endswith(_TEXT + _PARQUET):
            kind = "folder" if part.is_dir() else "file"
            raise SourceError(
                f"is a folder, and the {kind} {quoted(part.name)} in it is no part of a table",
                where=str(folder),
                mend="name a folder that has Parquet or CSV files alone, or one of its files",
            )
    return tuple(files.existing_file(part) for part in parts)


def are_parquet(parts: Sequence[Path]) -> bool:
    """Return whether the files are Parquet, by their content; all are, or none is.

    Raises
    ------
    SourceError
        Some are and some are not.
    """
    first, *others = [files.first_bytes(part, 4) == files.PARQUET_MAGIC for part in parts]
    for part, kind in zip(parts[1:], others, strict=True):
        if kind != first:
            raise SourceError(
                f"is {'' if kind else 'not '}Parquet, unlike {parts[0].name}",
                where=part.name,
                mend="keep files of one kind in a folder",
            )
    return first


def check_alike(parts: Iterable[tuple[str, Sequence[str]]], what: str = "columns") -> None:
    """Prove that files have the same columns, in the same order.

    Parameters
    ----------
    parts
        For each file its name, and its columns or their types.
    what
        What these are.

    Raises
    ------
    SourceError
        One has others than the first; it and the first difference are named.
    """
    (first, expected), *others = parts
    for name, found in others:
        if [*found] == [*expected]:
            continue
        mend = f"each file of the folder must have the {what} of {first}, in the same order"
        if len(found) != len(expected):
            message = f"has {len(found)} {what}, {first} has {len(expected)}"
            raise SourceError(message, where=name, mend=mend)
        at = next(i for i, (a, b) in enumerate(zip(found, expected, strict=True)) if a != b)
        message = f"column {at + 1} is {quoted(found[at])}, and {quoted(expected[at])} in {first}"
        raise SourceError(message, where=name, mend=mend)
