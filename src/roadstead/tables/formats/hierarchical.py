"""Read a delimited text file with records of several types, such as households and people.

The user selects the type whose records become rows: ``cps.csv?records=P``. The column ``RECTYPE``
contains the type of each record. A cell is empty if records of this type do not have the column, so
the file itself shows the columns of each type. The type of the first record is the upper type.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.errors import SourceError
from roadstead.tables import files, names
from roadstead.tables.dialect import Dialect, sniff
from roadstead.tables.formats.codebook import Codebook
from roadstead.tables.formats.format import Batches, FileFormat, Options
from roadstead.tables.formats.record_types import (
    HOUSEHOLD,
    RECORDS,
    RECTYPE,
    JoinedRecords,
    RecordTypes,
)

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH = 1 << 16


class Hierarchical(FileFormat):
    """A delimited text file with records of several types. The release is a CSV file."""

    def read(self, path: Path, options: Options) -> Batches:
        """Read a file. Raises SourceError if the records cannot be joined."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        from roadstead.tables import structure  # noqa: PLC0415 - compilers are heavy

        found = sniff(path, encoding=options.get("encoding"), header=True)
        structure.survey(path, found.dialect)  # reports damaged lines
        columns = names.checked(names.filled(found.first_record), path.name)
        at = next((i for i, one in enumerate(columns) if one.casefold() == RECTYPE), None)
        if at is None:
            what = "there is no column RECTYPE with the type of each record"
            raise SourceError(what, where=path.name, fix=f"leave out {RECORDS}=")
        join = _join(path, found.dialect, columns, at, options.get(RECORDS))
        schema = pa.schema([(columns[one], pa.string()) for one in join.kept])
        details: list[str] = []

        def rows() -> Iterator[pa.RecordBatch]:
            joined = join.rows(_records(path, found.dialect))
            while batch := [*islice(joined, _BATCH)]:
                arrays = [pa.array(cells, pa.string()) for cells in zip(*batch, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)
            details.extend(join.said())

        return Batches(schema, rows(), Codebook(), details=details)


def _join(
    path: Path, dialect: Dialect, columns: tuple[str, ...], at: int, requested: str | None
) -> JoinedRecords:
    """Find the columns of each type of records, and return the join."""
    of: dict[str, set[int]] = {}
    for _, cells in _records(path, dialect):
        own = of.setdefault(cells[at] or "", set())
        own.update(i for i, cell in enumerate(cells) if cell is not None)
    top = next(iter(of), None)
    if HOUSEHOLD in of and top != HOUSEHOLD:
        raise SourceError(
            "the first record is not a household record, so it is not clear which household each "
            "person belongs to",
            where=path.name,
            fix="use a file in which each household record comes before the records of its members",
        )
    own_type = RecordTypes(columns[at], (*of,), top).chosen(requested, path)
    return JoinedRecords(path, own_type, None if own_type == top else top, columns, at, of)


def _records(path: Path, dialect: Dialect) -> Iterator[tuple[int, list[str | None]]]:
    """Yield the last line and the cells of each record below the header."""
    with files.content(path, compressed=dialect.compressed) as raw:
        text = io.TextIOWrapper(raw, dialect.encoding, newline="")
        reader = csv.reader(text, delimiter=dialect.delimiter, quotechar=dialect.quote)
        present = (cells for cells in reader if any(cells))
        next(present, None)  # the header
        try:
            for cells in present:
                yield reader.line_num, [cell.strip() or None for cell in cells]
        except csv.Error:
            what = f"a cell has more than {csv.field_size_limit():,} characters"
            where = f"{path.name}, line {reader.line_num}"
            raise SourceError(what, where=where, fix="remove or shorten long cells") from None


HIERARCHICAL = Hierarchical(
    "records of several types", (".csv",), (RECORDS, "encoding"), written_as="csv"
)
