"""A folder of files that are one table: an extract in parts, as databases and clusters write it.

All files are Parquet, or all are delimited text. They are read one after the other in the order of
their names, and each must have the columns of the first. Names that begin with a dot or an
underscore are not the table's (``_SUCCESS``, ``.crc``), nor is a ``.txt`` alongside files that say
what they are (``LICENSE.txt``); anything else that is not one of its files is an error, because a
table is not to be guessed. Nor is one of several tables: the fix lists them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.errors import SourceError, quoted
from roadstead.tables import files

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_PLAIN = (".txt", ".txt.gz")
_TEXT = (".csv", ".tsv", ".csv.gz", ".tsv.gz", *_PLAIN)
_PARQUET = (".parquet",)
_MOST_LISTED = 12
_LONGEST_LINE = 1 << 16


def parts_of(folder: Path) -> tuple[Path, ...]:
    """List the files of a table, in the order of their names.

    Raises SourceError: there is none, or something else lies in the folder.
    """
    with files.reading(folder):
        entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
    parts = [entry for entry in entries if not entry.name.startswith((".", "_"))]
    if not parts:
        raise SourceError(
            "is a folder, and holds no Parquet or CSV file",
            where=str(folder),
            fix="name a table, or a folder of one",
        )
    for part in parts:
        if part.is_dir() or not part.name.lower().endswith(_TEXT + _PARQUET):
            kind = "folder" if part.is_dir() else "file"
            raise SourceError(
                f"is a folder, and the {kind} {quoted(part.name)} in it is no part of a table",
                where=str(folder),
                fix="name a folder that has Parquet or CSV files alone, or one of its files",
            )
    return tuple(files.existing_file(part) for part in _without_notes(parts))


def _without_notes(parts: Sequence[Path]) -> Sequence[Path]:
    """Leave out ``.txt`` alongside files that say they are tables.

    Raises SourceError: one begins as a table does, and may be a part that would be lost.
    """
    tables = [part for part in parts if not part.name.lower().endswith(_PLAIN)]
    if not tables:
        return parts
    lines = {_first_line(part) for part in tables}
    for part in parts:
        if part not in tables and _first_line(part) in lines:
            raise SourceError(
                "begins as the tables alongside it do, and its name does not say what it is",
                where=part.name,
                fix="give it the ending of the others, or move it elsewhere",
            )
    return tables


def _first_line(part: Path) -> bytes:
    head = files.first_bytes(files.existing_file(part), 2)
    with files.content(part, compressed=head.startswith(files.GZIP_MAGIC)) as stream:
        return stream.read(_LONGEST_LINE).split(b"\n", 1)[0].strip()


def check_one_table(parts: Sequence[tuple[Path, Sequence[str]]]) -> None:
    """Refuse files that have little in common: they are several tables, not parts of one.

    `parts`: for each file its path, and its columns. Raises SourceError: a file shares less than
    half of its columns with the first; lists all to choose from.
    """
    (first, expected), *others = parts
    known = set(map(str.casefold, expected))
    common = [len(known & set(map(str.casefold, found))) for _, found in others]
    if all(2 * n >= len(found) for n, (_, found) in zip(common, others, strict=True)):
        return
    listed = ", ".join(quoted(part.name) for part, _ in parts[:_MOST_LISTED])
    more = f" and {len(parts) - _MOST_LISTED} more" if len(parts) > _MOST_LISTED else ""
    raise SourceError(
        f"is a folder of several tables: {listed}{more}",
        where=str(first.parent),
        fix=f"name one of them, such as {first}",
    )


def are_parquet(parts: Sequence[Path]) -> bool:
    """Return whether the files are Parquet, by their content; all are, or none is.

    Raises SourceError: some are and some are not.
    """
    first, *others = [files.first_bytes(part, 4) == files.PARQUET_MAGIC for part in parts]
    for part, kind in zip(parts[1:], others, strict=True):
        if kind != first:
            raise SourceError(
                f"is {'' if kind else 'not '}Parquet, unlike {parts[0].name}",
                where=part.name,
                fix="keep files of one kind in a folder",
            )
    return first


def check_alike(parts: Iterable[tuple[str, Sequence[str]]], what: str = "columns") -> None:
    """Prove that files have the same columns, in the same order.

    `parts`: for each file its name, and its columns or their types. `what`: what these are. Raises
    SourceError: one has others than the first; it and the first difference are named.
    """
    (first, expected), *others = parts
    for name, found in others:
        if [*found] == [*expected]:
            continue
        fix = f"each file of the folder must have the {what} of {first}, in the same order"
        if len(found) != len(expected):
            message = f"has {len(found)} {what}, {first} has {len(expected)}"
            raise SourceError(message, where=name, fix=fix)
        at = next(i for i, (a, b) in enumerate(zip(found, expected, strict=True)) if a != b)
        message = f"column {at + 1} is {quoted(found[at])}, and {quoted(expected[at])} in {first}"
        raise SourceError(message, where=name, fix=fix)
