"""Decide whether the first record of a text file or a sheet contains the column names.

The first record contains the column names, unless one of its cells is a number or a date. Years at
equal steps, such as 2010, 2015, and 2020, also count as names if all other cells are names, and if
their columns do not contain years. A first record that has an empty cell and no number is unclear.
But the first cell may be empty above the row numbers that pandas and R write.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d+)*|[.,]\d+)([eE][+-]?\d+)?%?")
_YEAR = re.compile(r"(1[89]|20)\d\d", re.ASCII)
_DATE = re.compile(r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([ T].*)?")


def is_header(records: Sequence[Sequence[str]]) -> bool | None:
    """Return whether the first record contains the column names, or None if this is unclear."""
    record = records[0]
    if _names_years(records):
        return True
    if any(map(_is_number_or_date, record)):
        return False
    blank = empty_cell(record)
    if blank == 1 and all(cell.strip() for cell in record[1:]) and _numbers_rows(records[1:]):
        return True
    return True if blank is None else None


def empty_cell(record: Sequence[str]) -> int | None:
    """Return the number of the first empty cell of a record, counted from 1."""
    return next((at for at, cell in enumerate(record, 1) if not cell.strip()), None)


def place_of_header(records: Sequence[Sequence[str]]) -> int | None:
    """Return the place of the first record that is a header rather than data, or None.

    Each cell of such a record is a name that later records do not repeat, and at least one column
    contains only numbers or dates below the name. Without such a record, the first full record of
    names is the header if the first record fills less than half of the columns, like a title.
    """
    full = [at for at, record in enumerate(records) if all(map(_is_name, record))]
    certain = (at for at in full if _differs(records[at], records[at + 1 :]))
    title = bool(full) and 2 * sum(map(bool, records[0])) < len(records[0])
    return next(certain, full[0] if title else None)


def _differs(record: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether a record has other texts than the records below, above numbers or dates."""
    columns = [[row[at] for row in below if row[at].strip()] for at in range(len(record))]
    repeated = any(cell in cells for cell, cells in zip(record, columns, strict=True))
    return not repeated and any(cells and all(map(_is_number_or_date, cells)) for cells in columns)


def _names_years(records: Sequence[Sequence[str]]) -> bool:
    """Return whether the first record contains names and years, without years in the rows below."""
    places = [at for at, cell in enumerate(records[0]) if _YEAR.fullmatch(cell.strip())]
    years = [int(records[0][at]) for at in places]
    rest = [cell for at, cell in enumerate(records[0]) if at not in places]
    steps = {later - earlier for earlier, later in pairwise(years)}
    if len(steps) != 1 or not rest or not all(map(_is_name, rest)):
        return False
    below = [cell for record in records[1:] for at, cell in enumerate(record) if at in places]
    return bool(below) and not any(_YEAR.fullmatch(cell.strip()) for cell in below)


def _is_name(cell: str) -> bool:
    return bool(cell.strip()) and not _is_number_or_date(cell)


def _is_number_or_date(cell: str) -> bool:
    text = cell.strip()
    return (_NUMBER.fullmatch(text) or _DATE.fullmatch(text)) is not None


def _numbers_rows(records: Sequence[Sequence[str]]) -> bool:
    """Return whether the first cells are distinct whole numbers, like an index from pandas or R."""
    cells = [record[0].strip() for record in records]
    whole = all(cell.isdecimal() and cell.isascii() for cell in cells)
    return bool(cells) and whole and len({int(cell) for cell in cells}) == len(cells)
