"""Read and write hierarchy files in the format of ARX.

A file has one row per value, from specific to general, and no header::

    37212;3721*;372**;*
    37213;3721*;372**;*

Files are UTF-8, plain or gzipped. A byte order mark is allowed. If no delimiter is given, the first
row determines the delimiter. The format stores labels, but not rules or the widths of intervals. So
the size of a label is the number of its rows in the file.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from unicodedata import normalize

from roadstead.errors import HierarchyError, OutputError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.hierarchy import Hierarchy, from_columns
from roadstead.regular_files import (
    MIB,
    MOST_OF_DOCUMENT,
    content_of,
    csv_bytes,
    require_regular,
    write_whole,
)

_GZIP_MAGIC = b"\x1f\x8b"
_ALIKE, _LONG = 0.85, 5
"""The similarity from which one name may be a typing error of another, and the length for this.

Shorter names can be different although they are similar, such as ``zip`` and ``zip3``.
"""
_DELIMITERS = (";", "\t", "|", ",")


def read_hierarchy(
    path: str | Path, attribute: str, *, delimiter: str | None = None, show_cells: bool = True
) -> Hierarchy:
    """Read a hierarchy from a file in the format of ARX.

    Parameters
    ----------
    path
        The file, plain or gzipped (recognized by its content).
    attribute
        The column to which the hierarchy belongs.
    delimiter
        One character. By default, the first of ``;``, tab, ``|``, and ``,`` that divides the first
        row.
    show_cells
        Whether an error may quote the cells that cause it. If not, the error gives row numbers. Use
        row numbers if another person chose the file.

    Raises
    ------
    HierarchyError
        If the file cannot be read, is empty, is not UTF-8 (the message gives the line), or has a
        row of a different length (the message gives the row), or if `from_columns` rejects the
        content.
    """
    file = Path(path)
    known: dict[str, str] = {}  # so that each label is stored once
    lines, rows = [], []
    for line, row in rows_of(file, delimiter, "the first row"):
        lines.append(line)
        rows.append([known.setdefault(cell, cell) for cell in row])
    columns = list(zip(*rows, strict=True))
    shown = None if show_cells else lines
    return from_columns(attribute, columns, origin=str(file), rows=shown)


def write_hierarchy(hierarchy: Hierarchy, path: str | Path, *, force: bool = False) -> None:
    """Write the labels of a hierarchy in ARX's format. If the name ends in ``.gz``, gzip the file.

    The first column contains the original values. So if level 0 changes values, for example dates
    to ISO dates, the file has one more level than the hierarchy. The file is written completely or
    not at all, because Roadstead writes to a temporary name and then renames the file.

    Raises
    ------
    OutputError
        If the file exists and `force` is not set, or if the file cannot be written.
    """
    file = Path(path)
    if file.exists() and not force:
        raise OutputError(
            "the file already exists",
            where=str(file),
            fix=f"give {option('force', True)} to replace it",
        )
    content = csv_of(hierarchy)
    try:
        write_whole(file, gzip.compress(content, mtime=0) if file.suffix == ".gz" else content)
    except OSError as error:
        raise OutputError(
            f"the file cannot be written ({error.strerror})",
            where=str(file),
            fix="check the folder, its permissions, and the free space",
        ) from error


def csv_of(hierarchy: Hierarchy) -> bytes:
    """Return the content of a hierarchy file in ARX's format."""
    columns = [[level.labels[code] for code in level.codes.tolist()] for level in hierarchy.levels]
    if list(columns[0]) != list(hierarchy.values):
        columns.insert(0, list(hierarchy.values))
    return csv_bytes(zip(*columns, strict=True), ";")


def find_hierarchies(folder: str | Path, attributes: Iterable[str]) -> dict[str, Path]:
    """Find the files in a folder that contain the hierarchies of some attributes.

    A file belongs to an attribute if its name is ``<any>_hierarchy_<attribute>.csv`` or
    ``<attribute>.csv``, with or without ``.gz`` at the end. Attributes without a file are omitted.
    """
    place = Path(folder)
    if not place.is_dir():
        raise HierarchyError(
            "this folder of hierarchies does not exist",
            where=str(place),
            fix="use the folder that contains the hierarchy files",
        )
    files = _stems(place)
    found = {
        attribute: [
            path
            for path, stem in files.items()
            if stem != path.name and (stem == attribute or stem.endswith(f"_hierarchy_{attribute}"))
        ]
        for attribute in attributes
    }
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


def _stems(folder: Path) -> dict[Path, str]:
    """Return the entries of a folder, and for each entry the name without its CSV extension."""
    return {path: re.sub(r"\.csv(\.gz)?$", "", path.name) for path in sorted(folder.iterdir())}


def require_known_names(
    folder: str | Path, columns: Iterable[str], attributes: Iterable[str]
) -> None:
    """Refuse a hierarchy file whose name is almost the name of an attribute without a file.

    A folder may contain the hierarchies of other tables, so other names are allowed.
    """
    names = tuple(columns)
    known = find_hierarchies(folder, attributes)
    without = {_plain(name): name for name in attributes if name not in known}
    for path, stem in _stems(Path(folder)).items():
        own = stem.rpartition("_hierarchy_")[2]
        if path in known.values() or stem == path.name or own in names:
            continue
        near = get_close_matches(_plain(own), list(without), n=1, cutoff=_ALIKE)
        if near and (len(near[0]) >= _LONG or _plain(own) == near[0]):
            raise HierarchyError(
                "this hierarchy file does not have the name of a column",
                where=str(path),
                fix=f"did you mean {without[near[0]]!r}? If so, rename the file; otherwise, move "
                "it to another folder",
            )


def _plain(name: str) -> str:
    """Return the letters and digits of a name in lowercase, without accents."""
    letters = normalize("NFKD", name).casefold()
    return "".join(one for one in letters if one.isalnum())


def _require_file(path: Path, attribute: str) -> None:
    """Raise an error for an unreadable file that has the name of a hierarchy file."""
    try:
        require_regular(path)
    except OSError as error:
        raise HierarchyError(
            f"this path has the name of the hierarchy of {quoted(attribute)}, but cannot be read "
            f"({error.strerror or type(error).__name__})",
            where=str(path),
            fix="put a readable file there, or rename it",
        ) from None


def rows_of(
    path: Path, delimiter: str | None, like: str, empty: str = "add one row per value"
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a plain or gzipped file, each with its line number.

    All rows must have the same length. Blank rows are skipped. Invalid content raises a
    `HierarchyError`. In the error message, `like` describes the row that sets the length, and
    `empty` is the advice for a file without rows.
    """
    text = _text_of(path)
    if delimiter is None:
        first = next((line for line in io.StringIO(text) if line.strip()), "")
        delimiter = next((mark for mark in _DELIMITERS if mark in first), _DELIMITERS[0])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    expected = 0
    try:
        for row in filter(None, reader):
            expected = expected or len(row)
            if len(row) != expected:
                raise HierarchyError(
                    f"the row has {len(row)} columns, but {like} has {expected}",
                    where=f"{path}, row {reader.line_num}",
                    fix="give every row the same number of columns",
                )
            yield reader.line_num, row
    except csv.Error as error:
        raise HierarchyError(
            f"the row cannot be split into cells ({error})",
            where=f"{path}, row {reader.line_num}",
            fix="close every quotation mark, and inside a quoted cell, write each quotation mark "
            "twice",
        ) from error
    if not expected:
        raise HierarchyError("the file is empty", where=str(path), fix=empty)


def _text_of(file: Path) -> str:
    """Read a file as text. A gzipped file is first unpacked."""
    try:
        content = content_of(file)
    except FileNotFoundError as error:
        raise _unreadable(file, "there is no such file", "correct the path") from error
    except OSError as error:
        what = f"the file cannot be read ({error.strerror})"
        raise _unreadable(
            file, what, "check that this is a file, and that you have permission to read it"
        ) from error
    if content.startswith(_GZIP_MAGIC):
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(content)) as unzipped:
                content = unzipped.read(MOST_OF_DOCUMENT + 1)
        except (OSError, EOFError, zlib.error) as error:
            what = "the gzip file is damaged or incomplete"
            raise _unreadable(
                file, what, "compress it again, or use the uncompressed file"
            ) from error
        if len(content) > MOST_OF_DOCUMENT:
            what = f"the unpacked file is larger than {MOST_OF_DOCUMENT // MIB:,} MiB"
            raise _unreadable(file, what, "use a hierarchy file")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{content[error.start]:02X} is not UTF-8"
        raise _unreadable(f"{file}, line {line}", what, "save the file as UTF-8") from error


def _unreadable(where: Path | str, what: str, fix: str) -> HierarchyError:
    return HierarchyError(what, where=str(where), fix=fix)
