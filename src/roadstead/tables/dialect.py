r"""Determine how a delimited text file is written: its delimiter, quotes, encoding, and header.

Roadstead applies simple rules to the first 256 KB of the file and reports the result. The user's
settings override the rules.

- *Delimiter*: the first of tab, semicolon, bar, and comma that splits all records into the same
  number of cells (at least two). If no delimiter does this, Roadstead uses the delimiter with which
  the most records have as many cells as the first record. The comma is last because it also occurs
  inside numbers. If the first record has none of these delimiters, the file has one column. A file
  with aligned fields is rejected (:mod:`roadstead.tables.alignment`).
- *Quote*: usually ``"``. The quote is ``'`` under three conditions: the text has no ``"``, a cell
  is between two ``'``, and with this quote all records have the same number of cells.
- *Header*: :mod:`roadstead.tables.first_record` decides whether the first record contains the
  column names. An unclear record is rejected.

:func:`roadstead.tables.structure.survey` verifies the result for the whole file.

With these rules, one record can change how all other records are read. In a differentially private
release, one record must not have this effect. So `dialect_of_header` uses only the line of column
names, which is public. By default, the file has such a line, and the quote is ``"``. A byte-order
mark determines the encoding; otherwise, it is UTF-8. The delimiter is the first of the four
delimiters that occurs in that line outside quotes. Without a header, the delimiter is the tab for
files whose names end in ``.tsv`` or ``.tab``, and the comma for all other files.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, Unpack

from roadstead.errors import SettingError, SourceError
from roadstead.front_end import option
from roadstead.tables import files
from roadstead.tables.alignment import MOST_LINES, require_delimiters
from roadstead.tables.extra_rows import (
    SuspectRows,
    further_headers,
    lines_above,
    require_header_first,
    rows_of,
)
from roadstead.tables.first_record import empty_cell, is_header
from roadstead.tables.formats.recognition import HEAD, refuse_foreign

_SAMPLE, _LONGEST_HEADER = 1 << 18, 1 << 17
_DELIMITERS = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma"}
_DOUBTFUL = 0.5
"""If a smaller share of the records agrees with the first record, that record may be a title."""
_BREAK = re.compile(r"\r\n|\n|\r")
_FOR_EXCEL = re.compile(r"[\"']?sep=.[\"']?(?:\r\n|\n|\r)", re.IGNORECASE)


@dataclass(frozen=True)
class Dialect:
    """The format of a delimited text file.

    `quote` is the character around cells that contain the delimiter. `encoding` is Python's name of
    the encoding; ``utf-8-sig`` is UTF-8 after a byte-order mark. `header` is true if the first
    record contains the column names. `newline` is the first line break. `decimal_commas` contains
    the columns whose numbers have a decimal comma.
    """

    delimiter: str = ","
    quote: str = '"'
    encoding: str = "utf-8"
    header: bool = True
    compressed: bool = False
    newline: str = "\n"
    decimal_commas: tuple[str, ...] = ()

    def describe(self) -> str:
        """Return the dialect in words, such as ``semicolon-separated, UTF-8, header``."""
        name = _DELIMITERS.get(self.delimiter, repr(self.delimiter))
        parts = [
            f"{name}-separated",
            files.shown_encoding(self.encoding),
            "header" if self.header else "no header",
        ]
        if self.quote != '"':
            parts.append(f"quoted with {self.quote}")
        if self.compressed:
            parts.append("gzipped")
        if self.decimal_commas:
            parts.append("decimal commas")
        return ", ".join(parts)


class AsWritten(TypedDict, total=False):
    r"""The user's settings for the format of a text file. ``"\\t"`` may represent the tab."""

    delimiter: str | None
    quote: str | None
    encoding: str | None
    header: bool | None


@dataclass(frozen=True)
class Sniffed:
    """A dialect, and the first record if it was read."""

    dialect: Dialect
    first_record: tuple[str, ...]
    further_headers: SuspectRows | None = None


@dataclass(frozen=True)
class _Sample:
    """The beginning of a file, or the whole file."""

    text: str
    whole: bool
    encoding: str
    compressed: bool

    @property
    def lines(self) -> list[str]:
        """Return the lines that are not blank, excluding the last line of a partial sample."""
        lines = self.text.splitlines()
        return [line for line in (lines if self.whole else lines[:-1]) if line.strip()]

    def read(self, delimiter: str, quote: str) -> _Reading:
        usual = csv.field_size_limit(len(self.text) + 1)
        lines = io.StringIO(self.text, newline="")
        rows: list[tuple[str, ...]] = []
        valid = True
        try:
            reader = csv.reader(lines, delimiter=delimiter, quotechar=quote, strict=True)
            rows.extend(tuple(row) for row in reader if row)
            if not self.whole:
                rows.pop()  # the last record may be incomplete
        except csv.Error:
            # A sample may end inside a quoted cell, but a whole file may not.
            valid = not self.whole and not lines.read(1)
        finally:
            csv.field_size_limit(usual)
        return _Reading(delimiter, quote, tuple(rows), valid)


@dataclass(frozen=True)
class _Reading:
    """The records of a sample, split with one delimiter and one quote character."""

    delimiter: str
    quote: str
    records: tuple[tuple[str, ...], ...]
    valid: bool

    @property
    def width(self) -> int:
        return len(self.records[0]) if self.records else 0

    @property
    def agreement(self) -> float:
        """Return the share of records with as many cells as the first record."""
        agreeing = self.valid * sum(len(record) == self.width for record in self.records)
        return agreeing / max(len(self.records), 1)


def sniff(path: Path, **known: Unpack[AsWritten]) -> Sniffed:
    """Determine the dialect of a delimited text file, plain or gzipped."""
    sample = _beginning(path, _SAMPLE, known.get("encoding"))
    if not sample.text.strip():
        raise SourceError("the file is empty", where=path.name, fix="use a file with records")
    reading = _best(path, sample, known.get("delimiter"), known.get("quote"))
    if not reading.records:
        fix = "check that all quotes are closed, and that the file is a table"
        raise SourceError("the first record does not end within 256 KB", where=path.name, fix=fix)
    header = known.get("header")
    given = known.get("delimiter")
    quote = reading.quote
    if reading.width == 1 or reading.agreement < _DOUBTFUL:
        marks = [_checked_delimiter(given)] if given else [*_DELIMITERS]
        require_header_first(path, sample.text, marks, quote)
    if header is None and given is None:
        require_delimiters(path, sample.lines, reading.delimiter if reading.width > 1 else None)
    dialect = Dialect(
        delimiter=reading.delimiter,
        quote=reading.quote,
        encoding=sample.encoding,
        header=_is_header(path, reading.records, sample.text, reading.delimiter, quote)
        if header is None
        else header,
        compressed=sample.compressed,
        newline=_newline(sample.text, reading.quote),
    )
    rows = rows_of(sample.text, dialect.delimiter, quote) if dialect.header else []
    return Sniffed(dialect, reading.records[0], further_headers(rows))


def dialect_of_header(path: Path, **known: Unpack[AsWritten]) -> Sniffed:
    """Determine the dialect of a delimited text file without reading its records."""
    sample = _beginning(path, _LONGEST_HEADER, known.get("encoding"))
    line, newline = _first_line(path, sample)
    quote = known.get("quote")
    quote = '"' if quote is None else _checked_quote(quote)
    header = known.get("header") is not False
    delimiter = known.get("delimiter")
    if delimiter is not None:
        delimiter = _checked_delimiter(delimiter)
    else:
        bare = _outside_quotes(line, quote) if header else ""
        delimiter = next((mark for mark in _DELIMITERS if mark in bare), _usual_delimiter(path))
    dialect = Dialect(delimiter, quote, sample.encoding, header, sample.compressed, newline)
    return Sniffed(dialect, _names(path, line, delimiter, quote) if header else ())


def first_lines(path: Path, encoding: str | None) -> list[str]:
    """Return the lines that show the places of fields, without blank lines."""
    return _beginning(path, _SAMPLE, encoding).lines[:MOST_LINES]


def _beginning(path: Path, size: int, encoding: str | None) -> _Sample:
    head = files.first_bytes(files.existing_file(path), HEAD)
    refuse_foreign(path, head)
    compressed = head.startswith(files.GZIP_MAGIC)
    with files.content(path, compressed=compressed) as stream:
        raw = stream.read(size)
        whole = not stream.read(1)
    chosen = files.encoding_of(raw, encoding, where=path.name)
    # The survey of the whole file reports bytes that cannot be decoded, with their line.
    text = codecs.getincrementaldecoder(chosen)(errors="replace").decode(raw, final=whole)
    if hint := _FOR_EXCEL.match(text):
        raise SourceError(
            f"the line {hint[0].strip()} is a hint for Excel, and would be read as a record",
            where=f"{path.name}, line 1",
            fix="remove the line",
        )
    return _Sample(text, whole, chosen, compressed)


def _first_line(path: Path, sample: _Sample) -> tuple[str, str]:
    """Return the first line that is not blank, and its line break. Do not read later lines."""
    text = sample.text.lstrip("\r\n")
    if sample.whole and not text:
        raise SourceError("the file is empty", where=path.name, fix="use a file with a header")
    end = _BREAK.search(text)
    if end is None and not sample.whole:
        fix = "check that the file is a table with a line of column names"
        raise SourceError("the first line does not end within 128 KB", where=path.name, fix=fix)
    return (text, "\n") if end is None else (text[: end.start()], end[0])


def _names(path: Path, line: str, delimiter: str, quote: str) -> tuple[str, ...]:
    """Split the first line. Reject a name that continues on the next line (possibly data)."""
    try:
        (names,) = csv.reader(io.StringIO(line), delimiter=delimiter, quotechar=quote, strict=True)
    except csv.Error as error:
        raise SourceError(
            f"the column names cannot be separated: a quote ({quote}) is not closed on the line, "
            "or text follows it",
            where=f"{path.name}, header",
            fix="write all names on one line, and write each quote inside a name twice",
        ) from error
    return tuple(names)


def _best(path: Path, sample: _Sample, delimiter: str | None, quote: str | None) -> _Reading:
    """Return the first reading in which all records agree, or the reading with most agreement."""
    usual = _usual_delimiter(path)
    candidates = ["\t"] if usual == "\t" and "\t" in sample.text else list(_DELIMITERS)
    if delimiter is not None:
        candidates = [_checked_delimiter(delimiter)]
    readings = []
    for mark in candidates:
        one = (
            _with_quote(sample, mark) if quote is None else sample.read(mark, _checked_quote(quote))
        )
        if one.width > 1 and one.agreement == 1:
            return one
        readings.append(one)
    split = [reading for reading in readings if reading.width > 1]
    if split:
        return max(split, key=lambda reading: reading.agreement)
    return readings[0] if len(readings) == 1 else sample.read(usual, quote or '"')


def _usual_delimiter(path: Path) -> str:
    return "\t" if path.name.lower().removesuffix(".gz").endswith((".tsv", ".tab")) else ","


def _checked_delimiter(delimiter: str) -> str:
    r"""Return the delimiter that the user specified. ``"\\t"`` and ``"tab"`` mean the tab."""
    mark = "\t" if delimiter in ("\\t", "tab") else delimiter
    if len(mark) != 1 or not mark.isascii() or mark in "\"'\r\n\0":
        fix = 'give one ASCII character, such as "," or ";", or \\t for the tab'
        raise SettingError(f"{delimiter!r} cannot separate cells", where="delimiter", fix=fix)
    return mark


def _checked_quote(quote: str) -> str:
    if quote not in ('"', "'"):
        raise SettingError(
            f"{quote!r} cannot quote cells", where="quote", fix="give one of the two quotes: \" '"
        )
    return quote


def _with_quote(sample: _Sample, delimiter: str) -> _Reading:
    """Read the sample with ``'`` as the quote if the sample uses it, or with ``"`` otherwise."""
    if '"' not in sample.text:
        edge = re.escape(delimiter)
        if re.search(rf"(?:^|{edge})'[^'\r\n]*'(?:{edge}|\r|$)", sample.text, re.MULTILINE):
            single = sample.read(delimiter, "'")
            if single.agreement == 1:
                return single
    return sample.read(delimiter, '"')


def _newline(text: str, quote: str) -> str:
    """Return the line break after the first record. A line break in quotes belongs to a cell."""
    found = _BREAK.search(_outside_quotes(text, quote)) or _BREAK.search(text)
    return found[0] if found else "\n"


def _outside_quotes(text: str, quote: str) -> str:
    mark = re.escape(quote)
    return re.sub(f"{mark}[^{mark}]*{mark}", "", text)


def _is_header(
    path: Path, records: tuple[tuple[str, ...], ...], text: str, delimiter: str, quote: str
) -> bool:
    found = is_header(records)
    if found is None:
        raise SourceError(
            f"cell {empty_cell(records[0])} of the first record is empty, so it is unclear whether "
            "that record is a header",
            where=path.name,
            fix=f"leave out the lines above the header with "
            f"{option('skip_rows', lines_above(rows_of(text, delimiter, quote)))} if there are "
            f"any; otherwise, write a name for the column in the file, or give "
            f"{option('header', True)} or {option('header', False)}",
        )
    return found
