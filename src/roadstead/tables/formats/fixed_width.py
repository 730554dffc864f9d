"""Read text files with fields of fixed width. The user describes the layout.

The layout is part of the path: ``visits.txt?widths=10,3,1&names=id,age,sex``, or
``visits.txt?layout=FILE``. The layout file is in the folder of the table. It is a CSV file with the
columns ``name``, ``start``, and ``width``, or a DDI codebook. The number of the first character in
a line is 1. Blanks around a field are ignored, and a blank field is a missing value. All fields are
text.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.errors import SettingError, SourceError, quoted
from roadstead.front_end import option
from roadstead.tables import files, names
from roadstead.tables.alignment import field_widths
from roadstead.tables.codebooks.ddi import Ddi
from roadstead.tables.codebooks.document import document_at
from roadstead.tables.dialect import first_lines
from roadstead.tables.extra_rows import (
    MOST_NOTES,
    SuspectRows,
    TextRow,
    row_of_line,
    totals_and_notes,
)
from roadstead.tables.formats.codebook import Codebook
from roadstead.tables.formats.format import Batches, FileFormat, Options
from roadstead.tables.formats.layouts import FieldLayout, LayoutField, layout_of_ddi
from roadstead.tables.formats.options import next_to
from roadstead.tables.formats.record_types import RECORDS, JoinedRecords
from roadstead.tables.skipped_rows import row_numbers

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH = 1 << 16
_EXAMPLE = "widths=10,3,1&names=id,age,sex"
_COLUMNS = ("name", "start", "width")
_NUMBER = re.compile(r"0*[1-9][0-9]{0,6}", re.ASCII)


class FixedWidth(FileFormat):
    """A text file with fields of fixed width. The release of such a file is a CSV file."""

    def read(self, path: Path, options: Options) -> Batches:
        """Read a file. Raises SettingError for an invalid layout, SourceError for a long line."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        skipped = row_numbers(options.get("skip_rows"))
        lines = (one for one in _lines(path, options.get("encoding")) if one[0] not in skipped)
        first = next(lines, None) if options.get("header") == "yes" else None
        in_file = "layout" in options or "codebook" in options
        layout = _from_file(path, options) if in_file else _from_widths(options, first)
        seen = first_lines(path, options.get("encoding"))
        join = _join(path, layout, seen, options.get(RECORDS))
        fields = layout.fields if join is None else tuple(layout.fields[at] for at in join.kept)
        columns = names.checked((field.name for field in fields), path.name)
        schema = pa.schema([(name, pa.string()) for name in columns])
        # A layout may describe only a part of each line.
        longest = None if in_file and max(map(len, seen), default=0) > layout.end else layout.end
        seen = [] if in_file else seen
        suspects: list[SuspectRows] = []
        details = [*_joined(fields, seen)]

        def rows() -> Iterator[pa.RecordBatch]:
            many, last = 1, deque[TextRow](maxlen=MOST_NOTES)  # counts a header
            while batch := [*islice(lines, _BATCH)]:
                records = [_cells(path, *one, layout, longest) for one in batch]
                pairs = zip(batch[-MOST_NOTES:], records[-MOST_NOTES:], strict=True)
                last.extend(row_of_line(*numbered, cells) for numbered, cells in pairs)
                many += len(batch)
                if join is not None:
                    numbered = zip((number for number, _ in batch), records, strict=True)
                    records = [*join.rows(numbered)]
                arrays = [pa.array(cells, pa.string()) for cells in zip(*records, strict=True)]
                arrays = arrays or [pa.nulls(0, pa.string())] * len(columns)
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)
            found = totals_and_notes(last, many)
            suspects.extend([] if found is None else [found])
            details.extend([] if join is None else join.said())

        return Batches(schema, rows(), Codebook(), suspects, details)


def _join(
    path: Path, layout: FieldLayout, lines: Sequence[str], requested: str | None
) -> JoinedRecords | None:
    """Return the join of the records, or None if all records have the same type."""
    types, columns = layout.types, [field.name for field in layout.fields]
    if types is None:
        if requested is not None:
            what = "the layout describes only one type of records"
            raise SettingError(what, where=path.name, fix=f"leave out {RECORDS}=")
        return None
    own, at = types.chosen(requested, path), columns.index(types.column)
    top = types.top or next((layout.fields[at].of(line) for line in lines), None)
    of = {
        code: {i for i, field in enumerate(layout.fields) if not field.types or code in field.types}
        for code in types.codes
    }
    above = top if top in of and top != own else None
    return JoinedRecords(path, own, above, columns, at, of)


def _joined(fields: Sequence[LayoutField], lines: Sequence[str]) -> tuple[str, ...]:
    """Say that fields may be joined if the widths are the ones that the blanks suggest."""
    widths = [field.end - field.start for field in fields]
    if not lines or widths != field_widths(lines):
        return ()
    return (
        f"{len(fields)} fields between blanks (fields without a blank between them are joined)",
    )


def _cells(
    path: Path, number: int, line: str, layout: FieldLayout, longest: int | None
) -> list[str | None]:
    """Return the fields of a line, which may be shorter than the layout.

    A field is None if records of the type of this line do not have the field.
    """
    if longest is not None and len(line) > longest:
        if row_of_line(number, line, ()).cells:
            raise SourceError(
                "the line looks like a total or a note, not like a record",
                where=f"{path.name}, line {number}",
                fix=f"leave this line out with {option('skip_rows', str(number))}",
            )
        raise SourceError(
            f"the line has {len(line)} characters, but the widths add up to {longest}",
            where=f"{path.name}, line {number}",
            fix="correct the widths, or use layout=FILE to read only some characters",
        )
    if layout.type_field is None:
        return [field.of(line) for field in layout.fields]
    kind = layout.type_field.of(line)
    return [
        field.of(line) if not field.types or kind in field.types else None
        for field in layout.fields
    ]


def _lines(path: Path, encoding: str | None) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line that is not blank, without blanks at the end."""
    head = files.first_bytes(path, 4)
    compressed = head.startswith(files.GZIP_MAGIC)
    with files.content(path, compressed=compressed) as stream:
        chosen = files.encoding_of(stream.read(4), encoding, where=path.name)
        rest, number = b"", 0
        stream.seek(0)
        for block in files.utf8_blocks(stream, chosen, path):
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                number += 1
                if line.strip():
                    yield number, line.decode().rstrip()
    if rest.strip():
        yield number + 1, rest.decode().rstrip()


def _from_widths(options: Options, header: tuple[int, str] | None) -> FieldLayout:
    """Return the layout that the options give, with column names from the options or the header."""
    widths = [_whole(text, "widths") for text in options["widths"].split(",")]
    ends = [*accumulate(widths)]
    starts = [0, *ends[:-1]]
    if "names" in options:
        called = [name.strip() for name in options["names"].split(",")]
    elif header is not None:
        called = [header[1][start:end].strip() for start, end in zip(starts, ends, strict=True)]
    else:
        called = [*names.numbered(len(widths))]
    if len(called) != len(widths):
        raise SettingError(
            f"there are {len(widths)} widths and {len(called)} names",
            where="widths",
            fix=f"give one name for each width, as in {_EXAMPLE}",
        )
    return FieldLayout(tuple(map(LayoutField, called, starts, ends)))


def _from_file(path: Path, options: Options) -> FieldLayout:
    own = options.get("codebook")
    place = next_to(path, options["layout"], "layout") if own is None else Path(own)
    where = place.name
    if "widths" in options or "names" in options:
        fix = "give one of them"
        what = "the layout is given twice, as a file and as widths"
        raise SettingError(what, where=where, fix=fix)
    if Ddi().recognizes(document := document_at(place)):
        return layout_of_ddi(document)
    try:
        with place.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        what = "the layout cannot be read as a CSV file in UTF-8"
        raise SettingError(what, where=where, fix="save it again as CSV in UTF-8") from error
    if not rows or any(row.get(column) is None for row in rows for column in _COLUMNS):
        what = f"the layout does not have the columns {', '.join(_COLUMNS)}"
        fix = "write one line per field, for example: age,11,3"
        raise SettingError(what, where=where, fix=fix)
    fields = []
    for row in rows:
        start, width = (_whole(row[column], where) for column in _COLUMNS[1:])
        fields.append(LayoutField(row["name"].strip(), start - 1, start - 1 + width))
    return FieldLayout(tuple(fields))


def _whole(text: str, where: str) -> int:
    number = text.strip()
    if not _NUMBER.fullmatch(number):
        what = f"{quoted(text)} is not a number of characters"
        raise SettingError(what, where=where, fix=f"write whole numbers above 0, as in {_EXAMPLE}")
    return int(number)


FIXED_WIDTH = FixedWidth(
    "fixed width",
    (".csv",),
    ("widths", "names", "layout", RECORDS, "encoding", "header", "skip_rows", "codebook"),
    written_as="csv",
)
