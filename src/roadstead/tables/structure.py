r"""Proof that a delimited text file is a table: every record has the same number of cells.

Readers differ on malformed files, and each is silent about something: one drops an empty cell too
many at the end of a row, another swallows the rest of the file after a quote that is never closed.
Either moves values into the wrong column or loses patients. So before an engine reads a file, all
of it passes once through a small automaton, which knows one strict form (RFC 4180): cells are
separated by the delimiter, records by a line break, and a cell that *begins* with the quote ends
with it, quotes inside being doubled. Quotes further inside an unquoted cell (``5'10"``) are text.
Blank lines are no records; in a file of one column, where a blank line could as well be a missing
value, one between two records is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from roadstead.errors import SourceError
from roadstead.front_end import option
from roadstead.kernels import records as automaton
from roadstead.tables import encodings, files

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from roadstead.tables.dialect import Dialect


@dataclass(frozen=True)
class Layout:
    """What a whole file holds.

    Attributes
    ----------
    cells
        Number of cells of every record.
    records
        Number of records, the header among them.
    leading_blank_lines
        Blank lines before the first record.
    longest_record
        Length of the longest record in bytes of UTF-8.
    """

    cells: int
    records: int
    leading_blank_lines: int
    longest_record: int


def survey(path: Path, dialect: Dialect) -> Layout:
    """Read a whole delimited file once and prove that it is a table.

    Returns
    -------
    Layout
        The number of records and cells, and what a reader needs to know to read it.

    Raises
    ------
    SourceError
        A byte is not valid in the encoding, a record has more or fewer cells than the first, a
        quote is never closed or followed by text. The message names the line.
    """
    carry = automaton.start()
    kinds = automaton.kinds_of_bytes(dialect.delimiter, dialect.quote)
    scan = automaton.compiled_scan
    with files.content(path, compressed=dialect.compressed) as stream:
        for block in encodings.utf8_blocks(stream, dialect.encoding, path):
            fault = scan(np.frombuffer(block, dtype=np.uint8), kinds, carry)
            if fault != automaton.NONE:
                raise _error(path, dialect, fault, carry)
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
    )


def _error(path: Path, dialect: Dialect, fault: int, carry: NDArray[np.int64]) -> SourceError:
    at, start = int(carry[automaton.AT]), int(carry[automaton.START])
    opened = int(carry[automaton.OPENED])
    quote = dialect.quote
    if fault == automaton.RAGGED:
        found, expected = int(carry[automaton.CELLS]), int(carry[automaton.EXPECTED])
        first = "header" if dialect.header else "first record"
        line = start
        what = f"this record has {_count(found)}, the {first} has {_count(expected)}"
        named = option("delimiter")
        mend = f"quote cells that contain the delimiter, or name the delimiter with {named}"
    elif fault == automaton.STRAY:
        line, what = at, f"text follows the closing quote ({quote}) of a cell"
        mend = f"double the quotes inside a cell ({quote}{quote})"
    elif fault == automaton.SPACED:
        line, what = at, f"a space stands before the opening quote ({quote}) of a cell"
        mend = "remove the spaces around the delimiter"
    elif fault == automaton.BLANK:
        line = int(carry[automaton.EMPTY])
        what = "a blank line in a file of one column may be a missing value or no record"
        mend = f"remove it, or write a missing value as {quote}{quote}"
    elif fault == automaton.NUL_BYTE:
        line, what = at, "there is a NUL byte, so this is not text in the encoding assumed"
        named = option("encoding", "utf-16-le")
        mend = f"name the encoding if it is UTF-16 ({named}), or remove the byte"
    else:
        line, what = opened, f"a quote ({quote}) is opened here and never closed"
        mend = f"close it, or double the quotes inside a cell ({quote}{quote})"
    return SourceError(what, where=f"{path.name}, line {line}", mend=mend)


def _count(cells: int) -> str:
    return "1 cell" if cells == 1 else f"{cells} cells"
