"""Read a file of another program into a private engine, with labels in place of codes.

The rows are written to a private Parquet file in blocks, so a file may be larger than memory. The
kind of a column is known only after the last row, so columns of codes are stored both as codes and
as labels:

- If each value has a label, the table contains the labels (``female``), and missing codes with a
  label are separate values (``refused``).
- Otherwise, the table contains the numbers, and codes that the file declares as missing are missing
  values. Numbers without fractions become whole numbers: ``3`` rather than ``3.0``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.near_names import did_you_mean
from roadstead.tables import engine, names
from roadstead.tables.failures import engine_errors
from roadstead.tables.formats.codebook import (
    LETTERS,
    Code,
    Codebook,
    ColumnNotes,
    code_text,
    range_text,
)
from roadstead.tables.formats.format import Batches, FileFormat, Options
from roadstead.tables.formats.registry import format_named
from roadstead.tables.source import ProgramFile, Source

if TYPE_CHECKING:
    import pyarrow as pa

    from roadstead.tables.readers import Manner

_EXACT = 2.0**53


@dataclass
class _Face:
    """The kind of a column of numbers, judged by the rows read so far."""

    whole: bool = True
    labeled: bool = True
    values: int = 0
    missing: set[Code] = field(default_factory=set)  # declared missing codes that occur


def read_program_file(path: Path, kind: str, options: Options, manner: Manner, name: str) -> Source:
    """Read a file of a named format. Raises SourceError, SettingError, or MissingExtraError."""
    form = format_named(kind)
    batches = form.read(path, _known(form, options, manner, name))
    columns = names.checked(batches.schema.names, name)
    started = engine.start(manner.memory_limit)
    staged = started.scratch / "staged.parquet"
    faces = {column: _Face() for column in columns}
    if _staged(batches, staged, faces) == 0:
        started.close()
        manner.without_records(name)
    with engine_errors(name):
        raw = started.parquet([staged])
    codebook = _as_read(batches.codebook, columns, faces)
    shown = {}
    for at, column in enumerate(columns):
        if codebook.of(column).labeled:
            shown[column] = raw[f"l{at}"]
        elif faces[column].whole and str(batches.schema.types[at]) == "double":
            shown[column] = raw[f"c{at}"].cast("int64")
        else:
            shown[column] = raw[f"c{at}"]
    form_read = ProgramFile(kind, form.label, codebook)
    return Source(raw.select(**shown), columns, name, form_read, path, started)


def _known(form: FileFormat, options: Options, manner: Manner, name: str) -> dict[str, str]:
    """Return the options of a format, including those that the user gave as text file settings."""
    options = {key: text for key, text in options.items() if key != "format"}
    for key in options:
        if key not in form.options or key == "skip_rows":
            takes = ", ".join(form.options) or "no options"
            what = f"{form.label} files have no option {quoted(key)}"
            fix = did_you_mean(key, form.options, f"{form.label} files take {takes}", show=repr)
            raise SettingError(what, where=name, fix=fix)
    given = {"encoding": manner.written.get("encoding")}
    if (header := manner.written.get("header")) is not None:
        given["header"] = "yes" if header else "no"
    given["skip_rows"] = manner.skip_rows
    if manner.skip_rows is not None and "skip_rows" not in form.options:
        what = f"{form.label} files do not have rows to leave out"
        raise SettingError(what, where=name, fix=f"leave out {option('skip_rows')}")
    known = {key: text for key, text in given.items() if text is not None and key in form.options}
    return {**known, **options}


def _as_read(codebook: Codebook, columns: tuple[str, ...], faces: Mapping[str, _Face]) -> Codebook:
    notes = {}
    for column in columns:
        own = codebook.of(column)
        labeled = bool(own.labels) and faces[column].labeled and faces[column].values > 0
        lost = _codes_lost(own, faces[column].missing, labeled=labeled)
        notes[column] = replace(own, labeled=labeled, codes_lost=lost)
    return replace(codebook, columns=notes)


def _codes_lost(notes: ColumnNotes, found: set[Code], *, labeled: bool) -> tuple[str, ...]:
    """Return the missing codes that become plain missing values, as ranges of the file.

    The codes themselves may be values, such as 97 if a file declares 90 to 99.
    """
    lost = found - notes.labels.keys() if labeled else found
    ranges = {notes.missing_range(code) for code in lost}
    letters = [code_text(code) for code in lost if notes.missing_range(code) == LETTERS]
    return (
        *(range_text(ends) for ends in notes.missing if ends in ranges and ends != LETTERS),
        *sorted(letters),
    )


def _staged(batches: Batches, path: Path, faces: Mapping[str, _Face]) -> int:
    """Write the rows to a Parquet file with labels next to codes, and return the number of rows."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    from pyarrow import parquet  # noqa: PLC0415 - heavy

    fields = [(f"c{at}", kind) for at, kind in enumerate(batches.schema.types)]
    coded = [at for at, column in enumerate(faces) if batches.codebook.of(column).labels]
    schema = pa.schema([*fields, *((f"l{at}", pa.string()) for at in coded)])
    rows = 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in batches.rows:
            arrays = _with_labels(batch, batches.codebook, faces, coded)
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
            rows += batch.num_rows
    return rows


def _with_labels(
    batch: pa.RecordBatch, codebook: Codebook, faces: Mapping[str, _Face], coded: list[int]
) -> list[pa.Array]:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    labels: list[pa.Array] = []
    arrays: list[pa.Array] = []
    for at, (column, face) in enumerate(faces.items()):
        array, notes = batch.column(at), codebook.of(column)
        if at in coded:
            labels.append(_labels(array, notes, face))
        if notes.missing:
            array = _without_missing(array, notes, face)
        arrays.append(array)
        if not pa.types.is_floating(array.type):
            continue
        numbers = array.to_numpy(zero_copy_only=False)
        present = numbers[~np.isnan(numbers)]
        whole = np.isfinite(present) & (np.abs(present) < _EXACT)
        face.whole &= bool(np.all(whole) and np.all(present == np.floor(present)))
    return [*arrays, *labels]


def _labels(array: pa.Array, notes: ColumnNotes, face: _Face) -> pa.Array:
    """Return the label of each code, or null if the code or the label is missing."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    encoded = array.dictionary_encode()
    codes = encoded.dictionary.to_pylist()
    texts = notes.texts
    found = [texts.get(code) for code in codes]
    face.values += len(array) - array.null_count
    face.labeled &= all(
        text is not None or notes.is_missing(code) for text, code in zip(found, codes, strict=True)
    )
    return pa.array(found, pa.string()).take(encoded.indices)


def _without_missing(array: pa.Array, notes: ColumnNotes, face: _Face) -> pa.Array:
    """Replace the codes that the file declares as missing with missing values."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    encoded = array.dictionary_encode()
    missing = {code for code in encoded.dictionary.to_pylist() if notes.is_missing(code)}
    face.missing |= missing
    codes = [None if code in missing else code for code in encoded.dictionary.to_pylist()]
    return pa.array(codes, array.type).take(encoded.indices)
