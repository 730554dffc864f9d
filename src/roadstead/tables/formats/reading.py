"""Read a file from another program into a private engine, with labels in place of codes.

The rows are written to a private Parquet file in blocks, so a file may be larger than memory. The
kind of a column is known only after the last row, so columns of codes are stored both as codes and
as labels:

- If each value has a label, the table contains the labels (``female``), and missing codes with a
  label are separate values (``refused``).
- Otherwise, the table contains the numbers, and codes that the file declares as missing are missing
  values. If no number has a fraction, the numbers become whole numbers: ``3`` rather than ``3.0``.
  A release can keep the codes as separate values (:mod:`roadstead.tables.formats.declared_codes`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.near_names import did_you_mean
from roadstead.tables import engine, names
from roadstead.tables.arrow_tables import in_zone, zones_in_memory
from roadstead.tables.failures import engine_errors
from roadstead.tables.formats.codebook import Code, Codebook, ColumnNotes, code_text
from roadstead.tables.formats.declared_codes import DeclaredCodes, codes_lost
from roadstead.tables.formats.format import Batches, FileFormat, Options
from roadstead.tables.formats.registry import format_named
from roadstead.tables.source import ProgramFile, Source

if TYPE_CHECKING:
    import pyarrow as pa
    from ibis.expr import types as ir

    from roadstead.tables.readers import Manner

_EXACT = 2.0**53
_FROM_SETTINGS = ("skip_rows", "codebook")
"""Options that come from settings. An address must not name a codebook in any folder."""


@dataclass
class _Face:
    """The kind of a column of numbers, according to the rows that have been read so far."""

    whole: bool = True
    labeled: bool = True
    values: int = 0
    # The number of records with each declared missing code.
    missing: Counter[Code] = field(default_factory=Counter)


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
    details = (*batches.codebook.details, *batches.details)
    codebook = _as_read(replace(batches.codebook, details=details), columns, faces)
    shown = {}
    for at, column in enumerate(columns):
        if codebook.of(column).labeled:
            shown[column] = raw[f"l{at}"]
        elif faces[column].whole and str(batches.schema.types[at]) == "double":
            shown[column] = raw[f"c{at}"].cast("int64")
        else:
            shown[column] = raw[f"c{at}"]
    form_read = ProgramFile(kind, form.label, codebook)
    declared = _declared(raw, codebook, shown, faces)
    table = raw.select(**shown) if declared is None else declared.table
    return Source(
        *(table, columns, name, form_read, path, started),
        instants=in_zone(started, zones_in_memory(batches.schema)),
        declared=declared,
        suspect_rows=tuple(batches.suspect_rows),
    )


def _declared(
    raw: ir.Table, codebook: Codebook, shown: Mapping[str, ir.Column], faces: Mapping[str, _Face]
) -> DeclaredCodes | None:
    """Return the declared missing codes of numbers that the table shows as missing values."""
    codes = {}
    for at, (column, face) in enumerate(faces.items()):
        if codebook.of(column).codes_lost and f"k{at}" in raw.columns:
            numbers = {code: n for code, n in face.missing.items() if isinstance(code, float)}
            codes[column] = (raw[f"k{at}"], numbers)
    return DeclaredCodes(raw, raw.select(**shown), shown, codes) if codes else None


def _known(form: FileFormat, options: Options, manner: Manner, name: str) -> dict[str, str]:
    """Return the options of a format, including options that the user gave as text settings."""
    options = {key: text for key, text in options.items() if key != "format"}
    known = [one for one in form.options if one not in _FROM_SETTINGS]
    for key in options:
        if key not in known:
            what = f"{form.label} files have no option {quoted(key)}"
            takes = f"{form.label} files support {', '.join(known) or 'no options'}"
            fix = did_you_mean(key, known, takes, show=repr)
            raise SettingError(what, where=name, fix=fix)
    given = {"encoding": manner.written.get("encoding")}
    if (header := manner.written.get("header")) is not None:
        given["header"] = "yes" if header else "no"
    given["skip_rows"] = manner.skip_rows
    given["codebook"] = None if manner.layout is None else str(manner.layout)
    if manner.skip_rows is not None and "skip_rows" not in form.options:
        what = f"rows cannot be left out of {form.label} files"
        raise SettingError(what, where=name, fix=f"leave out {option('skip_rows')}")
    settings = {key: text for key, text in given.items() if text is not None}
    return {**{key: text for key, text in settings.items() if key in form.options}, **options}


def _as_read(codebook: Codebook, columns: tuple[str, ...], faces: Mapping[str, _Face]) -> Codebook:
    notes = {}
    for column in columns:
        own = codebook.of(column)
        labeled = bool(own.labels) and faces[column].labeled and faces[column].values > 0
        lost = codes_lost(own, faces[column].missing, labeled=labeled)
        notes[column] = replace(own, labeled=labeled, codes_lost=lost)
    return replace(codebook, columns=notes)


def _staged(batches: Batches, path: Path, faces: Mapping[str, _Face]) -> int:
    """Write the rows to a Parquet file with labels next to codes, and return the number of rows."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    from pyarrow import parquet  # noqa: PLC0415 - heavy

    types = batches.schema.types
    fields = [(f"c{at}", kind) for at, kind in enumerate(types)]
    notes = [batches.codebook.of(column) for column in faces]
    coded = [at for at, one in enumerate(notes) if one.labels]
    declared = [at for at, one in enumerate(notes) if one.missing and types[at] == pa.float64()]
    texts = [*(f"l{at}" for at in coded), *(f"k{at}" for at in declared)]
    schema = pa.schema([*fields, *((name, pa.string()) for name in texts)])
    rows = 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in batches.rows:
            arrays = _with_labels(batch, batches.codebook, faces, coded)
            arrays += [_missing_codes(batch.column(at), arrays[at], notes[at]) for at in declared]
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


def _missing_codes(array: pa.Array, without: pa.Array, notes: ColumnNotes) -> pa.Array:
    """Return the strings of the declared missing codes, and null for all other cells."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if without.null_count == array.null_count:
        return pa.nulls(len(array), pa.string())
    encoded = array.dictionary_encode()
    codes = encoded.dictionary.to_pylist()
    texts = [code_text(code) if notes.is_missing(code) else None for code in codes]
    return pa.array(texts, pa.string()).take(encoded.indices)


def _without_missing(array: pa.Array, notes: ColumnNotes, face: _Face) -> pa.Array:
    """Replace the codes that the file declares as missing with missing values."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    encoded = array.dictionary_encode()
    missing = {code for code in encoded.dictionary.to_pylist() if notes.is_missing(code)}
    if missing:
        counts = encoded.value_counts().to_pylist()
        face.missing += Counter(
            {one["values"]: one["counts"] for one in counts if one["values"] in missing}
        )
    codes = [None if code in missing else code for code in encoded.dictionary.to_pylist()]
    return pa.array(codes, array.type).take(encoded.indices)
