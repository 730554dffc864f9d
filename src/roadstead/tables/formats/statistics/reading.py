"""Read a file of a statistics package in blocks of rows.

Codes are read as numbers, and the codebook contains the labels. If all values of a column have
labels, a number that the file declares as missing remains a separate value, such as ``refused``. In
a column of measurements, such a number becomes a missing value. Empty strings are missing values.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.errors import SourceError
from roadstead.front_end import option
from roadstead.tables.formats.codebook import LETTERS, Code, Codebook, ColumnNotes, letter_code
from roadstead.tables.formats.format import Batches, FileFormat
from roadstead.tables.formats.statistics.clocks import PERIODS

if TYPE_CHECKING:
    import pyarrow as pa

    from roadstead.tables.formats.statistics.clocks import Clock

_SUPPRESSED = ("*", "*")
"""The missing string of a release, which is the value of a suppressed cell."""
_CELLS = 1 << 25
"""The number of cells per block: 256 MB of numbers."""
_FEWEST_ROWS = 1 << 12


@dataclass(frozen=True)
class PackageFormat(FileFormat):
    """A kind of file of a statistics package."""

    extra: str | None = "stats"
    modules: tuple[str, ...] = ("pyreadstat", "pandas")
    library: str | None = "pyreadstat"


@dataclass(frozen=True)
class PackageFile:
    """A file of a statistics package, with the package's clock and the function that reads it.

    `settings` contains further arguments of the function. `letters` indicates whether a letter can
    represent a missing value, such as ``.a`` in Stata. `catalog` is a file with labels. Roadstead
    reads the rows without the catalog, because the library would otherwise replace the codes.
    """

    path: Path
    reader: Callable[..., Any]
    clock: Clock
    settings: Mapping[str, Any]
    letters: bool = False
    catalog: Path | None = None


def reader_with_codes(kind: str) -> Callable[..., Any]:
    """Return the function of pyreadstat that reads `kind` (``por`` or ``xport``) with its codes.

    For these files, the public functions replace all declared missing codes with missing values.
    """
    parser = import_module("pyreadstat._readstat_parser")
    return partial(parser.parser_entry_point, parser_format=kind, user_missing=True)


def read_package(file: PackageFile) -> Batches:
    """Read the codebook immediately, and read the rows only when they are needed."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    with _reading(file.path):
        _, found = file.reader(str(file.path), metadataonly=True, **file.settings)
    if file.catalog is not None:
        given = {**file.settings, "catalog_file": str(file.catalog)}
        with _reading(file.catalog):
            _, found = file.reader(str(file.path), metadataonly=True, **given)
    if not all(isinstance(name, str) for name in found.column_names):
        raise _damaged(file.path)
    columns = {name: _notes(name, found, letters=file.letters) for name in found.column_names}
    kinds = {name: _kind(name, notes, found, file.clock) for name, notes in columns.items()}
    columns = {name: replace(one, number=kinds[name] == "number") for name, one in columns.items()}
    days = dict.fromkeys(("date", *PERIODS), pa.date32())
    types = {"number": pa.float64(), "datetime": pa.timestamp("us"), **days}
    schema = pa.schema([(name, types.get(kinds[name], pa.string())) for name in found.column_names])
    labeled = sum(bool(notes.labels) for notes in columns.values())
    details = (f"value labels in {labeled} column{'' if labeled == 1 else 's'}",) if labeled else ()
    return Batches(schema, _rows(file, kinds, schema), Codebook(columns, details))


def _notes(name: str, found: Any, *, letters: bool) -> ColumnNotes:  # noqa: ANN401 - a class of pyreadstat
    description = found.column_names_to_labels.get(name)
    ranges = found.missing_ranges.get(name, [])
    missing: list[tuple[Code, Code]] = [(one["lo"], one["hi"]) for one in ranges]
    is_text = found.readstat_variable_types.get(name) == "string"
    missing = [one for one in missing if one != _SUPPRESSED]
    missing += [LETTERS] if letters and not is_text else []
    labels = found.variable_value_labels.get(name, {})
    measure = found.variable_measure.get(name)
    return ColumnNotes(
        description=description or None,
        labels={
            code if is_text else _code(code): str(label)
            for code, label in labels.items()
            if not is_text or code
        },
        missing=tuple(missing),
        measure=None if measure in (None, "unknown") else measure,
        shown=found.original_variable_types.get(name),
    )


def _code(code: Code) -> Code:
    """Convert a code to a number. A letter represents a type of missing value."""
    letter = letter_code(code) if isinstance(code, str) else None
    return letter if letter is not None else code


def _kind(name: str, notes: ColumnNotes, found: Any, clock: Clock) -> str:  # noqa: ANN401 - as above
    if found.readstat_variable_types.get(name) == "string":
        return "text"
    return clock.kind(notes.shown) or "number"


def _rows(
    file: PackageFile, kinds: Mapping[str, str], schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    size = max(_CELLS // max(len(kinds), 1), _FEWEST_ROWS)
    start = 0
    while True:
        with _reading(file.path):
            frame, _ = file.reader(
                str(file.path),
                row_offset=start,
                row_limit=size,
                disable_datetime_conversion=True,
                output_format="pandas",
                **file.settings,
            )
        arrays = [_array(frame[name], kinds[name], file.clock) for name in schema.names]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)
        start += len(frame)
        if len(frame) < size:
            return


def _array(column: Any, kind: str, clock: Clock) -> pa.Array:  # noqa: ANN401 - a pandas Series
    import numpy as np  # noqa: PLC0415 - as pandas
    import pandas as pd  # noqa: PLC0415 - heavy
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if kind == "text":
        texts = pa.Array.from_pandas(column).cast(pa.string())
        return pa.compute.if_else(pa.compute.equal(texts, ""), None, texts)
    if column.dtype.kind not in "fiu":  # letters for types of missing values, as in Stata
        column = column.map(lambda one: letter_code(one) if isinstance(one, str) else one)
        column = pd.to_numeric(column, errors="coerce")
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if kind == "number":
        return pa.array(numbers, pa.float64(), from_pandas=True)
    return clock.read(kind, numbers)  # type: ignore[arg-type] # one of its kinds


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Convert an error of the library to one line that does not quote a cell of the file."""
    import pyreadstat  # noqa: PLC0415 - an extra

    try:
        yield
    except (UnicodeDecodeError, pyreadstat.ReadstatError) as error:
        said = str(error).lower()
        if isinstance(error, UnicodeDecodeError) or "encoding" in said or "convert" in said:
            what = "a value is not in the encoding that the file states"
            fix = f"name its encoding, for example, {option('encoding', 'cp1252')}"
            raise SourceError(what, where=path.name, fix=fix) from None
        raise _damaged(path) from None
    except MemoryError:
        raise
    except (OSError, ValueError, KeyError, TypeError, OverflowError, IndexError) as error:
        raise _damaged(path) from error
    except pyreadstat.PyreadstatError:
        raise _damaged(path) from None


def _damaged(path: Path) -> SourceError:
    what = "the file is damaged, incomplete, or in a form that Roadstead cannot read"
    fix = "get the file again, or export it as CSV"
    return SourceError(what, where=path.name, fix=fix)
