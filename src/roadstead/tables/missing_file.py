"""Read a file that lists codes for missing values by column.

Each line is ``column,code`` or ``column,code,meaning``. In a list of codes
(:mod:`roadstead.tables.missing_codes`), a string is the name of such a file if the string has no
equals sign and ends in ``.csv``, ``.tsv``, or ``.txt``. The file does not need a header. Commas,
semicolons, or tabs separate the cells. A code can be a range (``900..999``), and the column ``*``
means every column. Roadstead ignores the meanings.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from roadstead.errors import SettingError, quoted
from roadstead.near_names import did_you_mean
from roadstead.printable import printable
from roadstead.regular_files import content_of
from roadstead.tables.codebooks.document import Document, header_name

_ENDINGS = (".csv", ".tsv", ".txt")
EVERY = "*"
_COLUMN = ("column", "columnname", "name", "variable", "variablename", "field", "fieldname")
_CELLS = (2, 3)
"""The number of cells in lines without and with a meaning."""
_FORM = "write one line per code: column,code or column,code,meaning"


def is_codes_file(text: str) -> bool:
    """Return whether a string in a list of codes is the name of a file of codes."""
    return "=" not in text and text.strip().lower().endswith(_ENDINGS)


def codes_in_file(path: Path, columns: Sequence[str]) -> list[tuple[str | None, str]]:
    """Read a file of codes, and return the column and the code of each line.

    A column of None means every column. Raises SettingError if the file cannot be read, is not a
    file of codes, or contains a column that the table does not have.
    """
    where = printable(str(path))
    try:
        document = Document(where, content_of(path))
    except OSError as error:
        what = f"the file of missing codes cannot be read ({error.strerror or error})"
        fix = "use a text file with one line per code: column,code"
        raise SettingError(what, where=where, fix=fix) from None
    found = list(_codes(document, columns))
    if not found:
        raise SettingError("the file does not contain codes", where=where, fix=_FORM)
    return found


def _codes(document: Document, columns: Sequence[str]) -> Iterator[tuple[str | None, str]]:
    for number, cells in _lines(document):
        where = f"{document.name}, line {number}"
        if len(cells) not in _CELLS:
            many = "one cell" if len(cells) == 1 else f"{len(cells)} cells"
            fix = f"{_FORM}; if a meaning contains commas, put it in quotes"
            raise SettingError(f"the line has {many}", where=where, fix=fix)
        name, code = cells[:2]
        if number == 1 and name not in columns and header_name(name) in _COLUMN:
            continue
        if not code:
            raise SettingError("the code is empty", where=where, fix="write it, or remove the line")
        if name not in columns and name != EVERY:
            what = f"the table does not have the column {quoted(name)}"
            fix = did_you_mean(name, columns, "correct the name, or remove the line", show=quoted)
            raise SettingError(what, where=where, fix=fix)
        yield (name if name in columns else None), code


def _lines(document: Document) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is not blank."""
    text = document.text
    if "\0" in text:
        raise SettingError("this is not a text file", where=document.name, fix=_FORM)
    head = text.lstrip().partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if any(map(str.strip, cells)):
                yield reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        what = f"the line cannot be read ({error})"
        where = f"{document.name}, line {reader.line_num}"
        raise SettingError(what, where=where, fix=_FORM) from None
