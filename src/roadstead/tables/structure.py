r"""Check that all records of a delimited text file have the same number of cells.

If a program accepts malformed files, it hides errors. Such errors move values into the wrong column
or lose patients. So an automaton checks the whole file once, and accepts only one strict form (RFC
4180). If a cell *begins* with the quote, it must also end with the quote, and quotes inside must be
doubled. Quotes inside an unquoted cell (``5'10"``) are text. Blank lines are not records. In a file
with one column, a blank line between two records could be a missing value, so Roadstead rejects the
file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SourceError
from roadstead.front_end import option
from roadstead.kernels import records as automaton
from roadstead.tables import files
from roadstead.tables.dialect import Dialect
from roadstead.tables.extra_rows import TextRow, last_rows

_MARK = b"\xef\xbb\xbf"
"""The byte-order mark, which may begin a file and may occur inside concatenated files."""
_END = 1 << 16
"""The number of bytes in which the last rows of a file are searched for."""
_ENDS = (b"", b"\n", b"\r")
"""The characters that may precede or follow a line."""


@dataclass(frozen=True)
class Layout:
    """The layout of a whole file, with the number of cells per record and the number of records.

    The number of records includes the header. `leading_blank_lines` is the number of blank lines
    before the first record. `longest_record` is the length of the longest record in UTF-8 bytes.
    `header_again` is the line of a record that repeats the header, or 0 if there is no such record.
    `last` contains the last rows.
    """

    cells: int
    records: int
    leading_blank_lines: int
    longest_record: int
    header_again: int = 0
    last: tuple[TextRow, ...] = ()


def survey(path: Path, dialect: Dialect) -> Layout:
    """Read a whole delimited file once, and check its structure. An error names the line."""
    carry = automaton.start()
    repeated, end = _Repeated(dialect), _End()
    kinds = automaton.kinds_of_bytes(dialect.delimiter, dialect.quote)
    scan = automaton.compiled_scan
    with files.content(path, compressed=dialect.compressed) as stream:
        for block in files.utf8_blocks(stream, dialect.encoding, path):
            fault = scan(np.frombuffer(block, dtype=np.uint8), kinds, carry)
            if fault != automaton.NONE:
                raise _error(path, dialect, fault, carry)
            repeated.look(block)
            end.look(block)
    repeated.look(b"\n\n")  # the last line may not have a line break
    if carry[automaton.STATE] == automaton.QUOTED:
        raise _error(path, dialect, automaton.UNCLOSED, carry)
    if carry[automaton.STATE] != automaton.RECORD:
        fault = scan(np.frombuffer(b"\n", dtype=np.uint8), kinds, carry)
        if fault != automaton.NONE:
            raise _error(path, dialect, fault, carry)
    return Layout(
        cells=int(carry[automaton.EXPECTED]),
        records=int(carry[automaton.RECORDS]),
        leading_blank_lines=int(carry[automaton.LEADING]),
        longest_record=int(carry[automaton.LONGEST]),
        header_again=repeated.line,
        last=tuple(end.rows(dialect)),
    )


class _End:
    """The end of a file that is read in blocks. A block may end inside a line break."""

    def __init__(self) -> None:
        self._kept = b""
        self._breaks = 0

    def look(self, block: bytes | memoryview) -> None:
        """Count the line breaks in the next block of UTF-8, and keep its end."""
        text = self._kept[-1:] + bytes(block)
        self._breaks += _line_breaks(text) - _line_breaks(self._kept[-1:])
        self._kept = (self._kept + bytes(block[-_END:]))[-_END:]

    def rows(self, dialect: Dialect) -> list[TextRow]:
        """Return the last rows."""
        lines = re.split(r"\r\n|\r|\n", self._kept.decode("utf-8", "replace"))
        last = self._breaks + 1
        return last_rows(lines[last > len(lines) :], last, dialect.delimiter, dialect.quote)


class _Repeated:
    """A search for a line that repeats the header. The blocks to search may end inside a line.

    If the header covers several lines or has only one column, there is no search.
    """

    def __init__(self, dialect: Dialect) -> None:
        self.line = 0
        self._quote = dialect.quote.encode()
        self._delimiter = dialect.delimiter.encode()
        self._header: bytes | None = None
        self._requested = dialect.header
        self._rest = b""
        self._lines = 0

    def look(self, block: bytes | memoryview) -> None:
        """Search the next block of UTF-8."""
        if self.line or not self._requested:
            return
        text = self._rest + bytes(block)
        if self._header is None:
            found = _first_line(text)
            if found is None:
                self._rest = text
                return
            self._header = found
            self._requested = found.count(self._quote) % 2 == 0 and self._delimiter in found
        ended = text.removesuffix(b"\r")  # the line feed may be in the next block
        whole = max(ended.rfind(b"\n"), ended.rfind(b"\r")) + 1
        if self._requested and self._header in text:
            self._search(text[:whole])
        self._lines += _line_breaks(text[:whole])
        self._rest = text[whole:]

    def _search(self, text: bytes) -> None:
        for found in re.finditer(re.escape(self._header or b""), text):
            start, end = found.span()
            start -= len(_MARK) * text.endswith(_MARK, 0, start)
            is_line = text[start - 1 : start] in _ENDS and text[end : end + 1] in _ENDS
            if is_line and (self._lines or text[:start].strip(b"\r\n")):
                self.line = self._lines + _line_breaks(text[:start]) + 1
                return


def _first_line(text: bytes) -> bytes | None:
    """Return the first line that is not blank. Remove the byte-order mark of the file."""
    lines = text.removeprefix(_MARK).replace(b"\r", b"\n").split(b"\n")
    return next((line for line in lines[:-1] if line), None)


def _line_breaks(text: bytes) -> int:
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


def _error(path: Path, dialect: Dialect, fault: int, carry: NDArray[np.int64]) -> SourceError:
    place, quote = automaton.AT, dialect.quote
    if fault == automaton.RAGGED:
        found, expected = (_count(carry[at]) for at in (automaton.CELLS, automaton.EXPECTED))
        place, first = automaton.START, "header" if dialect.header else "first record"
        what = f"this record has {found}, but the {first} has {expected}"
        named = option("delimiter")
        left = option("skip_rows", str(carry[place]))
        fix = (
            f"quote cells that contain the delimiter, name the delimiter with {named}, or leave "
            f"the line out with {left} if it is not a record"
        )
    elif fault == automaton.STRAY:
        what = f"text follows the closing quote ({quote}) of a cell"
        fix = f"write each quote inside a cell twice ({quote}{quote})"
    elif fault == automaton.SPACED:
        what = f"there is a space before the opening quote ({quote}) of a cell"
        fix = "remove the spaces around the delimiter"
    elif fault == automaton.BLANK:
        place = automaton.EMPTY
        what = "in a file with one column, it is unclear whether a blank line is a record"
        fix = f"remove it, or write a missing value as {quote}{quote}"
    elif fault == automaton.NUL_BYTE:
        what = "it contains a NUL byte, so it is not text in the assumed encoding"
        named = option("encoding", "utf-16-le")
        fix = f"name the encoding if it is UTF-16 ({named}), or remove the byte"
    else:
        place, what = automaton.OPENED, f"a quote ({quote}) opens here and is never closed"
        fix = f"close it, or write each quote inside a cell twice ({quote}{quote})"
    return SourceError(what, where=f"{path.name}, line {carry[place]}", fix=fix)


def _count(cells: np.int64) -> str:
    return "1 cell" if cells == 1 else f"{cells} cells"
