r"""How a delimited text file is written, by the line that names its columns and nothing else.

:mod:`roadstead.tables.dialect` looks at records to find out how they are written. So one record can
change how all others are read, and whoever sees what became of the others learns of that record. A
differentially private release must not depend on one record that much. Here no record decides
anything:

- *Header*: the first line names the columns, unless the user says that there is no such line.
- *Quote*: ``"``, unless the user says otherwise.
- *Delimiter*: the first of tab, semicolon, bar and comma that stands in the first line outside of
  quotes. A file without a header has no line that is not a record: it is separated by tabs if its
  name ends in ``.tsv`` or ``.tab``, and by commas if not, unless the user says otherwise.
- *Encoding*: UTF-8 or what a byte-order mark says, unless the user says otherwise.

The names of the columns are public, as they are for everything that is released.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from typing import TYPE_CHECKING

from roadstead.errors import SourceError
from roadstead.tables import dialect as dialects
from roadstead.tables import encodings, files

if TYPE_CHECKING:
    from pathlib import Path

_LONGEST = 1 << 17
_BREAK = re.compile(r"\r\n|\n|\r")


def dialect_of_header(
    path: Path,
    *,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> dialects.Sniffed:
    r"""Tell how a delimited text file is written without a look at its records.

    Parameters
    ----------
    path
        The file, plain or gzipped.
    delimiter, quote, encoding, header
        What the user says; ``"\\t"`` may be spelled out for the tab.

    Returns
    -------
    Sniffed
        The dialect, and the names of the columns; no names where there is no header.

    Raises
    ------
    SourceError
        The file is missing, empty or not text, or its first line is no line of names.
    SettingError
        The delimiter is not a single ASCII character, the quote is none, or there is no such
        encoding.
    """
    files.refuse_foreign(path, head := files.first_bytes(files.existing_file(path), 64))
    compressed = head.startswith(files.GZIP_MAGIC)
    with files.content(path, compressed=compressed) as stream:
        raw = stream.read(_LONGEST)
        whole = not stream.read(1)
    chosen = encodings.choose(raw, encoding, where=path.name)
    line, newline = _first_line(path, raw, chosen, whole=whole)
    mark = '"' if quote is None else dialects.checked_quote(quote)
    named = header is not False
    if delimiter is not None:
        between = dialects.checked_delimiter(delimiter)
    else:
        between = _delimiter(path, line if named else "", mark)
    dialect = dialects.Dialect(
        delimiter=between,
        quote=mark,
        encoding=chosen,
        header=named,
        compressed=compressed,
        newline=newline,
    )
    return dialects.Sniffed(dialect, _names(path, line, between, mark) if named else ())


def _first_line(path: Path, raw: bytes, encoding: str, *, whole: bool) -> tuple[str, str]:
    """Give the first line that is not blank, and how it ends; what follows is not looked at."""
    # What does not decode is left to the survey of the whole file, which names the line.
    text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(raw, final=whole)
    text = text.lstrip("\r\n")
    if whole and not text:
        raise SourceError("the file is empty", where=path.name, fix="name a file with a header")
    end = _BREAK.search(text)
    if end is None and not whole:
        raise SourceError(
            "the first line does not end within 128 KB",
            where=path.name,
            fix="check that this is a table, with a line that names its columns",
        )
    return (text, "\n") if end is None else (text[: end.start()], end[0])


def _delimiter(path: Path, line: str, quote: str) -> str:
    mark = re.escape(quote)
    bare = re.sub(f"{mark}[^{mark}]*{mark}", "", line)
    usual = "\t" if dialects.is_tab_file(path) else ","
    return next((one for one in dialects.DELIMITERS if one in bare), usual)


def _names(path: Path, line: str, delimiter: str, quote: str) -> tuple[str, ...]:
    """Take the first line apart; a name that goes on in the next line would depend on a record."""
    try:
        (names,) = csv.reader(io.StringIO(line), delimiter=delimiter, quotechar=quote, strict=True)
    except csv.Error as error:
        raise SourceError(
            f"the names of the columns cannot be told apart: a quote ({quote}) is not closed on "
            "the line, or text follows it",
            where=f"{path.name}, header",
            fix="write all names on one line, and double the quotes inside a name",
        ) from error
    return tuple(names)
