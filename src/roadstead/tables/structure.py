r"""Proof that a delimited text file is a table: every record has the same number of cells.

Readers differ on malformed files, and each is silent about something: one drops an empty cell too
many at the end of a row, another swallows the rest of the file after a quote that is never closed.
Either moves values into the wrong column or loses patients. So before an engine reads a file, all
of it passes once through the small automaton below, which knows one strict form (RFC 4180): cells
are separated by the delimiter, records by a line break, and a cell that *begins* with the quote
ends with it, quotes inside being doubled. Quotes further inside an unquoted cell (``5'10"``) are
text. Blank lines are no records; in a file of one column, where a blank line could as well be a
missing value, one between two records is refused.

The automaton reads bytes of UTF-8, where delimiter, quote and line breaks cannot be part of
another character, and keeps its state in a small vector of integers between blocks.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from roadstead.errors import SourceError
from roadstead.tables import encodings, files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from roadstead.tables.dialect import Dialect

# Kinds of bytes.
_TEXT, _DELIMITER, _QUOTE, _NEWLINE, _RETURN, _SPACE, _NUL = range(7)
# States: between records, between cells, after spaces that begin a cell, in a plain cell, in a
# quoted cell, and after a quote inside a quoted cell.
_RECORD, _CELL, _SPACES, _PLAIN, _QUOTED, _QUOTE_SEEN = range(6)
# Faults.
_NONE, _RAGGED, _STRAY, _SPACED, _BLANK, _NUL_BYTE, _UNCLOSED = range(7)
# Places in the vector that is carried from block to block. `_AT` is the line being read, `_START`
# the line on which the record began, `_OPENED` the line of the last opening quote, `_EMPTY` the
# first blank line since the last record and `_LEADING` the blank lines before the first.
(
    _STATE, _CELLS, _EXPECTED, _AT, _START, _OPENED, _LENGTH, _LONGEST, _RECORDS, _AFTER_RETURN,
    _EMPTY, _LEADING,
) = range(12)  # fmt: skip


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
    carry = np.zeros(12, dtype=np.int64)
    carry[_AT] = carry[_START] = 1
    kinds = _kinds(dialect)
    scan = _compiled()
    with files.content(path, compressed=dialect.compressed) as stream:
        for block in encodings.utf8_blocks(stream, dialect.encoding, path):
            fault = scan(np.frombuffer(block, dtype=np.uint8), kinds, carry)
            if fault != _NONE:
                raise _error(path, dialect, fault, carry)
    if carry[_STATE] == _QUOTED:
        raise _error(path, dialect, _UNCLOSED, carry)
    if carry[_STATE] != _RECORD:
        fault = scan(np.frombuffer(b"\n", dtype=np.uint8), kinds, carry)
        if fault != _NONE:
            raise _error(path, dialect, fault, carry)
    return Layout(
        cells=int(carry[_EXPECTED]),
        records=int(carry[_RECORDS]),
        leading_blank_lines=int(carry[_LEADING]),
        longest_record=int(carry[_LONGEST]),
    )


def _kinds(dialect: Dialect) -> NDArray[np.uint8]:
    kinds = np.full(256, _TEXT, dtype=np.uint8)
    kinds[0] = _NUL
    kinds[ord(" ")] = _SPACE
    kinds[ord(dialect.delimiter)] = _DELIMITER
    kinds[ord(dialect.quote)] = _QUOTE
    kinds[ord("\n")] = _NEWLINE
    kinds[ord("\r")] = _RETURN
    return kinds


@functools.cache
def _compiled() -> Callable[[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int64]], int]:
    import numba  # noqa: PLC0415 - only text files need it

    compiled: Any = numba.njit(cache=True, nogil=True)(_scan)
    return compiled  # type: ignore[no-any-return] # numba has no types


def _scan(  # noqa: C901, PLR0912, PLR0915 - one automaton, compiled as one loop
    block: NDArray[np.uint8], kinds: NDArray[np.uint8], carry: NDArray[np.int64]
) -> int:
    """Run the automaton over one block of bytes; return the fault that stopped it, if any."""
    state = carry[_STATE]
    cells = carry[_CELLS]
    after_return = carry[_AFTER_RETURN]
    fault = _NONE
    end = block.size
    began = -carry[_LENGTH]  # where the record began; before this block if negative
    at = 0
    while at < end:
        kind = kinds[block[at]]
        at += 1
        if kind == _TEXT and state not in (_RECORD, _QUOTE_SEEN):
            after_return = 0
            state = max(state, _PLAIN)
            while at < end and kinds[block[at]] == _TEXT:
                at += 1
            continue
        if after_return == 1:
            after_return = 0
            if kind == _NEWLINE:  # the second half of \r\n
                if state == _RECORD:
                    began = at
                continue
        if kind in (_NEWLINE, _RETURN):
            after_return = 1 if kind == _RETURN else 0
            carry[_AT] += 1
            if state == _QUOTED:
                continue
            if state == _RECORD:
                if carry[_RECORDS] == 0:
                    carry[_LEADING] += 1
                elif carry[_EMPTY] == 0:
                    carry[_EMPTY] = carry[_START]
            else:
                cells += 1
                if carry[_RECORDS] == 0:
                    carry[_EXPECTED] = cells
                elif cells != carry[_EXPECTED]:
                    fault = _RAGGED
                    break
                carry[_RECORDS] += 1
                carry[_LONGEST] = max(carry[_LONGEST], at - began)
                carry[_EMPTY] = 0
                cells = 0
                state = _RECORD
            began = at
            carry[_START] = carry[_AT]
            continue
        if kind == _NUL:
            fault = _NUL_BYTE
            break
        if state == _RECORD:
            if carry[_EMPTY] > 0 and carry[_EXPECTED] == 1:
                fault = _BLANK
                break
            state = _CELL
        if kind == _DELIMITER:
            if state != _QUOTED:
                cells += 1
                state = _CELL
        elif kind == _QUOTE:
            if state == _CELL:
                carry[_OPENED] = carry[_AT]
                state = _QUOTED
            elif state == _QUOTED:
                state = _QUOTE_SEEN
            elif state == _QUOTE_SEEN:
                state = _QUOTED
            elif state == _SPACES:
                fault = _SPACED
                break
        elif state == _QUOTE_SEEN:
            fault = _STRAY
            break
        elif state == _CELL:
            state = _SPACES if kind == _SPACE else _PLAIN
    carry[_STATE] = state
    carry[_CELLS] = cells
    carry[_LENGTH] = end - began
    carry[_AFTER_RETURN] = after_return
    return fault


def _error(path: Path, dialect: Dialect, fault: int, carry: NDArray[np.int64]) -> SourceError:
    at, start, opened = int(carry[_AT]), int(carry[_START]), int(carry[_OPENED])
    quote = dialect.quote
    if fault == _RAGGED:
        found, expected = int(carry[_CELLS]), int(carry[_EXPECTED])
        first = "header" if dialect.header else "first record"
        line = start
        what = f"this record has {_count(found)}, the {first} has {_count(expected)}"
        mend = "quote cells that contain the delimiter, or name the delimiter with --delimiter"
    elif fault == _STRAY:
        line, what = at, f"text follows the closing quote ({quote}) of a cell"
        mend = f"double the quotes inside a cell ({quote}{quote})"
    elif fault == _SPACED:
        line, what = at, f"a space stands before the opening quote ({quote}) of a cell"
        mend = "remove the spaces around the delimiter"
    elif fault == _BLANK:
        line = int(carry[_EMPTY])
        what = "a blank line in a file of one column may be a missing value or no record"
        mend = f"remove it, or write a missing value as {quote}{quote}"
    elif fault == _NUL_BYTE:
        line, what = at, "there is a NUL byte, so this is not text in the encoding assumed"
        mend = "name the encoding if it is UTF-16 (--encoding utf-16-le), or remove the byte"
    else:
        line, what = opened, f"a quote ({quote}) is opened here and never closed"
        mend = f"close it, or double the quotes inside a cell ({quote}{quote})"
    return SourceError(what, where=f"{path.name}, line {line}", mend=mend)


def _count(cells: int) -> str:
    return "1 cell" if cells == 1 else f"{cells} cells"
