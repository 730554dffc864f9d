"""Hierarchies as files, in the form that ARX reads and writes.

One row a value, from specific to general, no header::

    37212;3721*;372**;*
    37213;3721*;372**;*

Files are UTF-8, plain or gzipped; a byte order mark is tolerated, the delimiter is found from the
first row unless it is given. The form carries labels only: rules, and the widths of numbers and
dates, are not in it, so a hierarchy that is read back counts the rows of the file.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import zlib
from collections.abc import Iterable
from pathlib import Path

from roadstead.errors import HierarchyError, OutputError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.hierarchy import Hierarchy, from_columns
from roadstead.regular_files import MIB, MOST_OF_DOCUMENT, content_of, require_regular

_GZIP_MAGIC = b"\x1f\x8b"
_DELIMITERS = (";", "\t", "|", ",")


def read_hierarchy(
    path: str | Path, attribute: str, *, delimiter: str | None = None, show_cells: bool = True
) -> Hierarchy:
    """Read a hierarchy from a file in ARX's form.

    Parameters
    ----------
    path
        The file, plain or gzipped (recognized by its content).
    attribute
        The column it belongs to.
    delimiter
        One character; None: the first of ``;``, tab, ``|``, ``,`` that divides the first row.
    show_cells
        Whether an error may show the cells it is about; otherwise it gives the numbers of the
        rows, for a file that somebody else named.

    Raises
    ------
    HierarchyError
        A file that cannot be read, is empty, is not UTF-8 (names the line) or has a ragged row
        (names it), and all that `from_columns` refuses.
    """
    file = Path(path)
    text = decoded(read_bytes(file), file)
    lines, rows = _rows(text, delimiter or delimiter_of(text), file)
    columns = list(zip(*rows, strict=True))
    return from_columns(attribute, columns, origin=str(file), rows=None if show_cells else lines)


def write_hierarchy(hierarchy: Hierarchy, path: str | Path, *, force: bool = False) -> None:
    """Write the labels of a hierarchy in ARX's form; gzipped when the name ends in ``.gz``.

    The first column is the value itself, so where level 0 already rewrites values (dates of
    another form become ISO dates) the file has one level more. The file appears whole or not at
    all: it is written aside, then renamed.

    Raises
    ------
    OutputError
        The file exists and `force` is not set, or it cannot be written.
    """
    file = Path(path)
    if file.exists() and not force:
        raise OutputError(
            "the file exists already",
            where=str(file),
            fix=f"use {option('force', True)} to replace it",
        )
    columns = [[level.labels[code] for code in level.codes.tolist()] for level in hierarchy.levels]
    if list(columns[0]) != list(hierarchy.values):
        columns.insert(0, list(hierarchy.values))
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=";", lineterminator="\n").writerows(zip(*columns, strict=True))
    content = buffer.getvalue().encode("utf-8")
    if file.suffix == ".gz":
        content = gzip.compress(content, mtime=0)
    _write_whole(file, content)


def find_hierarchies(folder: str | Path, attributes: Iterable[str]) -> dict[str, Path]:
    """Find the files of a folder that belong to attributes.

    A file belongs to an attribute when it is called ``<any>_hierarchy_<attribute>.csv`` or
    ``<attribute>.csv``, or either with ``.gz`` after it. Attributes without a file are absent
    from the answer.
    """
    place = Path(folder)
    if not place.is_dir():
        raise HierarchyError(
            "there is no such folder of hierarchies",
            where=str(place),
            fix="name the folder that holds the hierarchy files",
        )
    stems = [(path, _stem(path.name)) for path in sorted(place.iterdir())]
    found = {a: [path for path, stem in stems if _belongs(stem, a)] for a in attributes}
    for attribute, paths in found.items():
        for path in paths:
            _require_file(path, attribute)
        if len(paths) > 1:
            raise HierarchyError(
                f"{attribute!r} has two hierarchies: {paths[0].name} and {paths[1].name}",
                where=str(place),
                fix="keep one of them",
            )
    return {attribute: paths[0] for attribute, paths in found.items() if paths}


def _require_file(path: Path, attribute: str) -> None:
    """Refuse what is called like a hierarchy and is none, so that it is not passed over."""
    try:
        require_regular(path)
    except OSError as error:
        raise HierarchyError(
            f"is called like the hierarchy of {quoted(attribute)}, and cannot be read "
            f"({error.strerror or type(error).__name__})",
            where=str(path),
            fix="put the file there, or rename it",
        ) from None


def _stem(name: str) -> str | None:
    """Name without its ``.csv`` or ``.csv.gz``; None for other files."""
    plain = name.removesuffix(".gz")
    return plain.removesuffix(".csv") if plain.endswith(".csv") else None


def _belongs(stem: str | None, attribute: str) -> bool:
    return stem is not None and (stem == attribute or stem.endswith(f"_hierarchy_{attribute}"))


def read_bytes(file: Path) -> bytes:
    """Read a file, unpacked if it is gzipped; one that cannot be read is a `HierarchyError`."""
    try:
        content = content_of(file)
    except FileNotFoundError as error:
        raise HierarchyError(
            "there is no such file", where=str(file), fix="correct the path"
        ) from error
    except OSError as error:
        raise HierarchyError(
            f"the file cannot be read ({error.strerror})",
            where=str(file),
            fix="check that it is a file you may read",
        ) from error
    if not content.startswith(_GZIP_MAGIC):
        return content
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as unzipped:
            whole = unzipped.read(MOST_OF_DOCUMENT + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise HierarchyError(
            "the file is gzipped, and damaged or cut short",
            where=str(file),
            fix="compress it again, or give it uncompressed",
        ) from error
    if len(whole) > MOST_OF_DOCUMENT:
        raise HierarchyError(
            f"the file is larger than {MOST_OF_DOCUMENT // MIB:,} MiB when it is unpacked",
            where=str(file),
            fix="name a file of hierarchies",
        )
    return whole


def decoded(content: bytes, file: Path) -> str:
    """Take bytes for UTF-8 text; if they are none it is a `HierarchyError`."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise HierarchyError(
            f"byte 0x{content[error.start]:02X} is not UTF-8",
            where=f"{file}, line {line}",
            fix="save the file as UTF-8",
        ) from error


def delimiter_of(text: str) -> str:
    """Choose the delimiter by the first row that is not blank."""
    first = next((line for line in io.StringIO(text) if line.strip()), "")
    return next((mark for mark in _DELIMITERS if mark in first), _DELIMITERS[0])


def _rows(text: str, delimiter: str, file: Path) -> tuple[list[int], list[list[str]]]:
    """Split the text into rows of equal length, with their lines; blank ones are passed over."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        for row in reader:
            rows.append(row)
            lines.append(reader.line_num)
    except csv.Error as error:
        raise HierarchyError(
            f"the row cannot be split ({error})",
            where=f"{file}, row {reader.line_num}",
            fix="close every quotation mark, and double those inside a quoted cell",
        ) from error
    filled = [row for row in rows if row]
    if not filled:
        raise HierarchyError("the file is empty", where=str(file), fix="add a row a value")
    expected = len(filled[0])
    for row, line in zip(rows, lines, strict=True):
        if row and len(row) != expected:
            raise HierarchyError(
                f"expected {expected} columns as in the first row, found {len(row)}",
                where=f"{file}, row {line}",
                fix="give every row the same number of columns",
            )
    return [line for row, line in zip(rows, lines, strict=True) if row], filled


def _write_whole(file: Path, content: bytes) -> None:
    aside = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with aside.open("xb") as stream:
            stream.write(content)
        aside.replace(file)
    except OSError as error:
        raise OutputError(
            f"the file cannot be written ({error.strerror})",
            where=str(file),
            fix="check the folder, its permissions and the space left",
        ) from error
    finally:
        aside.unlink(missing_ok=True)
