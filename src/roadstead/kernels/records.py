"""Check, block by block, that a delimited text file is a table.

The check is an automaton that accepts one strict form (RFC 4180), in which a delimiter separates
cells, and a line break separates records. If a cell *begins* with a quote, it ends with a quote,
and quotes inside are doubled. The automaton reads UTF-8 bytes, in which delimiters, quotes, and
line breaks are never part of another character. A vector of integers stores the state between
blocks.

Invariant: The fault and its line do not depend on where blocks end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.compiled import Whole, compiled

# Kinds of bytes.
TEXT, DELIMITER, QUOTE, NEWLINE, RETURN, SPACE, NUL = range(7)
# States: between records, between cells, after spaces that begin a cell, in a plain cell, in a
# quoted cell, and after a quote inside a quoted cell.
RECORD, CELL, SPACES, PLAIN, QUOTED, QUOTE_SEEN = range(6)
# Faults.
NONE, RAGGED, STRAY, SPACED, BLANK, NUL_BYTE, UNCLOSED = range(7)
# Indices in the state vector. `AT` is the current line, `START` is the line where the record began,
# and `OPENED` is the line of the last opening quote. `EMPTY` is the first blank line since the last
# record, and `LEADING` counts the blank lines before the first record.
(
    STATE, CELLS, EXPECTED, AT, START, OPENED, LENGTH, LONGEST, RECORDS, AFTER_RETURN,
    EMPTY, LEADING,
) = range(12)  # fmt: skip


def kinds_of_bytes(delimiter: str, quote: str) -> NDArray[np.uint8]:
    """Return the kind of each of the 256 byte values."""
    kinds = np.full(256, TEXT, dtype=np.uint8)
    kinds[0] = NUL
    kinds[ord(" ")] = SPACE
    kinds[ord(delimiter)] = DELIMITER
    kinds[ord(quote)] = QUOTE
    kinds[ord("\n")] = NEWLINE
    kinds[ord("\r")] = RETURN
    return kinds


def start() -> Whole:
    """Return the state vector for the first block."""
    carry = np.zeros(12, dtype=np.int64)
    carry[AT] = carry[START] = 1
    return carry


def scan(  # noqa: C901, PLR0912, PLR0915 - one automaton, compiled as one loop
    block: NDArray[np.uint8], kinds: NDArray[np.uint8], carry: Whole
) -> int:
    """Run the automaton over a block of bytes, and return the fault that stopped it, if any."""
    state = carry[STATE]
    cells = carry[CELLS]
    after_return = carry[AFTER_RETURN]
    fault = NONE
    end = block.size
    began = -carry[LENGTH]  # index at which the record began, negative if in an earlier block
    at = 0
    while at < end:
        kind = kinds[block[at]]
        at += 1
        if kind == TEXT and state not in (RECORD, QUOTE_SEEN):
            after_return = 0
            state = max(state, PLAIN)
            while at < end and kinds[block[at]] == TEXT:  # most bytes: no state changes
                at += 1
            continue
        if after_return == 1:
            after_return = 0
            if kind == NEWLINE:  # the second half of \r\n
                if state == RECORD:
                    began = at
                continue
        if kind in (NEWLINE, RETURN):
            after_return = 1 if kind == RETURN else 0
            carry[AT] += 1
            if state == QUOTED:
                continue
            if state == RECORD:
                if carry[RECORDS] == 0:
                    carry[LEADING] += 1
                elif carry[EMPTY] == 0:
                    carry[EMPTY] = carry[START]
            else:
                cells += 1
                if carry[RECORDS] == 0:
                    carry[EXPECTED] = cells
                elif cells != carry[EXPECTED]:
                    fault = RAGGED
                    break
                carry[RECORDS] += 1
                carry[LONGEST] = max(carry[LONGEST], at - began)
                carry[EMPTY] = 0
                cells = 0
                state = RECORD
            began = at
            carry[START] = carry[AT]
            continue
        if kind == NUL:
            fault = NUL_BYTE
            break
        if state == RECORD:
            if carry[EMPTY] > 0 and carry[EXPECTED] == 1:
                fault = BLANK
                break
            state = CELL
        if kind == DELIMITER:
            if state != QUOTED:
                cells += 1
                state = CELL
        elif kind == QUOTE:
            if state == CELL:
                carry[OPENED] = carry[AT]
                state = QUOTED
            elif state == QUOTED:
                state = QUOTE_SEEN
            elif state == QUOTE_SEEN:
                state = QUOTED
            elif state == SPACES:
                fault = SPACED
                break
        elif state == QUOTE_SEEN:
            fault = STRAY
            break
        elif state == CELL:
            state = SPACES if kind == SPACE else PLAIN
    carry[STATE] = state
    carry[CELLS] = cells
    carry[LENGTH] = end - began
    carry[AFTER_RETURN] = after_return
    return fault


compiled_scan = compiled(scan)
