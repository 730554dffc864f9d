"""Read and write R data frames in ``.rds`` and ``.RData`` files.

An ``.rds`` file contains one object, and an ``.RData`` file contains several objects with names. A
factor is read as the names of its levels. A release is an ``.rds`` file with one data frame. A
released factor has only the levels that occur in released records, because another level may be the
name of a person. The library writes dates and times as strings.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.errors import SourceError
from roadstead.tables.formats.codebook import Codebook, ColumnNotes
from roadstead.tables.formats.excel.cells import column_of
from roadstead.tables.formats.format import Batches, FileFormat, Options
from roadstead.tables.formats.options import chosen

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH = 1 << 16


class RFile(FileFormat):
    """A file with R data frames."""

    def read(self, path: Path, options: Options) -> Batches:
        """Read the only data frame, or the data frame that the option ``table`` requests."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        frame = _frame(path, options.get("table"))
        arrays = [_array(frame.iloc[:, at]) for at in range(frame.shape[1])]
        table = pa.table(arrays, names=[str(name) for name in frame.columns])
        notes = {
            str(name): ColumnNotes(levels=levels)
            for at, name in enumerate(frame.columns)
            if (levels := _levels(frame.iloc[:, at]))
        }
        return Batches(table.schema, iter(table.to_batches(_BATCH)), Codebook(notes))

    def write(self, rows: pa.RecordBatchReader, path: Path, codebook: Codebook) -> None:
        """Write a data frame with R's compression and without the time of writing."""
        import pyarrow as pa  # noqa: PLC0415 - heavy
        import pyreadr  # noqa: PLC0415 - an extra

        table = rows.read_all()
        fields = [
            pa.field(one.name, pa.float64() if pa.types.is_integer(one.type) else one.type)
            for one in table.schema
        ]
        frame = table.cast(pa.schema(fields)).to_pandas()
        for one in table.schema:
            levels = codebook.of(one.name).levels
            if levels and pa.types.is_string(one.type) and len(table[one.name].drop_null()):
                frame[one.name] = _factor(table[one.name], levels)
        plain = path.with_name(f"{path.name}.plain")
        try:
            pyreadr.write_rds(str(plain), frame)
            with path.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as zipped:
                zipped.write(plain.read_bytes())
        finally:
            plain.unlink(missing_ok=True)


def _frame(path: Path, requested: str | None) -> Any:  # noqa: ANN401 - a data frame of pandas
    import pyreadr  # noqa: PLC0415 - an extra

    try:
        found = pyreadr.read_r(str(path))
    except MemoryError:
        raise
    except Exception as error:  # the library raises its own errors and Python's errors
        what = "the file is damaged, or has objects other than data frames"
        fix = "in R, save the data frame with saveRDS(frame, file)"
        raise SourceError(what, where=path.name, fix=fix) from error
    # If xarray is installed, the library returns arrays with three dimensions, too.
    frames = {
        str(name or "table"): frame
        for name, frame in found.items()
        if hasattr(frame, "columns") and frame.shape[1]
    }
    return frames[chosen(requested, [*frames], path, "table", "data frame")]


def _levels(column: Any) -> tuple[str, ...]:  # noqa: ANN401 - a Series of pandas
    """Return the levels of a factor, or an empty result for other columns."""
    if str(column.dtype) != "category":
        return ()
    levels = tuple(column.cat.categories)
    return levels if all(isinstance(one, str) for one in levels) else ()


def _factor(column: pa.ChunkedArray, levels: tuple[str, ...]) -> Any:  # noqa: ANN401 - of pandas
    """Return a factor with the levels that occur. Levels of the source are before new levels."""
    import pandas as pd  # noqa: PLC0415 - heavy

    texts = column.to_pylist()
    present = {text for text in texts if text is not None}
    kept = [level for level in levels if level in present]
    return pd.Categorical(texts, categories=[*kept, *sorted(present.difference(kept))])


def _array(column: Any) -> pa.Array:  # noqa: ANN401 - a Series of pandas
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if str(column.dtype) == "category":
        column = column.astype("object")
    if column.dtype.kind in "fiub" and str(column.dtype) != "object":
        return pa.Array.from_pandas(column)
    if column.dtype.kind == "M":
        return pa.Array.from_pandas(column).cast(pa.timestamp("us"))
    values = [None if one is None or one != one else one for one in column.tolist()]  # noqa: PLR0124 - NaN
    return column_of(values)


R = RFile(
    "R", (".rds",), ("table",), "r", extra="r", modules=("pyreadr", "pandas"), library="pyreadr"
)
