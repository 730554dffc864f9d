"""Read and write JSON lines, in which each line is an object with the values of one record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.errors import SourceError, quoted
from roadstead.tables.formats.codebook import Codebook
from roadstead.tables.formats.excel.cells import column_of
from roadstead.tables.formats.format import Batches, FileFormat, Options

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

_BATCH = 1 << 16


class JsonLines(FileFormat):
    """A file with one JSON object per line."""

    def read(self, path: Path, _: Options) -> Batches:
        """Read a file. If an object lacks a column, the value is missing."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        columns: dict[str, list[Any]] = {}
        rows = 0
        for number, record in _records(path):
            for name, value in record.items():
                if isinstance(value, dict | list):
                    raise SourceError(
                        f"the value of {quoted(name)} is an object or a list, not a single value",
                        where=f"{path.name}, line {number}",
                        fix="write one column for each of its parts",
                    )
                cells = columns.setdefault(name, [])
                cells.extend([None] * (rows - len(cells)))
                cells.append(value)
            rows += 1
        for cells in columns.values():
            cells.extend([None] * (rows - len(cells)))
        table = pa.table([column_of(cells) for cells in columns.values()], names=[*columns])
        return Batches(table.schema, iter(table.to_batches(_BATCH)), Codebook())

    def write(self, rows: pa.RecordBatchReader, path: Path, _: Codebook) -> None:
        """Write each record as an object with all columns. Missing values are null."""
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for batch in rows:
                for record in batch.to_pylist():
                    file.write(json.dumps(record, ensure_ascii=False, default=str) + "\n")


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    fix = "write one JSON object per line, in UTF-8"
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    record = json.loads(line, object_pairs_hook=_said_once)
                except (ValueError, RecursionError):
                    record = None
                if not isinstance(record, dict):
                    where = f"{path.name}, line {number}"
                    raise SourceError("this is not one JSON object", where=where, fix=fix)
                yield number, record
    except UnicodeDecodeError as error:
        raise SourceError("the file is not in UTF-8", where=path.name, fix=fix) from error


def _said_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice")
    return found


JSON_LINES = JsonLines("JSON lines", (".jsonl", ".ndjson"), written_as="json-lines")
