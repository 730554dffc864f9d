"""Read SPSS files (``.sav``, ``.zsav``, and ``.por``), and write ``.sav`` files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.errors import SourceError
from roadstead.tables.formats.codebook import Codebook
from roadstead.tables.formats.format import Batches, Options
from roadstead.tables.formats.statistics.clocks import SPSS_CLOCK
from roadstead.tables.formats.statistics.reading import (
    PackageFile,
    PackageFormat,
    read_package,
    reader_with_codes,
)
from roadstead.tables.formats.statistics.stamps import without_stamp
from roadstead.tables.formats.statistics.writing import columns_of, writing_package

if TYPE_CHECKING:
    import pyarrow as pa

_STAMP = slice(92, 109)
"""The bytes of the header that contain the day and time of writing."""
_NO_STAMP = b"01 Jan 7000:00:00"
_LOST = "\ufffd"


@dataclass(frozen=True)
class Spss(PackageFormat):
    """An SPSS file: a portable file if `portable` is true, or a ``.sav`` file otherwise."""

    portable: bool = False

    def read(self, path: Path, options: Options) -> Batches:
        """Read a file with its labels, declared missing values, and levels of measurement."""
        import pyreadstat  # noqa: PLC0415 - an extra

        if self.portable:
            found = read_package(PackageFile(path, reader_with_codes("por"), SPSS_CLOCK, {}))
            return _with_all_letters(found, path)
        settings: dict[str, Any] = {"user_missing": True, **options}
        return read_package(PackageFile(path, pyreadstat.read_sav, SPSS_CLOCK, settings))

    def write(self, rows: pa.RecordBatchReader, path: Path, codebook: Codebook) -> None:
        """Write a ``.sav`` file."""
        import pyreadstat  # noqa: PLC0415 - an extra

        columns = columns_of(rows, codebook, SPSS_CLOCK, labels=True)
        with writing_package(path, self.label):
            pyreadstat.write_sav(
                columns.frame(),
                str(path),
                column_labels=columns.descriptions,
                row_compress=True,
                variable_value_labels=columns.labels,  # type: ignore[arg-type] # codes may be texts
                variable_format=columns.shown,
                variable_measure=columns.measures,
                missing_ranges=columns.missing,
            )
        without_stamp(path, _STAMP, _NO_STAMP)


SPSS = Spss("SPSS", (".sav",), ("encoding",), "spss")
PORTABLE = Spss("SPSS portable", (".sav",), (), "spss", portable=True)


def _with_all_letters(found: Batches, path: Path) -> Batches:
    """Reject lost letters. The library replaces each non-ASCII letter with the same character."""
    for name, notes in found.codebook.columns.items():
        _require_letters((name, notes.description or "", *notes.labels.values()), path)
    return replace(found, rows=_rows_with_all_letters(found.rows, path))


def _rows_with_all_letters(rows: Iterator[pa.RecordBatch], path: Path) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    for batch in rows:
        for column in batch.columns:
            if pa.types.is_string(column.type):
                _require_letters((text or "" for text in column.unique().to_pylist()), path)
        yield batch


def _require_letters(texts: Iterable[str], path: Path) -> None:
    if any(_LOST in text for text in texts):
        what = "a text has a letter outside ASCII, which Roadstead cannot read in portable files"
        fix = "open the file in SPSS, or in PSPP, which is free, and save it as .sav"
        raise SourceError(what, where=path.name, fix=fix)
