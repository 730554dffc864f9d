"""Find the rows of a text file or a sheet that are not records, such as titles, totals, and notes.

A file that begins with a title is rejected, because its columns would get the wrong names. If other
rows are not records, Roadstead only reports them. The user decides which rows to skip.

- *Titles* are above the header. The header is the first row that has as many cells as most rows.
- *Further headers* are below the header: questions, units, or the import IDs of Qualtrics. In
  columns of numbers or dates, a further header has strings that do not occur in later rows.
- *Totals and notes* are at the end, and begin with a word such as "Total" or "Source:", or with
  "N = 300".
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from roadstead.errors import SourceError
from roadstead.front_end import option
from roadstead.tables.text import BLANKS

MOST_HEADERS = 3
"""The maximum number of rows below the header that are compared with headers."""
FURTHER_HEADERS = "further headers"
_MOST_TITLES = 30
MOST_NOTES = 10
"""The maximum number of last rows that are compared with totals and notes."""
_MOST_LINES = 50
"""The maximum number of lines of one note."""
_FEWEST = 10
"""The minimum number of rows needed to compare the first rows with most rows."""
_MOSTLY = 0.8
_NUMBER_OR_DATE = re.compile(r"[+-]?[\d.,]+([eE][+-]?\d+)?%?|\d+[-/.]\d+[-/.]\d+([ T].*)?")
_IMPORT_ID = re.compile(r"\{'?\"?ImportId.*\}", re.DOTALL)
_LETTER = re.compile(r"[^\W\d_]")
_NOTE = re.compile(
    r"((grand |sub-?)?total( g[eé]n[eé]ral| geral)?|sum|summe|gesamt|insgesamt|totaal|totale?s?"
    r"|totais|totaux|somme|soma|suma|somma)\s*:?"
    r"|\(?n ?= ?\d[\d., ]*\)?"
    r"|(sources?|quellen?|fuentes?|bron|fonte|notes?|anmerkung(en)?|generated|exported)\b[^:]{0,20}:.*",
    re.IGNORECASE | re.DOTALL,
)


class TextRow(NamedTuple):
    """A row of a text file, and the number of its first line, counted from 1."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True)
class SuspectRows:
    """A group of lines that do not look like records."""

    first: int
    last: int
    like: str

    @property
    def lines(self) -> str:
        """Return the line numbers in the notation of the option that skips rows."""
        return f"{self.first}-{self.last}" if self.last > self.first else f"{self.first}"


def rows_of(text: str, delimiter: str, quote: str) -> list[TextRow]:
    """Split a string into rows. If the text is malformed, stop at the first error."""
    return [*_rows(text, delimiter, quote)]


def _rows(text: str, delimiter: str, quote: str) -> Iterator[TextRow]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote)
    line = 0
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield TextRow(line + 1, tuple(cells))
            line = reader.line_num
    except csv.Error:
        return


def require_header_first(path: Path, text: str, delimiters: Sequence[str], quote: str) -> None:
    """Raise SourceError if the number of cells per line shows that titles are above the header.

    There is no error if another delimiter splits all rows into the same number of cells. For
    example, a semicolon may be the delimiter of a file with decimal commas.
    """
    found = None
    for delimiter in delimiters:
        rows = rows_of(text, delimiter, quote)
        if len(rows) < _FEWEST:
            continue
        ((width, many),) = Counter(len(row.cells) for row in rows).most_common(1)
        first = next(at for at, row in enumerate(rows) if len(row.cells) == width)
        if width > 1 and many >= _MOSTLY * len(rows) and first <= _MOST_TITLES:
            if first == 0:
                return
            found = found or titles_above(path, rows[first].line - 1)
    if found is not None:
        raise found


def lines_above(rows: Sequence[TextRow]) -> str | None:
    """Return the lines above the first row that fills the most cells, which may be the header."""
    filled = [sum(bool(cell.strip()) for cell in row.cells) for row in rows[: _MOST_TITLES + 1]]
    last = rows[filled.index(max(filled))].line - 1
    return None if last == 0 else f"1-{last}" if last > 1 else "1"


def titles_above(path: Path, last: int) -> SourceError:
    """Return the error for a file that has titles in the lines up to `last`."""
    lines = f"1-{last}" if last > 1 else "1"
    return SourceError(
        f"the header seems to be on line {last + 1}, and not at the top",
        where=path.name,
        fix=f"leave out the lines above the header with {option('skip_rows', lines)}",
    )


def last_rows(lines: Sequence[str], last: int, delimiter: str, quote: str) -> list[TextRow]:
    """Split the last lines of a file into its last rows. `last` is the number of the last line."""
    found: list[TextRow] = []
    own: list[str] = []
    for line, text in zip(range(last, 0, -1), reversed(lines), strict=False):
        own.insert(0, text)
        if len(own) > _MOST_LINES or len(found) == MOST_NOTES:
            break
        if sum(part.count(quote) for part in own) % 2 == 0:  # otherwise, the row begins above
            rows = rows_of("\n".join(own), delimiter, quote)
            found += [TextRow(line, row.cells) for row in rows]
            own = []
    return found[::-1]


def further_headers(rows: Sequence[TextRow]) -> SuspectRows | None:
    """Return the rows below the header that look like headers. `rows` begins with the header."""
    below, body = rows[1 : 1 + MOST_HEADERS], rows[1 + MOST_HEADERS :]
    if len(body) < _FEWEST:
        return None
    many = 0
    for at, row in enumerate(below, 1):
        if all(_IMPORT_ID.fullmatch(cell) for cell in row.cells if cell.strip()):
            many = at
    while many < len(below) and _is_header(below[many], body):
        many += 1
    if not many:
        return None
    return SuspectRows(below[0].line, _end(rows, many), FURTHER_HEADERS)


def _end(rows: Sequence[TextRow], at: int) -> int:
    """Return the last line of a row, which is the line before the next row."""
    return rows[at + 1].line - 1


def _is_header(row: TextRow, body: Sequence[TextRow]) -> bool:
    """Return whether a row has text in number columns, and cells that later rows do not have."""
    width = min(len(later.cells) for later in body)
    known = [(at, cell) for at, cell in enumerate(row.cells[:width]) if not _is_blank(cell)]
    if any(cell == later.cells[at] for at, cell in known for later in body):
        return False
    cells = [cell.strip() for at, cell in known if _are_numbers(body, at)]
    return any(map(_LETTER.search, cells)) and not any(map(_NUMBER_OR_DATE.fullmatch, cells))


def _are_numbers(rows: Sequence[TextRow], at: int) -> bool:
    values = {row.cells[at] for row in rows}
    present = [row.cells[at].strip() for row in rows if not _is_blank(row.cells[at])]
    fitting = sum(_NUMBER_OR_DATE.fullmatch(cell) is not None for cell in present)
    return len(present) >= _FEWEST and len(values) > 1 and fitting >= _MOSTLY * len(present)


def _is_blank(cell: str) -> bool:
    return cell.strip().lower() in BLANKS


def totals_and_notes(last: Iterable[TextRow], rows: int) -> SuspectRows | None:
    """Return the totals and notes among the last rows of a table with `rows` rows and a header."""
    last = [*last][-min(MOST_NOTES, rows - 1) :]
    first = next((row for row in last if _NOTE.fullmatch(_first_cell(row))), None)
    if first is None or rows < _FEWEST:
        return None
    end = last[-1].line + sum(cell.count("\n") for cell in last[-1].cells)
    return SuspectRows(first.line, end, "totals or notes")


def row_of_line(number: int, line: str, cells: Sequence[str | None]) -> TextRow:
    """Convert a line with fields of fixed width to a row. Its cell is a total or a note, if any.

    The fields may cut such a text, and a number can follow the text directly.
    """
    text = line.strip()
    first = next((cell for cell in cells if cell), "")
    texts = (text, text.rstrip("0123456789.,% "), first)
    return TextRow(number, tuple(one for one in texts if _NOTE.fullmatch(one))[:1])


def _first_cell(row: TextRow) -> str:
    return next((cell.strip() for cell in row.cells if cell.strip()), "")
